"""Lists of session files, newest first; a file is read again only when it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

from cardloom_protocol.session.errors import CodecError, SessionError
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.paging import page_of

from .contract import SessionPage
from .disk import Stamp, stamp_of
from .sources import iso_of_ns


class Listing:
    """Remembers what each file says of its session. `read` gives that, or raises for a file that cannot be read."""

    def __init__(self, read: Callable[[Path], SessionInfo]) -> None:
        self._read = read
        self._known: dict[Path, tuple[Stamp, SessionInfo | None]] = {}

    def page(self, paths: Iterable[Path], limit: float | None, cursor: str | None) -> SessionPage:
        """The sessions of some files, the last written first. Files that cannot be read are left out."""
        found: list[tuple[int, str, SessionInfo]] = []
        known: dict[Path, tuple[Stamp, SessionInfo | None]] = {}
        for path in paths:
            stamp = stamp_of(path)
            if stamp is None:
                continue
            info = self.info(path, stamp)
            known[path] = (stamp, info)
            if info is not None:
                shown = {**cast(JsonObject, info), "updatedAt": iso_of_ns(stamp.mtime_ns)}
                found.append((-stamp.mtime_ns, path.name, cast(SessionInfo, shown)))
        self._known = known
        found.sort(key=lambda one: one[:2])
        page = page_of([info for _, _, info in found], limit, cursor)
        return SessionPage(page.items, page.cursor)

    def info(self, path: Path, stamp: Stamp) -> SessionInfo | None:
        """What a file in this state says, None when it cannot be read."""
        before = self._known.get(path)
        if before is not None and before[0] == stamp:
            return before[1]
        try:
            info = self._read(path)
        except (SessionError, CodecError, OSError):
            info = None
        self._known[path] = (stamp, info)
        return info
