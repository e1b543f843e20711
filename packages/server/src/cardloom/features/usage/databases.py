"""Reading the databases that some harnesses keep: read-only, beside the program that writes them.

A database is read whole when it has changed; the index then takes only the difference. No transaction stays open. A
lock that lasts, or tables that are not as they should be, are told as the reason. Spec: harnesses, usage readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any, Final
from urllib.parse import quote

import apsw

from cardloom_protocol.usage import Tokens

from .readers import hermes, opencode
from .readers.lines import Output
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
                for (data,) in connection.execute(
                    "SELECT CAST(data AS BLOB) FROM part WHERE message_id = ? ORDER BY id", (message,)
                ):
                    call = opencode.call_of(_bytes(data))
                    if call is not None:
                        calls.setdefault(message, []).append(call)
    except apsw.Error:
        return {}
    return {message: tuple(found) for message, found in calls.items()}


def _opened(path: str) -> apsw.Connection:
    connection = apsw.Connection(f"file:{quote(path)}?mode=ro", flags=_READ_ONLY)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _messages(connection: apsw.Connection, *, with_tasks: bool) -> Output:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not {"message", "session"} <= tables:
        raise UnknownTables
    sessions = _sessions(connection, "session")
    rows = list(_rows(connection, "message", "NULL"))
    if "session_v2" in tables and "session_message" in tables:
        sessions |= _sessions(connection, "session_v2")
        rows += _rows(connection, "session_message", "type")
    tasks = list(_tasks(connection, sessions)) if with_tasks else None
    return opencode.read_rows(rows, sessions, tasks)


def _rows(connection: apsw.Connection, table: str, kind: str) -> Iterator[opencode.MessageRow]:
    columns = _columns(connection, table)
    if not {"id", "session_id", "data"} <= columns:
        raise UnknownTables
    updated = next((name for name in ("time_updated", "time_created") if name in columns), "0")
    query = f"SELECT id, session_id, {updated}, CAST(data AS BLOB), {kind} FROM {table}"  # noqa: S608 - fixed parts
    for identifier, session, updated_ms, data, found in connection.execute(query):
        yield opencode.MessageRow(str(identifier), str(session), int(updated_ms or 0), _bytes(data), found)


def _sessions(connection: apsw.Connection, table: str) -> dict[str, opencode.SessionRow]:
    columns = _columns(connection, table)
    wanted = [name if name in columns else "NULL" for name in ("id", "parent_id", "agent", "directory")]
    query = f"SELECT {', '.join(wanted)} FROM {table}"  # noqa: S608 - fixed parts
    return {row[0]: opencode.SessionRow(*row) for row in connection.execute(query)}


def _tasks(connection: apsw.Connection, sessions: Mapping[str, opencode.SessionRow]) -> Iterator[opencode.Task]:
    """The calls of sub-agents, looked for only in sessions that have some."""
    for parent in {row.parent for row in sessions.values() if row.parent}:
        query = "SELECT message_id, CAST(data AS BLOB) FROM part WHERE session_id = ? AND data LIKE '%\"task\"%'"
        for message, data in connection.execute(query, (parent,)):
            task = opencode.task_of(str(message), _bytes(data))
            if task is not None:
                yield task


_HERMES_COLUMNS: Final = (
    "id",
    "parent_session_id",
    "model",
    "billing_provider",
    "started_at",
    "ended_at",
    "end_reason",
    "cwd",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "actual_cost_usd",
    "estimated_cost_usd",
)


def _hermes_sessions(connection: apsw.Connection) -> Iterator[hermes.SessionRow]:
    columns = _columns(connection, "sessions")
    if not {"id", "started_at", "input_tokens", "output_tokens"} <= columns:
        raise UnknownTables
    last: dict[Any, Any] = {}
    if {"session_id", "timestamp"} <= _columns(connection, "messages"):
        last = dict(connection.execute("SELECT session_id, max(timestamp) FROM messages GROUP BY 1"))
    wanted = ", ".join(name if name in columns else "NULL" for name in _HERMES_COLUMNS)
    for row in connection.execute(f"SELECT {wanted} FROM sessions"):  # noqa: S608 - fixed parts
        identifier, parent, model, provider, started, ended, reason, cwd, *counts, actual, estimated = row
        fresh, output, read, written, reasoning = (_count(value) for value in counts)
        yield hermes.SessionRow(
            str(identifier),
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


def _columns(connection: apsw.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def _bytes(data: object) -> bytes:
    return data if isinstance(data, bytes) else str(data).encode()


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None
