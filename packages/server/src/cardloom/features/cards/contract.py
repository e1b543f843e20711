"""The parts behind the card contract, joined: what cards keep, set, fetch, offer, ask for and grow into.

Made once by the composition root; each part is its own module. Spec: cards, methods; decision 40.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cardloom_protocol.ids import CardId, PackageId, WorkspaceId

from ...core.call import Handler
from ...core.dialogs import Dialogs
from ...core.records import Card
from ...host.database import Database
from ...host.fetch import Fetcher
from ...host.vault import Vault
from . import wish_handlers
from .asking import Asking
from .growing import CanvasTools, Growing
from .net import handlers as net_handlers
from .net.service import Net
from .page_work import PageWork
from .service import CardsService
from .settings import handlers as settings_handlers
from .settings.service import CardSettings
from .settings.store import SCHEMA as SETTINGS_SCHEMA
from .settings.store import SettingsStore
from .storage import handlers as storage_handlers
from .storage.service import Storage
from .storage.store import SCHEMA as STORAGE_SCHEMA
from .storage.store import StorageStore
from .store import CardsStore
from .surface import Rooms, Surroundings
from .tools import handlers as tools_handlers
from .tools.service import ToolCalls

SCHEMA = (*STORAGE_SCHEMA, *SETTINGS_SCHEMA)


@dataclass(frozen=True, slots=True)
class Outside:
    """What lies outside the feature: the disk, the network, the safe for secrets."""

    database: Database
    fetcher: Fetcher
    vault: Vault


class CardContract:
    """The contract's services. The hooks below are told of connections, cards, grants and packages."""

    def __init__(
        self,
        cards: CardsService,
        rooms: Rooms,
        around: Surroundings,
        store: CardsStore,
        canvas: CanvasTools,
        dialogs: Dialogs,
        outside: Outside,
    ) -> None:
        graph, bus, book = rooms.graph, rooms.bus, cards.book
        self.storage = Storage(StorageStore(outside.database), book, bus, rooms.subscriptions)
        self.settings = CardSettings(SettingsStore(outside.database), outside.vault, book, graph, bus, around)
        self.net = Net(outside.fetcher, book, rooms.grants, bus, self.settings.secret)
        self.tools = ToolCalls(book, graph, bus, rooms.clock, lambda card_id: card_id in cards.surface.connected)
        self.asking = Asking(dialogs, graph, book, cards.consents, lambda: around.taste().language)
        self.pages = PageWork(graph, bus, rooms.presence)
        self.growing = Growing(graph, book, store, canvas)
        self._rooms = rooms
        self._book = book
        cards.surface.settings = self.settings.view
        cards.look_at_settings = self.settings.show_missing
        rooms.grants.listen(self._granted)

    def handlers(self) -> Mapping[str, Handler]:
        """The handlers of all parts by method name."""
        return {
            **storage_handlers.handlers(self.storage),
            **settings_handlers.handlers(self.settings, self.pages),
            **net_handlers.handlers(self.net),
            **tools_handlers.handlers(self.tools),
            **wish_handlers.handlers(self.asking, self.pages, self.growing),
        }

    async def begin(self, kept: Collection[CardId]) -> None:
        """The server starts: drop what belongs to cards that can never come back, see what the others need."""
        await self.storage.forget_cards_but(kept)
        await self.settings.forget_cards_but(kept)
        await self.settings.look_again()

    async def card_added(self, card: Card) -> None:
        if card.kind == "custom":
            await self.settings.show_missing(card)

    async def copy_kept(self, source: CardId, copy: CardId) -> None:
        """Give a card that is about to come what another keeps for itself: its store, its settings, its secrets."""
        await self.storage.copy_card(source, copy)
        await self.settings.copy_card(source, copy)

    async def card_removed(self, card: Card) -> None:
        self.disconnected(card.id)
        self.tools.forget(card.id)

    def disconnected(self, card_id: CardId) -> None:
        """A card's program or page is gone: nobody hears what it had under way."""
        self.net.gone(card_id)
        self.tools.lost(card_id)
        self.pages.gone(card_id)

    async def forget_package(self, package_id: PackageId) -> None:
        """Drop all data that the cards of a package share: it is removed with its data."""
        await self.storage.forget_package(package_id)
        await self.settings.forget_package(package_id)

    async def drop_data(self, package_id: PackageId) -> None:
        """Drop what the cards of a package share and what each of those on a canvas keeps."""
        cards = [
            card for workspace_id in self._rooms.graph.workspaces for card in self._rooms.graph.cards_of(workspace_id)
        ]
        ids = [card.id for card in cards if self._book.package_id(card.id) == package_id]
        await self.forget_package(package_id)
        await self.storage.forget_cards(ids)
        await self.settings.forget_cards(ids)

    async def close(self) -> None:
        """End what is under way: the server ends."""
        await self.net.close()

    def _granted(self, workspace_id: WorkspaceId, package_id: PackageId) -> None:
        """What a package may do changed: end what it may not do any more."""
        self.net.granted(workspace_id, package_id)
        for card in self._rooms.graph.cards_of(workspace_id):
            if self._book.package_id(card.id) == package_id:
                self._rooms.subscriptions.prune(card.id)
