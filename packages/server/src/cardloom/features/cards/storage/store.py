"""Stored values in SQLite. Keys are kept as UTF-16, so that they sort and match prefixes as JavaScript does.

Every read goes through the writer's queue as well, so that a card reads what it wrote just before. Writes give their
future: it is done once the commit is on disk, whether anybody still waits or not.
Spec: cards, storage (quotas and how usage is counted).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import apsw

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, PackageId
from cardloom_protocol.jstext import JsonValue, json_length, utf16_key, utf16_length
from cardloom_protocol.limits import limit

from ....host.database import Database
from ....host.wire_json import dumps, loads

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS card_storage (
        scope TEXT NOT NULL, owner TEXT NOT NULL, key BLOB NOT NULL, units INTEGER NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (scope, owner, key)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS card_storage_totals (
        scope TEXT NOT NULL, owner TEXT NOT NULL, units INTEGER NOT NULL, keys INTEGER NOT NULL,
        PRIMARY KEY (scope, owner)
    ) STRICT, WITHOUT ROWID""",
)

Scope: TypeAlias = Literal["instance", "package"]


@dataclass(frozen=True, slots=True)
class Shelf:
    """One store: that of a card, or that of a package."""

    scope: Scope
    owner: str

    @classmethod
    def of_card(cls, card_id: CardId) -> Shelf:
        return cls("instance", card_id)

    @classmethod
    def of_package(cls, package_id: PackageId) -> Shelf:
        return cls("package", package_id)


@dataclass(frozen=True, slots=True)
class Room:
    """How much a store may hold."""

    units: int
    keys: int = limit("storageKeys")
    value_units: int = limit("storageValueBytes")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a store holds: UTF-16 units of keys and compact JSON, and how many keys."""

    units: int = 0
    keys: int = 0


class StorageStore:
    """Values by shelf and key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, shelf: Shelf, key: str) -> tuple[bool, JsonValue]:
        """Whether there is a value, and the value."""
        row = (shelf.scope, shelf.owner, utf16_key(key))

        def job(connection: apsw.Connection) -> Any:
            return connection.execute(
                "SELECT value FROM card_storage WHERE scope = ? AND owner = ? AND key = ?", row
            ).fetchone()

        found = await self._database.write(job)
        return (False, None) if found is None else (True, loads(found[0]))

    def set(self, shelf: Shelf, key: str, value: JsonValue, room: Room) -> asyncio.Future[None]:
        """Keep a value. TOO_LARGE: the value; QUOTA_EXCEEDED: the store is full."""
        size = json_length(value)
        if size > room.value_units:
            raise CallError(ErrorCode.TOO_LARGE, f"a stored value has at most {room.value_units} characters of JSON")
        units, text = utf16_length(key) + size, dumps(value)

        def job(connection: apsw.Connection) -> None:
            before = _usage(connection, shelf)
            earlier = _units(connection, shelf, key)
            after = Usage(before.units - (earlier or 0) + units, before.keys + (earlier is None))
            if after.units > room.units:
                message = f"the store would hold {after.units} of at most {room.units} characters"
                raise CallError(ErrorCode.QUOTA_EXCEEDED, message)
            if earlier is None and after.keys > room.keys:
                raise CallError(ErrorCode.QUOTA_EXCEEDED, f"the store holds {room.keys} keys already")
            connection.execute(
                "INSERT OR REPLACE INTO card_storage VALUES (?, ?, ?, ?, ?)",
                (shelf.scope, shelf.owner, utf16_key(key), units, text),
            )
            _set_usage(connection, shelf, after)

        return self._database.submit(job)

    def delete(self, shelf: Shelf, key: str) -> asyncio.Future[bool]:
        """Drop a value; whether there was one."""

        def job(connection: apsw.Connection) -> bool:
            earlier = _units(connection, shelf, key)
            if earlier is None:
                return False
            before = _usage(connection, shelf)
            row = (shelf.scope, shelf.owner, utf16_key(key))
            connection.execute("DELETE FROM card_storage WHERE scope = ? AND owner = ? AND key = ?", row)
            _set_usage(connection, shelf, Usage(before.units - earlier, before.keys - 1))
            return True

        return self._database.submit(job)

    async def keys(self, shelf: Shelf, prefix: str = "") -> list[str]:
        """The keys in use that begin with a prefix, sorted by UTF-16 unit."""
        return await self._database.write(lambda connection: _keys(connection, shelf, prefix))

    def clear(self, shelf: Shelf) -> asyncio.Future[list[str]]:
        """Drop everything; gives the keys that were there."""

        def job(connection: apsw.Connection) -> list[str]:
            keys = _keys(connection, shelf)
            _forget(connection, [shelf])
            return keys

        return self._database.submit(job)

    async def usage(self, shelf: Shelf) -> Usage:
        """How full a store is."""
        return await self._database.write(lambda connection: _usage(connection, shelf))

    async def copy_card(self, source: CardId, copy: CardId) -> None:
        """Give a card without a store all that another keeps."""

        def job(connection: apsw.Connection) -> None:
            for table, columns in (("card_storage", "key, units, value"), ("card_storage_totals", "units, keys")):
                connection.execute(
                    f"INSERT INTO {table} SELECT scope, ?, {columns} FROM {table} "  # noqa: S608 - our own names
                    "WHERE scope = 'instance' AND owner = ?",
                    (copy, source),
                )

        await self._database.write(job)

    async def forget_package(self, package_id: PackageId) -> None:
        """Drop what a package's cards share."""
        await self._database.write(lambda connection: _forget(connection, [Shelf.of_package(package_id)]))

    async def forget_cards(self, card_ids: Collection[CardId]) -> None:
        """Drop the stores of cards."""
        shelves = [Shelf.of_card(card_id) for card_id in card_ids]
        await self._database.write(lambda connection: _forget(connection, shelves))

    async def forget_cards_but(self, kept: Collection[CardId]) -> None:
        """Drop the stores of cards that can never come back."""
        rows = self._database.reader.execute("SELECT owner FROM card_storage_totals WHERE scope = 'instance'")
        gone = [Shelf.of_card(CardId(owner)) for (owner,) in rows if owner not in kept]
        if gone:
            await self._database.write(lambda connection: _forget(connection, gone))


def _forget(connection: apsw.Connection, shelves: Sequence[Shelf]) -> None:
    rows = [(shelf.scope, shelf.owner) for shelf in shelves]
    connection.executemany("DELETE FROM card_storage WHERE scope = ? AND owner = ?", rows)
    connection.executemany("DELETE FROM card_storage_totals WHERE scope = ? AND owner = ?", rows)


def _keys(connection: apsw.Connection, shelf: Shelf, prefix: str = "") -> list[str]:
    start = utf16_key(prefix)
    rows = connection.execute(
        "SELECT key FROM card_storage WHERE scope = ? AND owner = ? AND key >= ? AND substr(key, 1, ?) = ? "
        "ORDER BY key",
        (shelf.scope, shelf.owner, start, len(start), start),
    )
    return [row[0].decode("utf-16-be", "surrogatepass") for row in rows]


def _units(connection: apsw.Connection, shelf: Shelf, key: str) -> int | None:
    row = (shelf.scope, shelf.owner, utf16_key(key))
    found = connection.execute(
        "SELECT units FROM card_storage WHERE scope = ? AND owner = ? AND key = ?", row
    ).fetchone()
    return None if found is None else int(found[0])


def _usage(connection: apsw.Connection, shelf: Shelf) -> Usage:
    found = connection.execute(
        "SELECT units, keys FROM card_storage_totals WHERE scope = ? AND owner = ?", (shelf.scope, shelf.owner)
    ).fetchone()
    return Usage() if found is None else Usage(*found)


def _set_usage(connection: apsw.Connection, shelf: Shelf, usage: Usage) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO card_storage_totals VALUES (?, ?, ?, ?)",
        (shelf.scope, shelf.owner, usage.units, usage.keys),
    )
