"""Workspace files for everybody: finds the workspace, works in threads of its own, keeps the watches.

Threads of its own, because a disk on a dead network may hold them for minutes. Spec: files; decisions 40, 48.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from cardloom_protocol.ids import ConnectionId, PackageId, WorkspaceId
from cardloom_protocol.limits import limit

from ...core.bus import Bus, Event
from ...core.grants import Grants
from ...core.graph import Graph
from ...host.fence import Fence
from ...host.trash import Trash
from ...host.watch import Wanted, Watch
from ...host.watcher import Watcher, make_watcher
from .model import admits, normal, refusals
from .watches import PERMISSION, Asker, Watches, Watching
from .workspace_files import Operation, WorkspaceFiles

Found = TypeVar("Found")

_THREADS: Final = 8


class FilesService:
    """The files of all workspaces. `data_folder` is ours: workspaces around or inside it give no access."""

    def __init__(
        self,
        graph: Graph,
        grants: Grants,
        bus: Bus,
        data_folder: Path,
        *,
        trash: Trash | None = None,
        watcher: Watcher | None = None,
        check_ms: int = limit("folderCheckMs"),
    ) -> None:
        self.trash = trash or Trash(data_folder / "trash")
        self.watches = Watches(bus, grants, self._release)
        self._graph = graph
        self._grants = grants
        self._data_folder = str(data_folder)
        self._watcher = watcher or make_watcher()
        self._check_ms = check_ms
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="files")
        self._known: dict[WorkspaceId, WorkspaceFiles] = {}
        bus.listen_detach(self._detached)
        bus.listen("workspace.changed", self._workspaces_changed)
        grants.listen(self._granted)

    async def begin(self) -> None:
        """Finish what a killed server had begun."""
        await self._in_thread(self.trash.finish)

    async def run(self) -> None:
        """Look again and again whether watched folders are still where they were."""
        while True:
            await asyncio.sleep(self._check_ms / 1000)
            if self.watches.any:
                await self._in_thread(self._watcher.check)

    async def close(self) -> None:
        """End all watches; what still waits for a disk is left to itself."""
        self.watches.drop(self.watches.of(lambda _: True))
        await asyncio.to_thread(self._watcher.close)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def do(self, workspace_id: str, operation: Operation, params: Mapping[str, Any]) -> Any:
        """Carry out an operation in a workspace. NOT_FOUND: the workspace; FS_DENIED, FS_ERROR, INVALID_PARAMS."""
        return await self._in_thread(partial(self.files_of(workspace_id).do, operation, params))

    def files_of(self, workspace_id: str) -> WorkspaceFiles:
        """The files of a workspace. NOT_FOUND."""
        workspace = self._graph.workspace(workspace_id)
        known = self._known.get(workspace.id)
        if known is None or known.folder != workspace.path:
            fence = Fence.of(workspace.path, (self._data_folder,))
            known = self._known[workspace.id] = WorkspaceFiles(workspace.path, fence, self.trash)
        return known

    async def watch(self, asker: Asker, path: str, *, recursive: bool) -> str:
        """Begin a watch and give its id. QUOTA_EXCEEDED, FS_DENIED, FS_ERROR."""
        files, wanted_path = self.files_of(asker.workspace_id), normal(path)
        watching = self.watches.begin(asker, files.folder, wanted_path)
        wanted = Wanted(
            files.fence,
            wanted_path,
            recursive,
            admits(wanted_path, recursive=recursive),
            partial(self.watches.take, watching),
        )
        loop = asyncio.get_running_loop()

        def add() -> None:
            with refusals(path):
                watch = self._watcher.add(wanted)
            # Whoever asked may be gone by now and wait for nothing; the watch must be known all the same.
            loop.call_soon_threadsafe(self.watches.begun, watching, watch)

        try:
            await self._in_thread(add)
        except BaseException:
            self.watches.drop([watching])
            raise
        return watching.id

    def unwatch(self, watch_id: str, connection_id: ConnectionId) -> None:
        """End a watch. NOT_FOUND."""
        self.watches.end(watch_id, connection_id)

    async def _in_thread(self, work: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _release(self, watch: Watch) -> None:
        self._threads.submit(self._watcher.remove, watch)

    def _detached(self, connection_id: ConnectionId) -> None:
        self.watches.drop(self.watches.of(lambda one: one.asker.connection_id == connection_id))

    def _workspaces_changed(self, _: Event) -> None:
        """End the watches of workspaces that are gone, closed, or over another folder now."""
        folders = {one.id: one.path for one in self._graph.workspaces.values() if one.is_open}
        self._known = {key: known for key, known in self._known.items() if folders.get(key) == known.folder}
        self.watches.cancel(self.watches.of(lambda one: folders.get(one.asker.workspace_id) != one.folder))

    def _granted(self, workspace_id: WorkspaceId, _: PackageId) -> None:
        """End the watches of cards that may not read files any more."""

        def is_over(one: Watching) -> bool:
            card_id = one.asker.card_id
            return card_id is not None and PERMISSION not in self._grants.effective(card_id)

        self.watches.cancel(self.watches.of(lambda one: one.asker.workspace_id == workspace_id and is_over(one)))
