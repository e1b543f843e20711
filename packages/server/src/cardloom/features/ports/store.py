"""The ledger on disk: the journal and the kept values.

Ids are given out in memory, so that an entry can be named as a cause before it is written. Spec: decisions 10, 43.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar

import apsw

from cardloom_protocol.ids import ArrowId, CardId
from cardloom_protocol.limits import limit

from ...host.database import Database
from . import journal
from .journal import Route, RouteBook, last_numbers, number
from .journal_reading import JournalReading
from .model import Kept, Page

SCHEMA: Final[Sequence[str]] = (
    *journal.SCHEMA,
    """CREATE TABLE IF NOT EXISTS kept_values (
        card_id TEXT NOT NULL, output TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (card_id, output)
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS kept_given (
        arrow_id TEXT NOT NULL, card_id TEXT NOT NULL, output TEXT NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (arrow_id, card_id, output)
    ) STRICT""",
)

_Key = TypeVar("_Key")
_NUMBERED: Final = (("seq", "kept_values"), ("seq", "kept_given"))
_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """What the journal keeps."""

    body_bytes: int = limit("journalBodyBytes")
    total_bytes: int = limit("journalBytes")
    days: int = limit("journalDays")


@dataclass(frozen=True, slots=True)
class _Before:
    """What memory said before a page: numbers of kept values and of given ones, None for none."""

    kept: dict[tuple[CardId, str], int | None]
    given: dict[tuple[ArrowId, CardId, str], int | None]


class PortsStore:
    """The ledger on disk, and what is read back from it."""

    def __init__(self, database: Database, limits: JournalLimits = JournalLimits()) -> None:
        self._database = database
        self._limits = limits
        read = database.reader.execute
        last_entry, last_route = last_numbers(database.reader)
        last = (number(read(f"SELECT max({column}) FROM {table}").get) for column, table in _NUMBERED)  # noqa: S608
        self.journal = JournalReading(database.reader)
        self._next_id = 1 + max(last_entry, *last)
        self._routes = RouteBook(last_route)
        self._kept_seqs: dict[tuple[CardId, str], int] = {
            (CardId(row[0]), row[1]): row[2] for row in read("SELECT card_id, output, seq FROM kept_values")
        }
        self._given: dict[tuple[ArrowId, CardId, str], int] = {
            (ArrowId(row[0]), CardId(row[1]), row[2]): row[3]
            for row in read("SELECT arrow_id, card_id, output, seq FROM kept_given")
        }

    # The ledger

    def next_ids(self, count: int) -> int:
        first = self._next_id
        self._next_id += count
        return first

    def write(self, page: Page) -> asyncio.Future[None]:
        route = None if page.sheet is None else self._routes.route(page.sheet)
        written = self._database.submit(partial(_save, page=page, route=route, max_body_bytes=self._limits.body_bytes))
        if page.kept is not None or page.given:
            written.add_done_callback(partial(self._take_back, self._remember(page)))
        return written

    def _remember(self, page: Page) -> _Before:
        """Answer from memory as if the page were on disk; gives what was known before."""
        before = _Before({}, {})
        if page.kept is not None:
            key = (page.kept.card_id, page.kept.output)
            before.kept[key] = self._kept_seqs.get(key)
            _set(self._kept_seqs, key, None if page.kept.text is None else page.kept.seq)
        for given in page.given:
            arrow_key = (given.arrow_id, given.card_id, given.output)
            before.given[arrow_key] = self._given.get(arrow_key)
            self._given[arrow_key] = given.seq
        return before

    def _take_back(self, before: _Before, written: asyncio.Future[None]) -> None:
        """The disk refused a page: forget what it would have meant."""
        if not written.cancelled() and written.exception() is not None:
            for key, seq in before.kept.items():
                _set(self._kept_seqs, key, seq)
            for arrow_key, seq in before.given.items():
                _set(self._given, arrow_key, seq)

    async def kept(self, card_id: CardId, output: str) -> Kept | None:
        return await self._database.submit(partial(_load_kept, card_id=card_id, output=output))

    def kept_seqs(self) -> Mapping[tuple[CardId, str], int]:
        return MappingProxyType(self._kept_seqs)

    def given_seq(self, arrow_id: ArrowId, card_id: CardId, output: str) -> int:
        return self._given.get((arrow_id, card_id, output), 0)

    # Forgetting

    async def prune(self, now_ms: int) -> int:
        """Forget what is too old or too much; gives how many pages went."""
        gone, more = 0, True
        while more:
            pages, more = await self._database.write(
                partial(
                    journal.prune,
                    now_ms=now_ms,
                    max_age_ms=self._limits.days * _DAY_MS,
                    max_bytes=self._limits.total_bytes,
                )
            )
            gone += pages
        return gone

    async def cards_kept_before(self, at_ms: int) -> list[CardId]:
        """The cards with a kept value older than a moment."""
        query = "SELECT DISTINCT card_id FROM kept_values WHERE at_ms < ?"
        return await self._database.write(
            lambda connection: [CardId(row[0]) for row in connection.execute(query, (at_ms,))]
        )

    async def forget_cards(self, card_ids: Sequence[CardId]) -> None:
        """Forget the kept values of cards that will not come back."""
        for key in [key for key in self._kept_seqs if key[0] in set(card_ids)]:
            del self._kept_seqs[key]
        await self._database.write(partial(_forget_cards, card_ids=card_ids))


def _set(seqs: dict[_Key, int], key: _Key, seq: int | None) -> None:
    if seq is None:
        seqs.pop(key, None)
    else:
        seqs[key] = seq


def _save(connection: apsw.Connection, page: Page, route: Route | None, max_body_bytes: int) -> None:
    kept = page.kept
    if kept is not None and kept.text is None:
        connection.execute("DELETE FROM kept_values WHERE card_id = ? AND output = ?", (kept.card_id, kept.output))
    elif kept is not None:
        connection.execute(
            "INSERT OR REPLACE INTO kept_values (card_id, output, seq, at_ms, text) VALUES (?, ?, ?, ?, ?)",
            (kept.card_id, kept.output, kept.seq, kept.at_ms, kept.text),
        )
    if page.given:
        connection.executemany(
            "INSERT OR REPLACE INTO kept_given (arrow_id, card_id, output, seq) VALUES (?, ?, ?, ?)",
            [(given.arrow_id, given.card_id, given.output, given.seq) for given in page.given],
        )
    if page.sheet is not None and route is not None:
        journal.save_sheet(connection, page.sheet, route, journal.filed(page.body, max_body_bytes))


def _load_kept(connection: apsw.Connection, card_id: CardId, output: str) -> Kept | None:
    row = connection.execute(
        "SELECT seq, at_ms, text FROM kept_values WHERE card_id = ? AND output = ?", (card_id, output)
    ).fetchone()
    return None if row is None else Kept(card_id, output, row[0], row[1], row[2])


def _forget_cards(connection: apsw.Connection, card_ids: Sequence[CardId]) -> None:
    for table in ("kept_values", "kept_given"):
        connection.executemany(
            f"DELETE FROM {table} WHERE card_id = ?",  # noqa: S608 - fixed names
            [(card_id,) for card_id in card_ids],
        )
