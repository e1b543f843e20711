"""A workspace, a page that watches it, and cards that play any manifest, through the whole server in process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom_protocol.ids import CardId

from .fetching import Web, the_web

READY = {"sdkVersion": "1.3.0", "protocol": 1}
CAP_S = 60.0


def manifest_of(**more: Any) -> dict[str, Any]:
    """A manifest with what a test adds to it."""
    return {
        "manifestVersion": 1,
        "protocol": 1,
        "version": "1.0.0",
        "name": "own-card",
        "displayName": "Own Card",
        "python": "card.py",
        **more,
    }


class Actor:
    """One connected card that a test plays."""

    def __init__(self, desk: Desk, card_id: str, client: Any, context: dict[str, Any]) -> None:
        self.desk = desk
        self.id = card_id
        self.client = client
        self.context = context
        self.package_id = context["instance"]["packageId"]
        self.call: Callable[..., Awaitable[Any]] = client.call
        self.refused: Callable[..., Awaitable[Any]] = client.refused
        self.event: Callable[..., Awaitable[Any]] = client.event

    async def show(self) -> None:
        """Let the page see the card."""
        await self.desk.show(self.id)

    async def grant(self, permission: str, *, granted: bool = True) -> None:
        """Grant or revoke as the owner."""
        await self.desk.page.call(
            "grant.set",
            workspaceId=self.desk.id,
            packageId=self.package_id,
            permission=permission,
            granted=granted,
        )

    def vanish(self) -> None:
        """Let its connection be gone, as the socket tells it."""
        self.client.line.end()
        self.desk.app.sockets.hooks.tell_disconnected(CardId(self.id), self.client.connection_id, "closed")


class Desk:
    """One workspace with a page that watches it."""

    def __init__(self, app: App, page: Any, workspace_id: str, clients: Any) -> None:
        self.app = app
        self.page = page
        self.id = workspace_id
        self._clients = clients
        self._shown: set[str] = set()

    async def add(self, kind: str, **more: Any) -> str:
        """Put a card on the canvas."""
        card = await self.page.call("canvas.addCard", workspaceId=self.id, kind=kind, **{"x": 0, "y": 0, **more})
        return str(card["id"])

    async def enter(self, **manifest: Any) -> Actor:
        """Run a card of a manifest from outside and let it do its handshake."""
        made = await self.page.call("card.run", workspaceId=self.id, manifest=manifest_of(**manifest))
        return await self.connect(made["cardId"])

    async def connect(self, card_id: str) -> Actor:
        """Be a card that is on the canvas."""
        client = self._clients.card(card_id)
        return Actor(self, card_id, client, await client.call("host.ready", **READY))

    async def show(self, *card_ids: str) -> None:
        """Let the page see these cards, and those it saw before."""
        self._shown |= set(card_ids)
        seen = [{"cardId": card_id, "visibility": "visible"} for card_id in sorted(self._shown)]
        await self.page.call("client.presence", workspaceId=self.id, active=True, cards=seen)

    def card(self, card_id: str) -> dict[str, Any]:
        """A card as it is shown now."""
        wire: dict[str, Any] = self.app.graph.card(card_id).to_wire()
        return wire

    async def dialog(self) -> dict[str, Any]:
        """The next question to the owner."""
        opened: dict[str, Any] = await self.page.event("dialog.opened")
        dialog: dict[str, Any] = opened["dialog"]
        return dialog

    async def answer(self, **answer: Any) -> dict[str, Any]:
        """Answer the next question, and give it."""
        dialog = await self.dialog()
        await self.page.call("dialog.answer", dialogId=dialog["id"], **answer)
        return dialog


@pytest.fixture
async def web(desk: Desk, tmp_path: Path) -> AsyncIterator[Web]:
    """The web that this server's cards reach."""
    async with the_web(desk, tmp_path) as web:
        yield web


@pytest.fixture
async def desk(app: App, page: Any, workspace_id: str, clients: Any) -> Desk:
    """A workspace with nothing on it."""
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    return Desk(app, page, workspace_id, clients)


async def started(work: Awaitable[Any]) -> asyncio.Task[Any]:
    """A call under way, as far as it comes without anybody's help."""
    task = asyncio.ensure_future(work)
    for _ in range(50):
        await asyncio.sleep(0)
    assert isinstance(task, asyncio.Task)
    return task
