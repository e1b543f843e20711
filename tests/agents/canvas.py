"""A canvas with one real agent on it, the person at its page, and a card that watches the agent by the public API."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from packages.server.tests import conftest as in_process
from packages.server.tests.conftest import Client, Clients

from cardloom.app import App, running
from cardloom.features.sessions.service import SessionsService
from cardloom.serving import Server, bind
from cardloom.settings import Settings
from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError

from .home import Home

CAP_MS = 120_000  # a large program takes more than a minute to start on a busy machine
WATCHER = {
    "manifestVersion": 1,
    "protocol": 1,
    "name": "watcher",
    "displayName": "Watcher",
    "version": "1.0.0",
    "description": "Watches an agent.",
    "author": {"name": "Cardloom"},
    "license": "MIT",
    "python": "card.py",
    "card": {"defaultSize": {"w": 300, "h": 200}},
    "permissions": [{"id": id, "reason": "To watch."} for id in ("agents.read", "agents.output", "agents.prompt")],
}
TOPICS = ["agents.status", "agents.turn", "agents.changed"]


@dataclass(frozen=True, slots=True)
class Canvas:
    """A canvas with a workspace on a home's project, and the person's page."""

    app: App
    clients: Clients
    page: Client
    workspace_id: str


@asynccontextmanager
async def served(
    home: Home, monkeypatch: pytest.MonkeyPatch, *, first_port: int, cap_ms: int = CAP_MS
) -> AsyncIterator[Canvas]:
    """A server that a person with that home started: with its environment alone, and behind a real socket for hooks."""
    monkeypatch.setattr(in_process, "CAP_S", cap_ms / 1000)
    for name in os.environ:
        if not name.startswith("PYTEST"):
            monkeypatch.delenv(name)
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    async with running(Settings(home.folder / "data")) as app:
        listening = bind(first_port + os.getpid() % 4_000)
        app.address.port = listening.getsockname()[1]
        server = Server(app)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await server.up.wait()
        clients = Clients(app)
        page = await clients.page()
        workspace = await page.call("workspace.create", name="Project", path=str(home.project))
        yield Canvas(app, clients, page, workspace["id"])
        await clients.close()
        server.should_exit = True
        await serving


class RealAgent:
    """One agent card. `statuses` are those that the watching card was told in this scene."""

    def __init__(self, app: App, page: Client, watcher: Client, card_id: str) -> None:
        self.id = card_id
        self._app = app
        self._page = page
        self._watcher = watcher
        self._scene_from = 0

    @staticmethod
    async def create(app: App, clients: Clients, page: Client, workspace_id: str, harness: str) -> RealAgent:
        """Put an agent that does not run yet on the canvas, and an arrow to a card that watches it."""
        made = await page.call("card.run", workspaceId=workspace_id, manifest=WATCHER)
        watcher = clients.card(made["cardId"])
        await watcher.call("host.ready", sdkVersion="1", protocol=1)
        await watcher.call("events.subscribe", topics=TOPICS)
        create = {"workspaceId": workspace_id, "harness": harness, "x": 0, "y": 0, "start": False}
        card = await page.call("agent.create", **create)
        await page.call("canvas.connect", a=made["cardId"], b=card["id"], direction="forward")
        return RealAgent(app, page, watcher, card["id"])

    @property
    def sessions(self) -> SessionsService:
        """The backends of the server that the agent is of."""
        return self._app.sessions

    # What the person and the card do

    async def call(self, method: str, **params: Any) -> Any:
        """One of the owner's methods about this agent."""
        name = "agentId" if method.startswith("agents.") else "cardId"
        return await self._page.call(method, **{name: self.id}, **params)

    async def prompt(self, text: str, **more: Any) -> str:
        """What became of a prompt that the watching card sent."""
        try:
            result = await self._page.call("agents.prompt", agentId=self.id, text=text, **more)
        except CallError as error:
            raise AssertionError(f"{error}: {self.runtime}\n{self.screen()}") from error
        return str(result["delivered"])

    async def type_keys(self, *keys: str) -> None:
        """A person's keys, each when the program has shown the one before: two at once are another key to some."""
        for key in keys:
            printed_at_ms = self.seat.state.printed_at_ms
            await self.call("terminal.input", data=key)
            await self.seat.until(partial(self._settled_since, printed_at_ms), 1_500)

    async def break_off(self, *keys: str) -> None:
        """Keys that break a turn off, pressed once more when the turn goes on: a busy program may miss one of two."""
        for _ in range(3):
            await self.type_keys(*keys)
            if await self.seat.until(lambda: self.statuses[-1] != AgentStatus.WORKING, 4_000):
                return

    # What is seen

    @property
    def seat(self) -> Any:
        return self._app.agents.seats.seat(self.id)

    @property
    def runtime(self) -> dict[str, Any]:
        """What the agent's card shows."""
        return dict(self._app.graph.card(self.id).runtime or {})

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """The events of this agent that the watching card got, from the beginning."""
        mine = ("agents.status", "agents.turn")
        return [(name, data) for name, data in self._watcher.events if name in mine and data["agentId"] == self.id]

    @property
    def statuses(self) -> list[str]:
        events = self.told()[self._scene_from :]
        return [data["status"] for name, data in events if name == "agents.status"]

    def screen(self) -> str:
        return str(self.seat.text(None))

    # Scenes

    def scene(self) -> None:
        self._scene_from = len(self.told())

    async def shows(self, *expected: AgentStatus) -> None:
        """Wait until the watching card was told exactly these statuses in this scene; each of them has its time."""
        for count in range(1, len(expected) + 1):
            await self.until(partial(self._was_told, count), f"to become {', '.join(expected)}")
        assert self.statuses == list(expected), self.runtime

    def _was_told(self, count: int) -> bool:
        return len(self.statuses) >= count

    async def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait for evidence; what there was instead is in the error."""
        if await self.seat.until(holds, CAP_MS):
            return
        screen = self.screen() if self.seat.alive else ""
        raise AssertionError(f"waited in vain {what}: {self.statuses}, {self.runtime}\n{screen}")

    def _settled_since(self, at_ms: int) -> bool:
        return bool(self.seat.state.printed_at_ms > at_ms and self.seat.quiet_ms > 400)

    async def quiet(self) -> None:
        """Wait until nothing was printed for a moment, or a spinner has been turning for long enough."""
        await self.seat.until(lambda: self.seat.quiet_ms > 1_000, 2_500)


async def check_turns(agent: RealAgent) -> None:
    """Hold turn events, `turnStartedAt` and `lastTurn` against the statuses that were told, from the beginning."""
    expected: list[tuple[str, int]] = []
    before, started_at, last_turn = "exited", None, None
    events = agent.told()
    for data in (data for name, data in events if name == "agents.status"):
        status, at = data["status"], data["at"]
        if status == "working":
            expected.append(("start", at))
            started_at = at
        elif before == "working":
            expected.append(("end", at))
            if status in ("finished", "needs-input"):
                last_turn = {"startedAt": started_at, "endedAt": at, "endedAs": status}
            started_at = None
        before = status
    assert [(data["phase"], data["at"]) for name, data in events if name == "agents.turn"] == expected
    info = await agent.call("agents.get")
    assert info["status"] == before
    assert info.get("turnStartedAt") == started_at
    assert info.get("lastTurn") == last_turn
