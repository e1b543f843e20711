"""The file of the usage index: its tables, its version, and one connection that several threads may use in turn.

`sightings` has a row for every request of every log. Rows with `counted` are the requests: the only sighting of one,
or, where several logs have it, the merged row of no log (`log` 0). Costs are kept with the version of the price table
and reckoned anew when that changes. Spec: harnesses, usage readers.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol

import apsw

from cardloom_protocol.errors import CallError, ErrorCode

from ...host.database import set_aside
from .reading import Cursor
from .records import Rates, UsageRecord
from .rows import ENCODER, record_of

_log = logging.getLogger(__name__)

INDEX_NAME: Final = "usage.db"
"""The index in the data folder."""
VERSION: Final = 1
"""Raised when what is read from logs changes its meaning: then the logs that are still there are read anew."""
INSERT: Final = "INSERT OR REPLACE INTO sightings VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_BUSY_MS: Final = 5000
_CACHE_KIB: Final = 24 << 10
_CHECKPOINT_PAGES: Final = 6000
"""Seldom, for a first scan writes many pages more than once."""
_PAGE_BYTES: Final = 16 << 10
"""Of a new file: larger than usual, for most rows are written once and many together."""
BY_KEY: Final = "CREATE UNIQUE INDEX IF NOT EXISTS sightings_by_key ON sightings (key, harness, log)"
BY_LOG_AND_TIME: Final = """CREATE INDEX IF NOT EXISTS sightings_by_log ON sightings (log);
    CREATE INDEX IF NOT EXISTS sightings_by_time ON sightings (at_ms) WHERE counted"""
UNSORTED: Final = """DROP INDEX IF EXISTS sightings_by_key; DROP INDEX IF EXISTS sightings_by_log;
    DROP INDEX IF EXISTS sightings_by_time"""
"""Before many requests come: they come in no order, and sorting all of them at once is sooner done."""
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
    BY_LOG_AND_TIME,
    BY_KEY,
    """CREATE TABLE IF NOT EXISTS skips (
        log INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL, offset INTEGER,
        PRIMARY KEY (log, reason)) WITHOUT ROWID""",
)
DAMAGED: Final = "damaged in the index"
"""Why requests are told whose rows of this index cannot be decoded."""
_MOST_NAMED: Final = 20


class Pricing(Protocol):
    """What the index asks for costs."""

    @property
    def version(self) -> str: ...

    def cost_pico(self, record: UsageRecord) -> int | None: ...

    def rates(self, provider: str | None, model: str | None, at_ms: int) -> Rates | None:
        """What each kind of token costs on a day; None when that has to be asked for each request."""


class IndexDamagedError(CallError):
    """The file proved damaged at work. It stands aside now with an empty one in its place: the logs are read anew."""


class Index:
    """The open index. Every method is one short transaction.

    `path` None keeps it in memory. UNAVAILABLE when the file was written by a newer Cardloom or cannot be opened; a
    damaged file is set aside and the logs are read anew. `set_aside` is where the last such file is.
    """

    def __init__(self, path: Path | None, prices: Pricing) -> None:
        self.prices = prices
        self.set_aside: Path | None = None
        self._path = path
        self._lock = threading.RLock()
        self._within = 0
        self._is_lost = False
        self._connection, self._inode = self._opened()
        try:
            with suppress(IndexDamagedError):
                self._check()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._turn():
            return list(self._connection.execute(statement, values))

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        self._connection.execute(statement, values)

    def run_many(self, statement: str, values: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(statement, values)

    def last_id(self) -> int:
        return self._connection.last_insert_rowid()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction of the calling thread alone; an error undoes all of it. UNAVAILABLE when it cannot be done.

        It waits for another program's before it begins: one that has read already could not.
        """
        with self._turn():
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def number(self, name: str) -> int | None:
        """A number of `meta`, None when there is none or it is damaged."""
        rows = self.rows("SELECT value FROM meta WHERE name = ?", (name,))
        with suppress(ValueError):
            return int(rows[0][0]) if rows else None
        return None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The connection for one thread. A file that proves damaged is replaced when the outermost turn ends."""
        with self._lock:
            self._within += 1
            try:
                if self._is_lost and self._within == 1:
                    self._open_again()
                yield
            except apsw.Error as error:
                if not _damaged(error):
                    message = f"the usage index could not be read or written: {error}"
                    raise CallError(ErrorCode.UNAVAILABLE, message) from error
                if self._within > 1:
                    raise
                self._begin_anew(error)
                raise IndexDamagedError(ErrorCode.UNAVAILABLE, self._aside_message()) from error
            finally:
                self._within -= 1

    def _aside_message(self) -> str:
        if self.set_aside is None:  # another program did it
            return "the usage index was damaged and stands aside; ask again to have the logs read anew"
        return f"the usage index was damaged and is kept as {self.set_aside}; ask again to have the logs read anew"

    def _begin_anew(self, error: apsw.Error) -> None:
        self._connection.close()
        self._is_lost = True
        # Another program may have found the damage first: what stands at the path then is the new file.
        if self._path is not None and self._path.exists() and self._path.stat().st_ino == self._inode:
            self._put_aside(self._path, error)
        self._open_again()

    def _open_again(self) -> None:
        self._connection, self._inode = self._opened()
        self._is_lost = False
        self._check()

    def _opened(self) -> tuple[apsw.Connection, int]:
        path = self._path
        if path is None:
            return _connected(":memory:"), 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                connection = _connected(str(path))
            except (apsw.NotADBError, apsw.CorruptError) as error:
                self._put_aside(path, error)
                connection = _connected(str(path))
            return connection, path.stat().st_ino
        except (apsw.Error, OSError) as error:
            raise CallError(ErrorCode.UNAVAILABLE, f"the usage index {path} cannot be opened: {error}") from error

    def _put_aside(self, path: Path, error: apsw.Error) -> None:
        try:
            self.set_aside = set_aside(path, time.time_ns() // 1_000_000, str(error)).backup
        except OSError as refused:
            message = f"the usage index {path} is damaged and cannot be set aside: {refused}"
            raise CallError(ErrorCode.UNAVAILABLE, message) from refused
        _log.warning("The usage index was damaged (%s). It is kept as %s; logs are read anew", error, self.set_aside)

    def _check(self) -> None:
        with self.writing():
            self._check_version()
            self._check_prices()

    def _check_version(self) -> None:
        rows = self.rows("SELECT 1 FROM meta WHERE name = 'version'")
        version = (self.number("version") or 0) if rows else VERSION
        if version > VERSION:
            raise CallError(
                ErrorCode.UNAVAILABLE, f"the usage index has version {version}, this Cardloom knows {VERSION}"
            )
        if version < VERSION:
            self.run("UPDATE logs SET cursor = ?, size = -1", (ENCODER.encode(Cursor()),))
        self.run("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (str(VERSION),))

    def _check_prices(self) -> None:
        """Reckon every cost anew when the price table is another one. Damaged rows stay as they are and are told."""
        rows = self.rows("SELECT value FROM meta WHERE name = 'prices'")
        if rows and rows[0][0] == self.prices.version:
            return
        costs, damaged = [], []
        for rowid, body in self.rows("SELECT rowid, body FROM sightings WHERE counted"):
            record = record_of(body)
            if record is None:
                damaged.append(rowid)
            else:
                costs.append((self.prices.cost_pico(record), rowid))
        self.run_many("UPDATE sightings SET cost_pico = ? WHERE rowid = ?", costs)
        self._tell_damaged(damaged)
        self.run("INSERT OR REPLACE INTO meta VALUES ('prices', ?)", (self.prices.version,))

    def _tell_damaged(self, rowids: Sequence[int]) -> None:
        """Log which rows cannot be decoded, and count them beside what of their logs was not counted."""
        self.run("DELETE FROM skips WHERE reason = ?", (DAMAGED,))
        for at, rowid in enumerate(rowids):
            [(key, owner)] = self.rows("SELECT key, owner FROM sightings WHERE rowid = ?", (rowid,))
            self.run(
                "INSERT INTO skips VALUES (?, ?, 1, NULL) ON CONFLICT (log, reason) DO UPDATE SET count = count + 1",
                (owner, DAMAGED),
            )
            if at < _MOST_NAMED:
                paths = self.rows("SELECT path FROM logs WHERE id = ?", (owner,))
                _log.warning("The usage index cannot decode request %r of %s; its cost stays", key, paths or "no log")
        if len(rowids) > _MOST_NAMED:
            _log.warning("The usage index cannot decode %d more requests", len(rowids) - _MOST_NAMED)


def _damaged(error: BaseException | None) -> bool:
    """Whether a damaged file is behind an error; undoing a change may have failed after that."""
    return error is not None and (
        isinstance(error, (apsw.CorruptError, apsw.NotADBError)) or _damaged(error.__context__)
    )


def _connected(name: str) -> apsw.Connection:
    connection = apsw.Connection(name)
    try:
        connection.set_busy_timeout(_BUSY_MS)
        connection.pragma("page_size", _PAGE_BYTES)
        connection.pragma("synchronous", 0)  # nothing is lost with a new file, and no other is written here
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", 1)
        connection.pragma("cache_size", -_CACHE_KIB)
        connection.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
        for statement in _SCHEMA:
            connection.execute(statement)
    except apsw.Error:
        connection.close()  # Windows renames no open file
        raise
    return connection
