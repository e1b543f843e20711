"""The workspaces of this server as the session protocol knows them: those that are open, one of them in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cardloom_protocol.session import NotFound, WorkspaceInfo
from cardloom_protocol.session.operations import WorkspaceFilesOps

from ...core.graph import Graph
from ...core.records import Workspace
from .disk_files import DiskFiles

Workspaces: TypeAlias = list[WorkspaceInfo]


class OpenWorkspaces:
    """Looks at the canvas's own list. `data_folder` is never given, wherever a workspace lies.

    `switched` is told when another one is in use, for it is so for everybody who looks at its files.
    """

    def __init__(self, graph: Graph, data_folder: str, switched: Callable[[], None]) -> None:
        self._graph = graph
        self._data_folder = data_folder
        self._switched = switched
        self._chosen: str | None = None
        self._files: dict[str, tuple[str, DiskFiles]] = {}

    @property
    def files(self) -> WorkspaceFilesOps | None:
        """The files of the workspace in use; None while none is open."""
        return self.files_of(None)

    def files_of(self, workspace_id: str | None) -> DiskFiles | None:
        """The files of an open workspace, or of the one in use."""
        found = self._find(workspace_id)
        if found is None:
            return None
        known = self._files.get(found.id)
        if known is None or known[0] != found.path:
            known = self._files[found.id] = (found.path, DiskFiles(found.path, (self._data_folder,)))
        return known[1]

    async def current(self) -> WorkspaceInfo:
        """See the protocol."""
        found = self._find(None)
        if found is None:
            raise NotFound("No workspace is open.")
        return _info(found)

    async def list(self) -> Workspaces:
        """See the protocol."""
        return [_info(workspace) for workspace in self._open()]

    async def switch(self, workspace_id: str) -> WorkspaceInfo:
        """See the protocol."""
        found = self._find(workspace_id)
        if found is None:
            raise NotFound(f"No open workspace is called {workspace_id!r}.")
        self._chosen = found.id
        self._switched()
        return _info(found)

    async def close(self) -> None:
        """Ends all watching."""
        for _, files in self._files.values():
            await files.close()

    def _find(self, workspace_id: str | None) -> Workspace | None:
        open_ones = self._open()
        wanted = workspace_id or self._chosen
        found = next((workspace for workspace in open_ones if workspace.id == wanted), None)
        return found or (next(iter(open_ones), None) if workspace_id is None else None)

    def _open(self) -> tuple[Workspace, ...]:
        return tuple(workspace for workspace in self._graph.workspaces.values() if workspace.is_open)


def _info(workspace: Workspace) -> WorkspaceInfo:
    return {"id": workspace.id, "name": workspace.name, "path": workspace.path}
