"""The live picture of every workspace: cards by id and the arrows between them.

Only the canvas feature applies changes; everybody else reads. What is here is on disk already (runtime apart).
`version` of a workspace grows with every change of its cards' ports or arrows, so that routing may remember answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from types import MappingProxyType

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId

from .layer import Layer
from .records import (
    Arrow,
    Card,
    Change,
    PutArrow,
    PutCard,
    PutWorkspace,
    RemoveArrow,
    RemoveCard,
    Workspace,
)


class Graph:
    """Workspaces, cards and arrows in memory."""

    def __init__(self) -> None:
        self._workspaces: MutableMapping[WorkspaceId, Workspace] = {}
        self._cards: MutableMapping[CardId, Card] = {}
        self._cards_in: MutableMapping[WorkspaceId, dict[CardId, None]] = {}
        self._arrows: MutableMapping[ArrowId, Arrow] = {}
        self._arrows_at: MutableMapping[CardId, dict[ArrowId, None]] = {}
        self._versions: MutableMapping[WorkspaceId, int] = {}

    def draft(self) -> Graph:
        """The picture as it will be: takes changes of its own and reads the rest from here. For a moment's use only."""
        draft = Graph()
        draft._workspaces = Layer(self._workspaces)
        draft._cards = Layer(self._cards)
        draft._cards_in = Layer(self._cards_in, dict)
        draft._arrows = Layer(self._arrows)
        draft._arrows_at = Layer(self._arrows_at, dict)
        draft._versions = Layer(self._versions)
        return draft

    @property
    def workspaces(self) -> Mapping[WorkspaceId, Workspace]:
        return MappingProxyType(self._workspaces)

    def workspace(self, workspace_id: str) -> Workspace:
        """Give a workspace. NOT_FOUND naming the id."""
        found = self._workspaces.get(WorkspaceId(workspace_id))
        if found is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no workspace {workspace_id!r}")
        return found

    def is_open(self, workspace_id: WorkspaceId) -> bool:
        """Whether there is such a workspace, and it is open."""
        workspace = self._workspaces.get(workspace_id)
        return workspace is not None and workspace.is_open

    def card(self, card_id: str) -> Card:
        """Give a card. NOT_FOUND naming the id."""
        found = self._cards.get(CardId(card_id))
        if found is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no card {card_id!r}")
        return found

    def find_card(self, card_id: str) -> Card | None:
        return self._cards.get(CardId(card_id))

    def arrow(self, arrow_id: str) -> Arrow:
        """Give an arrow. NOT_FOUND naming the id."""
        found = self._arrows.get(ArrowId(arrow_id))
        if found is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no arrow {arrow_id!r}")
        return found

    def find_arrow(self, arrow_id: str) -> Arrow | None:
        return self._arrows.get(ArrowId(arrow_id))

    def cards_of(self, workspace_id: WorkspaceId) -> list[Card]:
        """The cards of a workspace in the order they came."""
        return [self._cards[card_id] for card_id in self._cards_in.get(workspace_id, ())]

    def arrows_of(self, workspace_id: WorkspaceId) -> list[Arrow]:
        """The arrows of a workspace in the order they were drawn."""
        found = {arrow_id for card_id in self._cards_in.get(workspace_id, ()) for arrow_id in self._arrows_at[card_id]}
        return sorted((self._arrows[arrow_id] for arrow_id in found), key=lambda arrow: arrow.rank)

    def arrows_at(self, card_id: CardId) -> list[Arrow]:
        """The arrows that touch a card in the order they were drawn."""
        return sorted((self._arrows[arrow_id] for arrow_id in self._arrows_at.get(card_id, ())), key=lambda a: a.rank)

    def arrow_between(self, one: CardId, two: CardId) -> Arrow | None:
        """The arrow that joins two cards, however it points."""
        for arrow_id in self._arrows_at.get(one, ()):
            arrow = self._arrows[arrow_id]
            if arrow.other(one) == two:
                return arrow
        return None

    def joined(self, one: CardId, two: CardId) -> bool:
        """Whether a confirmed arrow joins two cards. A paused arrow still joins: it only carries nothing."""
        arrow = self.arrow_between(one, two)
        return arrow is not None and not arrow.pending

    def version(self, workspace_id: WorkspaceId) -> int:
        """A number that changes whenever ports or arrows of the workspace do."""
        return self._versions.get(workspace_id, 0)

    def apply(self, workspace_id: WorkspaceId, changes: Iterable[Change]) -> None:
        """Take over changes that are on disk."""
        for change in changes:
            match change:
                case PutCard(card, fields):
                    self._put_card(card, rewired=fields is None or "ports" in fields or "name" in fields)
                case RemoveCard(card_id):
                    self._remove_card(card_id)
                case PutArrow(arrow):
                    self._arrows[arrow.id] = arrow
                    self._arrows_at.setdefault(arrow.a, {})[arrow.id] = None
                    self._arrows_at.setdefault(arrow.b, {})[arrow.id] = None
                    self._rewire(workspace_id)
                case RemoveArrow(arrow_id):
                    self._remove_arrow(arrow_id)
                case PutWorkspace(workspace):
                    self._workspaces[workspace.id] = workspace
                    self._cards_in.setdefault(workspace.id, {})
                    self._rewire(workspace_id)

    def forget(self, workspace_id: WorkspaceId) -> None:
        """Drop a workspace with all that stands in it."""
        for card_id in list(self._cards_in.pop(workspace_id, ())):
            self._remove_card(card_id)
        self._workspaces.pop(workspace_id, None)
        self._versions.pop(workspace_id, None)

    def _rewire(self, workspace_id: WorkspaceId) -> None:
        self._versions[workspace_id] = self._versions.get(workspace_id, 0) + 1

    def _put_card(self, card: Card, *, rewired: bool) -> None:
        self._cards[card.id] = card
        self._cards_in.setdefault(card.workspace_id, {})[card.id] = None
        self._arrows_at.setdefault(card.id, {})
        if rewired:
            self._rewire(card.workspace_id)

    def _remove_card(self, card_id: CardId) -> None:
        card = self._cards.pop(card_id, None)
        if card is None:
            return
        for arrow_id in list(self._arrows_at.get(card_id, ())):
            self._remove_arrow(arrow_id)
        self._arrows_at.pop(card_id, None)
        self._cards_in.get(card.workspace_id, {}).pop(card_id, None)
        self._rewire(card.workspace_id)

    def _remove_arrow(self, arrow_id: ArrowId) -> None:
        arrow = self._arrows.pop(arrow_id, None)
        if arrow is None:
            return
        for end in (arrow.a, arrow.b):
            self._arrows_at.get(end, {}).pop(arrow_id, None)
        self._rewire(arrow.workspace_id)
