"""The files of a workspace in memory, with the refusals that a card has to be ready for.

Paths, protected names, conflicts and limits follow the rules of `cardloom_protocol`; links and disks are the server's.
"""

from __future__ import annotations

import base64
import binascii
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.paths import normalize_workspace_path
from cardloom_protocol.protected import protects

from ..timing import Timing

Params: TypeAlias = Mapping[str, Any]
Event: TypeAlias = tuple[str, Any]

SKIPPED: Final = frozenset((".git", "node_modules"))


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    mtime_ms: float


class MemoryFiles:
    """A tree of files. Tests fill it by `put` and look at it by `text`, `content`, `paths` and `trashed`.

    Changes are told to the card's watches as they are by the server, without waiting for a tenth of a second.
    """

    def __init__(self, timing: Timing, events: list[Event]) -> None:
        self.trashed: list[str] = []
        self._timing = timing
        self._events = events
        self._files: dict[str, _File] = {}
        self._folders: set[str] = {""}
        self._watches: dict[str, tuple[str, bool]] = {}
        self._numbers = itertools.count(1)

    # What a test does

    def put(self, path: str, content: str | bytes) -> None:
        """Let a file hold something, in folders that are made."""
        self._make_parents(path)
        known = path in self._files
        self._write(path, content.encode() if isinstance(content, str) else content)
        self._tell(path, "change" if known else "rename")

    def remove(self, path: str) -> None:
        """Let a file or folder go."""
        self._remove(path)
        self._tell(path, "rename")

    def text(self, path: str) -> str:
        """What a file holds. KeyError where there is none."""
        return self._files[path].content.decode()

    def content(self, path: str) -> bytes:
        """What a file holds, as it is."""
        return self._files[path].content

    @property
    def paths(self) -> list[str]:
        """All files by path."""
        return sorted(self._files)

    def forget_watches(self) -> None:
        """The card's connection is gone."""
        self._watches.clear()

    # What it answers

    def answers(self) -> dict[str, Callable[[Params], Any]]:
        """The answers by method."""
        return {
            "fs.stat": self._fs_stat,
            "fs.list": self._fs_list,
            "fs.read": self._fs_read,
            "fs.write": self._fs_write,
            "fs.mkdir": self._fs_mkdir,
            "fs.trash": self._fs_trash,
            "fs.watch": self._fs_watch,
            "fs.unwatch": self._fs_unwatch,
        }

    def _fs_stat(self, params: Params) -> Any:
        return self._described(_normal(params["path"]), params["path"])

    def _fs_list(self, params: Params) -> Any:
        path, recursive = _normal(params["path"]), params.get("recursive", False)
        if path in self._files:
            raise _failed(params["path"], "not_a_directory")
        self._described(path, params["path"])
        skipped = SKIPPED if recursive and SKIPPED.isdisjoint(path.split("/")) else frozenset()
        found = [one for one in self._below(path) if recursive or _parent(one) == path]
        found = [one for one in found if skipped.isdisjoint(one[len(path) :].split("/"))]
        found.sort(key=lambda one: (one.count("/"), one))
        most = params.get("maxEntries", limit("fsListEntries"))
        return {"entries": [self._entry(one) for one in found[:most]], "truncated": len(found) > most}

    def _fs_read(self, params: Params) -> Any:
        path, encoding = _normal(params["path"]), params.get("encoding", "utf8")
        if path in self._folders:
            raise _failed(params["path"], "is_a_directory")
        self._described(path, params["path"])
        content = self._files[path].content
        most = params.get("maxBytes", limit("fsReadBytes"))
        data = content[:most]
        text = data.decode("utf-8", "replace") if encoding == "utf8" else base64.b64encode(data).decode("ascii")
        return {"data": text, "encoding": encoding, "size": len(content), "truncated": len(content) > most}

    def _fs_write(self, params: Params) -> Any:
        given = params["path"]
        path, data = _changeable(given), _content(params)
        if path in self._folders:
            raise _failed(given, "is_a_directory")
        if len(data) > limit("fsWriteBytes"):
            raise _failed(given, "too_large")
        expected, old = params.get("ifMtimeMs"), self._files.get(path)
        if expected is not None and (old is None or old.mtime_ms != expected):
            conflict: JsonValue = {
                "reason": "conflict",
                "conflict": True,
                "mtimeMs": None if old is None else old.mtime_ms,
            }
            raise CallError(ErrorCode.FS_ERROR, f"{given!r} was changed meanwhile.", conflict)
        self._check_parent(path, given, make=params.get("createDirs", False))
        self._write(path, data)
        self._tell(path, "rename")
        return self._described(path, given)

    def _fs_mkdir(self, params: Params) -> Any:
        path = _changeable(params["path"])
        if path in self._files or path in self._folders:
            raise _failed(params["path"], "exists")
        self._check_parent(path, params["path"], make=False)
        self._folders.add(path)
        self._tell(path, "rename")
        return self._described(path, params["path"])

    def _fs_trash(self, params: Params) -> None:
        path = _changeable(params["path"])
        self._described(path, params["path"])
        self.trashed.append(path)
        self.remove(path)

    def _fs_watch(self, params: Params) -> Any:
        path = _normal(params["path"])
        self._described(path, params["path"])
        if len(self._watches) >= limit("fsWatchers"):
            raise CallError(ErrorCode.QUOTA_EXCEEDED, f"{limit('fsWatchers')} watches are open already")
        watch_id = f"f{next(self._numbers)}"
        self._watches[watch_id] = (path, params.get("recursive", False))
        return {"watchId": watch_id}

    def _fs_unwatch(self, params: Params) -> None:
        if self._watches.pop(params["watchId"], None) is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no watch {params['watchId']!r}")

    # Inside

    def _described(self, path: str, given: str) -> dict[str, Any]:
        if path in self._folders:
            return {"path": path, "type": "directory", "size": 0, "mtimeMs": float(self._timing.now_ms())}
        file = self._files.get(path)
        if file is None:
            above = any(parent in self._files for parent in _parents(path))
            raise _failed(given, "not_a_directory" if above else "not_found")
        return {"path": path, "type": "file", "size": len(file.content), "mtimeMs": file.mtime_ms}

    def _entry(self, path: str) -> dict[str, Any]:
        if path in self._folders:
            return {"path": path, "type": "directory"}
        return {"path": path, "type": "file", "size": len(self._files[path].content)}

    def _below(self, path: str) -> Iterator[str]:
        prefix = f"{path}/" if path else ""
        yield from (one for one in (*self._files, *self._folders) if one and one != path and one.startswith(prefix))

    def _write(self, path: str, content: bytes) -> None:
        old = self._files.get(path)
        earliest = 0.0 if old is None else old.mtime_ms + 1
        self._files[path] = _File(content, max(float(self._timing.now_ms()), earliest))

    def _remove(self, path: str) -> None:
        for one in [path, *self._below(path)]:
            self._files.pop(one, None)
            self._folders.discard(one)

    def _check_parent(self, path: str, given: str, *, make: bool) -> None:
        if any(parent in self._files for parent in _parents(path)):
            raise _failed(given, "not_a_directory")
        if _parent(path) not in self._folders and not make:
            raise _failed(given, "not_found")
        self._make_parents(path)

    def _make_parents(self, path: str) -> None:
        self._folders.update(_parents(path))

    def _tell(self, path: str, kind: str) -> None:
        for watch_id, (watched, recursive) in self._watches.items():
            inside = path == watched or _parent(path) == watched
            if inside or (recursive and (watched == "" or path.startswith(f"{watched}/"))):
                self._events.append(("fs.changed", {"watchId": watch_id, "path": path, "type": kind}))


def _normal(path: str) -> str:
    try:
        return normalize_workspace_path(path)
    except CallError as error:
        raise CallError(error.code, error.message, {"reason": "path"}) from None


def _changeable(path: str) -> str:
    normal = _normal(path)
    reason = "path" if normal == "" else "protected" if protects(normal) else None
    if reason is not None:
        raise CallError(ErrorCode.FS_DENIED, f"{path!r} cannot be changed.", {"reason": reason})
    return normal


def _content(params: Params) -> bytes:
    data: str = params["data"]
    if params.get("encoding", "utf8") == "utf8":
        return data.encode()
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        raise CallError(ErrorCode.INVALID_PARAMS, "data is not base64", []) from None


def _failed(path: str, reason: str) -> CallError:
    return CallError(ErrorCode.FS_ERROR, f"{path!r}: {reason.replace('_', ' ')}.", {"reason": reason})


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _parents(path: str) -> Iterator[str]:
    while path:
        path = _parent(path)
        yield path
