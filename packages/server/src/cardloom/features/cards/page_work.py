"""What cards ask of the page that speaks for them: a menu, a look at another card, the settings form, the clipboard.

That page is the one that owns the card's frame, else the one that was active last. Spec: cards, methods; decisions
12, 42.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId
from cardloom_protocol.limits import limit

from ...core.bus import Bus, card_topic, connection_topic
from ...core.graph import Graph
from ...core.presence import Page, Presence
from ...core.records import Card

MenuItem = Mapping[str, Any]


class PageWork:
    """The pages as cards use them. `clipboard_ms` is how long a page has to answer."""

    def __init__(
        self, graph: Graph, bus: Bus, presence: Presence, *, clipboard_ms: int = limit("clipboardAnswerMs")
    ) -> None:
        self.clipboard_ms = clipboard_ms
        self._graph = graph
        self._bus = bus
        self._presence = presence
        self._menus: dict[CardId, Sequence[MenuItem]] = {}
        self._writes: dict[str, tuple[ConnectionId, asyncio.Future[str | None]]] = {}

    # Menus

    def set_menu(self, card_id: CardId, items: Sequence[MenuItem]) -> None:
        """Replace a card's own entries. INVALID_PARAMS where two have one id."""
        ids = [item["id"] for item in items]
        if len(set(ids)) < len(ids):
            raise CallError(ErrorCode.INVALID_PARAMS, "two entries of the menu have the same id", [])
        self._menus[card_id] = [dict(item) for item in items]

    def menu(self, card_id: str) -> list[dict[str, Any]]:
        """A card's own entries. NOT_FOUND: the card."""
        return [dict(item) for item in self._menus.get(self._graph.card(card_id).id, ())]

    def choose(self, card_id: str, item_id: str) -> None:
        """Tell a card that an entry was chosen. NOT_FOUND: the card, or no such entry that can be chosen."""
        card = self._graph.card(card_id)
        if not any(item["id"] == item_id and not item.get("disabled") for item in self._menus.get(card.id, ())):
            raise CallError(ErrorCode.NOT_FOUND, f"{card.name!r} has no such entry in its menu")
        self._bus.publish("ui.menu", {"id": item_id}, card_topic(card.id))

    def gone(self, card_id: CardId) -> None:
        """A card's program is gone, and with it whoever would answer to its menu."""
        self._menus.pop(card_id, None)

    # What a page shows

    def focus(self, card_id: CardId, target: str) -> None:
        """Bring another card of the same workspace into view. NOT_FOUND."""
        card, other = self._graph.card(card_id), self._graph.find_card(target)
        if other is None or other.workspace_id != card.workspace_id:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no card {target!r}")
        self._tell(card, "canvas.focus", {"workspaceId": other.workspace_id, "cardId": other.id})

    def open_settings(self, card_id: CardId) -> None:
        """Open a card's settings form."""
        card = self._graph.card(card_id)
        self._tell(card, "card.openSettings", {"cardId": card.id, "name": card.name})

    # The clipboard

    async def write_clipboard(self, card_id: CardId, text: str) -> None:
        """Put text on the clipboard. NOT_VISIBLE: no page is open. UNAVAILABLE: its browser refused or says nothing."""
        card = self._graph.card(card_id)
        page = self._page(card)
        write_id = secrets.token_urlsafe(12)
        done: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._writes[write_id] = (page.connection_id, done)
        asked = {"writeId": write_id, "cardId": card.id, "name": card.name, "text": text}
        self._bus.publish("clipboard.write", asked, connection_topic(page.connection_id))
        try:
            async with asyncio.timeout(self.clipboard_ms / 1000):
                problem = await done
        except TimeoutError:
            problem = "the page did not answer"
        finally:
            self._writes.pop(write_id, None)
        if problem is not None:
            raise CallError(ErrorCode.UNAVAILABLE, f"the text was not copied: {problem}")

    def written(self, write_id: str, connection_id: ConnectionId, problem: str | None) -> None:
        """A page tells what became of a text; None: it is on the clipboard. NOT_FOUND: it was not asked for it."""
        asked, done = self._writes.get(write_id, (None, None))
        if done is None or asked != connection_id or done.done():
            raise CallError(ErrorCode.NOT_FOUND, "nobody waits for this any more")
        done.set_result(problem)

    def _tell(self, card: Card, event: str, data: Mapping[str, Any]) -> None:
        self._bus.publish(event, data, connection_topic(self._page(card).connection_id))

    def _page(self, card: Card) -> Page:
        page = self._presence.page_for(card.id, card.workspace_id)
        if page is None:
            raise CallError(ErrorCode.NOT_VISIBLE, "no page of Cardloom is open")
        return page
