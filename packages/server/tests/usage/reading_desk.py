"""A server whose clock stands, an agent on its canvas, and a card that may read what it spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.clock import VirtualClock
from cardloom.core.ids import new_connection_id
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, touched
from cardloom_protocol.agents import AgentStatus, advance
from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import ArrowId, CardId, PackageId, WorkspaceId

from .making_logs import T0_MS

DAY_MS = 24 * 3_600_000


class Desk:
    """A server whose clock stands, with one agent that used session S, and a card that may read its usage."""

    def __init__(self, app: App, clock: VirtualClock, page: Any, home: str, folder: Path) -> None:
        self.app = app
        self.clock = clock
        self.page = page
        self.home = WorkspaceId(home)
        self.folder = folder
        self.agent_id = CardId("")
        self.card_id = CardId("c_reader")

    async def begin(self) -> None:
        self.agent_id = await self.agent("S")
        reader = Card(self.card_id, self.home, "custom", 0, 0, 10, 10, 1, 0)
        arrow = Arrow(ArrowId("a_1"), self.home, self.card_id, self.agent_id, "forward", DrawnBy(), 0, 1)
        await self.app.canvas.commit(self.home, lambda _: [PutCard(reader), PutArrow(arrow)])
        self.app.grants.bind(self.card_id, self.home, PackageId("dev:reader"))
        self.app.grants.set(self.home, PackageId("dev:reader"), ("usage.read",))

    async def agent(self, *sessions: str, title: str = "Builder") -> CardId:
        made = await self.page.call(
            "agent.create", workspaceId=self.home, harness="claude-code", x=0, y=0, title=title, start=False
        )
        card = self.app.graph.card(made["id"])
        content = {**card.content, "sessionIds": list(sessions)}
        await self.app.canvas.commit(self.home, lambda _: [touched(card, content=content)])
        return card.id

    def log(self, *lines: bytes, session: str = "S") -> None:
        path = self.folder / f".claude/projects/-p/{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(lines))

    def at(self, seconds: float) -> None:
        self.clock.set(int(T0_MS + seconds * 1000))

    def status(self, status: AgentStatus, seconds: float) -> None:
        self.at(seconds)
        info = self.app.directory.get(self.agent_id)
        self.app.directory.put(self.home, self.agent_id, advance(info, status, self.clock.now_ms())[0])

    async def asked(self, method: str, **params: Any) -> Any:
        caller = Caller(CallerKind.CARD, new_connection_id(), self.card_id, self.home)
        return await self.app.dispatcher.dispatch(method, params, caller)

    async def refused(self, method: str, **params: Any) -> CallError:
        with pytest.raises(CallError) as refusal:
            await self.asked(method, **params)
        return refusal.value
