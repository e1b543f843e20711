"""Files of the workspace, as a card works with them: `await card.fs.read_text("README.md")`.

Paths are relative to the workspace folder, with `/`; "" is the folder itself. Reading takes `fs.read`, changing takes
`fs.write`. FS_DENIED: the path leads out, is protected, or the workspace gives no access. FS_ERROR: everything else
that a disk refuses, with `data["reason"]`. Spec: files; cards, fs.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode

from .host_calls import Call
from .listeners import Listeners, Report, adapt

StopWatching: TypeAlias = Callable[[], Awaitable[None]]
FileType: TypeAlias = Literal["file", "directory"]
ChangeType: TypeAlias = Literal["change", "rename", "rescan", "ended"]

CHANGED: Final = "fs.changed"


@dataclass(frozen=True, slots=True)
class FileStat:
    """A file or folder. `size` is in bytes, 0 for folders; hand `mtime_ms` back as `if_mtime_ms` to write safely."""

    path: str
    type: FileType
    size: int
    mtime_ms: float

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> FileStat:
        return cls(wire["path"], wire["type"], wire["size"], wire["mtimeMs"])


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry of a list. `size` is None for folders."""

    path: str
    type: FileType
    size: int | None


@dataclass(frozen=True, slots=True)
class FileList:
    """What is in a folder; `truncated` when there is more."""

    entries: tuple[FileEntry, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file as the host gives it, as text or as base64; `size` is the whole file's."""

    data: str
    encoding: Literal["utf8", "base64"]
    size: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happened below a watched path.

    `change`: an entry's content. `rename`: it came, went, or was replaced. `rescan`: changes were missed, look again.
    `ended`: the path leads elsewhere now, and the watch is over.
    """

    path: str
    type: ChangeType


@dataclass(eq=False, slots=True)
class _Watch:
    """One watch; `id` is the host's, None until it told."""

    params: dict[str, Any]
    stop_listening: Callable[[], None] = lambda: None
    id: str | None = None
    known: asyncio.Event = field(default_factory=asyncio.Event)


class Files:
    """The workspace's files."""

    def __init__(self, call: Call, listeners: Listeners, report: Report) -> None:
        self._call = call
        self._listeners = listeners
        self._report = report
        self._watches: list[_Watch] = []
        self._renewing: asyncio.Task[None] | None = None

    async def stat(self, path: str) -> FileStat:
        """Describe a file or folder."""
        return FileStat.from_wire(await self._call("fs.stat", {"path": path}))

    async def list(self, path: str = "", *, recursive: bool = False, max_entries: int | None = None) -> FileList:
        """List a folder, at most 5 000 entries.

        A recursive list leaves `.git` and `node_modules` out, unless it begins inside one.
        """
        params: dict[str, Any] = {"path": path, "recursive": recursive}
        if max_entries is not None:
            params["maxEntries"] = max_entries
        answer = await self._call("fs.list", params)
        entries = tuple(FileEntry(one["path"], one["type"], one.get("size")) for one in answer["entries"])
        return FileList(entries, answer["truncated"])

    async def read(
        self, path: str, *, encoding: Literal["utf8", "base64"] = "utf8", max_bytes: int | None = None
    ) -> FileContent:
        """Read a file, or its beginning: 10 MiB at most."""
        params: dict[str, Any] = {"path": path, "encoding": encoding}
        if max_bytes is not None:
            params["maxBytes"] = max_bytes
        answer = await self._call("fs.read", params)
        return FileContent(answer["data"], answer["encoding"], answer["size"], answer["truncated"])

    async def read_text(self, path: str, *, max_bytes: int | None = None) -> str:
        """Read a file as UTF-8."""
        return (await self.read(path, max_bytes=max_bytes)).data

    async def read_bytes(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Read a file as it is."""
        return base64.b64decode((await self.read(path, encoding="base64", max_bytes=max_bytes)).data)

    async def write_text(
        self, path: str, text: str, *, create_dirs: bool = False, if_mtime_ms: float | None = None
    ) -> FileStat:
        """Write a file whole. With `if_mtime_ms`, FS_ERROR with `data["conflict"]` when it was changed since."""
        return await self._write(path, text, "utf8", create_dirs, if_mtime_ms)

    async def write_bytes(
        self, path: str, data: bytes, *, create_dirs: bool = False, if_mtime_ms: float | None = None
    ) -> FileStat:
        """Write a file whole; about 9 MiB fit into one message."""
        return await self._write(path, base64.b64encode(data).decode("ascii"), "base64", create_dirs, if_mtime_ms)

    async def mkdir(self, path: str) -> FileStat:
        """Make a folder in one that exists."""
        return FileStat.from_wire(await self._call("fs.mkdir", {"path": path}))

    async def trash(self, path: str) -> None:
        """Move a file or folder to the system's trash; 60 a minute."""
        await self._call("fs.trash", {"path": path})

    async def watch(self, path: str, handler: Callable[..., Any], *, recursive: bool = False) -> StopWatching:
        """Call a function with every FileChange below a path; gives how to stop.

        A watch survives a host that went away and came back: the function gets a `rescan` then. QUOTA_EXCEEDED beyond
        20 watches.
        """
        watch = _Watch({"path": path, "recursive": recursive})
        handle = adapt(handler)

        async def hear(data: Mapping[str, Any]) -> None:
            await watch.known.wait()  # a change may come before the answer that names the watch
            if data["watchId"] != watch.id:
                return
            if data["type"] == "ended":
                self._forget(watch)
            await handle(FileChange(data["path"], data["type"]))

        watch.stop_listening = self._listeners.add(
            CHANGED,
            hear,
            wants=lambda data: watch.id is None or data["watchId"] == watch.id,
            convert=lambda data: (data,),
        )
        try:
            await self._begin(watch)
        except BaseException:
            watch.stop_listening()
            raise
        self._watches.append(watch)

        async def stop() -> None:
            watch.stop_listening()
            if self._forget(watch) and watch.id is not None:
                await self._call("fs.unwatch", {"watchId": watch.id})

        return stop

    def connected(self) -> None:
        """A host is there that knows of no watch."""
        if self._watches:
            self._renewing = asyncio.create_task(self._renew())

    def lost(self) -> None:
        """The host is gone, and its watches with it."""
        if self._renewing is not None:
            self._renewing.cancel()
        for watch in self._watches:
            watch.id = None
            watch.known.clear()

    async def _begin(self, watch: _Watch) -> None:
        watch.id = (await self._call("fs.watch", watch.params))["watchId"]
        watch.known.set()

    async def _renew(self) -> None:
        for watch in list(self._watches):
            kind = "rescan"
            try:
                await self._begin(watch)
            except CallError as error:
                if error.code is ErrorCode.UNAVAILABLE:
                    return
                self._report("watching again", error)
                watch.id, kind = f"over:{id(watch)}", "ended"
                watch.known.set()
            self._listeners.dispatch(CHANGED, {"watchId": watch.id, "path": watch.params["path"], "type": kind})

    def _forget(self, watch: _Watch) -> bool:
        if watch not in self._watches:
            return False
        self._watches.remove(watch)
        return True

    async def _write(
        self, path: str, data: str, encoding: str, create_dirs: bool, if_mtime_ms: float | None
    ) -> FileStat:
        params: dict[str, Any] = {"path": path, "data": data, "encoding": encoding, "createDirs": create_dirs}
        if if_mtime_ms is not None:
            params["ifMtimeMs"] = if_mtime_ms
        return FileStat.from_wire(await self._call("fs.write", params))
