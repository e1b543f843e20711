"""Who is an agent or a shell on the canvases: one AgentInfo each, kept by the feature that runs it.

Terminals put shells here, agents their agents; agents.list and the status events read it. Spec: decision 40; cards,
agents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from cardloom_protocol.agents import AgentInfo
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId


@dataclass(frozen=True, slots=True)
class DirectoryChange:
    """What became of one agent: `before` None when it is new, `after` None when it is gone."""

    card_id: CardId
    workspace_id: WorkspaceId
    before: AgentInfo | None
    after: AgentInfo | None


DirectoryListener: TypeAlias = Callable[[DirectoryChange], None]


class Directory:
    """Agents and shells by card id; an agent's id is its card's."""

    def __init__(self) -> None:
        self._agents: dict[CardId, tuple[WorkspaceId, AgentInfo]] = {}
        self._listeners: list[DirectoryListener] = []

    def put(self, workspace_id: WorkspaceId, card_id: CardId, info: AgentInfo) -> None:
        """Add or replace one, and tell listeners when anything changed."""
        earlier = self._agents.get(card_id)
        self._agents[card_id] = (workspace_id, info)
        if earlier is None or earlier[1] != info:
            self._tell(DirectoryChange(card_id, workspace_id, earlier[1] if earlier else None, info))

    def remove(self, card_id: CardId) -> None:
        earlier = self._agents.pop(card_id, None)
        if earlier is not None:
            self._tell(DirectoryChange(card_id, earlier[0], earlier[1], None))

    def get(self, agent_id: str, workspace_id: WorkspaceId | None = None) -> AgentInfo:
        """Give one of a workspace, or of any. NOT_FOUND naming the id."""
        found = self._agents.get(CardId(agent_id))
        if found is None or workspace_id not in (None, found[0]):
            raise CallError(ErrorCode.NOT_FOUND, f"there is no agent {agent_id!r}")
        return found[1]

    def find(self, agent_id: str) -> AgentInfo | None:
        found = self._agents.get(CardId(agent_id))
        return None if found is None else found[1]

    def all(self, workspace_id: WorkspaceId | None = None) -> list[AgentInfo]:
        """All of a workspace, or of all workspaces, in the order they came."""
        return [info for home, info in self._agents.values() if workspace_id in (None, home)]

    def listen(self, listener: DirectoryListener) -> Callable[[], None]:
        """Be told of every change; gives what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, change: DirectoryChange) -> None:
        for listener in list(self._listeners):
            listener(change)
