"""The stores of cards: read and written in the order of the calls, told to those who share them.

A package's store is one for all its cards, whatever workspace they stand in. Spec: cards, storage; decision 5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from cardloom_protocol.ids import CardId, PackageId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit

from ....core.bus import Bus, card_topic
from ....core.subscriptions import Subscriptions
from ..book import CardBook
from .store import Room, Scope, Shelf, StorageStore

T = TypeVar("T")

TOPIC = "storage.changed"
EVERYTHING = ""
"""The key of an event that stands for all keys of a store that was emptied; no value has it."""


class Storage:
    """The stores as cards use them."""

    def __init__(
        self,
        store: StorageStore,
        book: CardBook,
        bus: Bus,
        subscriptions: Subscriptions,
    ) -> None:
        self.rooms: dict[Scope, Room] = {
            "instance": Room(limit("instanceStorageBytes")),
            "package": Room(limit("packageStorageBytes")),
        }
        self._store = store
        self._book = book
        self._bus = bus
        self._subscriptions = subscriptions

    async def get(self, card_id: CardId, scope: Scope, key: str) -> dict[str, Any]:
        exists, value = await self._store.get(self._shelf(card_id, scope), key)
        return {"exists": exists, "value": value}

    async def set(self, card_id: CardId, scope: Scope, key: str, value: JsonValue) -> None:
        """Keep a value. TOO_LARGE; QUOTA_EXCEEDED."""
        written = self._store.set(self._shelf(card_id, scope), key, value, self.rooms[scope])
        await _followed(written, lambda _: self._tell(card_id, scope, key, deleted=False))

    async def delete(self, card_id: CardId, scope: Scope, key: str) -> None:
        """Drop a value; nothing happens where there is none."""

        def follow(was_there: bool) -> None:
            if was_there:
                self._tell(card_id, scope, key, deleted=True)

        await _followed(self._store.delete(self._shelf(card_id, scope), key), follow)

    async def keys(self, card_id: CardId, scope: Scope, prefix: str) -> list[str]:
        return await self._store.keys(self._shelf(card_id, scope), prefix)

    async def clear(self, card_id: CardId, scope: Scope) -> None:
        """Drop everything."""

        def follow(keys: list[str]) -> None:
            for key in keys if len(keys) <= limit("storageEvents") else [EVERYTHING]:
                self._tell(card_id, scope, key, deleted=True)

        await _followed(self._store.clear(self._shelf(card_id, scope)), follow)

    async def usage(self, card_id: CardId, scope: Scope) -> dict[str, int]:
        used = await self._store.usage(self._shelf(card_id, scope))
        return {"bytes": used.units, "quota": self.rooms[scope].units, "keys": used.keys}

    async def copy_card(self, source: CardId, copy: CardId) -> None:
        """Give a card that is about to come all that another keeps for itself."""
        await self._store.copy_card(source, copy)

    async def forget_package(self, package_id: PackageId) -> None:
        """Drop what a package's cards share: it is removed with its data."""
        await self._store.forget_package(package_id)

    async def forget_cards(self, card_ids: Collection[CardId]) -> None:
        """Drop what cards keep for themselves: their package is removed with its data."""
        await self._store.forget_cards(card_ids)

    async def forget_cards_but(self, kept: Collection[CardId]) -> None:
        """Drop the stores of cards that can never come back."""
        await self._store.forget_cards_but(kept)

    def _shelf(self, card_id: CardId, scope: Scope) -> Shelf:
        return Shelf.of_card(card_id) if scope == "instance" else Shelf.of_package(self._book.entry(card_id)[1].id)

    def _tell(self, writer: CardId, scope: Scope, key: str, *, deleted: bool) -> None:
        """Tell the subscribed cards that share a store, not the one that wrote. A card's own is shared by none."""
        if scope == "instance":
            return
        package_id = self._book.package_id(writer)
        texts: dict[str, str] = {}
        for card_id in self._subscriptions.subscribers(TOPIC):
            if card_id != writer and self._book.package_id(card_id) == package_id:
                data = {"scope": scope, "key": key, "deleted": deleted}
                self._bus.publish(TOPIC, data, card_topic(card_id), texts)


async def _followed(written: asyncio.Future[T], follow: Callable[[T], None]) -> None:
    """Wait for a commit and do what follows from it, also when whoever asked went away meanwhile."""

    def done(written: asyncio.Future[T]) -> None:
        if written.exception() is None:
            follow(written.result())

    written.add_done_callback(done)
    await asyncio.shield(written)
