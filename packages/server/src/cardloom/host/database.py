"""One SQLite file, one writer thread: many waiting changes share one commit.

A job is a function of the connection; it runs inside a savepoint of the batch, so a failing job undoes only itself.
`write` returns after the commit, therefore whatever is announced afterwards is on disk. Reads go through a second
connection of the calling thread. At the start the file is checked; of a large one the bulky tables are left out, since
reading half a gigabyte from a cold disk takes many seconds. Damage met later is noted beside the file, and then the
next start checks everything. Spec: architecture, dependencies; a killed process loses nothing acknowledged.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar

import apsw

from cardloom_protocol.errors import CallError, ErrorCode

T = TypeVar("T")
Job = Callable[[apsw.Connection], Any]

_BATCH = 256
WHOLLY_CHECKED_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Replaced:
    """A damaged database was set aside: where the old file is now, and the new one that was begun."""

    backup: Path
    fresh: Path
    reason: str


@dataclass(slots=True)
class _Waiting(Generic[T]):
    job: Callable[[apsw.Connection], T]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[T]


_Outcome: TypeAlias = tuple[_Waiting[Any], Any, "BaseException | None"]


class Database:
    """The open database. `schema` holds statements that may run at every start (CREATE … IF NOT EXISTS).

    `bulky` names the tables that are not checked at the start when the file has more than `wholly_checked_bytes`.
    `upgrades` bring what an older Cardloom wrote into the form of `schema`: each in one transaction, at every start.
    """

    def __init__(
        self,
        path: Path,
        schema: Sequence[str],
        *,
        now_ms: int,
        bulky: Collection[str] = (),
        upgrades: Sequence[Callable[[apsw.Connection], None]] = (),
        wholly_checked_bytes: int = WHOLLY_CHECKED_BYTES,
    ) -> None:
        self.path = path
        self.replaced: Replaced | None = None
        self._suspect = path.with_name(f"{path.name}.suspect")
        wholly = self._suspect.exists() or not path.exists() or path.stat().st_size <= wholly_checked_bytes
        problem = _damage(path, () if wholly else bulky)
        if problem is not None:
            self.replaced = set_aside(path, now_ms, problem)
        self._suspect.unlink(missing_ok=True)
        self._writer = _connect(path)
        for statement in schema:
            self._writer.execute(statement)
        for upgrade in upgrades:
            _upgrade(self._writer, path, upgrade)
        self.reader = _connect(path)
        self._queue: queue.SimpleQueue[_Waiting[Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="cardloom-writer", daemon=True)
        self._thread.start()
        self._closed = False

    async def write(self, job: Callable[[apsw.Connection], T]) -> T:
        """Run a job in the next commit and give its result once that commit is on disk.

        UNAVAILABLE when the disk is full or the file cannot be written: then nothing of the job remains.
        """
        return await self.submit(job)

    def submit(self, job: Callable[[apsw.Connection], T]) -> asyncio.Future[T]:
        """Queue a job now, keeping its place in the order, and wait for the commit later."""
        if self._closed:
            raise CallError(ErrorCode.UNAVAILABLE, "the server is closing; nothing was changed")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._queue.put(_Waiting(job, loop, done))
        return done

    async def flush(self) -> None:
        """Wait until everything queued before is on disk."""
        await self.submit(lambda _: None)

    def limit_pages(self, pages: int) -> None:
        """Cap the file's size in pages of 4 KiB, as a full disk would."""
        self._writer.pragma("max_page_count", pages)

    def close(self) -> None:
        """Commit what is queued and end."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        self._thread.join()
        self.reader.close()
        self._writer.close()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            last = False
            while len(batch) < _BATCH:
                try:
                    waiting = self._queue.get_nowait()
                except queue.Empty:
                    break
                if waiting is None:
                    last = True
                    break
                batch.append(waiting)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list[_Waiting[Any]]) -> None:
        outcomes: list[_Outcome] = []
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            outcomes = [self._alone(batch[0])] if len(batch) == 1 else [self._attempt(waiting) for waiting in batch]
            if self._writer.in_transaction:
                self._writer.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - a thread's root: whoever waits is told, and the next batch is tried
            with suppress(apsw.Error):
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
            outcomes = [(waiting, None, error) for waiting in batch]
        if any(isinstance(error, apsw.CorruptError) for _, _, error in outcomes):
            with suppress(OSError):
                self._suspect.touch()
        by_loop: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}
        for outcome in outcomes:
            by_loop.setdefault(outcome[0].loop, []).append(outcome)
        for loop, settled in by_loop.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, settled)

    def _alone(self, waiting: _Waiting[Any]) -> _Outcome:
        """Run the only job of a batch, whose failure undoes everything."""
        try:
            return waiting, waiting.job(self._writer), None
        except Exception as error:
            if not self._writer.in_transaction:
                raise
            self._writer.execute("ROLLBACK")
            return waiting, None, error

    def _attempt(self, waiting: _Waiting[Any]) -> _Outcome:
        self._writer.execute("SAVEPOINT job")
        try:
            result = waiting.job(self._writer)
        except Exception as error:
            if not self._writer.in_transaction:
                raise
            self._writer.execute("ROLLBACK TO job")
            self._writer.execute("RELEASE job")
            return waiting, None, error
        self._writer.execute("RELEASE job")
        return waiting, result, None


def _settle(outcomes: Sequence[_Outcome]) -> None:
    for waiting, result, error in outcomes:
        if waiting.done.done():
            continue
        if error is None:
            waiting.done.set_result(result)
        else:
            waiting.done.set_exception(_as_call_error(error))


def _as_call_error(error: BaseException) -> BaseException:
    if isinstance(error, apsw.FullError):
        return CallError(ErrorCode.UNAVAILABLE, "the disk that holds Cardloom's data is full; nothing was changed")
    if isinstance(error, apsw.CorruptError):
        return CallError(
            ErrorCode.UNAVAILABLE, "Cardloom's database is damaged; the next start of the server sets it aside"
        )
    if isinstance(error, (apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError)):
        return CallError(ErrorCode.UNAVAILABLE, "Cardloom's data could not be written; nothing was changed")
    return error


def _connect(path: Path) -> apsw.Connection:
    try:
        connection = apsw.Connection(str(path))
        connection.set_busy_timeout(5000)
        connection.pragma("journal_mode", "wal")
    except apsw.Error as error:
        raise OSError(f"The database {path} cannot be opened: {error}") from error
    connection.pragma("synchronous", 1)
    connection.pragma("foreign_keys", True)
    return connection


def _upgrade(connection: apsw.Connection, path: Path, upgrade: Callable[[apsw.Connection], None]) -> None:
    try:
        with connection:
            upgrade(connection)
    except apsw.Error as error:
        message = f"The database {path} cannot be brought into the present form and was left as it is: {error}"
        raise OSError(message) from error


def _damage(path: Path, unchecked: Collection[str]) -> str | None:
    """Say what is wrong with an existing file, None when it is sound or absent. Tables of `unchecked` are not read."""
    if not path.exists():
        return None
    try:
        connection = apsw.Connection(str(path))
        try:
            verdict = _verdict(connection, unchecked)
        finally:
            connection.close()
    except apsw.Error as error:
        return str(error)
    return None if verdict == "ok" else verdict


def _verdict(connection: apsw.Connection, unchecked: Collection[str]) -> str:
    if not unchecked:
        return str(connection.execute("PRAGMA quick_check(1)").get)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in tables:
        if table not in unchecked:
            verdict = str(connection.execute(f'PRAGMA quick_check("{table}")').get)
            if verdict != "ok":
                return verdict
    return "ok"


def set_aside(path: Path, now_ms: int, reason: str) -> Replaced:
    """Rename a damaged database that nobody has open, with what SQLite keeps beside it."""
    backup = path.with_name(f"{path.stem}.damaged-{now_ms}{path.suffix}")
    path.rename(backup)
    for tail in ("-wal", "-shm"):
        side = path.with_name(path.name + tail)
        if side.exists():
            side.rename(backup.with_name(backup.name + tail))
    return Replaced(backup, path, reason)
