"""Sessions in SQLite, the default store: one row a message with its hash, so that a long session opens at once.

Every change is one job of the one writer; reads have a connection and a thread of their own, so that a long session
holds nobody up. Spec: session protocol, storage; decision 40.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from math import floor, isfinite
from typing import Any, Final, TypeVar, cast

import apsw

from cardloom_protocol.errors import CallError
from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session import (
    BadRequest,
    Message,
    NodeInput,
    NodePatch,
    NotFound,
    SessionError,
    SessionInfo,
    StoredSession,
    StoreNode,
    Unset,
    asset_name,
    content_hash,
    safe_id,
    to_message,
    tree_of,
    with_disabled,
)
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.paging import cursor_of, cursor_offset
from cardloom_sdk.stores.contract import Documents, History, SessionPage, SessionStore, StoreCapabilities, everything
from cardloom_sdk.stores.sources import NewId, Now, iso_now, new_uuid

from ...host.database import Database
from .store_rows import (
    asset_in,
    copy_path,
    end_of,
    info_from,
    info_of,
    insert_node,
    insert_session,
    json_of,
    last_of,
    leaf_of,
    nodes_from,
    row_of,
    rows_of,
    set_asset,
    set_document,
    set_leaf,
    touch,
    value_of,
    written,
)

T = TypeVar("T")

_ASSET: Final = "asset:"
_COMPUTED: Final = ("id", "createdAt", "updatedAt", "messageCount")


class SqliteStore(SessionStore):
    """All sessions of this server. A message appended anywhere becomes the end of its session."""

    def __init__(self, database: Database, *, now: Now = iso_now, new_id: NewId = new_uuid) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id
        self._reader = apsw.Connection(str(database.path))
        self._reader.set_busy_timeout(5000)
        self._reading = threading.Lock()

    @property
    def capabilities(self) -> StoreCapabilities:
        """Everything."""
        return everything()

    async def close(self) -> None:
        """Lets go of the file."""
        with self._reading:
            self._reader.close()

    # Sessions

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """See the contract."""
        start = cursor_offset(cursor)
        most = -1 if limit is None or not isfinite(limit) else max(0, floor(limit)) + 1

        def read(connection: apsw.Connection) -> SessionPage:
            rows = connection.execute(
                "SELECT id, info, path_length, updated_at FROM sessions ORDER BY touched DESC LIMIT ? OFFSET ?",
                (most, start),
            ).fetchall()
            shown = rows if most < 0 else rows[: most - 1]
            more = len(rows) > len(shown)
            return SessionPage(
                [info_from(*cast(Any, row)) for row in shown], cursor_of(start + len(shown)) if more else None
            )

        return await self._read(read)

    async def info(self, session_id: str) -> SessionInfo:
        """See the contract."""
        return await self._read(lambda connection: info_of(connection, safe_id(session_id, "session id")))

    async def load(self, session_id: str) -> StoredSession:
        """See the contract."""

        def read(connection: apsw.Connection) -> StoredSession:
            info, leaf = info_of(connection, session_id), leaf_of(connection, session_id)
            rows = rows_of(connection, session_id)
            nodes = nodes_from([row[:2] for row in rows], [row[3] for row in rows])
            return StoredSession(info, nodes, {} if leaf is None else {"activeLeaf": leaf})

        safe_id(session_id, "session id")
        return await self._read(read)

    async def history(self, session_id: str) -> History:
        """See the contract. Only what is shown is unpacked, and no hash is computed."""

        def read(connection: apsw.Connection) -> History:
            info_of(connection, session_id)
            leaf, rows = leaf_of(connection, session_id), rows_of(connection, session_id)
            tree = tree_of([StoreNode(row[0], row[1], "", []) for row in rows])
            path = tree.path(None if leaf is None else tree.by_id.get(leaf))
            nodes = cast(list[StoreNode], tree.nodes)
            for at, node in zip(
                path, nodes_from([rows[at][:2] for at in path], [rows[at][3] for at in path]), strict=True
            ):
                nodes[at] = node
            return [to_message(tree, at, rows[at][2]) for at in path]

        safe_id(session_id, "session id")
        return await self._read(read)

    async def message(self, session_id: str, node_id: str) -> Message:
        """See the contract."""

        def read(connection: apsw.Connection) -> Message:
            (parent, known_hash, node) = row_of(connection, session_id, node_id)
            siblings = connection.execute(
                "SELECT id, parent FROM session_nodes WHERE session_id = ? AND parent IS ? ORDER BY +seq",
                (session_id, parent),
            ).fetchall()
            nodes = [StoreNode(str(row[0]), None, "", []) for row in siblings]
            at = next(place for place, row in enumerate(siblings) if row[0] == node_id)
            (nodes[at],) = nodes_from([(node_id, None)], [node])
            return to_message(tree_of(nodes), at, known_hash)

        safe_id(session_id, "session id")
        return await self._read(read)

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """See the contract."""
        new_id = self._new_id() if session_id is None else safe_id(session_id, "session id")
        at = self._now()
        kept = {name: value for name, value in (info or {}).items() if name not in _COMPUTED} | {"createdAt": at}

        def job(connection: apsw.Connection) -> SessionInfo:
            insert_session(connection, new_id, kept, {}, at)
            return info_of(connection, new_id)

        return await self._write(job)

    async def rename(self, session_id: str, title: str) -> None:
        """See the contract."""

        def job(connection: apsw.Connection) -> None:
            info = json_of(connection, session_id, "info")
            connection.execute(
                "UPDATE sessions SET info = ? WHERE id = ?", (compact_json({**info, "title": title}), session_id)
            )
            touch(connection, session_id, self._now(), 0)

        await self._change(session_id, job)

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        await self._change(
            session_id, lambda it: it.execute("DELETE FROM sessions WHERE id = ?", (session_id,)) and None
        )

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """See the contract. Document and assets come along; ids of messages stay."""
        new_id, at = self._new_id(), self._now()

        def job(connection: apsw.Connection) -> SessionInfo:
            info, document = json_of(connection, session_id, "info"), json_of(connection, session_id, "document")
            leaf = leaf_of(connection, session_id) if node_id is None else node_id
            if leaf is None:
                raise BadRequest("An empty session cannot be forked.")
            row_of(connection, session_id, leaf)
            info = {name: value for name, value in info.items() if name != "forkMessageId"}
            info |= {"createdAt": at, "parentSessionId": session_id}
            if node_id is not None:
                info["forkMessageId"] = node_id
            insert_session(connection, new_id, info, document, at)
            copy_path(connection, session_id, leaf, new_id)
            set_leaf(connection, new_id, leaf)
            return info_of(connection, new_id)

        return await self._change(session_id, job)

    # Messages

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """See the contract. NOT_FOUND for an unknown parent."""
        node_id = self._new_id() if node.id is None else safe_id(node.id, "message id")
        at = self._now()

        def job(connection: apsw.Connection) -> StoreNode:
            leaf, length = end_of(connection, session_id)
            parent = leaf if isinstance(node.parent, Unset) else node.parent
            if parent is not None and parent != leaf:
                row_of(connection, session_id, parent)
            meta: JsonObject = {"createdAt": at, **(node.meta or {})}
            made = StoreNode(node_id, parent, node.role, node.content(), node.name, node.flags or None, meta).copied()
            insert_node(connection, session_id, made, content_hash(made.role, made.parts))
            if parent == leaf:
                connection.execute(
                    "UPDATE sessions SET leaf = ?, path_length = ? WHERE id = ?", (node_id, length + 1, session_id)
                )
            else:
                set_leaf(connection, session_id, node_id)
            touch(connection, session_id, at, 1)
            return made

        return await self._change(session_id, job)

    async def edit_node(self, session_id: str, node_id: str, patch: NodePatch) -> StoreNode:
        """See the contract."""

        def job(connection: apsw.Connection) -> StoreNode:
            parent, known_hash, text = row_of(connection, session_id, node_id)
            (node,) = nodes_from([(node_id, parent)], [text])
            patch.check(known_hash)
            if patch.is_empty:
                return node
            parts = patch.applied(node.parts)
            return self._replace(
                connection, session_id, StoreNode(node_id, parent, node.role, parts, node.name, node.flags, node.meta)
            )

        return await self._change(session_id, job)

    async def hide_node(self, session_id: str, node_id: str, hidden: bool) -> None:
        """See the contract."""

        def job(connection: apsw.Connection) -> None:
            parent, _, text = row_of(connection, session_id, node_id)
            (node,) = nodes_from([(node_id, parent)], [text])
            flags = with_disabled(node.flags, hidden)
            self._replace(
                connection, session_id, StoreNode(node_id, parent, node.role, node.parts, node.name, flags, node.meta)
            )

        await self._change(session_id, job)

    async def delete_node(self, session_id: str, node_id: str) -> None:
        """See the contract."""

        def job(connection: apsw.Connection) -> None:
            parent, _, _ = row_of(connection, session_id, node_id)
            leaf = leaf_of(connection, session_id)
            connection.execute(
                "UPDATE session_nodes SET parent = ? WHERE session_id = ? AND parent = ?", (parent, session_id, node_id)
            )
            connection.execute("DELETE FROM session_nodes WHERE session_id = ? AND id = ?", (session_id, node_id))
            end = parent if leaf == node_id else leaf
            set_leaf(connection, session_id, end if end is not None else last_of(connection, session_id))
            touch(connection, session_id, self._now(), 1)

        await self._change(session_id, job)

    async def set_active_leaf(self, session_id: str, node_id: str) -> None:
        """See the contract. The session does not become newer by it."""

        def job(connection: apsw.Connection) -> None:
            row_of(connection, session_id, node_id)
            set_leaf(connection, session_id, node_id)
            connection.execute("UPDATE sessions SET version = version + 1 WHERE id = ?", (session_id,))

        await self._change(session_id, job)

    async def version(self, session_id: str) -> str:
        """See the contract."""
        safe_id(session_id, "session id")
        return await self._read(lambda connection: f"{value_of(connection, session_id, 'version'):x}")

    # The document and the assets

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        safe_id(session_id, "session id")
        return await self._read(lambda connection: json_of(connection, session_id, "document"))

    async def documents(self, session_ids: Sequence[str]) -> Documents:
        """See the contract. All of them are read at once."""

        def read(connection: apsw.Connection) -> Documents:
            return [json_of(connection, session_id, "document") for session_id in session_ids]

        return await self._read(read)

    async def patch_meta(self, session_id: str, patch: JsonObject) -> None:
        """See the contract."""

        def job(connection: apsw.Connection) -> None:
            set_document(connection, session_id, {**json_of(connection, session_id, "document"), **patch})

        await self._change(session_id, job)

    async def set_meta(self, session_id: str, document: JsonObject) -> None:
        """See the contract."""
        await self._change(session_id, lambda connection: set_document(connection, session_id, document))

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """See the contract. References stay good in a fork."""
        asset_name(name)
        await self._change(session_id, lambda connection: set_asset(connection, session_id, name, bytes(data)))
        return _ASSET + name

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """See the contract."""
        safe_id(session_id, "session id")
        name = ref.removeprefix(_ASSET) if ref.startswith(_ASSET) else ""

        def read(connection: apsw.Connection) -> bytes:
            found = asset_in(connection, session_id, name)
            if found is None:
                raise NotFound(f"The session has no asset {ref!r}.")
            return found

        return await self._read(read)

    # Inside

    def _replace(self, connection: apsw.Connection, session_id: str, node: StoreNode) -> StoreNode:
        connection.execute(
            "UPDATE session_nodes SET hash = ?, node = ? WHERE session_id = ? AND id = ?",
            (content_hash(node.role, node.parts), written(node), session_id, node.id),
        )
        touch(connection, session_id, self._now(), 1)
        return node.copied()

    async def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        def locked() -> T:
            with self._reading:
                return work(self._reader)

        return await asyncio.to_thread(locked)

    async def _change(self, session_id: str, job: Callable[[apsw.Connection], T]) -> T:
        safe_id(session_id, "session id")

        def checked(connection: apsw.Connection) -> T:
            value_of(connection, session_id, "version")
            return job(connection)

        return await self._write(checked)

    async def _write(self, job: Callable[[apsw.Connection], T]) -> T:
        try:
            return await self._database.write(job)
        except CallError as error:
            raise SessionError("unavailable", error.message) from error
