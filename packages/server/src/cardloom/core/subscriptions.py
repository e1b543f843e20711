"""Which card asked for which events, and who may have them at the moment of delivery.

A topic's permission, and for output the arrow to the agent, are asked when a card subscribes and again whenever
something is delivered, so that a revoked grant or a removed arrow ends the flow at once. Spec: cards, events;
architecture, invariants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId
from cardloom_protocol.methods import EVENTS

from .directory import Directory
from .grants import Grants
from .graph import Graph

OUTPUT = "agents.output"


class Subscriptions:
    """Topics by card, and for output the agents whose text a card reads."""

    def __init__(self, grants: Grants, graph: Graph, directory: Directory) -> None:
        self._grants = grants
        self._graph = graph
        self._directory = directory
        self._topics: dict[str, dict[CardId, None]] = {}
        self._read: dict[CardId, tuple[CardId, ...]] = {}
        self._readers: dict[CardId, dict[CardId, None]] = {}

    def subscribe(self, card_id: CardId, topics: Sequence[str], agent_ids: Sequence[str] | None = None) -> list[str]:
        """Start topics and give those accepted; one whose permission is missing is left out.

        Output needs agents, and replaces the agents it read before. INVALID_PARAMS without agents, NOT_FOUND for an
        unknown agent, NOT_CONNECTED for one that no arrow joins; then nothing is started.
        """
        accepted = [topic for topic in topics if self._permitted(card_id, topic)]
        if OUTPUT in accepted:
            self._read_from(card_id, [self._checked(card_id, agent_id) for agent_id in agent_ids or ()])
        for topic in accepted:
            self._topics.setdefault(topic, {})[card_id] = None
        return accepted

    def unsubscribe(self, card_id: CardId, topics: Iterable[str]) -> None:
        """Stop topics; unknown ones are none."""
        for topic in topics:
            self._topics.get(topic, {}).pop(card_id, None)
            if topic == OUTPUT:
                self._forget_reading(card_id)

    def drop(self, card_id: CardId) -> None:
        """Stop everything a card subscribed to: its connection or the card itself is gone."""
        self.unsubscribe(card_id, list(self._topics))

    def prune(self, card_id: CardId) -> None:
        """End the topics that a card may not have any more; being granted again starts none of them."""
        self.unsubscribe(card_id, [topic for topic in self._topics if not self._permitted(card_id, topic)])

    def subscribers(self, topic: str) -> list[CardId]:
        """The cards of any workspace that subscribed to a topic and may have it now."""
        return [card_id for card_id in self._topics.get(topic, ()) if self._permitted(card_id, topic)]

    def is_read(self, agent_id: CardId) -> bool:
        """Whether any card asked for an agent's output, whatever it may have."""
        return agent_id in self._readers

    def readers(self, agent_id: CardId) -> list[CardId]:
        """The cards that read an agent's output and may do so now: by permission and by arrow."""
        return [
            card_id
            for card_id in self._readers.get(agent_id, ())
            if self._permitted(card_id, OUTPUT) and self._graph.joined(card_id, agent_id)
        ]

    def _permitted(self, card_id: CardId, topic: str) -> bool:
        permission = EVENTS["nscard"][topic].permission
        return permission is None or permission in self._grants.effective(card_id)

    def _checked(self, card_id: CardId, agent_id: str) -> CardId:
        card = self._graph.card(card_id)
        self._directory.get(agent_id, card.workspace_id)
        if not self._graph.joined(card_id, CardId(agent_id)):
            raise CallError(ErrorCode.NOT_CONNECTED, f"No arrow joins this card to {agent_id}.")
        return CardId(agent_id)

    def _read_from(self, card_id: CardId, agents: list[CardId]) -> None:
        if not agents:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{OUTPUT} needs agentIds")
        self._forget_reading(card_id)
        self._read[card_id] = tuple(dict.fromkeys(agents))
        for agent_id in agents:
            self._readers.setdefault(agent_id, {})[card_id] = None

    def _forget_reading(self, card_id: CardId) -> None:
        for agent_id in self._read.pop(card_id, ()):
            readers = self._readers.get(agent_id)
            if readers is not None:
                readers.pop(card_id, None)
                if not readers:
                    del self._readers[agent_id]
