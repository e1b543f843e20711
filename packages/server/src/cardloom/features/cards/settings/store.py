"""Values of settings and sealed secrets in SQLite, all held in memory as well: a card's context must not wait.

Spec: cards, settings; decision 7.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

import apsw

from cardloom_protocol.ids import CardId, PackageId
from cardloom_protocol.settings import SettingValue

from ....host.database import Database
from ....host.wire_json import dumps, loads
from ..storage.store import Shelf

T = TypeVar("T")

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS card_settings (
        scope TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (scope, owner, key)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS card_secrets (
        scope TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL, sealed BLOB NOT NULL,
        PRIMARY KEY (scope, owner, key)
    ) STRICT, WITHOUT ROWID""",
)


class SettingsStore:
    """Values and sealed secrets by shelf and key."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._values: dict[Shelf, dict[str, SettingValue]] = {}
        self._secrets: dict[Shelf, dict[str, bytes]] = {}
        for scope, owner, key, text in database.reader.execute("SELECT * FROM card_settings"):
            self._values.setdefault(Shelf(scope, owner), {})[key] = loads(text)
        for scope, owner, key, sealed in database.reader.execute("SELECT * FROM card_secrets"):
            self._secrets.setdefault(Shelf(scope, owner), {})[key] = sealed

    def value(self, shelf: Shelf, key: str) -> SettingValue | None:
        """What was set, None where nothing was."""
        return self._values.get(shelf, {}).get(key)

    def secret(self, shelf: Shelf, key: str) -> bytes | None:
        """A sealed secret."""
        return self._secrets.get(shelf, {}).get(key)

    def kept(self, shelf: Shelf) -> tuple[dict[str, SettingValue], dict[str, bytes]]:
        """All values and sealed secrets of a shelf by key."""
        return dict(self._values.get(shelf, {})), dict(self._secrets.get(shelf, {}))

    async def write(
        self,
        values: Mapping[tuple[Shelf, str], SettingValue | None],
        secrets: Mapping[tuple[Shelf, str], bytes | None],
        then: Callable[[], None],
    ) -> None:
        """Set values and sealed secrets together; None takes one away. `then` follows at once, whoever still waits."""

        def job(connection: apsw.Connection) -> None:
            for (shelf, key), value in values.items():
                text = None if value is None else dumps(value)
                _put(connection, "card_settings", shelf, key, text)
            for (shelf, key), sealed in secrets.items():
                _put(connection, "card_secrets", shelf, key, sealed)

        def follow(written: asyncio.Future[None]) -> None:
            if written.exception() is not None:
                return
            for (shelf, key), value in values.items():
                _keep(self._values, shelf, key, value)
            for (shelf, key), sealed in secrets.items():
                _keep(self._secrets, shelf, key, sealed)
            then()

        # Whoever asked may go away meanwhile: memory follows the disk all the same.
        written = self._database.submit(job)
        written.add_done_callback(follow)
        await asyncio.shield(written)

    async def forget_package(self, package_id: PackageId) -> None:
        """Drop what holds for all cards of a package."""
        await self._forget([Shelf.of_package(package_id)])

    async def forget_cards(self, card_ids: Collection[CardId]) -> None:
        """Drop what belongs to cards."""
        await self._forget([Shelf.of_card(card_id) for card_id in card_ids])

    async def forget_cards_but(self, kept: Collection[CardId]) -> None:
        """Drop what belongs to cards that can never come back."""
        shelves = {*self._values, *self._secrets}
        await self._forget([shelf for shelf in shelves if shelf.scope == "instance" and shelf.owner not in kept])

    async def _forget(self, shelves: Sequence[Shelf]) -> None:
        rows = [(shelf.scope, shelf.owner) for shelf in shelves]
        if not rows:
            return

        def job(connection: apsw.Connection) -> None:
            connection.executemany("DELETE FROM card_settings WHERE scope = ? AND owner = ?", rows)
            connection.executemany("DELETE FROM card_secrets WHERE scope = ? AND owner = ?", rows)

        await self._database.write(job)
        for shelf in shelves:
            self._values.pop(shelf, None)
            self._secrets.pop(shelf, None)


def _put(connection: apsw.Connection, table: str, shelf: Shelf, key: str, value: str | bytes | None) -> None:
    row = (shelf.scope, shelf.owner, key)
    if value is None:
        connection.execute(f"DELETE FROM {table} WHERE scope = ? AND owner = ? AND key = ?", row)  # noqa: S608 - ours
    else:
        connection.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?)", (*row, value))  # noqa: S608 - ours


def _keep(held: dict[Shelf, dict[str, T]], shelf: Shelf, key: str, value: T | None) -> None:
    if value is None:
        held.get(shelf, {}).pop(key, None)
    else:
        held.setdefault(shelf, {})[key] = value
