"""Reading the databases that some harnesses keep: read-only, beside the program that writes them.

A database is read whole when it has changed; the index then takes only the difference. No transaction stays open. A
lock that lasts, or tables that are not as they should be, are told as the reason. Spec: harnesses, usage readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from typing import Final
from urllib.parse import quote

import apsw

from cardloom_protocol.usage import Tokens

from .readers import hermes, opencode
from .readers.lines import Output, is_time
from .reading import Cursor, LogFile, Reading

_BUSY_MS: Final = 1500
_MOST_TOKENS: Final = 10**10
"""A session's sum above this makes no sense and is not reported."""
_READ_ONLY: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_PARTS: Final = "SELECT CAST(data AS BLOB) FROM part WHERE message_id = ? ORDER BY id"
UNKNOWN_TABLES: Final = "tables of an unknown version"


class UnknownTables(Exception):
    """The database is not one that the reader knows."""


def read_database(log: LogFile, told: Mapping[str, Tokens]) -> Reading:
    """All requests of a database. `told` is what webhooks said of Hermes' sessions."""
    try:
        with closing(_opened(log.path)) as connection:
            if log.harness == hermes.HARNESS:
                output = hermes.read_sessions(_hermes_sessions(connection), told)
            else:
                output = _messages(connection, with_tasks=log.harness == opencode.KILO)
    except UnknownTables:
        return Reading(log, Cursor(), error=UNKNOWN_TABLES)
    except apsw.BusyError:
        return Reading(log, Cursor(), error="locked by another program")
    except apsw.NotADBError:
        return Reading(log, Cursor(), error="not a database")
    except apsw.Error as error:
        return Reading(log, Cursor(), error=str(error))
    return Reading(log, Cursor(offset=1), True, list(output.records.values()), skips=output.skips)


def tool_calls(path: str, messages: list[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The tool calls of some messages of OpenCode or Kilo, by message; nothing when the database is gone or locked.

    They lie in the largest table, so they are looked up only for what somebody looks at.
    """
    calls: dict[str, list[tuple[str, str]]] = {}
    try:
        with closing(_opened(path)) as connection:
            for message in messages:
                for (data,) in connection.execute(_PARTS, (message,)):
                    call = opencode.call_of(data or b"")
                    if call is not None:
                        calls.setdefault(message, []).append(call)
    except apsw.Error:
        return {}
    return {message: tuple(found) for message, found in calls.items()}


def row_of(path: str, harness: str, key: str) -> dict[str, object] | None:
    """The counts that a request's row holds now, by their names there; None when it is gone or cannot be read."""
    try:
        with closing(_opened(path)) as connection:
            if harness == hermes.HARNESS:
                columns = [
                    name for name in (*_HERMES_COUNTS, *_HERMES_COSTS) if name in _columns(connection, "sessions")
                ]
                query = f"SELECT {', '.join(map(_number, columns))} FROM sessions WHERE id = ?"  # noqa: S608 - fixed parts
                rows = list(connection.execute(query, (key.removeprefix(hermes.SESSION),)))
                return dict(zip(columns, rows[0], strict=True)) if rows else None
            for table in ("message", "session_message"):
                if _columns(connection, table):
                    query = f"SELECT CAST(data AS BLOB) FROM {table} WHERE id = ?"  # noqa: S608 - fixed parts
                    for (data,) in connection.execute(query, (key,)):
                        return opencode.counts_of(data or b"")
    except apsw.Error:
        return None
    return None


def _opened(path: str) -> apsw.Connection:
    connection = apsw.Connection(f"file:{quote(path)}?mode=ro", flags=_READ_ONLY)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _messages(connection: apsw.Connection, *, with_tasks: bool) -> Output:
    query = f"SELECT {_text('name')} FROM sqlite_schema WHERE type = 'table'"  # noqa: S608 - fixed parts
    tables = {_told(name) for (name,) in connection.execute(query)}
    if not {"message", "session"} <= tables or (with_tasks and "part" not in tables):
        raise UnknownTables
    sessions = _sessions(connection, "session")
    rows: Iterable[opencode.MessageRow] = _rows(connection, "message", "NULL")
    if "session_v2" in tables and "session_message" in tables:
        sessions |= _sessions(connection, "session_v2")
        rows = chain(rows, _rows(connection, "session_message", _text("type")))
    tasks = _tasks(connection, sessions) if with_tasks else None
    return opencode.read_rows(rows, sessions, tasks)


def _rows(connection: apsw.Connection, table: str, kind: str) -> Iterator[opencode.MessageRow]:
    columns = _columns(connection, table)
    if not {"id", "session_id", "data"} <= columns:
        raise UnknownTables
    updated = next((_number(name) for name in ("time_updated", "time_created") if name in columns), "0")
    wanted = f"{_text('id')}, {_text('session_id')}, {updated}, CAST(data AS BLOB), {kind}"
    for identifier, session, updated_ms, data, found in connection.execute(f"SELECT {wanted} FROM {table}"):  # noqa: S608 - fixed parts
        yield opencode.MessageRow(
            _told(identifier) or "",
            _told(session) or "",
            _time(updated_ms),
            data or b"",
            _told(found),
        )


def _sessions(connection: apsw.Connection, table: str) -> dict[str, opencode.SessionRow]:
    columns = _columns(connection, table)
    wanted = [_text(name) if name in columns else "NULL" for name in ("id", "parent_id", "agent", "directory")]
    query = f"SELECT {', '.join(wanted)} FROM {table}"  # noqa: S608 - fixed parts
    rows = ([_told(value) for value in row] for row in connection.execute(query))
    return {row[0] or "": opencode.SessionRow(row[0] or "", *row[1:]) for row in rows}


def _tasks(connection: apsw.Connection, sessions: Mapping[str, opencode.SessionRow]) -> Iterator[opencode.Task]:
    """The calls of sub-agents, looked for only in sessions that have some."""
    for parent in {row.parent for row in sessions.values() if row.parent}:
        wanted = f"{_text('message_id')}, CAST(data AS BLOB)"
        query = f"SELECT {wanted} FROM part WHERE session_id = ? AND data LIKE '%\"task\"%'"  # noqa: S608 - fixed parts
        for message, data in connection.execute(query, (parent,)):
            task = opencode.task_of(_told(message) or "", data or b"")
            if task is not None:
                yield task


_HERMES_TEXTS: Final = ("id", "parent_session_id", "model", "billing_provider", "end_reason", "cwd")
_HERMES_TIMES: Final = ("started_at", "ended_at")
_HERMES_COUNTS: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
_HERMES_COSTS: Final = ("actual_cost_usd", "estimated_cost_usd")


def _hermes_sessions(connection: apsw.Connection) -> Iterator[hermes.SessionRow]:
    columns = _columns(connection, "sessions")
    if not {"id", "started_at", "input_tokens", "output_tokens"} <= columns:
        raise UnknownTables
    last: dict[str | None, float] = {}
    if {"session_id", "timestamp"} <= _columns(connection, "messages"):
        query = f"SELECT {_text('session_id')}, max({_number('timestamp')}) FROM messages GROUP BY 1"  # noqa: S608 - fixed parts
        last = {_told(session): at for session, at in connection.execute(query)}
    numbers = (*_HERMES_TIMES, *_HERMES_COUNTS, *_HERMES_COSTS)
    wanted = [_text(name) if name in columns else "NULL" for name in _HERMES_TEXTS]
    wanted += [_number(name) if name in columns else "NULL" for name in numbers]
    for row in connection.execute(f"SELECT {', '.join(wanted)} FROM sessions"):  # noqa: S608 - fixed parts
        texts, rest = row[: len(_HERMES_TEXTS)], row[len(_HERMES_TEXTS) :]
        identifier, parent, model, provider, reason, cwd = (_told(value) for value in texts)
        started, ended, *counts, actual, estimated = rest
        fresh, output, read, written, reasoning = (_count(value) for value in counts)
        yield hermes.SessionRow(
            identifier or "",
            parent,
            model,
            provider,
            started,
            ended,
            last.get(identifier),
            reason,
            cwd,
            Tokens(fresh, output, read, written, None, reasoning),
            actual,
            estimated,
        )


def _columns(connection: apsw.Connection, table: str) -> set[str | None]:
    query = f"SELECT {_text('name')} FROM pragma_table_info(?)"  # noqa: S608 - fixed parts
    return {_told(name) for (name,) in connection.execute(query, (table,))}


def _text(column: str) -> str:
    """A column as the bytes of its text: any column can hold a value of any type, and texts that are no UTF-8."""
    return f"CAST({column} AS BLOB)"


def _number(column: str) -> str:
    """A column's numbers, without what else it holds."""
    return f"CASE WHEN typeof({column}) IN ('integer', 'real') THEN {column} END"


def _told(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "replace")


def _time(value: float | None) -> int:
    """A column's time, 0 when it is none."""
    return int(value) if value is not None and is_time(value) else 0


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None
