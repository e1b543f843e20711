"""The ways out of a frame, each with the defence that closes it. Spec: decision 1; issue of custom cards, the frame."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from .weakened import Weakness


@dataclass
class Outcome:
    """What came of an attack: what the witness saw, what the card said at its end, what our page and server heard.

    `looked_up` tells whether the browser asked for the address of the name that only this attack knows.
    """

    witness: list[str] = field(default_factory=list)
    said: str = ""
    heard: list[dict[str, str]] = field(default_factory=list)
    touched: bool = False
    reached: list[str] = field(default_factory=list)
    looked_up: bool = False


Leak: TypeAlias = Callable[[Outcome], bool]

_ALL: Final = "* data: blob:"
_LIST: Final = ("Connection-Allowlist",)


@dataclass(frozen=True)
class Way:
    """One way out: the attack's name in the card, what a frame without the defence lacks, and how its success shows.

    `ends` matches a line of the console that says that the browser stopped it, where the card cannot say so itself.
    Where `is_logged`, its success shows in nothing but the browser's own log.
    """

    name: str
    open: Weakness
    leaks: Leak
    ends: str = ""
    is_logged: bool = False


def _witnessed(what: str) -> Leak:
    return lambda outcome: any(what in seen for seen in outcome.witness)


def _said(pattern: str) -> Leak:
    return lambda outcome: re.fullmatch(f"tried: {pattern}", outcome.said) is not None


def _realm(name: str) -> Leak:
    return lambda outcome: any(
        message["rtc"] == "function" for message in outcome.heard if message["realm"].startswith(name)
    )


def _policy(directive: str, value: str = _ALL) -> Weakness:
    return Weakness(frame_policy={directive: value}, headers=_LIST)


_SAME_ORIGIN: Final = Weakness(sandbox="allow-same-origin")
_NO_GUARD: Final = Weakness(guard=False, headers=_LIST)
_ANYWHERE: Final = Weakness(page_policy={"frame-src": "*"}, headers=_LIST)
_BLOCKED_FRAME: Final = "frame-src"

WAYS: Final = (
    Way("parentDocument", _SAME_ORIGIN, lambda outcome: outcome.touched),
    Way("cookies", _SAME_ORIGIN, _said(".*planted=yes.*")),
    Way("appStorage", _SAME_ORIGIN, _said(r"[1-9]\d* \d+ \d+")),
    Way("database", _SAME_ORIGIN, _said(r"\d+")),
    Way("fetch", _policy("connect-src"), _witnessed("/fetch")),
    Way("xhr", _policy("connect-src"), _witnessed("/xhr")),
    Way("webSocket", _policy("connect-src"), _witnessed("/socket")),
    Way("eventSource", _policy("connect-src"), _witnessed("/events")),
    Way("beacon", _policy("connect-src"), _witnessed("/beacon")),
    Way("ping", _policy("connect-src"), _witnessed("/ping")),
    Way("image", _policy("img-src"), _witnessed("/image.png")),
    Way("media", _policy("media-src"), _witnessed("/video.mp4")),
    Way("cssUrl", _policy("img-src"), _witnessed("/background.png")),
    Way("cssImport", _policy("style-src", "* 'unsafe-inline'"), _witnessed("/import.css")),
    Way("font", _policy("font-src"), _witnessed("/font.woff2")),
    Way("script", _policy("script-src", "*"), _witnessed("/module.js")),
    Way("scriptByHash", _policy("script-src", "*"), _witnessed("/by-hash.js")),
    Way("prefetch", _policy("default-src"), _witnessed("/prefetch")),
    Way("preconnect", Weakness(headers=_LIST), _witnessed("connection")),
    Way(
        "dnsPrefetch",
        Weakness(headers=("Connection-Allowlist", "X-DNS-Prefetch-Control")),
        lambda outcome: outcome.looked_up,
        is_logged=True,
    ),
    Way("webRtc", _NO_GUARD, _witnessed("datagram")),
    Way("navigation", _ANYWHERE, _witnessed("/navigation"), _BLOCKED_FRAME),
    Way("metaRefresh", _ANYWHERE, _witnessed("/refresh"), _BLOCKED_FRAME),
    Way(
        "form",
        Weakness(
            frame_policy={"form-action": "*"}, page_policy={"frame-src": "*"}, headers=_LIST, sandbox="allow-forms"
        ),
        _witnessed("/form"),
    ),
    Way("popup", Weakness(headers=_LIST, sandbox="allow-popups"), _witnessed("/popup")),
    Way("topNavigation", Weakness(headers=_LIST, sandbox="allow-top-navigation"), _witnessed("/top")),
    Way("frameOutside", _policy("frame-src"), _witnessed("/frame")),
    Way("objectOutside", Weakness(frame_policy={"object-src": "*", "frame-src": "*"}, headers=_LIST), _witnessed("e")),
    Way("srcdocRealm", _NO_GUARD, _realm("about:srcdoc")),
    Way("shadowedGuard", _NO_GUARD, _realm("shadowed")),
    Way(
        "srcdocInline",
        replace(_NO_GUARD, frame_policy={"script-src": "* 'unsafe-inline'"}),
        _realm("inline"),
    ),
    Way("blankRealm", _SAME_ORIGIN, _said("function")),
    Way("svgRealm", Weakness(frame_policy={"script-src": "* 'unsafe-inline'"}), _realm("svg"), "script-src"),
    Way("xhtmlRealm", Weakness(frame_policy={"script-src": "* 'unsafe-inline'"}), _realm("xhtml"), "script-src"),
    Way(
        "clipboardRead",
        Weakness(headers=("Permissions-Policy",), sandbox="allow-same-origin", allow="clipboard-read"),
        _said("copied by the person"),
    ),
    Way(
        "worker",
        Weakness(frame_policy={"worker-src": "blob:", "script-src": "* blob: 'unsafe-inline'"}),
        _said("ran"),
    ),
    Way("serviceWorker", Weakness(frame_policy={"worker-src": "*"}, sandbox="allow-same-origin"), _said("registered")),
    Way("otherFrames", _SAME_ORIGIN, _said(".*the secret of a card.*")),
    Way("otherFiles", Weakness(frame_policy={"script-src": "*"}), _said("what another card's file says")),
    Way(
        "hostFolder",
        Weakness(frame_policy={"connect-src": "*"}),
        lambda outcome: any("__ns/sdk.js" in request for request in outcome.reached),
    ),
    Way("apiCall", Weakness(frame_policy={"connect-src": "*"}, origin=False), _said("true")),
    Way("apiSocket", Weakness(frame_policy={"connect-src": "*"}, origin=False), _said("true")),
)
"""Every way that the issue names, and some beside them."""
