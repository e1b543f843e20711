"""What cards of packages ask of their host and are told by it: context, chrome, toasts, log, surroundings.

Spec: cards, context, methods and events; decisions 4, 42.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from cardloom_protocol.hosting import RateWindow, rate_limited
from cardloom_protocol.ids import CardId, ConnectionId, PackageId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import declared_permissions
from cardloom_protocol.permissions import view
from cardloom_protocol.ports import PeerInfo

from ...core.bus import OWNERS, Bus, Event, canvas_topic, card_topic, connection_topic
from ...core.clock import Clock
from ...core.grants import Grants
from ...core.graph import Graph
from ...core.mounts import Mounts
from ...core.presence import Page, Presence, Visibility
from ...core.recipes import Recipe
from ...core.records import Card, Change, PutCard, touched
from ...core.subscriptions import Subscriptions
from . import model
from .book import CardBook
from .consent import Consents
from .logs import CardLogs, Level
from .model import Launch, Package, Taste
from .store import CardsStore


class Commit(Protocol):
    """How a canvas is changed."""

    def __call__(
        self, workspace_id: WorkspaceId, make: Callable[[Graph], Sequence[Change]], by: str | None = None, /
    ) -> Awaitable[None]: ...


class AddCard(Protocol):
    """How a card of a known recipe comes onto a canvas."""

    def __call__(
        self, workspace_id: str, recipe: Recipe, place: Mapping[str, Any], *, by: str | None = None
    ) -> Awaitable[Card]: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Functions of other features."""

    commit: Commit
    add_card: AddCard
    patch_runtime: Callable[[CardId, Mapping[str, Any] | None], None]
    peers: Callable[[CardId], list[PeerInfo]]
    taste: Callable[[], Taste]


@dataclass(frozen=True, slots=True)
class Rooms:
    """The shared rooms that this feature works in."""

    graph: Graph
    bus: Bus
    clock: Clock
    presence: Presence
    grants: Grants
    subscriptions: Subscriptions
    mounts: Mounts


class CardSurface:
    """The host as a connected card sees it."""

    def __init__(
        self, rooms: Rooms, store: CardsStore, book: CardBook, consents: Consents, logs: CardLogs, around: Surroundings
    ) -> None:
        self.connected: set[CardId] = set()
        self.slept: Callable[[CardId], bool] = lambda _: False
        self.expanded: Callable[[CardId], bool] = lambda _: False
        self.settings: Callable[[Card, Package], Mapping[str, Any]] = _no_settings
        self._rooms = rooms
        self._graph = rooms.graph
        self._bus = rooms.bus
        self._store = store
        self._book = book
        self._consents = consents
        self._logs = logs
        self._around = around
        self._mounted = store.mounted()
        self._log_rates: dict[CardId, RateWindow] = {}
        self._schemes: dict[ConnectionId, str | None] = {}
        rooms.grants.listen(self._granted)
        rooms.presence.listen(self._seen)
        rooms.presence.listen_pages(self._page_told)
        rooms.bus.listen_detach(self._page_gone)
        rooms.bus.listen("preferences.changed", self._taste_changed)

    async def ready(self, card_id: CardId) -> dict[str, Any]:
        """The card context. UNAVAILABLE when the card's package is not installed here."""
        card, package = self._book.entry(card_id)
        launch: Launch = "resumed" if self.slept(card_id) else "reloaded"
        if card_id not in self._mounted:
            self._mounted.add(card_id)
            await self._store.set_mounted(card_id, self._rooms.clock.now_ms())
            card, package = self._book.entry(card_id)
            launch = "created"
        # Nothing may wait from here on: the card's events join up with this picture.
        return model.context(
            card,
            package,
            self._graph.workspace(card.workspace_id),
            granted=self._granted_to(card, package),
            visibility=self._rooms.presence.visibility(card_id),
            peers=self._around.peers(card_id),
            taste=self._taste_of(card),
            launch=launch,
            expanded=self.expanded(card_id),
            settings=self.settings(card, package),
        )

    def instance(self, card_id: CardId) -> dict[str, Any]:
        card, package = self._book.entry(card_id)
        return model.instance(card, package, self._around.taste().language)

    def workspace_view(self, card_id: CardId) -> dict[str, Any]:
        card, package = self._book.entry(card_id)
        return model.workspace_view(self._graph.workspace(card.workspace_id), self._granted_to(card, package))

    def permissions(self, card_id: CardId) -> list[dict[str, Any]]:
        """The declared permissions with what was granted."""
        return self._permissions(*self._book.entry(card_id))

    def theme(self, card_id: CardId) -> dict[str, Any]:
        return model.theme(self._taste_of(self._graph.card(card_id)).scheme)

    def i18n(self) -> dict[str, str]:
        return model.i18n(self._around.taste().language)

    async def set_chrome(self, card_id: CardId, method: str, params: Mapping[str, Any]) -> None:
        """Show what a card says of itself, from now on and after a restart."""

        def make(graph: Graph) -> list[Change]:
            card = graph.card(card_id)
            chrome = model.chrome_after(card.chrome, method, params)
            return [] if chrome == card.chrome else [touched(card, chrome=chrome)]

        await self._around.commit(self._graph.card(card_id).workspace_id, make)

    def toast(self, card_id: CardId, params: Mapping[str, Any]) -> None:
        """Show a message on the page that owns the card's frame, else the one that was active last."""
        card = self._graph.card(card_id)
        page = self._rooms.presence.page_for(card_id, card.workspace_id)
        topic = canvas_topic(card.workspace_id) if page is None else connection_topic(page.connection_id)
        data = {
            "cardId": card_id,
            "name": card.name,
            "message": params["message"],
            "tone": params.get("tone", "default"),
            "durationMs": params.get("durationMs", 4000),
        }
        self._bus.publish("ui.toast", data, topic)

    def log(self, card_id: CardId, level: Level, message: str) -> None:
        """Write a line to a card's log. RATE_LIMITED beyond 50 a second."""
        rate = self._log_rates.get(card_id)
        if rate is None:
            rate = self._log_rates[card_id] = RateWindow(limit("logLinesPerSecond"), window_ms=1000)
        wait_ms = rate.take(self._rooms.clock.steady_ms())
        if wait_ms:
            raise rate_limited(wait_ms, "host.log")
        self._logs.write(card_id, level, message)

    def forget(self, card_id: CardId) -> None:
        """Drop what is remembered of a card that is gone."""
        self._log_rates.pop(card_id, None)
        self._rooms.subscriptions.drop(card_id)

    def subscribe(self, card_id: CardId, topics: Sequence[str], agent_ids: Sequence[str] | None) -> list[str]:
        """Start topics for a card; gives those accepted."""
        return self._rooms.subscriptions.subscribe(card_id, topics, agent_ids)

    def unsubscribe(self, card_id: CardId, topics: Sequence[str]) -> None:
        self._rooms.subscriptions.unsubscribe(card_id, topics)

    def _permissions(self, card: Card, package: Package) -> list[dict[str, Any]]:
        granted = self._granted_to(card, package)
        return view(declared_permissions(package.manifest), granted, self._around.taste().language)

    def _granted_to(self, card: Card, package: Package) -> frozenset[str]:
        return self._consents.granted(card.workspace_id, package.id)

    def _taste_of(self, card: Card) -> Taste:
        """The owner's choices; to a frame `system` means what its page draws in, and to a program nothing."""
        taste = self._around.taste()
        page = self._rooms.presence.owner_of(card.id)
        if taste.scheme != "system" or page is None or page.scheme is None:
            return taste
        return replace(taste, scheme=page.scheme)

    def _page_told(self, page: Page) -> None:
        """A page draws in another scheme than before: the frames it owns follow."""
        before = self._schemes.get(page.connection_id)
        self._schemes[page.connection_id] = page.scheme
        # A card may be up before its page said anything: it draws in what a page without a scheme would.
        if model.theme(before or "system") == model.theme(page.scheme or "system"):
            return
        if self._around.taste().scheme != "system":
            return
        for card_id in self.connected:
            if self._rooms.presence.owner_of(card_id) is page and self._graph.find_card(card_id) is not None:
                self._bus.publish("theme.changed", self.theme(card_id), card_topic(card_id))

    def _page_gone(self, connection_id: ConnectionId) -> None:
        self._schemes.pop(connection_id, None)

    def resized(self, changes: Iterable[Change]) -> None:
        """Tell connected cards of their new sizes."""
        for change in changes:
            if (
                isinstance(change, PutCard)
                and change.card.id in self.connected
                and {"w", "h"} & {*(change.fields or ())}
            ):
                size = {"w": change.card.w, "h": change.card.h}
                self._bus.publish("lifecycle.resized", size, card_topic(change.card.id))

    def _seen(self, card_id: CardId, visibility: Visibility) -> None:
        if card_id in self.connected:
            self._bus.publish("lifecycle.visibility", {"state": visibility}, card_topic(card_id))

    def _granted(self, workspace_id: WorkspaceId, package_id: PackageId) -> None:
        """What a package may do changed: pages and its connected cards learn of it."""
        self._bus.publish("grants.changed", {"workspaceId": workspace_id, "packageId": package_id}, OWNERS)
        for card in self._graph.cards_of(workspace_id):
            package = self._book.package_of(card) if card.id in self.connected else None
            if package is not None and package.id == package_id:
                self._bus.publish("permissions.changed", self._permissions(card, package), card_topic(card.id))

    def _taste_changed(self, _: Event) -> None:
        for card_id in self.connected:
            self._bus.publish("theme.changed", self.theme(card_id), card_topic(card_id))
            self._bus.publish("i18n.changed", self.i18n(), card_topic(card_id))


def _no_settings(_card: Card, _package: Package) -> Mapping[str, Any]:
    return {"values": {}, "secrets": {}}
