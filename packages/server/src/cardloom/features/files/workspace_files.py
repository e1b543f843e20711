"""The files of one workspace, as every caller works with them: the rules, the fence, the answers of the wire.

Everything here waits for the disk; `service` calls it in threads. Spec: files; cards, fs; decisions 17, 40, 47, 48.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.limits import limit

from ...host.fence import Fence, Inside
from ...host.listing import list_folder
from ...host.replacing import make_parents, mtime_ms, replace_file
from ...host.trash import Trash
from ...host.walk import Place
from .model import (
    Encoding,
    admits,
    check_may_change,
    failed,
    is_addressable,
    normal,
    refusals,
    to_bytes,
    to_text,
)

Operation: TypeAlias = Literal["stat", "list", "read", "write", "mkdir", "trash"]
Stat: TypeAlias = dict[str, Any]

OPERATIONS: Final[tuple[Operation, ...]] = ("stat", "list", "read", "write", "mkdir", "trash")
_PIECE_BYTES: Final = 1 << 16


class WorkspaceFiles:
    """One workspace's files. Refusals are FS_DENIED and FS_ERROR with a reason, naming the path as it was given."""

    def __init__(self, folder: str, fence: Fence, trash: Trash) -> None:
        self.folder = folder
        self.fence = fence
        self._trash = trash

    def do(self, operation: Operation, params: Mapping[str, Any]) -> Any:
        """Carry out an operation with the parameters of its method."""
        path = params["path"]
        match operation:
            case "stat":
                return self.stat(path)
            case "list":
                return self.list(path, recursive=params.get("recursive", False), max_entries=params.get("maxEntries"))
            case "read":
                return self.read(path, encoding=params.get("encoding", "utf8"), max_bytes=params.get("maxBytes"))
            case "write":
                return self.write(
                    path,
                    params["data"],
                    encoding=params.get("encoding", "utf8"),
                    create_dirs=params.get("createDirs", False),
                    if_mtime_ms=params.get("ifMtimeMs"),
                )
            case "mkdir":
                return self.mkdir(path)
            case "trash":
                return self.trash(path)

    def stat(self, path: str) -> Stat:
        """Describe a file or folder."""
        wanted = normal(path)
        with refusals(path), self.fence.enter() as inside, inside.place(wanted) as place:
            return _stat(path, place, place.entry())

    def list(self, path: str, *, recursive: bool = False, max_entries: int | None = None) -> dict[str, Any]:
        """List a folder, at most 5 000 entries."""
        wanted = normal(path)
        with refusals(path), self.fence.enter() as inside:
            listing = list_folder(
                inside,
                wanted,
                recursive=recursive,
                max_entries=limit("fsListEntries") if max_entries is None else max_entries,
                admits=admits(wanted, recursive=recursive),
                fits=is_addressable,
            )
        entries = [
            {"path": entry.path, "type": "directory"}
            if entry.size_bytes is None
            else {"path": entry.path, "type": "file", "size": entry.size_bytes}
            for entry in listing.entries
        ]
        return {"entries": entries, "truncated": listing.truncated}

    def read(self, path: str, *, encoding: Encoding = "utf8", max_bytes: int | None = None) -> dict[str, Any]:
        """Read a file, at most 10 MiB; `truncated` when there is more."""
        wanted = normal(path)
        most = limit("fsReadBytes") if max_bytes is None else max_bytes
        with refusals(path), self.fence.enter() as inside:
            content, size_bytes = _read(inside, wanted, most + 1)
        cut = len(content) > most
        data = to_text(content[:most] if cut else content, encoding, cut=cut)
        return {"data": data, "encoding": encoding, "size": size_bytes, "truncated": cut}

    def write(
        self,
        path: str,
        data: str,
        *,
        encoding: Encoding = "utf8",
        create_dirs: bool = False,
        if_mtime_ms: float | None = None,
    ) -> Stat:
        """Write a file whole. With `if_mtime_ms`, FS_ERROR with `conflict` when it was changed since."""
        wanted = normal(path)
        content = to_bytes(path, data, encoding)
        with refusals(path), self.fence.enter() as inside, inside.place(wanted) as place:
            check_may_change(path, wanted, place.names)
            if len(place.rest) > 1:
                if not create_dirs:
                    raise failed(path, "not_found", "cannot be written: its folder does not exist")
                make_parents(place)
            return _stat(path, place, replace_file(place, content, if_mtime_ms=if_mtime_ms))

    def mkdir(self, path: str) -> Stat:
        """Make a folder in one that exists."""
        wanted = normal(path)
        with refusals(path), self.fence.enter() as inside, inside.place(wanted) as place:
            check_may_change(path, wanted, place.names)
            if len(place.rest) > 1:
                raise failed(path, "not_found", "cannot be made: the folder above it does not exist")
            os.mkdir(place.name, dir_fd=place.folder)
            return _stat(path, place, os.stat(place.name, dir_fd=place.folder, follow_symlinks=False))

    def trash(self, path: str) -> None:
        """Move a file or folder to the system's trash; of a link, the link itself."""
        wanted = normal(path)
        with refusals(path), self.fence.enter() as inside, inside.place(wanted, follow=False) as place:
            check_may_change(path, wanted, place.names)
            place.entry()
            self._trash.put(place, os.path.join(inside.real_path, *place.names))


def _stat(given: str, place: Place, info: os.stat_result) -> Stat:
    is_folder = stat.S_ISDIR(info.st_mode)
    if not is_folder and not stat.S_ISREG(info.st_mode):
        raise failed(given, "io", "is neither a file nor a folder")
    return {
        "path": place.shown,
        "type": "directory" if is_folder else "file",
        "size": 0 if is_folder else info.st_size,
        "mtimeMs": mtime_ms(info),
    }


def _read(inside: Inside, path: str, max_bytes: int) -> tuple[bytes, int]:
    """The beginning of a file, and how many bytes it has in all."""
    handle, info = inside.open_file(path)
    try:
        pieces = []
        room = max_bytes
        # One more than it has to hold, so that the end of a file that nobody changes is seen at once.
        while room and (piece := os.read(handle, min(room, max(info.st_size + 1, _PIECE_BYTES)))):
            pieces.append(piece)
            room -= len(piece)
    finally:
        os.close(handle)
    content = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return content, max(info.st_size, len(content))
