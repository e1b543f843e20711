"""Workspaces, cards, arrows and preferences in SQLite.

Removed cards and arrows stay as tombstones (`removed_at_ms`), so that undo brings back the same ids; they are purged
after the days of `removedDays`. What a running program shows (`runtime`) is never stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import apsw

from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId
from cardloom_protocol.ports.builtin import BUILTIN_PORTS, BuiltinPorts
from cardloom_protocol.ports.types import PortInfo

from ...core.records import (
    Arrow,
    ArrowStats,
    Card,
    Change,
    Chrome,
    DrawnBy,
    PutArrow,
    PutCard,
    PutWorkspace,
    RemoveArrow,
    RemoveCard,
    Workspace,
)
from ...host.database import Database
from ...host.wire_json import dumps, loads

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS workspaces (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
        is_open INTEGER NOT NULL, strict INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS cards (
        id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, kind TEXT NOT NULL, type TEXT, title TEXT,
        x REAL NOT NULL, y REAL NOT NULL, w REAL NOT NULL, h REAL NOT NULL, z INTEGER NOT NULL,
        revision INTEGER NOT NULL, content TEXT NOT NULL, chrome TEXT NOT NULL,
        inputs TEXT NOT NULL, outputs TEXT NOT NULL, created_at_ms INTEGER NOT NULL, removed_at_ms INTEGER
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS cards_of ON cards (workspace_id, removed_at_ms)",
    """CREATE TABLE IF NOT EXISTS arrows (
        id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, direction TEXT NOT NULL,
        drawn_kind TEXT NOT NULL, drawn_id TEXT, drawn_at_ms INTEGER NOT NULL, rank INTEGER NOT NULL,
        pending INTEGER NOT NULL, paused INTEGER NOT NULL,
        passed INTEGER NOT NULL, dropped INTEGER NOT NULL, refused INTEGER NOT NULL, loops INTEGER NOT NULL,
        last_at_ms INTEGER, removed_at_ms INTEGER
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS arrows_of ON arrows (workspace_id, removed_at_ms)",
    "CREATE TABLE IF NOT EXISTS preferences (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
)

_CARD_COLUMNS: Final = (
    "id, workspace_id, kind, type, title, x, y, w, h, z, revision, content, chrome, inputs, outputs, created_at_ms"
)
_ARROW_COLUMNS: Final = (
    "id, workspace_id, a, b, direction, drawn_kind, drawn_id, drawn_at_ms, rank, pending, paused, "
    "passed, dropped, refused, loops, last_at_ms"
)
_CHROME_FIELDS: Final = ("title", "status", "badge", "overview", "attention")
# What a patch of these wire fields writes; any other field writes the whole row.
_PLACE_COLUMNS: Final[Mapping[str, str | None]] = {
    "x": "x",
    "y": "y",
    "w": "w",
    "h": "h",
    "z": "z",
    "title": "title",
    "name": None,
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """All that is on disk; `ranks` is the highest rank ever given to an arrow, by workspace."""

    workspaces: list[Workspace]
    cards: list[Card]
    arrows: list[Arrow]
    ranks: dict[WorkspaceId, int]
    preferences: dict[str, str]


class CanvasStore:
    """Reads at once; `save` and its like are jobs for the writer."""

    def __init__(self, database: Database) -> None:
        self._reader = database.reader

    def card_ids(self) -> frozenset[CardId]:
        """The cards that stand on a canvas or were removed and are kept."""
        return frozenset(CardId(row[0]) for row in self._reader.execute("SELECT id FROM cards"))

    def load(self) -> Loaded:
        """Read everything that stands on a canvas."""
        read = self._reader.execute
        workspaces = [
            Workspace(WorkspaceId(row[0]), row[1], row[2], row[3], bool(row[4]), bool(row[5]))
            for row in read("SELECT id, name, path, created_at_ms, is_open, strict FROM workspaces ORDER BY rowid")
        ]
        cards = [
            _card(row)
            for row in read(f"SELECT {_CARD_COLUMNS} FROM cards WHERE removed_at_ms IS NULL ORDER BY rowid")  # noqa: S608
        ]
        arrows = [
            _arrow(row)
            for row in read(f"SELECT {_ARROW_COLUMNS} FROM arrows WHERE removed_at_ms IS NULL ORDER BY rank")  # noqa: S608
        ]
        ranks = {
            WorkspaceId(row[0]): row[1]
            for row in read("SELECT workspace_id, max(rank) FROM arrows GROUP BY workspace_id")
        }
        preferences = {row[0]: row[1] for row in read("SELECT name, value FROM preferences")}
        return Loaded(workspaces, cards, arrows, ranks, preferences)

    def removed_cards(self, workspace_id: WorkspaceId, card_ids: Iterable[str]) -> dict[str, Card]:
        """The tombstones of these cards that are still kept, as the cards were."""
        query = f"SELECT {_CARD_COLUMNS} FROM cards WHERE id = ? AND workspace_id = ? AND removed_at_ms IS NOT NULL"  # noqa: S608
        bindings = [(card_id, workspace_id) for card_id in _storable(card_ids)]
        rows = [row for binding in bindings for row in self._reader.execute(query, binding)]
        return {row[0]: _card(row) for row in rows}

    def removed_arrows(self, workspace_id: WorkspaceId, arrow_ids: Iterable[str]) -> dict[str, Arrow]:
        """The tombstones of these arrows that are still kept, as the arrows were."""
        query = f"SELECT {_ARROW_COLUMNS} FROM arrows WHERE id = ? AND workspace_id = ? AND removed_at_ms IS NOT NULL"  # noqa: S608
        rows = [
            row for arrow_id in _storable(arrow_ids) for row in self._reader.execute(query, (arrow_id, workspace_id))
        ]
        return {row[0]: _arrow(row) for row in rows}


def save(connection: apsw.Connection, changes: Sequence[Change], now_ms: int) -> None:
    """Write changes, all or none."""
    for change in changes:
        match change:
            case PutCard(card, fields):
                _save_card(connection, card, fields)
            case RemoveCard(card_id):
                connection.execute("UPDATE cards SET removed_at_ms = ? WHERE id = ?", (now_ms, card_id))
            case PutArrow(arrow):
                _save_arrow(connection, arrow)
            case RemoveArrow(arrow_id):
                connection.execute("UPDATE arrows SET removed_at_ms = ? WHERE id = ?", (now_ms, arrow_id))
            case PutWorkspace(workspace):
                _save_workspace(connection, workspace)


def save_stats(connection: apsw.Connection, arrows: Sequence[tuple[ArrowId, ArrowStats]]) -> None:
    """Write what passed along arrows."""
    connection.executemany(
        "UPDATE arrows SET passed = ?, dropped = ?, refused = ?, loops = ?, last_at_ms = ? WHERE id = ?",
        [(*_stats_row(stats), arrow_id) for arrow_id, stats in arrows],
    )


def save_preference(connection: apsw.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO preferences (name, value) VALUES (?, ?)", (name, value))


def erase_workspace(connection: apsw.Connection, workspace_id: WorkspaceId) -> None:
    """Forget a workspace with its cards, arrows and tombstones."""
    connection.execute("DELETE FROM arrows WHERE workspace_id = ?", (workspace_id,))
    connection.execute("DELETE FROM cards WHERE workspace_id = ?", (workspace_id,))
    connection.execute("DELETE FROM workspaces WHERE id = ?", (workspace_id,))


def purge(connection: apsw.Connection, before_ms: int) -> None:
    """Forget what was removed before a moment."""
    connection.execute("DELETE FROM arrows WHERE removed_at_ms < ?", (before_ms,))
    connection.execute("DELETE FROM cards WHERE removed_at_ms < ?", (before_ms,))


def _save_workspace(connection: apsw.Connection, workspace: Workspace) -> None:
    connection.execute(
        "INSERT INTO workspaces (id, name, path, created_at_ms, is_open, strict) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET name = excluded.name, path = excluded.path, is_open = excluded.is_open, "
        "strict = excluded.strict",
        (
            workspace.id,
            workspace.name,
            workspace.path,
            workspace.created_at_ms,
            int(workspace.is_open),
            int(workspace.strict),
        ),
    )


def _save_card(connection: apsw.Connection, card: Card, fields: tuple[str, ...] | None) -> None:
    if fields is not None and all(name in _PLACE_COLUMNS for name in fields):
        columns = [column for name in fields if (column := _PLACE_COLUMNS[name]) is not None]
        assignments = ", ".join(f"{column} = ?" for column in columns)
        values = [getattr(card, column) for column in columns]
        connection.execute(f"UPDATE cards SET {assignments} WHERE id = ?", (*values, card.id))  # noqa: S608
        return
    connection.execute(
        f"INSERT INTO cards ({_CARD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
        "ON CONFLICT (id) DO UPDATE SET type = excluded.type, title = excluded.title, x = excluded.x, y = excluded.y, "
        "w = excluded.w, h = excluded.h, z = excluded.z, revision = excluded.revision, content = excluded.content, "
        "chrome = excluded.chrome, inputs = excluded.inputs, outputs = excluded.outputs, removed_at_ms = NULL",
        (
            card.id,
            card.workspace_id,
            card.kind,
            card.type,
            card.title,
            card.x,
            card.y,
            card.w,
            card.h,
            card.z,
            card.revision,
            dumps(dict(card.content)),
            dumps(card.chrome.to_wire()),
            dumps([port.to_wire() for port in card.inputs]),
            dumps([port.to_wire() for port in card.outputs]),
            card.created_at_ms,
        ),
    )


def _save_arrow(connection: apsw.Connection, arrow: Arrow) -> None:
    connection.execute(
        f"INSERT INTO arrows ({_ARROW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
        "ON CONFLICT (id) DO UPDATE SET direction = excluded.direction, pending = excluded.pending, "
        "paused = excluded.paused, passed = excluded.passed, dropped = excluded.dropped, refused = excluded.refused, "
        "loops = excluded.loops, last_at_ms = excluded.last_at_ms, removed_at_ms = NULL",
        (
            arrow.id,
            arrow.workspace_id,
            arrow.a,
            arrow.b,
            arrow.direction,
            arrow.drawn_by.kind,
            arrow.drawn_by.id,
            arrow.drawn_at_ms,
            arrow.rank,
            int(arrow.pending),
            int(arrow.paused),
            *_stats_row(arrow.stats),
        ),
    )


def _storable(ids: Iterable[str]) -> list[str]:
    """The ids that could be on disk at all: ours are ASCII."""
    return [given for given in ids if given.isascii()]


def _stats_row(stats: ArrowStats) -> tuple[int, int, int, int, int | None]:
    return (stats.passed, stats.dropped, stats.refused, stats.loops, stats.last_at_ms)


def _card(row: Sequence[Any]) -> Card:
    chrome = loads(row[12])
    ports = BUILTIN_PORTS.get(row[2]) or BuiltinPorts(_ports(row[13]), _ports(row[14]))
    return Card(
        CardId(row[0]),
        WorkspaceId(row[1]),
        row[2],
        row[5],
        row[6],
        row[7],
        row[8],
        row[9],
        row[15],
        type=row[3],
        title=row[4],
        revision=row[10],
        content=loads(row[11]),
        chrome=Chrome(**{name: chrome.get(name) for name in _CHROME_FIELDS}),
        inputs=ports.inputs,
        outputs=ports.outputs,
    )


def _ports(text: str) -> tuple[PortInfo, ...]:
    return tuple(PortInfo.from_wire(port) for port in loads(text))


def _arrow(row: Sequence[Any]) -> Arrow:
    return Arrow(
        ArrowId(row[0]),
        WorkspaceId(row[1]),
        CardId(row[2]),
        CardId(row[3]),
        row[4],
        DrawnBy(row[5], row[6]),
        row[7],
        row[8],
        pending=bool(row[9]),
        paused=bool(row[10]),
        stats=ArrowStats(row[11], row[12], row[13], row[14], row[15]),
    )
