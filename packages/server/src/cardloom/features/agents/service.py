"""The events that tell subscribed cards of agents and shells, made from the changes of the directory.

Spec: agents, events; decisions 22, 40.
"""

from __future__ import annotations

from typing import Any

from cardloom_protocol.agents import AgentInfo, AgentStatus, turn_phase
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.bus import Bus, card_topic
from ...core.clock import Clock
from ...core.directory import Directory, DirectoryChange
from ...core.graph import Graph
from ...core.subscriptions import Subscriptions


class AgentService:
    """The list of agents as each card sees it."""

    def __init__(
        self, graph: Graph, bus: Bus, clock: Clock, directory: Directory, subscriptions: Subscriptions
    ) -> None:
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._directory = directory
        self._subscriptions = subscriptions
        directory.listen(self._tell)

    def listed(self, workspace_id: WorkspaceId | None, card_id: CardId | None) -> list[dict[str, Any]]:
        """The agents of a workspace (of all, for the owner), each with whether an arrow joins it to the card."""
        return [
            info.to_wire(connected=card_id is not None and self._graph.joined(card_id, info.id))
            for info in self._directory.all(workspace_id)
        ]

    def one(self, agent_id: str, workspace_id: WorkspaceId | None, card_id: CardId | None) -> dict[str, Any]:
        """One of them. NOT_FOUND."""
        info = self._directory.get(agent_id, workspace_id)
        return info.to_wire(connected=card_id is not None and self._graph.joined(card_id, info.id))

    def _tell(self, change: DirectoryChange) -> None:
        before, after = change.before, change.after
        if before is not None and after is not None and before.status != after.status:
            at_ms = _told_at_ms(before, after, self._clock.now_ms())
            status = {"agentId": change.card_id, "status": after.status.value, "at": at_ms}
            self._publish("agents.status", change.workspace_id, status)
            phase = turn_phase(before.status, after.status)
            if phase is not None:
                turn = {"agentId": change.card_id, "phase": phase, "at": at_ms}
                self._publish("agents.turn", change.workspace_id, turn)
        if before is None or after is None or before.name != after.name:
            for card_id in self._cards("agents.changed", change.workspace_id):
                agents = self.listed(change.workspace_id, card_id)
                self._bus.publish("agents.changed", {"agents": agents}, card_topic(card_id))

    def _publish(self, name: str, workspace_id: WorkspaceId, data: dict[str, Any]) -> None:
        texts: dict[str, str] = {}
        for card_id in self._cards(name, workspace_id):
            self._bus.publish(name, data, card_topic(card_id), texts)

    def _cards(self, topic: str, workspace_id: WorkspaceId) -> list[CardId]:
        cards = (self._graph.find_card(card_id) for card_id in self._subscriptions.subscribers(topic))
        return [card.id for card in cards if card is not None and card.workspace_id == workspace_id]


def _told_at_ms(before: AgentInfo, after: AgentInfo, now_ms: int) -> int:
    """When a change of status happened, as the record itself has it, so that events and `lastTurn` agree."""
    if after.status is AgentStatus.WORKING and after.turn_started_at_ms is not None:
        return after.turn_started_at_ms
    if after.last_turn is not None and after.last_turn != before.last_turn:
        return after.last_turn.ended_at_ms
    return now_ms
