"""Every run of every backend as it moves on: pages and cards are told, whoever began it.

Spec: session protocol, run; decision 39.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from cardloom_protocol.session.events import RunStatus
from cardloom_sdk.backend.live import LiveRun

from ...core.bus import OWNERS, Bus

_log = logging.getLogger(__name__)

Phase: TypeAlias = Literal["running", "needs-input"] | RunStatus
Moved: TypeAlias = Callable[[str, LiveRun, Phase], None]
"""Told the backend's id, the run, and what it is at now."""

OVER: Final = frozenset(("done", "cancelled", "error"))


class RunWatch:
    """Follows runs from their beginning to their end; `listeners` hear every change of phase in order."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._tasks: set[asyncio.Task[None]] = set()
        self.listeners: list[Moved] = []

    def began(self, backend_id: str, live: LiveRun) -> None:
        """A run has begun."""
        self._move(backend_id, live, "running")
        task = asyncio.create_task(self._follow(backend_id, live), name=f"watch {live.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stops following."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, backend_id: str, live: LiveRun) -> None:
        phase: Phase = "running"
        try:
            while phase not in OVER:
                if phase == (now := phase_of(live)):
                    await live.log.more()
                    continue
                phase = now
                self._move(backend_id, live, phase)
        except Exception:  # noqa: BLE001 - a task root: the run goes on without its followers
            _log.exception("run %s could not be followed", live.id)

    def _move(self, backend_id: str, live: LiveRun, phase: Phase) -> None:
        told = {"backend": backend_id, "sessionId": live.session_id, "runId": live.id, "status": phase}
        self._bus.publish("session.run", told, OWNERS)
        for moved in self.listeners:
            moved(backend_id, live, phase)


def phase_of(live: LiveRun) -> Phase:
    """What a run is at."""
    state = live.log.state
    return state.status or ("needs-input" if state.asks else "running")
