"""Telling listeners which files of a folder changed: one watch for all of them, as long as there is one.

What version control leaves out is not told, and of the trash only that something in it changed. Spec: session protocol,
workspace files.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, TypeAlias

from cardloom_protocol.session import WORKSPACE_TRASH_DIR, WorkspaceUpdateEvent, is_trash_path
from cardloom_protocol.session.operations import Unsubscribe

from ...host.fence import Closed, Fence, FolderGone, Special
from ...host.replacing import TEMPORARY
from ...host.walk import Outside
from ...host.watch import Change, TooManyFolders, Wanted, Watch
from ...host.watcher import Watcher, make_watcher

Listener: TypeAlias = Callable[[WorkspaceUpdateEvent], None]

_log = logging.getLogger(__name__)
_NEVER: Final = frozenset((".git", "node_modules"))


class FileWatching:
    """The listeners of one folder. `is_ignored` is asked in a thread of its own."""

    def __init__(self, fence: Fence, is_ignored: Callable[[str], bool]) -> None:
        self._fence = fence
        self._is_ignored = is_ignored
        self._listeners: dict[object, Listener] = {}
        self._watcher: Watcher | None = None
        self._watch: Watch | None = None
        self._turn = asyncio.Lock()
        self._turns: set[asyncio.Task[None]] = set()

    def listen(self, listener: Listener) -> Unsubscribe:
        """Tells a listener of changes until it unsubscribes."""
        key = object()
        self._listeners[key] = listener
        self._spawn()

        def unsubscribe() -> None:
            if self._listeners.pop(key, None) is not None:
                self._spawn()

        return unsubscribe

    async def close(self) -> None:
        """Ends everything."""
        self._listeners.clear()
        await self._adjust()
        if self._watcher is not None:
            await asyncio.to_thread(self._watcher.close)

    def _spawn(self) -> None:
        turn = asyncio.ensure_future(self._adjust())
        self._turns.add(turn)
        turn.add_done_callback(self._turns.discard)

    async def _adjust(self) -> None:
        """Watches while somebody listens."""
        async with self._turn:
            if bool(self._listeners) == (self._watch is not None):
                return
            if self._watch is not None:
                watch, self._watch = self._watch, None
                if self._watcher is not None:
                    await asyncio.to_thread(self._watcher.remove, watch)
                return
            loop = asyncio.get_running_loop()
            try:
                self._watch = await asyncio.to_thread(self._begin, loop)
            except (OSError, Closed, FolderGone, Outside, Special, TooManyFolders) as error:
                _log.warning("the files of a workspace are not watched: %s", error)
        self._tell([""])  # what happened until the watch stood

    def _begin(self, loop: asyncio.AbstractEventLoop) -> Watch:
        if self._watcher is None:
            self._watcher = make_watcher()

        def tell(changes: list[Change]) -> None:
            paths = self._told(changes)
            if paths and not loop.is_closed():
                loop.call_soon_threadsafe(self._tell, paths)

        return self._watcher.add(Wanted(self._fence, "", True, _admits, tell))

    def _told(self, changes: list[Change]) -> list[str]:
        paths: dict[str, None] = {}
        for change in changes:
            if change.kind in ("rescan", "ended"):
                return [""]
            if is_trash_path(change.path):
                paths[WORKSPACE_TRASH_DIR] = None
            elif not self._ignored(change.path):
                paths[change.path] = None
        return list(paths)

    def _ignored(self, path: str) -> bool:
        try:
            return self._is_ignored(path)
        except (OSError, Closed, FolderGone):
            return False

    def _tell(self, paths: list[str]) -> None:
        for listener in list(self._listeners.values()):
            listener({"type": "workspace_update", "paths": paths})


def _admits(name: str) -> bool:
    return name not in _NEVER and not name.startswith(TEMPORARY)
