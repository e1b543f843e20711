"""What the tools of one agent work with: the canvas as it reads it, and calls in its name through the one dispatcher.

Spec: decisions 36, 37.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId

from ...core.bus import Bus, Event, connection_topic
from ...core.directory import Directory
from ...core.graph import Graph
from ...core.ids import new_connection_id
from ...core.records import Card
from ...dispatch.dispatcher import Dispatcher


@dataclass(frozen=True, slots=True)
class Hall:
    """What all agents' tools share. `children` gives the cards that a card or an agent added."""

    dispatcher: Dispatcher
    bus: Bus
    graph: Graph
    directory: Directory
    children: Callable[[CardId], Sequence[CardId]]


class Desk:
    """One agent at its card."""

    def __init__(self, hall: Hall, card_id: CardId) -> None:
        self.hall = hall
        self.graph = hall.graph
        self.card_id = card_id

    @property
    def card(self) -> Card:
        """The agent's own card. NOT_FOUND once it is gone."""
        return self.graph.card(self.card_id)

    def joined(self) -> list[Card]:
        """The cards that a confirmed arrow joins to the agent, in the order of drawing; none while it is closed."""
        card = self.graph.find_card(self.card_id)
        workspace = None if card is None else self.graph.workspaces.get(card.workspace_id)
        if workspace is None or not workspace.is_open:
            return []
        arrows = self.graph.arrows_at(self.card_id)
        return [self.graph.card(arrow.other(self.card_id)) for arrow in arrows if not arrow.pending]

    def neighbour(self, card_id: str) -> Card:
        """A card of the agent's workspace. NOT_FOUND."""
        card = self.graph.find_card(card_id)
        if card is None or card.workspace_id != self.card.workspace_id:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no card {card_id!r} on this canvas")
        return card

    async def call(self, method: str, /, **params: Any) -> Any:
        """Call a method as this agent; the gate asks for its arrow."""
        return await self._call_as(new_connection_id(), method, params)

    async def next_changes(self, path: str, timeout_ms: int, *, recursive: bool) -> list[Any]:
        """Watch a path of the workspace until something changes below it; nothing when nothing did in time.

        The errors of `fs.watch`.
        """
        connection_id = new_connection_id()
        changes: list[Any] = []
        changed = asyncio.Event()

        def take(event: Event) -> None:
            changes.extend(event.data["changes"])
            changed.set()

        self.hall.bus.attach(connection_id, take)
        self.hall.bus.follow(connection_id, connection_topic(connection_id))
        try:
            await self._call_as(connection_id, "fs.watch", {"path": path, "recursive": recursive})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_ms / 1000):
                    await changed.wait()
            return changes
        finally:
            self.hall.bus.detach(connection_id)  # which ends the watch

    async def _call_as(self, connection_id: ConnectionId, method: str, params: Mapping[str, Any]) -> Any:
        caller = Caller(CallerKind.AGENT, connection_id, self.card_id, self.card.workspace_id)
        return await self.hall.dispatcher.dispatch(method, dict(params), caller)
