"""Backends in memory for tests: one that says back what it hears, and one that does what a script tells it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities

from ..backend.contract import Backend
from ..backend.run import Run
from ..backend.sessions import StoreSessions
from ..stores.contract import SessionStore
from ..stores.memory import MemoryStore


class EchoBackend(Backend):
    """Answers with the words of the request, one delta a word. Sessions live in a store, in memory unless given."""

    def __init__(self, store: SessionStore | None = None) -> None:
        self.sessions: StoreSessions = StoreSessions(store or MemoryStore())

    async def capabilities(self) -> Capabilities:
        """What the store can do, and runs that can be cancelled."""
        return {"protocol": PROTOCOL_VERSION, **self.sessions.capabilities(), "run": {"cancel": True}}

    async def run(self, run: Run) -> None:
        """Says the request back."""
        parent = await self.sessions.begin(run)
        heard = run.text
        async with self.sessions.writing(run, parent_id=parent) as reply:
            text = reply.text()
            for word in heard.split(" "):
                text.add(f" {word}" if text.gathered().get("text") else word)


Script: TypeAlias = Callable[[Run, StoreSessions], Awaitable[None]]


class ScriptedBackend(EchoBackend):
    """Carries out each run by the next script; the last one serves again."""

    def __init__(self, *scripts: Script, store: SessionStore | None = None) -> None:
        super().__init__(store)
        self.scripts = list(scripts)

    async def capabilities(self) -> Capabilities:
        """As the echo, with questions and activities."""
        return {**await super().capabilities(), "run": {"cancel": True, "ask": True, "activity": True}}

    async def run(self, run: Run) -> None:
        """Does what the script says."""
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        await script(run, self.sessions)
