"""What a browser is told about a frame: nothing but its own files, and nothing of the world.

`<host>` is the Host header after the doorkeeper checked it. The prefix is written out because 'self' means the whole
origin, and that is the app's. Spec: decision 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from .frame_content import Realm

FRAME_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Connection-Allowlist": "(response-origin)",
        "X-DNS-Prefetch-Control": "off",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Access-Control-Allow-Origin": "*",
        "X-Content-Type-Options": "nosniff",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=(), "
        "usb=(), serial=(), hid=(), payment=()",
        "Cache-Control": "no-store",
    }
)
"""The headers of every answer below `/frames`. Module scripts of an opaque origin need the allowed origin."""


def frame_policy(host: str, prefix: str, realm: Realm, inline: Sequence[str] = ()) -> str:
    """The Content-Security-Policy of one answer; `prefix` is the frame's path with its final slash.

    The hash of an inline script also lets a script from anywhere be asked for, if its `integrity` names that hash. So a
    page with inline scripts has a second policy, which must be met as well and allows no address but the frame's own.
    """
    own = f"http://{host}{prefix}"
    scripts = "'none'" if realm == "document" else " ".join((own, *inline))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            f"style-src {own} 'unsafe-inline'",
            f"img-src {own} data: blob:",
            f"font-src {own} data: blob:",
            f"media-src {own} data: blob:",
            "connect-src 'none'",
            "frame-src 'none'",
            "worker-src 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            f"frame-ancestors http://{host}",
            "sandbox allow-scripts",
        )
    )
    return f"{policy}, script-src {own} 'unsafe-inline'" if inline and realm == "page" else policy
