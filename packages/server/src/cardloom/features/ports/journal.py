"""The journal in SQLite: one row a value, whatever the number of cards it went to.

What became of a value is mostly what became of the sender's last one: the same cards, inputs, arrows and outcomes. So
receipts stand in a table of their own, once for all pages that share them, with an index of the cards and arrows they
name; a page adds its body, its place in the chain and what differs. Entries are made from both when they are read. The
journal forgets its oldest pages when they are too old or all together too large. Spec: decisions 10, 43.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import apsw

from ...host.wire_json import dumps, loads
from .model import Body, Receipt, Sheet, digest_of, mark_of

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS journal_routes (
        id INTEGER PRIMARY KEY, from_card TEXT NOT NULL, output TEXT, type TEXT NOT NULL, tells_state INTEGER NOT NULL,
        receipts TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS journal_ends (
        end_id TEXT NOT NULL, route_id INTEGER NOT NULL, PRIMARY KEY (end_id, route_id)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS journal_pages (
        id INTEGER PRIMARY KEY, last_id INTEGER NOT NULL, at_ms INTEGER NOT NULL, workspace_id TEXT NOT NULL,
        route_id INTEGER NOT NULL, stored_bytes INTEGER NOT NULL, chain TEXT NOT NULL, hop INTEGER NOT NULL,
        cause INTEGER, marks TEXT, size_bytes INTEGER NOT NULL, preview TEXT NOT NULL, text TEXT, head TEXT,
        sha256 TEXT, mark TEXT
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS journal_looks (
        id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, page_id INTEGER NOT NULL
    ) STRICT""",
    # The sizes stand in it so that their sum is found without reading the bodies.
    "CREATE INDEX IF NOT EXISTS journal_pages_workspace ON journal_pages (workspace_id, id, stored_bytes)",
    "CREATE INDEX IF NOT EXISTS journal_pages_route ON journal_pages (route_id)",
)
BULKY_TABLES: Final = ("journal_pages",)
"""The tables that may hold hundreds of megabytes."""

_HEAD_CHARS: Final = 4096
_PAGE_BYTES: Final = 400  # a page's row without its text, and its places in the indexes, roughly
_END_BYTES: Final = 40
_PRUNE_PAGES: Final = 500
_ROUTES_KNOWN: Final = 1024
_HOUR_MS: Final = 3_600_000
_MAX_GAP_MS: Final = 7 * 24 * _HOUR_MS

_RouteKey: TypeAlias = tuple[str, "str | None", str, tuple[Receipt, ...]]


@dataclass(frozen=True, slots=True)
class Route:
    """Receipts that many pages share, as they are stored. `ends` are the cards and arrows they name."""

    id: int
    from_card: str
    output: str | None
    type: str
    tells_state: bool
    receipts: str
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filed:
    """A body as it is stored: its text, or where that is too large its head, its hash and its mark."""

    size_bytes: int
    preview: str
    text: str | None
    head: str | None = None
    sha256: str | None = None
    mark: str | None = None


def filed(body: Body, max_bytes: int) -> Filed:
    """A body as it is stored; what can be told from the whole text later is not worked out now."""
    if body.size_bytes <= max_bytes:
        return Filed(body.size_bytes, body.preview, body.text)
    head = body.text[:_HEAD_CHARS]
    return Filed(body.size_bytes, body.preview, None, head, digest_of(body.text), mark_of(body.text))


class RouteBook:
    """Gives equal receipts one number. Forgetting costs a row written twice and nothing else."""

    def __init__(self, last_id: int) -> None:
        self._last_id = last_id
        self._known: OrderedDict[_RouteKey, Route] = OrderedDict()
        self._same: dict[int, tuple[Sequence[Receipt], Route]] = {}

    def route(self, sheet: Sheet) -> Route:
        """The route of a sheet, known or new. A sender that comes with the very same receipts is known at a glance."""
        same = self._same.get(id(sheet.receipts))
        if same is not None and same[0] is sheet.receipts:
            return same[1]
        route = self._equal(sheet)
        if len(self._same) >= _ROUTES_KNOWN:
            self._same.clear()
        self._same[id(sheet.receipts)] = (sheet.receipts, route)
        return route

    def _equal(self, sheet: Sheet) -> Route:
        key = (sheet.from_card, sheet.output, sheet.type, tuple(sheet.receipts))
        found = self._known.get(key)
        if found is None:
            self._last_id += 1
            found = self._known[key] = make_route(self._last_id, sheet)
            if len(self._known) > _ROUTES_KNOWN:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        return found


def make_route(route_id: int, sheet: Sheet) -> Route:
    """A sheet's route under a number of its own."""
    tells_state = any(receipt.via == "state" for receipt in sheet.receipts)
    named = (sheet.from_card, *(end for receipt in sheet.receipts for end in (receipt.to_card, receipt.arrow_id)))
    ends = tuple(dict.fromkeys(end for end in named if end is not None))
    packed = dumps([list(receipt) for receipt in sheet.receipts])
    return Route(route_id, sheet.from_card, sheet.output, sheet.type, tells_state, packed, ends)


def receipts_of(packed: str) -> list[Receipt]:
    """The receipts of a stored route."""
    return [Receipt(*fields) for fields in loads(packed)]


def last_numbers(connection: apsw.Connection) -> tuple[int, int]:
    """The highest numbers of an entry and of a route."""
    entry = connection.execute("SELECT last_id FROM journal_pages ORDER BY id DESC LIMIT 1").get
    return number(entry), number(connection.execute("SELECT max(id) FROM journal_routes").get)


def number(value: object) -> int:
    """What a query gave, as a number; nothing is 0."""
    return value if isinstance(value, int) else 0


def save_sheet(connection: apsw.Connection, sheet: Sheet, route: Route, body: Filed) -> None:
    """Write a value's page, and its route where that is not there: new, pruned meanwhile, or lost with a full disk."""
    stored = _PAGE_BYTES + (body.size_bytes if body.head is None else _HEAD_CHARS)
    if connection.execute("SELECT 1 FROM journal_routes WHERE id = ?", (route.id,)).get is None:
        stored += _save_route(connection, route)
    place = sheet.place
    connection.execute(
        "INSERT INTO journal_pages (id, last_id, at_ms, workspace_id, route_id, stored_bytes, chain, hop, cause, "
        "marks, size_bytes, preview, text, head, sha256, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            sheet.first_id,
            sheet.first_id + sheet.receipts[-1].offset,
            sheet.at_ms,
            sheet.workspace_id,
            route.id,
            stored,
            place.chain,
            place.hop,
            place.cause,
            dumps(list(sheet.marks)) if sheet.marks else None,
            body.size_bytes,
            body.preview,
            body.text,
            body.head,
            body.sha256,
            body.mark,
        ),
    )


def _save_route(connection: apsw.Connection, route: Route) -> int:
    """Write a route; gives how many bytes that takes, roughly."""
    connection.execute(
        "INSERT INTO journal_routes (id, from_card, output, type, tells_state, receipts) VALUES (?, ?, ?, ?, ?, ?)",
        (route.id, route.from_card, route.output, route.type, int(route.tells_state), route.receipts),
    )
    connection.executemany(
        "INSERT INTO journal_ends (end_id, route_id) VALUES (?, ?)", [(end, route.id) for end in route.ends]
    )
    return len(route.receipts) + _END_BYTES * len(route.ends)


def prune(connection: apsw.Connection, now_ms: int, max_age_ms: int, max_bytes: int) -> tuple[int, bool]:
    """Forget some of the oldest pages that must go; gives how many went, and whether there may be more."""
    too_old_id = _too_old(connection, now_ms, max_age_ms)
    total = number(connection.execute("SELECT sum(stored_bytes) FROM journal_pages").get)
    gone = 0
    last: int | None = None
    for page_id, stored in connection.execute(
        "SELECT id, stored_bytes FROM journal_pages ORDER BY id LIMIT ?", (_PRUNE_PAGES,)
    ):
        if page_id > too_old_id and total <= max_bytes:
            break
        last, total, gone = page_id, total - stored, gone + 1
    if last is not None:
        connection.execute("DELETE FROM journal_pages WHERE id <= ?", (last,))
    more = gone == _PRUNE_PAGES
    if gone and not more:
        _forget_routes(connection)
    return gone, more


def _too_old(connection: apsw.Connection, now_ms: int, max_age_ms: int) -> int:
    """The number up to which pages are too old, 0 for none; notes besides that somebody looked now.

    No page's own time is believed: a clock that was set wrong for a moment would empty the journal. What counts is
    the time between looks, from the last page that was there at each; a longer silence, be it a server that did not
    run or a clock that jumped, counts as a week, and a clock that was set back as nothing.
    """
    looks: list[tuple[Any, ...]] = connection.execute(
        "SELECT id, at_ms, page_id FROM journal_looks ORDER BY id DESC"
    ).fetchall()
    if not looks or abs(now_ms - looks[0][1]) >= _HOUR_MS:
        newest = number(connection.execute("SELECT max(id) FROM journal_pages").get)
        connection.execute("INSERT INTO journal_looks (at_ms, page_id) VALUES (?, ?)", (now_ms, newest))
    age_ms, after_ms = 0, now_ms
    for look_id, at_ms, page_id in looks:
        age_ms += min(max(after_ms - at_ms, 0), _MAX_GAP_MS)
        after_ms = at_ms
        if age_ms >= max_age_ms:
            connection.execute("DELETE FROM journal_looks WHERE id < ?", (look_id,))
            return number(page_id)
    return 0


def _forget_routes(connection: apsw.Connection) -> None:
    """Forget the routes that no page names any more."""
    dead: list[tuple[Any, ...]] = connection.execute(
        "SELECT id, from_card, receipts FROM journal_routes AS route "
        "WHERE NOT EXISTS (SELECT 1 FROM journal_pages WHERE route_id = route.id)"
    ).fetchall()
    for route_id, from_card, packed in dead:
        ends = {from_card}.union(*((receipt.to_card, receipt.arrow_id) for receipt in receipts_of(packed)))
        connection.executemany(
            "DELETE FROM journal_ends WHERE end_id = ? AND route_id = ?", [(end, route_id) for end in ends if end]
        )
        connection.execute("DELETE FROM journal_routes WHERE id = ?", (route_id,))
