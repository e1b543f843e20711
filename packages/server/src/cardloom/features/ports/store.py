"""The journal and the kept values in SQLite.

Ids are given out in memory, so that an entry can be named as a cause before it is written. The journal forgets its
oldest pages when they are too old or all together too large; a page goes with all its entries. Spec: decisions 10, 43.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeVar

import apsw

from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId
from cardloom_protocol.limits import limit

from ...host.database import Database
from .model import Entry, Kept, Listed, Page, StoredBody

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS journal (
        id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, workspace_id TEXT NOT NULL, kind TEXT NOT NULL,
        via TEXT NOT NULL, from_card TEXT NOT NULL, output TEXT, type TEXT NOT NULL, to_card TEXT, input_id TEXT,
        input_type TEXT, arrow_id TEXT, outcome TEXT NOT NULL, code TEXT, message TEXT, chain TEXT NOT NULL,
        hop INTEGER NOT NULL, cause INTEGER, landed TEXT, body_id INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS journal_workspace ON journal (workspace_id)",
    "CREATE INDEX IF NOT EXISTS journal_arrow ON journal (arrow_id) WHERE arrow_id IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS journal_from ON journal (from_card)",
    "CREATE INDEX IF NOT EXISTS journal_to ON journal (to_card) WHERE to_card IS NOT NULL",
    """CREATE TABLE IF NOT EXISTS journal_bodies (
        id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, stored_bytes INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
        sha256 TEXT NOT NULL, mark TEXT NOT NULL, preview TEXT NOT NULL, head TEXT, text TEXT
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS kept_values (
        card_id TEXT NOT NULL, output TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (card_id, output)
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS kept_given (
        arrow_id TEXT NOT NULL, card_id TEXT NOT NULL, output TEXT NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (arrow_id, card_id, output)
    ) STRICT""",
)
BULKY_TABLES: Final = ("journal", "journal_bodies")
"""The tables that may hold hundreds of megabytes."""

_Key = TypeVar("_Key")
_ENTRY_COLUMNS: Final = (
    "id, at_ms, workspace_id, kind, via, from_card, output, type, to_card, input_id, input_type, arrow_id, outcome, "
    "code, message, chain, hop, cause, landed"
)
_QUALIFIED: Final = ", ".join(f"journal.{name}" for name in _ENTRY_COLUMNS.split(", "))
_NUMBERED: Final = (("id", "journal"), ("seq", "kept_values"), ("seq", "kept_given"))
_DAY_MS: Final = 86_400_000
_HEAD_CHARS: Final = 4096
_PAGE_BYTES: Final = 220  # a body's row without its text, its entry and their places in the indexes, roughly
_ENTRY_BYTES: Final = 420
_PRUNE_PAGES: Final = 500


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """What the journal keeps."""

    body_bytes: int = limit("journalBodyBytes")
    total_bytes: int = limit("journalBytes")
    days: int = limit("journalDays")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries to list; `before_id` continues a list."""

    workspace_id: WorkspaceId
    arrow_id: str | None = None
    card_id: str | None = None
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """An entry for a replay: the page it stands on, its body's mark, and its body where that was kept whole."""

    entry: Entry
    page_id: int
    mark: str
    text: str | None


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
        last = (_number(read(f"SELECT max({column}) FROM {table}").get) for column, table in _NUMBERED)  # noqa: S608
        self._next_id = 1 + max(last)
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
        written = self._database.submit(partial(_save, page=page, max_body_bytes=self._limits.body_bytes))
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

    # Reading

    def listed(self, filter_: Filter, count: int) -> list[Listed]:
        """Entries, newest first."""
        where = ["journal.workspace_id = ?", "journal.via <> 'state'"]
        bindings: list[Any] = [filter_.workspace_id]
        if filter_.arrow_id is not None:
            where.append("journal.arrow_id = ?")
            bindings.append(filter_.arrow_id)
        if filter_.card_id is not None:
            where.append("(journal.from_card = ? OR journal.to_card = ?)")
            bindings += [filter_.card_id, filter_.card_id]
        if filter_.before_id is not None:
            where.append("journal.id < ?")
            bindings.append(filter_.before_id)
        query = (
            f"SELECT {_QUALIFIED}, body.size_bytes, body.preview, body.text IS NOT NULL "  # noqa: S608 - fixed parts
            "FROM journal JOIN journal_bodies AS body ON body.id = journal.body_id "
            f"WHERE {' AND '.join(where)} ORDER BY journal.id DESC LIMIT ?"
        )
        return [
            Listed(Entry(*row[:-3]), row[-3], row[-2], bool(row[-1]))
            for row in self._database.reader.execute(query, (*bindings, count))
        ]

    def entry(self, entry_id: int) -> Entry | None:
        """One entry."""
        query = f"SELECT {_ENTRY_COLUMNS} FROM journal WHERE id = ?"  # noqa: S608 - fixed parts
        row = self._database.reader.execute(query, (entry_id,)).fetchone()
        return None if row is None else Entry(*row)

    def body(self, entry_id: int) -> StoredBody | None:
        """The body of an entry."""
        row = self._database.reader.execute(
            "SELECT text, head, size_bytes, sha256 FROM journal_bodies "
            "WHERE id = (SELECT body_id FROM journal WHERE id = ?)",
            (entry_id,),
        ).fetchone()
        return None if row is None else StoredBody(*row)

    def last_kept_on(self, arrow_id: str) -> int | None:
        """The newest entry of an arrow whose body was kept whole."""
        row = self._database.reader.execute(
            "SELECT journal.id FROM journal JOIN journal_bodies AS body ON body.id = journal.body_id "
            "WHERE arrow_id = ? AND body.text IS NOT NULL AND via IN ('emit', 'send', 'late', 'resend') "
            "ORDER BY journal.id DESC LIMIT 1",
            (arrow_id,),
        ).fetchone()
        return None if row is None else int(row[0])

    def range(
        self, workspace_id: WorkspaceId, ids: tuple[int, int], times_ms: tuple[int, int], count: int
    ) -> list[Recorded]:
        """The first entries of a range in the recorded order."""
        query = (
            f"SELECT {_QUALIFIED}, body.id, body.mark, body.text "  # noqa: S608 - fixed parts
            "FROM journal JOIN journal_bodies AS body ON body.id = journal.body_id "
            "WHERE journal.workspace_id = ? AND journal.id BETWEEN ? AND ? AND journal.at_ms BETWEEN ? AND ? "
            "ORDER BY journal.id LIMIT ?"
        )
        rows = self._database.reader.execute(query, (workspace_id, *ids, *times_ms, count))
        return [Recorded(Entry(*row[:-3]), *row[-3:]) for row in rows]

    def state_before(self, card_id: CardId, entry_id: int) -> tuple[int, str | None] | None:
        """What a built-in card's output said last before an entry: the number, and the JSON where it was kept."""
        row = self._database.reader.execute(
            "SELECT journal.id, body.text FROM journal JOIN journal_bodies AS body ON body.id = journal.body_id "
            "WHERE journal.from_card = ? AND journal.via = 'state' AND journal.id < ? ORDER BY journal.id DESC LIMIT 1",
            (card_id, entry_id),
        ).fetchone()
        return None if row is None else (row[0], row[1])

    def taken_in(self, card_id: CardId, after_id: int, before_id: int) -> list[Recorded]:
        """What a card accepted between two entries, in order."""
        query = (
            f"SELECT {_QUALIFIED}, body.id, body.mark, body.text "  # noqa: S608 - fixed parts
            "FROM journal JOIN journal_bodies AS body ON body.id = journal.body_id "
            "WHERE journal.to_card = ? AND journal.id > ? AND journal.id < ? AND journal.outcome = 'accepted' "
            "ORDER BY journal.id"
        )
        rows = self._database.reader.execute(query, (card_id, after_id, before_id))
        return [Recorded(Entry(*row[:-3]), *row[-3:]) for row in rows]

    # Forgetting

    async def prune(self, now_ms: int) -> int:
        """Forget what is too old or too much; gives how many pages went."""
        oldest_ms = now_ms - self._limits.days * _DAY_MS
        gone = 0
        while True:
            pages = await self._database.write(partial(_prune, oldest_ms=oldest_ms, max_bytes=self._limits.total_bytes))
            gone += pages
            if pages < _PRUNE_PAGES:
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


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _save(connection: apsw.Connection, page: Page, max_body_bytes: int) -> None:
    kept = page.kept
    if kept is not None and kept.text is None:
        connection.execute("DELETE FROM kept_values WHERE card_id = ? AND output = ?", (kept.card_id, kept.output))
    elif kept is not None:
        connection.execute(
            "INSERT OR REPLACE INTO kept_values (card_id, output, seq, at_ms, text) VALUES (?, ?, ?, ?, ?)",
            (kept.card_id, kept.output, kept.seq, kept.at_ms, kept.text),
        )
    connection.executemany(
        "INSERT OR REPLACE INTO kept_given (arrow_id, card_id, output, seq) VALUES (?, ?, ?, ?)",
        [(given.arrow_id, given.card_id, given.output, given.seq) for given in page.given],
    )
    if not page.entries:
        return
    body, body_id = page.body, page.entries[0].id
    whole = body.size_bytes <= max_body_bytes
    text, head = (body.text, None) if whole else (None, body.text[:_HEAD_CHARS])
    stored = (body.size_bytes if whole else _HEAD_CHARS) + _PAGE_BYTES + _ENTRY_BYTES * len(page.entries)
    connection.execute(
        "INSERT INTO journal_bodies (id, at_ms, stored_bytes, size_bytes, sha256, mark, preview, head, text) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (body_id, page.entries[0].at_ms, stored, body.size_bytes, body.sha256, body.mark, body.preview, head, text),
    )
    connection.executemany(
        f"INSERT INTO journal ({_ENTRY_COLUMNS}, body_id) "  # noqa: S608 - fixed parts
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [_row(entry, body_id) for entry in page.entries],
    )


def _row(entry: Entry, body_id: int) -> tuple[str | int | None, ...]:
    return (
        entry.id,
        entry.at_ms,
        entry.workspace_id,
        entry.kind,
        entry.via,
        entry.from_card,
        entry.output,
        entry.type,
        entry.to_card,
        entry.input_id,
        entry.input_type,
        entry.arrow_id,
        entry.outcome,
        entry.code,
        entry.message,
        entry.chain,
        entry.hop,
        entry.cause,
        entry.landed,
        body_id,
    )


def _load_kept(connection: apsw.Connection, card_id: CardId, output: str) -> Kept | None:
    row = connection.execute(
        "SELECT seq, at_ms, text FROM kept_values WHERE card_id = ? AND output = ?", (card_id, output)
    ).fetchone()
    return None if row is None else Kept(card_id, output, row[0], row[1], row[2])


def _prune(connection: apsw.Connection, oldest_ms: int, max_bytes: int) -> int:
    """Forget up to `_PRUNE_PAGES` of the oldest pages that must go; gives how many went."""
    total = _number(connection.execute("SELECT sum(stored_bytes) FROM journal_bodies").get)
    gone = 0
    last: int | None = None
    for page_id, at_ms, stored in connection.execute(
        "SELECT id, at_ms, stored_bytes FROM journal_bodies ORDER BY id LIMIT ?", (_PRUNE_PAGES,)
    ):
        if at_ms >= oldest_ms and total <= max_bytes:
            break
        last, total, gone = page_id, total - stored, gone + 1
    if last is not None:
        # The entries of a page are numbered in a row from their body's id.
        after = connection.execute("SELECT min(id) FROM journal_bodies WHERE id > ?", (last,)).get
        connection.execute("DELETE FROM journal WHERE id < coalesce(?, 9223372036854775807)", (after,))
        connection.execute("DELETE FROM journal_bodies WHERE id <= ?", (last,))
    return gone


def _forget_cards(connection: apsw.Connection, card_ids: Sequence[CardId]) -> None:
    for table in ("kept_values", "kept_given"):
        connection.executemany(
            f"DELETE FROM {table} WHERE card_id = ?",  # noqa: S608 - fixed names
            [(card_id,) for card_id in card_ids],
        )
