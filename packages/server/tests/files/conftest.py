"""A workspace with a card that may read and write its files, and a trash of the test's own."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.bus import card_topic
from cardloom.core.ids import new_card_id
from cardloom.core.records import Card, PutCard
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId, PackageId, WorkspaceId

CAP_S = 60.0
PACKAGE = PackageId("dev:filer")


class Filer:
    """A card of a package with permissions for files: calls, and the events that came."""

    def __init__(self, app: App, client: Any, card_id: CardId, workspace_id: WorkspaceId) -> None:
        self.app = app
        self.id = card_id
        self.client = client
        self._workspace_id = workspace_id

    async def call(self, method: str, **params: Any) -> Any:
        return await self.client.call(method, **params)

    async def refused(self, method: str, **params: Any) -> CallError:
        error: CallError = await self.client.refused(method, **params)
        return error

    async def change(self, path: str, kind: str | None = None) -> dict[str, Any]:
        """The next told change of a path."""
        told: dict[str, Any] = await self.client.event(
            "fs.changed", lambda data: data["path"] == path and kind in (None, data["type"])
        )
        return told

    def grant(self, *permissions: str) -> None:
        """Grant exactly these."""
        self.app.grants.set(self._workspace_id, PACKAGE, permissions)


@pytest.fixture
def folder(tmp_path: Path, workspace_id: str) -> Path:
    """The workspace's folder."""
    return tmp_path / "project"


@pytest.fixture
def new_filer(app: App, clients: Any, workspace_id: str) -> Callable[[], Any]:
    """Makes cards with a connection whose handshake is taken as done."""

    async def make() -> Filer:
        home = WorkspaceId(workspace_id)
        card = Card(new_card_id(), home, "custom", 0, 0, 100, 100, 1, 1, content={"packageId": PACKAGE})
        app.graph.apply(home, [PutCard(card)])
        app.grants.bind(card.id, home, PACKAGE)
        client = clients.card(card.id)
        client.line._connection.ready = True
        app.bus.follow(client.connection_id, card_topic(card.id))
        filer = Filer(app, client, card.id, home)
        filer.grant("fs.read", "fs.write")
        return filer

    return make


@pytest.fixture
async def filer(new_filer: Callable[[], Any]) -> Filer:
    """A card that may read and write."""
    made: Filer = await new_filer()
    return made


@pytest.fixture
def trashed(app: App, tmp_path: Path) -> Path:
    """What stands for the system's trash in this test: a folder that gets what is thrown away."""
    trash = tmp_path / "trash"
    trash.mkdir()

    def send(path: str) -> None:
        shutil.move(path, trash)

    app.files.trash.send = send
    return trash


# What tests wait for here happens on disk and in threads, so they look again and again.
# ruff: noqa: ASYNC110


async def until(holds: Callable[[], Any]) -> Any:
    """Wait until something holds, and give it."""
    async with asyncio.timeout(CAP_S):
        while not (found := holds()):
            await asyncio.sleep(0.005)
    return found
