"""A workspace in memory with the rules that every backend keeps: paths, trash, revisions, ignored files, watching."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import count
from typing import cast

from cardloom_protocol.session.errors import FileBadRequest, FileConflict, FileNotFound, NotFound
from cardloom_protocol.session.events import WorkspaceUpdateEvent
from cardloom_protocol.session.files import (
    DEFAULT_FILE_READ_MAX_BYTES,
    FileContent,
    FileEntry,
    FileReadOpts,
    FileWriteOpts,
    check_file_read_size,
    decode_file_content,
    file_content,
    file_mime,
    file_name,
    is_trash_path,
    parent_file_path,
    trash_path,
)
from cardloom_protocol.session.ignore import IgnoreRule, is_ignored_path, parse_gitignore
from cardloom_protocol.session.info import WorkspaceInfo
from cardloom_protocol.session.operations import Unsubscribe, WorkspaceFilesOps

Entries = list[FileEntry]
Paths = list[str]
Workspaces = list[WorkspaceInfo]


class MemoryWorkspaceFiles:
    """Files as paths with their bytes; a folder is there as long as it holds something."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.listeners: list[Callable[[WorkspaceUpdateEvent], None]] = []
        self._deletions = count(1)

    async def list(self, path: str) -> Entries:
        """See the protocol."""
        if path and not self._is_folder(path):
            raise FileNotFound(f"There is no folder {path!r}.")
        inside = f"{path}/" if path else ""
        names = {file[len(inside) :].partition("/")[0] for file in self.files if file.startswith(inside)}
        entries = [self._entry(inside + name) for name in names]
        return sorted(entries, key=lambda entry: (entry["type"] != "dir", entry["name"]))

    async def read(self, path: str, opts: FileReadOpts | None = None) -> FileContent:
        """See the protocol."""
        data = self._bytes(path)
        check_file_read_size(path, len(data), (opts or {}).get("maxBytes", DEFAULT_FILE_READ_MAX_BYTES))
        return file_content(path=path, data=data, revision=_revision(data))

    async def stat(self, path: str) -> FileEntry:
        """See the protocol."""
        if path not in self.files and not self._is_folder(path):
            raise FileNotFound(f"There is nothing at {path!r}.")
        return self._entry(path)

    async def write(self, path: str, content: str, opts: FileWriteOpts | None = None) -> FileEntry:
        """See the protocol."""
        given = opts or {}
        data = decode_file_content(content, given.get("encoding", "utf8"))
        if self._is_folder(path) or any(parent in self.files for parent in _parents(path)):
            raise FileBadRequest(f"{path!r} cannot be a file.")
        current = _revision(self.files[path]) if path in self.files else None
        if "ifRevision" in given and given["ifRevision"] != current:
            raise FileConflict(f"{path!r} has changed meanwhile.", {"revision": current})
        self.files[path] = data
        self._tell(path)
        return self._entry(path)

    async def delete(self, path: str) -> None:
        """See the protocol."""
        found = self._below(path)
        number = next(self._deletions)
        for file in found:
            data = self.files.pop(file)
            if not is_trash_path(path):
                self.files[trash_path(file, "20260101T000000Z", str(number))] = data
        self._tell(path)

    async def rename(self, source: str, target: str) -> FileEntry:
        """See the protocol."""
        if target in self.files or self._is_folder(target):
            raise FileConflict(f"{target!r} exists.")
        for file in self._below(source):
            self.files[target + file[len(source) :]] = self.files.pop(file)
        self._tell(source, target)
        return self._entry(target)

    def watch(self, listener: Callable[[WorkspaceUpdateEvent], None]) -> Unsubscribe:
        """See the protocol."""
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def _tell(self, *paths: str) -> None:
        for listener in list(self.listeners):
            listener({"type": "workspace_update", "paths": list(paths)})

    def _bytes(self, path: str) -> bytes:
        if self._is_folder(path):
            raise FileBadRequest(f"{path!r} is a folder.")
        if path not in self.files:
            raise FileNotFound(f"There is no file {path!r}.")
        return self.files[path]

    def _below(self, path: str) -> Paths:
        found = [file for file in self.files if file == path or file.startswith(f"{path}/")]
        if not found:
            raise FileNotFound(f"There is nothing at {path!r}.")
        return found

    def _is_folder(self, path: str) -> bool:
        return path == "" or any(file.startswith(f"{path}/") for file in self.files)

    def _entry(self, path: str) -> FileEntry:
        is_file = path in self.files
        entry: FileEntry = {"path": path, "name": file_name(path), "type": "file" if is_file else "dir"}
        if is_file:
            entry["size"], entry["revision"] = len(self.files[path]), _revision(self.files[path])
            mime = file_mime(path)
            if mime is not None:
                entry["mime"] = mime
        if path and is_ignored_path(path, not is_file, self._rules):
            entry["ignored"] = True
        return entry

    def _rules(self, folder: str) -> Sequence[IgnoreRule] | None:
        data = self.files.get(f"{folder}/.gitignore" if folder else ".gitignore")
        return None if data is None else parse_gitignore(data.decode("utf-8", "replace"))


class MemoryWorkspaces:
    """Two workspaces, each with files of its own."""

    def __init__(self) -> None:
        self._files = {"first": MemoryWorkspaceFiles(), "second": MemoryWorkspaceFiles()}
        self._current = "first"

    @property
    def files(self) -> WorkspaceFilesOps:
        """The files of the workspace in use."""
        return cast(WorkspaceFilesOps, self._files[self._current])

    async def current(self) -> WorkspaceInfo:
        """See the protocol."""
        return {"id": self._current, "name": self._current.title()}

    async def list(self) -> Workspaces:
        """See the protocol."""
        return [{"id": name, "name": name.title()} for name in self._files]

    async def switch(self, workspace_id: str) -> WorkspaceInfo:
        """See the protocol."""
        if workspace_id not in self._files:
            raise NotFound(f"There is no workspace {workspace_id!r}.")
        self._current = workspace_id
        return await self.current()


def _revision(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _parents(path: str) -> list[str]:
    found = []
    while path := parent_file_path(path):
        found.append(path)
    return found
