"""Workspaces: made over folders, opened and closed, and told when their folder goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cardloom_protocol.ids import WorkspaceId

from ...core.bus import OWNERS, Bus
from ...core.clock import Clock
from ...core.graph import Graph
from ...core.ids import new_workspace_id
from ...core.records import Change, PutCard, PutWorkspace, RemoveArrow, RemoveCard, Workspace, well_formed
from ...host.database import Database
from .commits import Commits
from .folders import absolute_path, check_folder, folder_problem, make_folder
from .store import erase_workspace


class Workspaces:
    """Everything that changes a workspace's own record."""

    def __init__(self, commits: Commits, database: Database, graph: Graph, bus: Bus, clock: Clock) -> None:
        self._commits = commits
        self._database = database
        self._graph = graph
        self._bus = bus
        self._clock = clock
        commits.listeners.changed.append(self._tell)

    def all_to_wire(self) -> list[dict[str, Any]]:
        """All workspaces as clients read them."""
        return [
            workspace.to_wire(len(self._graph.cards_of(workspace.id))) for workspace in self._graph.workspaces.values()
        ]

    def to_wire(self, workspace_id: WorkspaceId) -> dict[str, Any]:
        return self._graph.workspace(workspace_id).to_wire(len(self._graph.cards_of(workspace_id)))

    async def create(self, name: str, path: str, *, create_folder: bool, by: str | None = None) -> Workspace:
        """Make a workspace over a folder and open it. FS_ERROR when the folder cannot be used."""
        folder = absolute_path(path)
        if create_folder:
            await asyncio.to_thread(make_folder, folder)
        await asyncio.to_thread(check_folder, folder)
        workspace = Workspace(new_workspace_id(), well_formed(name), folder, self._clock.now_ms())
        await self._commits.commit(workspace.id, lambda _: [PutWorkspace(workspace)], by)
        return self._graph.workspace(workspace.id)

    async def at(self, path: str, name: str) -> Workspace:
        """The workspace over a folder, opened; made when there is none."""
        folder = absolute_path(path)
        for workspace in self._graph.workspaces.values():
            if workspace.path == folder:
                return await self.set_open(workspace.id, is_open=True)
        return await self.create(name, folder, create_folder=False)

    async def set_open(self, workspace_id: str, *, is_open: bool, by: str | None = None) -> Workspace:
        """Open or close a workspace. NOT_FOUND."""
        found = self._graph.workspace(workspace_id)
        if is_open:
            await self.check_folder_of(found)

        def make(graph: Graph) -> list[Change]:
            workspace = graph.workspace(workspace_id)
            return [] if workspace.is_open == is_open else [PutWorkspace(replace(workspace, is_open=is_open))]

        await self._commits.commit(found.id, make, by)
        return self._graph.workspace(workspace_id)

    async def update(
        self, workspace_id: str, *, name: str | None, path: str | None, strict: bool | None, by: str | None = None
    ) -> Workspace:
        """Rename a workspace, point it elsewhere, or make it strict. NOT_FOUND; FS_ERROR for an unusable folder."""
        found = self._graph.workspace(workspace_id)
        folder = None if path is None else absolute_path(path)
        if folder is not None:
            await asyncio.to_thread(check_folder, folder)

        def make(graph: Graph) -> list[Change]:
            workspace = graph.workspace(workspace_id)
            changed = replace(
                workspace,
                name=workspace.name if name is None else well_formed(name),
                path=folder or workspace.path,
                problem=None if folder else workspace.problem,
                strict=workspace.strict if strict is None else strict,
            )
            return [] if changed == workspace else [PutWorkspace(changed)]

        await self._commits.commit(found.id, make, by)
        return self._graph.workspace(workspace_id)

    async def remove(self, workspace_id: str, by: str | None = None) -> None:
        """Forget a workspace with all its cards; the folder is never touched. NOT_FOUND."""
        found = self._graph.workspace(workspace_id)

        def make(graph: Graph) -> list[Change]:
            workspace = graph.workspace(workspace_id)
            arrows: list[Change] = [RemoveArrow(arrow.id) for arrow in graph.arrows_of(workspace.id)]
            cards: list[Change] = [RemoveCard(card.id) for card in graph.cards_of(workspace.id)]
            return [*arrows, *cards, PutWorkspace(replace(workspace, is_open=False))]

        await self._commits.commit(found.id, make, by)
        await self._database.write(partial(erase_workspace, workspace_id=found.id))
        self._commits.forget(found.id)
        self._publish()

    async def check_folder_of(self, workspace: Workspace) -> None:
        """Look whether a workspace's folder is still there, and tell when that is news."""
        problem = await asyncio.to_thread(folder_problem, workspace.path)
        self._commits.patch_problem(workspace.id, problem)

    async def check_folders(self) -> None:
        """Look at the folders of all open workspaces, beside each other: one on a dead network holds up no other."""
        opened = [workspace for workspace in self._graph.workspaces.values() if workspace.is_open]
        await asyncio.gather(*(self.check_folder_of(workspace) for workspace in opened))

    def _tell(self, _: WorkspaceId, changes: Sequence[Change]) -> None:
        """Send the list anew whenever a change shows in it."""
        if any(
            isinstance(change, (PutWorkspace, RemoveCard)) or (isinstance(change, PutCard) and change.fields is None)
            for change in changes
        ):
            self._publish()

    def _publish(self) -> None:
        self._bus.publish("workspace.changed", {"workspaces": self.all_to_wire()}, OWNERS)
