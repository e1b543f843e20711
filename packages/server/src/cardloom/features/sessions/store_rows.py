"""The rows that sessions are kept in, and the statements that read and write them. See `store`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import apsw

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session import Conflict, NotFound, SessionInfo, StoreNode, read_json
from cardloom_protocol.session.json_text import JsonObject, object_of

SCHEMA: Final[Sequence[str]] = (
    """CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, info TEXT NOT NULL, document TEXT NOT NULL, leaf TEXT, path_length INTEGER NOT NULL,
        version INTEGER NOT NULL, touched INTEGER NOT NULL, updated_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS sessions_touched ON sessions (touched)",
    """CREATE TABLE IF NOT EXISTS session_nodes (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, seq INTEGER NOT NULL, id TEXT NOT NULL,
        parent TEXT, hash TEXT NOT NULL, node TEXT NOT NULL, UNIQUE (session_id, id), UNIQUE (session_id, seq)
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS session_children ON session_nodes (session_id, parent)",
    """CREATE TABLE IF NOT EXISTS session_assets (
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, name TEXT NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (session_id, name)
    ) STRICT""",
)
BULKY_TABLES: Final = ("session_nodes", "session_assets")

PATH: Final = """WITH RECURSIVE path (id, parent) AS (
    SELECT id, parent FROM session_nodes WHERE session_id = :session AND id = :leaf
    UNION ALL SELECT n.id, n.parent FROM session_nodes n JOIN path p ON n.session_id = :session AND n.id = p.parent)"""
"""The messages from the end of a session to its root."""


def insert_session(
    connection: apsw.Connection, session_id: str, info: JsonObject, document: JsonObject, at: str
) -> None:
    """A new row. CONFLICT for an id in use."""
    try:
        connection.execute(
            """INSERT INTO sessions
            VALUES (?, ?, ?, NULL, 0, 0, (SELECT coalesce(max(touched), 0) + 1 FROM sessions), ?)""",
            (session_id, compact_json(info), compact_json(document), at),
        )
    except apsw.ConstraintError as error:
        raise Conflict(f"There is a session {session_id!r} already.") from error


def insert_node(connection: apsw.Connection, session_id: str, node: StoreNode, known_hash: str) -> None:
    """A new row behind all others of its session. CONFLICT for an id in use."""
    try:
        connection.execute(
            """INSERT INTO session_nodes (session_id, seq, id, parent, hash, node) VALUES (?,
            (SELECT coalesce(max(seq), 0) + 1 FROM session_nodes WHERE session_id = ?), ?, ?, ?, ?)""",
            (session_id, session_id, node.id, node.parent, known_hash, written(node)),
        )
    except apsw.ConstraintError as error:
        raise Conflict(f"The session already has a message {node.id!r}.") from error


def copy_path(connection: apsw.Connection, session_id: str, leaf: str, new_id: str) -> None:
    """Gives another session the messages from the root to `leaf`, and all assets."""
    connection.execute(
        f"""{PATH} INSERT INTO session_nodes (session_id, seq, id, parent, hash, node)
        SELECT :new, n.seq, n.id, n.parent, n.hash, n.node FROM session_nodes n
        WHERE n.session_id = :session AND n.id IN (SELECT id FROM path)""",  # noqa: S608 - no value in the text
        {"session": session_id, "leaf": leaf, "new": new_id},
    )
    connection.execute(
        "INSERT INTO session_assets SELECT ?, name, data FROM session_assets WHERE session_id = ?", (new_id, session_id)
    )


def set_asset(connection: apsw.Connection, session_id: str, name: str, data: bytes) -> None:
    """Keeps a file beside a session, in place of one of the same name."""
    connection.execute("INSERT OR REPLACE INTO session_assets VALUES (?, ?, ?)", (session_id, name, data))


def asset_in(connection: apsw.Connection, session_id: str, name: str) -> bytes | None:
    """A file beside a session, None when there is none of that name."""
    found = connection.execute(
        "SELECT data FROM session_assets WHERE session_id = ? AND name = ?", (session_id, name)
    ).fetchone()
    return None if found is None else cast(bytes, found[0])


def touch(connection: apsw.Connection, session_id: str, at: str, changes: int) -> None:
    """Makes a session the newest; `changes` of its messages were made."""
    connection.execute(
        """UPDATE sessions SET touched = (SELECT max(touched) + 1 FROM sessions), updated_at = ?,
        version = version + ? WHERE id = ?""",
        (at, changes, session_id),
    )


def set_leaf(connection: apsw.Connection, session_id: str, leaf: str | None) -> None:
    """Makes a message the end of its session."""
    values = {"session": session_id, "leaf": leaf}
    length = connection.execute(f"{PATH} SELECT count(*) FROM path", values).get  # noqa: S608 - no value in the text
    connection.execute("UPDATE sessions SET leaf = ?, path_length = ? WHERE id = ?", (leaf, length, session_id))


def set_document(connection: apsw.Connection, session_id: str, document: JsonObject) -> None:
    """Replaces the session document."""
    connection.execute("UPDATE sessions SET document = ? WHERE id = ?", (compact_json(document), session_id))


def info_from(session_id: str, info: str, path_length: int, updated_at: str) -> SessionInfo:
    """The session of a row."""
    kept = object_of(read_json(info))
    return cast(SessionInfo, {"id": session_id, **kept, "updatedAt": updated_at, "messageCount": path_length})


def info_of(connection: apsw.Connection, session_id: str) -> SessionInfo:
    """A session. NOT_FOUND for an unknown one."""
    row = connection.execute(
        "SELECT id, info, path_length, updated_at FROM sessions WHERE id = ?", (session_id,)
    ).fetchone()
    if row is None:
        raise _no_session(session_id)
    return info_from(*row)


def value_of(connection: apsw.Connection, session_id: str, column: str) -> Any:
    """One column of a session. NOT_FOUND for an unknown one."""
    row = connection.execute(f"SELECT {column} FROM sessions WHERE id = ?", (session_id,)).fetchone()  # noqa: S608 - ours
    if row is None:
        raise _no_session(session_id)
    return row[0]


def _no_session(session_id: str) -> NotFound:
    return NotFound(f"There is no session {session_id!r}.")


def json_of(connection: apsw.Connection, session_id: str, column: str) -> JsonObject:
    """One column of a session as an object."""
    return object_of(read_json(value_of(connection, session_id, column)))


def leaf_of(connection: apsw.Connection, session_id: str) -> str | None:
    """The end of a session."""
    return cast(str | None, value_of(connection, session_id, "leaf"))


def last_of(connection: apsw.Connection, session_id: str) -> str | None:
    """The message that came last."""
    row = connection.execute(
        "SELECT id FROM session_nodes WHERE session_id = ? ORDER BY seq DESC LIMIT 1", (session_id,)
    ).fetchone()
    return None if row is None else cast(str, row[0])


def end_of(connection: apsw.Connection, session_id: str) -> tuple[str | None, int]:
    """The end of a session and the length of the path to it."""
    row = connection.execute("SELECT leaf, path_length FROM sessions WHERE id = ?", (session_id,)).fetchone()
    return cast(tuple[str | None, int], row)


def row_of(connection: apsw.Connection, session_id: str, node_id: str) -> tuple[str | None, str, str]:
    """Parent, hash and text of a message. NOT_FOUND for an unknown one."""
    row = connection.execute(
        "SELECT parent, hash, node FROM session_nodes WHERE session_id = ? AND id = ?", (session_id, node_id)
    ).fetchone()
    if row is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    return cast(tuple[str | None, str, str], row)


def rows_of(connection: apsw.Connection, session_id: str) -> Sequence[tuple[str, str | None, str, str]]:
    """Id, parent, hash and text of all messages in their order."""
    rows = connection.execute(
        "SELECT id, parent, hash, node FROM session_nodes WHERE session_id = ? ORDER BY seq", (session_id,)
    ).fetchall()
    return cast(Sequence[tuple[str, str | None, str, str]], rows)


def written(node: StoreNode) -> str:
    """A message as text; id and parent have columns of their own."""
    wire = node.to_wire()
    return compact_json({name: value for name, value in wire.items() if name not in ("id", "parent")})


def nodes_from(places: Sequence[Sequence[str | None]], texts: Sequence[str]) -> list[StoreNode]:
    """The nodes of some rows, unpacked in one go."""
    wires = cast(list[JsonValue], read_json("[" + ",".join(texts) + "]"))
    return [
        StoreNode.from_wire({**cast(JsonObject, wire), "id": place[0], "parent": place[1]})
        for place, wire in zip(places, wires, strict=True)
    ]
