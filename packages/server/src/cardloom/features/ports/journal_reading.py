"""What is read of the journal: entries by workspace, card or arrow, bodies, and what replays need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import apsw

from cardloom_protocol.ids import CardId, ChainId, WorkspaceId

from ...core.records import well_formed
from ...host.wire_json import loads
from .journal import receipts_of
from .model import Entry, Listed, Place, Receipt, Sheet, StoredBody, digest_of, mark_of

_MAX_ID: Final = 2**63 - 1
_PIECE: Final = 64
_COLUMNS: Final = (
    "page.id, page.at_ms, page.workspace_id, route.from_card, route.output, route.type, page.chain, page.hop, "
    "page.cause, route.receipts, page.marks, page.size_bytes, page.preview, page.text IS NOT NULL"
)
_FROM: Final = "FROM journal_pages AS page JOIN journal_routes AS route ON route.id = page.route_id"
_AT_END: Final = (
    "page.id IN (SELECT id FROM journal_pages WHERE route_id IN (SELECT route_id FROM journal_ends WHERE end_id = ?))"
)
_FROM_ID: Final = "page.id >= (SELECT coalesce(max(id), 0) FROM journal_pages WHERE id <= ?)"
_ALONG_ARROWS: Final = frozenset(("emit", "send", "late", "resend"))


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
class _Read:
    """A page without its body. `rest` are the columns asked for besides."""

    sheet: Sheet
    size_bytes: int
    preview: str
    body_kept: bool
    rest: tuple[Any, ...]


class JournalReading:
    """Reads through a connection of the calling thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def listed(self, filter_: Filter, count: int) -> list[Listed]:
        """Entries, newest first."""
        where, bindings = ["page.workspace_id = ?"], [filter_.workspace_id]
        for end in (filter_.arrow_id, filter_.card_id):
            if end is not None:
                where.append(_AT_END)
                bindings.append(WorkspaceId(well_formed(end)))
        before_id = filter_.before_id or _MAX_ID

        def is_meant(sheet: Sheet, receipt: Receipt) -> bool:
            return (
                receipt.via != "state"
                and sheet.first_id + receipt.offset < before_id
                and filter_.arrow_id in (None, receipt.arrow_id)
                and filter_.card_id in (None, sheet.from_card, receipt.to_card)
            )

        found = (
            Listed(page.sheet.entry(receipt), page.size_bytes, page.preview, page.body_kept)
            for page in self._newest_first(where, bindings, before_id)
            for receipt in reversed(page.sheet.receipts)
            if is_meant(page.sheet, receipt)
        )
        return list(islice(found, count))

    def entry(self, entry_id: int) -> Entry | None:
        """One entry."""
        for page in self._pages("page.id <= ? ORDER BY page.id DESC LIMIT 1", (entry_id,)):
            for entry in page.sheet.entries():
                if entry.id == entry_id:
                    return entry
        return None

    def body(self, entry_id: int) -> StoredBody | None:
        """The body of an entry."""
        if self.entry(entry_id) is None:
            return None
        row: Any = self._connection.execute(
            "SELECT text, head, size_bytes, sha256 FROM journal_pages WHERE id <= ? ORDER BY id DESC LIMIT 1",
            (entry_id,),
        ).fetchone()
        text, head, size_bytes, sha256 = row
        return StoredBody(text, head, size_bytes, digest_of(text) if head is None else sha256)

    def last_kept_on(self, arrow_id: str) -> int | None:
        """The newest entry of an arrow whose body was kept whole."""
        for page in self._newest_first([_AT_END, "page.text IS NOT NULL"], [arrow_id]):
            for receipt in reversed(page.sheet.receipts):
                if receipt.arrow_id == arrow_id and receipt.via in _ALONG_ARROWS:
                    return page.sheet.first_id + receipt.offset
        return None

    def range(
        self, workspace_id: WorkspaceId, ids: tuple[int, int], times_ms: tuple[int, int], count: int
    ) -> list[Recorded]:
        """The first entries of a range in the recorded order."""
        first, last = ids
        where = f"page.workspace_id = ? AND {_FROM_ID} AND page.id <= ? AND page.at_ms BETWEEN ? AND ? ORDER BY page.id"
        found = self._recorded(where, (workspace_id, first, last, *times_ms), lambda entry: first <= entry.id <= last)
        return list(islice(found, count))

    def state_before(self, card_id: CardId, entry_id: int) -> tuple[int, str | None] | None:
        """What a built-in card's output said last before an entry: the number, and the JSON where it was kept."""
        where = f"{_AT_END} AND route.tells_state AND route.from_card = ? AND page.id < ? ORDER BY page.id DESC"
        found = self._recorded(
            where,
            (card_id, card_id, entry_id),
            lambda entry: entry.via == "state" and entry.id < entry_id,
        )
        row = next(found, None)
        return None if row is None else (row.entry.id, row.text)

    def taken_in(self, card_id: CardId, after_id: int, before_id: int) -> list[Recorded]:
        """What a card accepted between two entries, in order."""
        where = f"{_AT_END} AND {_FROM_ID} AND page.id < ? ORDER BY page.id"
        return list(
            self._recorded(
                where,
                (card_id, after_id, before_id),
                lambda entry: (
                    entry.to_card == card_id and entry.outcome == "accepted" and after_id < entry.id < before_id
                ),
            )
        )

    def _newest_first(self, where: list[str], bindings: list[Any], before_id: int = _MAX_ID) -> Iterator[_Read]:
        """Pages in pieces, so that a list of a few entries does not read a journal."""
        query = f"{' AND '.join(where)} AND page.id < ? ORDER BY page.id DESC LIMIT {_PIECE}"
        while True:
            piece = list(self._pages(query, (*bindings, before_id)))
            yield from piece
            if len(piece) < _PIECE:
                return
            before_id = piece[-1].sheet.first_id

    def _recorded(self, where: str, bindings: tuple[Any, ...], is_meant: Callable[[Entry], bool]) -> Iterator[Recorded]:
        for page in self._pages(where, bindings, ", page.mark, page.text"):
            for entry in page.sheet.entries():
                if is_meant(entry):
                    mark, text = page.rest
                    yield Recorded(entry, page.sheet.first_id, mark_of(text) if mark is None else mark, text)

    def _pages(self, where: str, bindings: tuple[Any, ...], more: str = "") -> Iterator[_Read]:
        query = f"SELECT {_COLUMNS}{more} {_FROM} WHERE {where}"
        known: dict[str, list[Receipt]] = {}
        rows: Iterator[tuple[Any, ...]] = self._connection.execute(query, bindings)
        for row in rows:
            packed = row[9]
            receipts = known.get(packed)
            if receipts is None:
                receipts = known[packed] = receipts_of(packed)
            marks = () if row[10] is None else loads(row[10])
            place = Place(ChainId(row[6]), row[7], row[8])
            sheet = Sheet(row[0], row[1], row[2], row[3], row[4], row[5], place, receipts, marks)
            yield _Read(sheet, row[11], row[12], bool(row[13]), tuple(row[14:]))
