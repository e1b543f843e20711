"""The settings of cards: read by cards and forms, changed by both, told to every card they hold for.

A setting is kept with the card, or with the package for all its cards in all workspaces. A card never reads a secret:
it is told whether there is one, and `net.fetch` fills it in. Spec: cards, settings; decision 7.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, PackageId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.manifest import Manifest
from cardloom_protocol.settings import SettingDefinition, SettingValue

from ....core.bus import Bus, card_topic
from ....core.graph import Graph
from ....core.records import Card, Change, touched
from ....host.vault import Vault
from ..book import CardBook
from ..model import Package
from ..storage.store import Shelf
from ..surface import Commit, Surroundings
from . import model
from .store import SettingsStore

_log = logging.getLogger(__name__)

MISSING = "missingSettings"
"""Where a card's content names the required settings without a value, for the page."""


class CardSettings:
    """The settings of all cards."""

    def __init__(
        self, store: SettingsStore, vault: Vault, book: CardBook, graph: Graph, bus: Bus, around: Surroundings
    ) -> None:
        self._store = store
        self._vault = vault
        self._book = book
        self._graph = graph
        self._bus = bus
        self._commit: Commit = around.commit
        self._taste = around.taste

    def view(self, card: Card, package: Package) -> dict[str, Any]:
        """`{values, secrets}` of a card: values with defaults filled in, and which secrets are set."""
        values: dict[str, SettingValue] = {}
        secrets: dict[str, bool] = {}
        for definition in package.manifest["settings"]:
            key, shelf = definition["key"], _shelf(definition, card, package)
            if definition["type"] == "secret":
                secrets[key] = self._store.secret(shelf, key) is not None
                continue
            value = model.effective(definition, self._store.value(shelf, key))
            if value is not None:
                values[key] = value
        return {"values": values, "secrets": secrets}

    def view_of(self, card_id: CardId) -> dict[str, Any]:
        """The same by id. UNAVAILABLE when the package is not installed here."""
        return self.view(*self._book.entry(card_id))

    async def set(self, card_id: CardId, values: Mapping[str, JsonValue]) -> dict[str, Any]:
        """Change settings for the card itself. INVALID_PARAMS with `[{key, message}]`."""
        card, package = self._book.entry(card_id)
        model.check_cards_values(package.manifest["settings"], values)
        await self._write(card, package, values, {})
        return self.view_of(card_id)

    def form(self, card_id: str) -> dict[str, Any]:
        """What a page shows to have the settings changed. NOT_FOUND; INVALID_PARAMS for a card that has none."""
        card, package = self._entry(card_id)
        language = self._taste().language
        return {
            "cardId": card.id,
            "packageId": package.id,
            "name": card.name,
            "fields": model.form(package.manifest["settings"], language),
            **self.view(card, package),
        }

    async def save(
        self, card_id: str, values: Mapping[str, JsonValue], secrets: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Change settings for the owner; None gives a default back and takes a secret away. As `form`."""
        card, package = self._entry(card_id)
        model.check_form(package.manifest["settings"], values, secrets)
        await self._write(card, package, values, secrets)
        return self.form(card_id)

    async def secret(self, card_id: CardId, key: str) -> str:
        """A secret of a card. INVALID_PARAMS: it is not declared or not set; UNAVAILABLE: it cannot be opened."""
        card, package = self._book.entry(card_id)
        definition = _by_key(package.manifest).get(key)
        if definition is None or definition["type"] != "secret":
            raise CallError(ErrorCode.INVALID_PARAMS, f"the manifest declares no secret {key!r}", [])
        shelf = _shelf(definition, card, package)
        sealed = self._store.secret(shelf, key)
        if sealed is None:
            raise CallError(ErrorCode.INVALID_PARAMS, f"the secret {key!r} is not set", [])
        return await self._vault.open(_name(shelf, key), sealed)

    async def show_missing(self, card: Card) -> None:
        """Let a card's content say which required settings have no value."""
        package = self._book.package_of(card)
        if package is None:
            return
        names = model.missing(package.manifest["settings"], **self.view(card, package))

        def make(graph: Graph) -> list[Change]:
            now = graph.find_card(card.id)
            if now is None or list(now.content.get(MISSING, ())) == names:
                return []
            content = {name: value for name, value in now.content.items() if name != MISSING}
            return [touched(now, content={**content, MISSING: names} if names else content)]

        if list(card.content.get(MISSING, ())) != names:
            await self._commit(card.workspace_id, make)

    async def look_again(self) -> None:
        """Have every card say what it still needs: its package may be another version now."""
        for workspace_id in list(self._graph.workspaces):
            for card in self._graph.cards_of(workspace_id):
                if card.kind != "custom":
                    continue
                try:
                    await self.show_missing(card)
                except CallError as error:  # the disk is full; what a card needs is said the next time
                    _log.warning("what card %s still needs could not be shown: %s", card.id, error.message)

    async def copy_card(self, source: CardId, copy: CardId) -> None:
        """Give a card that is about to come the settings and secrets of another; a secret that is lost stays so."""
        theirs, own = Shelf.of_card(source), Shelf.of_card(copy)
        values, sealed = self._store.kept(theirs)
        secrets: dict[tuple[Shelf, str], bytes | None] = {}
        for key, secret in sealed.items():
            try:
                text = await self._vault.open(_name(theirs, key), secret)
            except CallError as error:
                _log.warning("the secret %s of card %s is not copied: %s", key, source, error.message)
            else:
                secrets[own, key] = await self._vault.seal(_name(own, key), text)
        if values or secrets:
            await self._store.write({(own, key): value for key, value in values.items()}, secrets, lambda: None)

    async def forget_package(self, package_id: PackageId) -> None:
        """Drop what holds for all cards of a package: it is removed with its data."""
        await self._store.forget_package(package_id)

    async def forget_cards(self, card_ids: Collection[CardId]) -> None:
        """Drop the settings of cards: their package is removed with its data."""
        await self._store.forget_cards(card_ids)

    async def forget_cards_but(self, kept: Collection[CardId]) -> None:
        """Drop the settings of cards that can never come back."""
        await self._store.forget_cards_but(kept)

    async def _write(
        self,
        card: Card,
        package: Package,
        values: Mapping[str, JsonValue],
        secrets: Mapping[str, str | None],
    ) -> None:
        definitions = _by_key(package.manifest)
        shelves = {key: _shelf(definitions[key], card, package) for key in (*values, *secrets)}
        sealed = {
            (shelves[key], key): None if text is None else await self._vault.seal(_name(shelves[key], key), text)
            for key, text in secrets.items()
        }
        plain: dict[tuple[Shelf, str], Any] = {(shelves[key], key): value for key, value in values.items()}
        shared = any(shelf.scope == "package" for shelf in shelves.values())
        await self._store.write(plain, sealed, lambda: self._tell(self._cards_of(package.id) if shared else [card]))
        for concerned in self._cards_of(package.id) if shared else [card]:
            await self.show_missing(concerned)

    def _tell(self, cards: Iterable[Card]) -> None:
        """Tell cards their settings as they are now."""
        for card in cards:
            package = self._book.package_of(card)
            if package is not None:
                self._bus.publish("settings.changed", self.view(card, package), card_topic(card.id))

    def _cards_of(self, package_id: PackageId) -> list[Card]:
        return [
            card
            for workspace_id in self._graph.workspaces
            for card in self._graph.cards_of(workspace_id)
            if self._book.package_id(card.id) == package_id
        ]

    def _entry(self, card_id: str) -> tuple[Card, Package]:
        card = self._graph.card(card_id)
        if card.kind != "custom":
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} has no settings", [])
        return self._book.entry(card.id)


def _by_key(manifest: Manifest) -> dict[str, SettingDefinition]:
    return {definition["key"]: definition for definition in manifest["settings"]}


def _shelf(definition: SettingDefinition, card: Card, package: Package) -> Shelf:
    if model.scope_of(definition) == "package":
        return Shelf.of_package(package.id)
    return Shelf.of_card(card.id)


def _name(shelf: Shelf, key: str) -> str:
    return f"{shelf.scope}\n{shelf.owner}\n{key}"
