"""The files of a workspace in memory, by the rules of the protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from cardloom_protocol.session import (
    FileConflict,
    FileContent,
    FileEntry,
    FileNotFound,
    FileReadOpts,
    FileWriteOpts,
    WorkspaceUpdateEvent,
    decode_file_content,
    file_content,
    file_name,
    normalize_file_path,
)


class MemoryFiles:
    """Files in one folder."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files = dict(files or {})

    async def list(self, path: str) -> list[FileEntry]:
        normalize_file_path(path)
        return [self._entry(name) for name in sorted(self.files)]

    async def read(self, path: str, opts: FileReadOpts | None = None) -> FileContent:
        name = normalize_file_path(path)
        data = self._data(name)
        return file_content(path=name, data=data, revision=self._revision(name))

    async def stat(self, path: str) -> FileEntry:
        name = normalize_file_path(path)
        self._data(name)
        return self._entry(name)

    async def write(self, path: str, content: str, opts: FileWriteOpts | None = None) -> FileEntry:
        name = normalize_file_path(path)
        given = opts or {}
        if "ifRevision" in given and given["ifRevision"] != (self._revision(name) if name in self.files else None):
            raise FileConflict(f"{name} has changed.")
        self.files[name] = decode_file_content(content, given.get("encoding", "utf8"))
        return self._entry(name)

    async def delete(self, path: str) -> None:
        del self.files[normalize_file_path(path)]

    async def rename(self, source: str, target: str) -> FileEntry:
        self.files[target] = self.files.pop(source)
        return self._entry(target)

    def watch(self, listener: Callable[[WorkspaceUpdateEvent], None]) -> Callable[[], None]:
        return lambda: None

    def _data(self, name: str) -> bytes:
        if name not in self.files:
            raise FileNotFound(f"There is no file {name!r}.")
        return self.files[name]

    def _revision(self, name: str) -> str:
        return hashlib.sha256(self.files[name]).hexdigest()[:16]

    def _entry(self, name: str) -> FileEntry:
        return {"path": name, "name": file_name(name), "type": "file", "size": len(self.files[name])}
