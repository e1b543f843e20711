"""A package's file as its frame gets it: its type, and the guard in everything that can run.

Pure functions over bytes. Scripts get the guard in front, pages before everything; an inline script of a page is
allowed by the hash of what is served, so nothing that lacks the guard can ever be allowed. Spec: decision 1.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import json
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, Literal

from .guard import GUARD, guarded
from .html_scripts import inline_scripts

Realm = Literal["page", "script", "document", "data"]
"""What a file can become: a page that runs scripts, a script, a document of another kind, or nothing that runs."""

_TEXT: Final = "; charset=utf-8"
_TYPES: Final = {
    ".html": ("page", "text/html" + _TEXT),
    ".htm": ("page", "text/html" + _TEXT),
    ".js": ("script", "text/javascript" + _TEXT),
    ".mjs": ("script", "text/javascript" + _TEXT),
    ".cjs": ("script", "text/javascript" + _TEXT),
    ".svg": ("document", "image/svg+xml"),
    ".xml": ("document", "application/xml"),
    ".xhtml": ("document", "application/xhtml+xml"),
    ".xht": ("document", "application/xhtml+xml"),
    ".xsl": ("document", "application/xslt+xml"),
    ".xslt": ("document", "application/xslt+xml"),
    ".mathml": ("document", "application/mathml+xml"),
    ".mml": ("document", "application/mathml+xml"),
    ".rss": ("document", "application/rss+xml"),
    ".atom": ("document", "application/atom+xml"),
    ".css": ("data", "text/css" + _TEXT),
    ".json": ("data", "application/json"),
    ".map": ("data", "application/json"),
    ".webmanifest": ("data", "application/manifest+json"),
    ".txt": ("data", "text/plain" + _TEXT),
    ".md": ("data", "text/plain" + _TEXT),
    ".csv": ("data", "text/csv" + _TEXT),
    ".vtt": ("data", "text/vtt" + _TEXT),
    ".wasm": ("data", "application/wasm"),
    ".png": ("data", "image/png"),
    ".jpg": ("data", "image/jpeg"),
    ".jpeg": ("data", "image/jpeg"),
    ".gif": ("data", "image/gif"),
    ".webp": ("data", "image/webp"),
    ".avif": ("data", "image/avif"),
    ".ico": ("data", "image/x-icon"),
    ".bmp": ("data", "image/bmp"),
    ".woff": ("data", "font/woff"),
    ".woff2": ("data", "font/woff2"),
    ".ttf": ("data", "font/ttf"),
    ".otf": ("data", "font/otf"),
    ".mp3": ("data", "audio/mpeg"),
    ".ogg": ("data", "audio/ogg"),
    ".oga": ("data", "audio/ogg"),
    ".wav": ("data", "audio/wav"),
    ".flac": ("data", "audio/flac"),
    ".m4a": ("data", "audio/mp4"),
    ".weba": ("data", "audio/webm"),
    ".mp4": ("data", "video/mp4"),
    ".m4v": ("data", "video/mp4"),
    ".webm": ("data", "video/webm"),
    ".ogv": ("data", "video/ogg"),
}
_UNKNOWN: Final = ("data", "application/octet-stream")
_SCRIPT_TYPES: Final = frozenset(
    (
        "",
        "module",
        "text/javascript",
        "application/javascript",
        "application/x-javascript",
        "text/ecmascript",
        "application/ecmascript",
        "text/jscript",
    )
)
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BLANK: Final = re.compile(r"\s*")
_DOCTYPE: Final = re.compile(r"<!doctype[^>]*>", re.IGNORECASE)
_GUARD_HERE: Final = "\0guard\0"
_MAX_INLINE: Final = 500
"""How many inline scripts of a page may run: each one's hash stands in a header, and the guard stands in each."""


@dataclass(frozen=True, slots=True)
class Served:
    """A file ready to be served. `inline` are the policy's sources for a page's own inline scripts."""

    body: bytes
    content_type: str
    realm: Realm
    inline: tuple[str, ...] = ()

    def at(self, guard_url: str) -> bytes:
        """The body for one frame: a page names the guard by the frame's own address."""
        if self.realm != "page":
            return self.body
        return self.body.replace(_GUARD_HERE.encode(), guard_url.encode(), 1)


def served(name: str, content: bytes) -> Served:
    """What a file of that name is served as."""
    realm, content_type = _TYPES.get(PurePosixPath(name).suffix.lower(), _UNKNOWN)
    if realm == "page":
        return _page(_decoded(content), content_type)
    if realm == "script":
        return Served(guarded(_decoded(content)).encode(), content_type, "script")
    return Served(content, content_type, "document" if realm == "document" else "data")


def _decoded(content: bytes) -> str:
    """The text of a page or script, whatever mark it begins with: a browser would believe the mark over our header."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    return content.decode("utf-8", "replace")


def _page(text: str, content_type: str) -> Served:
    """A page with the guard first, and in front of each inline script."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    pieces: list[str] = []
    inline: list[str] = []
    done = 0
    for script in islice(inline_scripts(text), _MAX_INLINE):
        words = text[script.begin : script.end]
        kind = script.attributes.get("type", "").strip().lower()
        if kind in _SCRIPT_TYPES:
            words = guarded(words)
            pieces += (text[done : script.begin], words)
            done = script.end
        elif kind != "importmap" or not _is_object(words):
            continue
        inline.append(_source(words))
    page = "".join((*pieces, text[done:]))
    at = _after_doctype(page)
    guard = f'<script src="{_GUARD_HERE}"></script>'
    body = f"{page[:at]}{guard}{page[at:]}".encode()
    return Served(body, content_type, "page", tuple(dict.fromkeys(inline)))


def _after_doctype(page: str) -> int:
    """Where a page's doctype ends, which must stay first; 0 without one."""
    at = 0
    while True:
        blank = _BLANK.match(page, at)
        at = at if blank is None else blank.end()
        if not page.startswith("<!--", at):
            break
        end = page.find("-->", at + 4)
        if end < 0:
            return 0
        at = end + 3
    found = _DOCTYPE.match(page, at)
    return 0 if found is None else found.end()


def _source(script: str) -> str:
    """The policy's source for one inline script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _is_object(text: str) -> bool:
    """Whether an import map is one: anything else might be a script, which its hash would let run without the guard."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


GUARD_FILE: Final = Served(GUARD.encode(), "text/javascript" + _TEXT, "script")
"""`__ns/guard.js` itself."""
