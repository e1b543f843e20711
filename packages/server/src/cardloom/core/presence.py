"""Which pages are there and how each shows each card.

A card's visibility is that of the page that owns its frame, else the best of all pages; what a card says goes to the
page that owns its frame, else to the one that was active last. Spec: decision 42.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cardloom_protocol.ids import CardId, ConnectionId, PageId, WorkspaceId

Visibility: TypeAlias = Literal["visible", "overview", "hidden"]
VisibilityListener: TypeAlias = Callable[[CardId, Visibility], None]
PageListener: TypeAlias = Callable[["Page"], None]

_BEST: tuple[Visibility, ...] = ("visible", "overview")


@dataclass(slots=True)
class Page:
    """One page: the workspace it shows and the cards on it that can be seen at all.

    `focused` is the card whose frame has the keyboard. `scheme` is what the page draws in, None where it never said.
    """

    id: PageId
    connection_id: ConnectionId
    workspace_id: WorkspaceId | None = None
    cards: dict[CardId, Visibility] = field(default_factory=dict)
    focused: CardId | None = None
    scheme: str | None = None


class Presence:
    """The pages by connection, the last active one last."""

    def __init__(self) -> None:
        self._pages: dict[ConnectionId, Page] = {}
        self._owners: dict[CardId, ConnectionId] = {}
        self._listeners: list[VisibilityListener] = []
        self._page_listeners: list[PageListener] = []

    def join(self, connection_id: ConnectionId, page_id: PageId) -> None:
        """Take in a page; it shows nothing yet."""
        self._pages[connection_id] = Page(page_id, connection_id)

    def leave(self, connection_id: ConnectionId) -> None:
        """Forget a page; what only it showed becomes hidden."""
        page = self._pages.get(connection_id)
        if page is not None:
            before = {card_id: self.visibility(card_id) for card_id in page.cards}
            del self._pages[connection_id]
            self._tell(before)

    def report(
        self,
        connection_id: ConnectionId,
        workspace_id: WorkspaceId | None,
        cards: Mapping[CardId, Visibility],
        *,
        active: bool,
        focused: CardId | None = None,
        scheme: str | None = None,
    ) -> None:
        """Replace what a page shows; cards it does not name are hidden on it. A scheme that is not told stays."""
        page = self._pages.get(connection_id)
        if page is None:
            return
        before = {card_id: self.visibility(card_id) for card_id in page.cards.keys() | cards.keys()}
        page.workspace_id = workspace_id
        page.cards = {card_id: seen for card_id, seen in cards.items() if seen != "hidden"}
        page.focused = focused
        page.scheme = scheme or page.scheme
        if active:
            self._pages[connection_id] = self._pages.pop(connection_id)
        self._tell(before)
        for listener in self._page_listeners:
            listener(page)

    def own(self, card_id: CardId, connection_id: ConnectionId | None) -> None:
        """Let a page own a card's frame, None for no page: its view of the card is the one that counts."""
        before = {card_id: self.visibility(card_id)}
        if connection_id is None:
            self._owners.pop(card_id, None)
        else:
            self._owners[card_id] = connection_id
        self._tell(before)

    def visibility(self, card_id: CardId) -> Visibility:
        """How well a card is seen on the page that owns its frame, else on the page that shows it best."""
        owner = self.owner_of(card_id)
        if owner is not None:
            return owner.cards.get(card_id, "hidden")
        seen = {page.cards.get(card_id) for page in self._pages.values()}
        return next((level for level in _BEST if level in seen), "hidden")

    def last_active(self, workspace_id: WorkspaceId | None = None) -> Page | None:
        """The page that was active last, among those that show the workspace when one is named."""
        pages = self._pages.values() if workspace_id is None else self.showing(workspace_id)
        return next(reversed(pages), None)

    def showing(self, workspace_id: WorkspaceId) -> list[Page]:
        """The pages that show a workspace, the last active one last."""
        return [page for page in self._pages.values() if page.workspace_id == workspace_id]

    def page_for(self, card_id: CardId, workspace_id: WorkspaceId) -> Page | None:
        """The page that speaks for a card: the owner of its frame, else the last active one, best of its workspace."""
        return self.owner_of(card_id) or self.last_active(workspace_id) or self.last_active()

    def owner_of(self, card_id: CardId) -> Page | None:
        """The page that owns a card's frame; a card that is no frame has none."""
        return self._pages.get(self._owners.get(card_id, ConnectionId("")))

    def is_focused(self, card_id: CardId) -> bool:
        """Whether a card's frame has the keyboard on some page."""
        return any(page.focused == card_id for page in self._pages.values())

    def page_of(self, connection_id: ConnectionId) -> Page | None:
        return self._pages.get(connection_id)

    def listen(self, listener: VisibilityListener) -> None:
        """Be told when a card's visibility changes."""
        self._listeners.append(listener)

    def listen_pages(self, listener: PageListener) -> None:
        """Be told whenever a page tells what it shows."""
        self._page_listeners.append(listener)

    def _tell(self, before: Mapping[CardId, str]) -> None:
        for card_id, earlier in before.items():
            now = self.visibility(card_id)
            if now != earlier:
                for listener in self._listeners:
                    listener(card_id, now)
