"""What the tools of one agent work with: the canvas as it reads it, and calls in its name through the one dispatcher.

Spec: decisions 36, 37.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from ...core.directory import Directory
from ...core.graph import Graph
from ...core.ids import new_connection_id
from ...core.records import Card
from ...dispatch.dispatcher import Dispatcher


@dataclass(frozen=True, slots=True)
class Hall:
    """What all agents' tools share. `children` gives the cards that a card or an agent added."""

    dispatcher: Dispatcher
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
        caller = Caller(CallerKind.AGENT, new_connection_id(), self.card_id, self.card.workspace_id)
        return await self.hall.dispatcher.dispatch(method, params, caller)
