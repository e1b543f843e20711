"""Cards with ports on a canvas of a whole server in process, and programs behind them that only listen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.records import DrawnBy
from cardloom.features.ports.journal_reading import Filter
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.ports import PortInfo

CAP_S = 60.0


def port(id_: str, type_: str, **more: Any) -> PortInfo:
    """A port as a manifest declares it."""
    return PortInfo.from_wire({"id": id_, "type": type_, **more})


class Program:
    """A custom card and, while it is connected, its program's connection."""

    def __init__(self, board: Board, card_id: CardId) -> None:
        self.board = board
        self.id = card_id
        self.client: Any = None

    async def start(self) -> Program:
        """Connect the program and do its handshake."""
        self.client = self.board.clients.card(self.id)
        await self.client.call("host.ready", sdkVersion="1", protocol=1)
        return self

    async def stop(self) -> None:
        """End the program's connection as a socket would."""
        connection_id = self.client.connection_id
        await self.client.close()
        for tell in self.board.app.sockets.hooks.disconnected:
            tell(self.id, connection_id, "closed")

    async def call(self, method: str, **params: Any) -> Any:
        return await self.client.call(method, **params)

    async def refused(self, method: str, **params: Any) -> CallError:
        error: CallError = await self.client.refused(method, **params)
        return error

    async def emit(self, output: str, data: Any) -> int:
        return int((await self.call("ports.emit", port=output, data=data))["delivered"])

    async def message(self, fits: Callable[[Any], bool] = lambda _: True) -> dict[str, Any]:
        """The next message that fits; waits for it."""
        data: dict[str, Any] = await self.client.event("ports.message", fits)
        return data

    def messages(self) -> list[dict[str, Any]]:
        """The messages that came and were not taken yet."""
        return [data for name, data in self.client.events if name == "ports.message"]


class Board:
    """One workspace, its owner's page, and what stands on it."""

    def __init__(self, app: App, clients: Any, page: Any, workspace_id: str) -> None:
        self.app = app
        self.clients = clients
        self.page = page
        self.id = WorkspaceId(workspace_id)
        self._made = 0
        self._news = asyncio.Event()
        for name in ("canvas.changed", "arrow.activity"):
            app.bus.listen(name, lambda _event: self._news.set())

    async def add(self, kind: str, **content: Any) -> str:
        """Put a built-in card on the canvas."""
        card = await self.page.call("canvas.addCard", workspaceId=self.id, kind=kind, x=0, y=0, content=content)
        return str(card["id"])

    async def custom(
        self,
        *ports_out: PortInfo,
        takes: tuple[PortInfo, ...] = (),
        may: tuple[str, ...] = (),
        name: str = "probe",
        running: bool = True,
    ) -> Program:
        """Put a custom card on the canvas, of a package of its own, and start its program."""
        self._made += 1
        manifest = {
            "manifestVersion": 1,
            "protocol": 1,
            "name": f"{name}-{self._made}",
            "displayName": name,
            "version": "1.0.0",
            "description": "A card of a test.",
            "author": {"name": "Cardloom"},
            "license": "MIT",
            "python": "card.py",
            "card": {"defaultSize": {"w": 300, "h": 200}},
            "permissions": [{"id": permission, "reason": "The test needs it."} for permission in may],
            "ports": {
                "inputs": [_declared(one, "retain") for one in takes],
                "outputs": [_declared(one, "mode", "default") for one in ports_out],
            },
        }
        made = await self.page.call("card.run", workspaceId=self.id, manifest=manifest)
        program = Program(self, CardId(made["cardId"]))
        return await program.start() if running else program

    async def allow(self, card: Program, permission: str, *, granted: bool = True) -> None:
        """Grant or revoke a permission of a card's package."""
        package_id = self.content(card)["packageId"]
        await self.page.call(
            "grant.set", workspaceId=self.id, packageId=package_id, permission=permission, granted=granted
        )

    async def connect(self, a: Any, b: Any, direction: str = "forward") -> str:
        """Draw an arrow as the owner."""
        arrow = await self.page.call("canvas.connect", a=_id(a), b=_id(b), direction=direction)
        return str(arrow["id"])

    async def connect_as_card(self, a: Any, b: Any, drawer: Any) -> str:
        """Draw an arrow as a card does: it waits for the owner."""
        arrow = await self.app.canvas.connect(_id(a), _id(b), drawn_by=DrawnBy("card", _id(drawer)))
        return arrow.id

    async def journal(self, **filters: Any) -> list[dict[str, Any]]:
        """The journal, oldest first."""
        found = await self.page.call("journal.list", workspaceId=self.id, limit=200, **filters)
        return list(reversed(found["entries"]))

    def entries(self) -> list[dict[str, Any]]:
        """The journal as it is on disk now, newest first."""
        return [listed.to_wire() for listed in self.app.ports_store.journal.listed(Filter(self.id), 200)]

    async def give(self, to: Any, data: Any, **more: Any) -> dict[str, Any]:
        """Send a value into a card as the owner."""
        result: dict[str, Any] = await self.page.call("ports.deliver", to=_id(to), data=data, **more)
        return result

    def content(self, card: Any) -> Any:
        return self.app.graph.card(_id(card)).content

    async def until(self, holds: Callable[[], Any]) -> Any:
        """Look after every change of the canvas and every pulse of an arrow until something holds, and give it."""
        async with asyncio.timeout(CAP_S):
            while True:
                self._news.clear()
                await self.app.database.flush()  # what was told of may be a moment away from the disk
                found = holds()
                if found:
                    return found
                await self._news.wait()


def _declared(one: PortInfo, *not_here: str) -> dict[str, Any]:
    """A port as a manifest declares it: without what its direction does not have."""
    return {name: value for name, value in one.to_wire().items() if name not in not_here}


def _id(card: Any) -> str:
    return card if isinstance(card, str) else str(card.id)


@pytest.fixture
async def board(app: App, clients: Any, page: Any, workspace_id: str) -> Board:
    """A workspace with nothing on it."""
    return Board(app, clients, page, workspace_id)
