"""The built page and what the browser is told about it: a strict policy, no foreign frame, nothing remote.

Spec: decisions 1, 38. `<host>` in the policy is the Host header after the doorkeeper checked it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_NOT_BUILT: Final = (
    "<!doctype html><meta charset=utf-8><title>Cardloom</title>"
    "<p>The page is not built yet. Run <code>make setup</code> and load this again.</p>"
)
_FOREVER: Final = "public, max-age=31536000, immutable"


def page_policy(host: str) -> str:
    """The Content-Security-Policy of the page. 'self' would let it run what packages bring, below /frames."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src http://{host}/assets/",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            f"connect-src 'self' ws://{host}",
            f"frame-src http://{host}/frames/",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


class Pages:
    """Serves the folder that holds the built page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def index(self, request: Request) -> Response:
        """The page itself."""
        path = self._folder / "index.html"
        headers = {"Content-Security-Policy": page_policy(request.headers["host"]), "Cache-Control": "no-cache"}
        if not path.is_file():
            return HTMLResponse(_NOT_BUILT, headers=headers)
        return FileResponse(path, headers=headers)

    async def asset(self, request: Request) -> Response:
        """A file beside the page: hashed ones under /assets, a few at the root."""
        path = self._inside(request.path_params["path"])
        if path is None:
            return Response(status_code=404)
        hashed = path.parent.name == "assets"
        return FileResponse(path, headers={"Cache-Control": _FOREVER if hashed else "no-cache"})

    def _inside(self, name: str) -> Path | None:
        """The file of that name when it lies in the folder and is not the page."""
        if "\0" in name:
            return None
        try:
            path = (self._folder / name).resolve()
            found = path.is_relative_to(self._folder.resolve()) and path.is_file()
        except (OSError, RuntimeError):  # longer than a name may be, or a loop of links
            return None
        return path if found and path.name != "index.html" else None
