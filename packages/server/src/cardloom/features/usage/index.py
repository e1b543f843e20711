"""The file of the usage index: its tables, its version, and one connection that several threads may use in turn.

`sightings` has a row for every request of every log. Rows with `counted` are the requests: the only sighting of one,
or, where several logs have it, the merged row of no log (`log` 0). Costs are kept with the version of the price table
and reckoned anew when that changes. Spec: harnesses, usage readers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import apsw
import msgspec

from cardloom_protocol.errors import CallError, ErrorCode

from .reading import Cursor
from .records import Rates, UsageRecord
from .rows import ENCODER, RECORDS

INDEX_NAME: Final = "usage.db"
"""The index in the data folder."""
VERSION: Final = 1
"""Raised when what is read from logs changes its meaning: then the logs that are still there are read anew."""
INSERT: Final = "INSERT OR REPLACE INTO sightings VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_BUSY_MS: Final = 5000
_CACHE_KIB: Final = 24 << 10
_CHECKPOINT_PAGES: Final = 2000
_PAGE_BYTES: Final = 16 << 10
"""Of a new file: larger than usual, for most rows are written once and many together."""
BY_KEY: Final = "CREATE UNIQUE INDEX IF NOT EXISTS sightings_by_key ON sightings (key, harness, log)"
WITHOUT_KEYS: Final = "DROP INDEX IF EXISTS sightings_by_key"
"""Before many requests come: their keys are in no order, and sorting them at once is sooner done."""
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS logs (
        id INTEGER PRIMARY KEY, harness TEXT NOT NULL, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, cursor BLOB NOT NULL, began_ms INTEGER,
        gone INTEGER NOT NULL DEFAULT 0, error TEXT)""",
    """CREATE TABLE IF NOT EXISTS sightings (
        harness TEXT NOT NULL, key TEXT NOT NULL, log INTEGER NOT NULL, owner INTEGER NOT NULL,
        counted INTEGER NOT NULL, session TEXT NOT NULL, at_ms INTEGER NOT NULL, provider TEXT, model TEXT,
        subagent TEXT, input INTEGER,
        output INTEGER, cache_read INTEGER, cache_write INTEGER, cache_write_1h INTEGER, reasoning INTEGER,
        cost_pico INTEGER, body BLOB NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS sightings_by_log ON sightings (log)",
    "CREATE INDEX IF NOT EXISTS sightings_by_time ON sightings (at_ms) WHERE counted",
    BY_KEY,
    """CREATE TABLE IF NOT EXISTS skips (
        log INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL, offset INTEGER,
        PRIMARY KEY (log, reason)) WITHOUT ROWID""",
)
CURSORS: Final = msgspec.msgpack.Decoder(Cursor)


class Pricing(Protocol):
    """What the index asks for costs."""

    @property
    def version(self) -> str: ...

    def cost_pico(self, record: UsageRecord) -> int | None: ...

    def rates(self, provider: str | None, model: str | None, at_ms: int) -> Rates | None:
        """What each kind of token costs on a day; None when that has to be asked for each request."""


class Index:
    """The open index. Every method is one short transaction.

    `path` None keeps it in memory. UNAVAILABLE when the file was written by a newer Cardloom or cannot be opened; a
    damaged file is set aside and the logs are read anew.
    """

    def __init__(self, path: Path | None, prices: Pricing) -> None:
        self.prices = prices
        self._lock = threading.RLock()
        self._connection = _opened(path)
        with self.writing():
            self._check_version()
            self._check_prices()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, _told():
            return list(self._connection.execute(statement, values))

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        self._connection.execute(statement, values)

    def run_many(self, statement: str, values: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(statement, values)

    def last_id(self) -> int:
        return self._connection.last_insert_rowid()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction of the calling thread alone; an error undoes all of it. UNAVAILABLE when it cannot be done."""
        with self._lock, _told(), self._connection:
            yield

    def _check_version(self) -> None:
        rows = self.rows("SELECT value FROM meta WHERE name = 'version'")
        version = int(rows[0][0]) if rows else VERSION
        if version > VERSION:
            raise CallError(
                ErrorCode.UNAVAILABLE, f"the usage index has version {version}, this Cardloom knows {VERSION}"
            )
        if version < VERSION:
            self.run("UPDATE logs SET cursor = ?, size = -1", (ENCODER.encode(Cursor()),))
        self.run("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (str(VERSION),))

    def _check_prices(self) -> None:
        """Reckon every cost anew when the price table is another one."""
        rows = self.rows("SELECT value FROM meta WHERE name = 'prices'")
        if rows and rows[0][0] == self.prices.version:
            return
        bodies = self.rows("SELECT rowid, body FROM sightings WHERE counted")
        self.run_many(
            "UPDATE sightings SET cost_pico = ? WHERE rowid = ?",
            [(self.prices.cost_pico(RECORDS.decode(body)), rowid) for rowid, body in bodies],
        )
        self.run("INSERT OR REPLACE INTO meta VALUES ('prices', ?)", (self.prices.version,))


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise CallError(ErrorCode.UNAVAILABLE, f"the usage index could not be read or written: {error}") from error


def _opened(path: Path | None) -> apsw.Connection:
    if path is None:
        return _connected(":memory:")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connected(str(path))
    except (apsw.NotADBError, apsw.CorruptError):
        aside = path.with_name(f"{path.stem}.damaged-{int(path.stat().st_mtime)}{path.suffix}")
        path.rename(aside)
        for tail in ("-wal", "-shm"):
            path.with_name(path.name + tail).unlink(missing_ok=True)
        return _connected(str(path))
    except apsw.Error as error:
        raise CallError(ErrorCode.UNAVAILABLE, f"the usage index {path} cannot be opened: {error}") from error


def _connected(name: str) -> apsw.Connection:
    connection = apsw.Connection(name)
    connection.set_busy_timeout(_BUSY_MS)
    connection.pragma("page_size", _PAGE_BYTES)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", 1)
    connection.pragma("cache_size", -_CACHE_KIB)
    connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
    for statement in _SCHEMA:
        connection.execute(statement)
    return connection
