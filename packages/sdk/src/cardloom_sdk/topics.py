"""Which events a card has asked the host for: subscribed with the first listener, ended with the last.

Output subscriptions always name the whole set of agents, since a new one replaces the old. Spec: cards behaviour,
message flow (topics).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode

from .host_calls import Call
from .listeners import Report, Stop, once

OUTPUT: Final = "agents.output"


class Topics:
    """What the listeners want, and what the host was told."""

    def __init__(self, call: Call, report: Report, warn: Callable[[str], None]) -> None:
        self._call = call
        self._report = report
        self._warn = warn
        self._wanted: dict[str, int] = {}
        self._watched: list[tuple[str, ...]] = []
        self._told: set[str] = set()
        self._told_agents: frozenset[str] = frozenset()
        self._online = False
        self._stale = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def want(self, topic: str) -> Stop:
        """Ask for a topic; gives how to take that back."""
        self._wanted[topic] = self._wanted.get(topic, 0) + 1
        self._sync_soon()

        def end() -> None:
            self._wanted[topic] -= 1
            self._sync_soon()

        return once(end)

    def watch(self, agent_ids: Iterable[str]) -> Stop:
        """Ask for the output of these agents; gives how to take that back."""
        entry = tuple(agent_ids)
        self._watched.append(entry)
        self._sync_soon()

        def end() -> None:
            self._watched.remove(entry)
            self._sync_soon()

        return once(end)

    def connected(self) -> None:
        """A host is there that knows of nothing yet."""
        self._told.clear()
        self._told_agents = frozenset()
        self._online = True
        self._sync_soon()

    def lost(self) -> None:
        """The host is gone."""
        self._online = False
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def settled(self) -> None:
        """Wait until the host was told what is wanted now."""
        while self._running is not None:
            await asyncio.wait((self._running,))

    def _sync_soon(self) -> None:
        # One task a turn of the loop, so that listeners added together are told together.
        if self._online:
            self._stale.set()
            if self._running is None:
                self._running = asyncio.create_task(self._work())

    async def _work(self) -> None:
        task = asyncio.current_task()
        try:
            while self._stale.is_set():
                self._stale.clear()
                await self._tell()
        except CallError as error:
            if error.code is not ErrorCode.UNAVAILABLE:
                self._report("subscribing", error)
        finally:
            if self._running is task:
                self._running = None

    async def _tell(self) -> None:
        wanted = {topic for topic, count in self._wanted.items() if count > 0}
        agents = frozenset(agent_id for entry in self._watched for agent_id in entry)
        gone = self._told - wanted - ({OUTPUT} if agents else set())
        if gone:
            self._told -= gone
            self._told_agents = self._told_agents if agents else frozenset()
            await self._call("events.unsubscribe", {"topics": sorted(gone)})
        fresh = wanted - self._told
        if fresh:
            await self._subscribe(fresh, {"topics": sorted(fresh)})
        if agents and agents != self._told_agents:
            await self._subscribe({OUTPUT}, {"topics": [OUTPUT], "agentIds": sorted(agents)})
            self._told_agents = agents

    async def _subscribe(self, topics: set[str], params: dict[str, Any]) -> None:
        answer = await self._call("events.subscribe", params)
        self._told |= topics
        for topic in sorted(topics - set(answer["topics"])):
            self._warn(f"{topic} is not granted: nothing will come")
