"""pi's session files below a folder, whatever they are called: the id stands in the header."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from cardloom_protocol.session.codecs.pi import (
    PiFile,
    new_pi_file,
    parse_pi,
    pi_file_name,
    pi_header,
    pi_session,
    serialize_pi,
)
from cardloom_protocol.session.codecs.pi_edit import (
    append_pi,
    delete_pi,
    edit_pi,
    fork_pi,
    hide_pi,
    move_pi_to_end,
)
from cardloom_protocol.session.errors import BadRequest, CodecError, Conflict, NotFound
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.model import NodeInput, NodePatch, StoredSession, StoreNode
from cardloom_protocol.session.names import safe_id

from .contract import SessionPage, SessionStore, StoreCapabilities
from .disk import Writers, change_file, create_file, file_version, read_text, stamp_of
from .listing import Listing
from .sources import NewId, Now, iso_now, new_ordered_uuid, new_short_hex

T = TypeVar("T")


class PiStore(SessionStore):
    """The `*.jsonl` files below a folder; `cwd` goes into the header of new ones."""

    @property
    def capabilities(self) -> StoreCapabilities:
        """What this store can do."""
        return {
            "edits": {"edit": True, "delete": True, "hide": True},
            "swipes": True,
            "fork": True,
        }

    def __init__(
        self,
        folder: Path,
        *,
        cwd: str,
        now: Now = iso_now,
        new_session_id: NewId = new_ordered_uuid,
        new_node_id: NewId = new_short_hex,
    ) -> None:
        self._folder = folder
        self._cwd = cwd
        self._now = now
        self._new_session_id = new_session_id
        self._new_node_id = new_node_id
        self._writers = Writers()
        self._listing = Listing(lambda path: pi_session(parse_pi(read_text(path))).info)
        self._paths: dict[str, Path] = {}

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """See the contract."""
        return await asyncio.to_thread(lambda: self._listing.page(self._folder.rglob("*.jsonl"), limit, cursor))

    async def load(self, session_id: str) -> StoredSession:
        """See the contract."""
        safe_id(session_id, "session id")
        return await asyncio.to_thread(lambda: pi_session(_parsed(read_text(self._path(session_id)))))

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """See the contract. The title is given back, but the format has no place for it."""
        new_id = self._new_session_id() if session_id is None else safe_id(session_id, "session id")
        at = self._now()

        def create() -> None:
            if self._find(new_id) is not None:
                raise Conflict(f"There is a session {new_id!r} already.")
            self._write_new(new_pi_file(pi_header(new_id, at, self._cwd)), at)

        await self._writers.run(new_id, create)
        made: JsonObject = {"id": new_id, "createdAt": at, "messageCount": 0}
        if info and isinstance(info.get("title"), str):
            made["title"] = info["title"]
        return cast(SessionInfo, made)

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """See the contract. An unknown explicit parent is taken as it is."""
        given = None if node.id is None else safe_id(node.id, "message id")

        def append(file: PiFile) -> tuple[PiFile, StoreNode]:
            if given is not None and file.find(given) is not None:
                raise Conflict(f"The session already has a message {given!r}.")
            return append_pi(file, node, given or self._unused_id(file), self._now())

        return await self._change(session_id, append)

    async def edit_node(self, session_id: str, node_id: str, patch: NodePatch) -> StoreNode:
        """See the contract. BAD_REQUEST for a service entry and for a patch without content."""
        return await self._change(session_id, lambda file: edit_pi(file, node_id, patch))

    async def delete_node(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        await self._change(session_id, lambda file: (delete_pi(file, node_id), None))

    async def hide_node(self, session_id: str, node_id: str, hidden: bool) -> None:
        """See the contract. BAD_REQUEST for a service entry."""
        await self._change(session_id, lambda file: (hide_pi(file, node_id, hidden), None))

    async def set_active_leaf(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        await self._change(session_id, lambda file: (move_pi_to_end(file, node_id), None))

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """See the contract."""
        safe_id(session_id, "session id")
        new_id, at = self._new_session_id(), self._now()

        def fork() -> SessionInfo:
            file = _parsed(read_text(self._path(session_id)))
            forked = fork_pi(file, new_id, at, self._cwd, node_id)
            self._write_new(forked, at)
            return pi_session(forked).info

        info = await asyncio.to_thread(fork)
        if node_id is not None:
            info["forkMessageId"] = node_id
        return info

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        safe_id(session_id, "session id")
        await self._writers.run(session_id, lambda: self._path(session_id).unlink())

    async def version(self, session_id: str) -> str:
        """See the contract."""
        safe_id(session_id, "session id")
        return await asyncio.to_thread(lambda: file_version(self._path(session_id)))

    async def _change(self, session_id: str, change: Callable[[PiFile], tuple[PiFile, T]]) -> T:
        safe_id(session_id, "session id")

        def on_text(text: str) -> tuple[str, T]:
            before = _parsed(text)
            after, result = change(before)
            return text if after is before else serialize_pi(after), result

        return await self._writers.run(session_id, lambda: change_file(self._path(session_id), on_text))

    def _unused_id(self, file: PiFile) -> str:
        while True:
            made = self._new_node_id()
            if file.find(made) is None:
                return made

    def _write_new(self, file: PiFile, created_at: str) -> None:
        path = self._folder / pi_file_name(file.session_id, created_at)
        create_file(path, serialize_pi(file))
        self._paths[file.session_id] = path

    def _path(self, session_id: str) -> Path:
        path = self._find(session_id)
        if path is None:
            raise NotFound(f"There is no session {session_id!r}.")
        return path

    def _find(self, session_id: str) -> Path | None:
        """The file of a session. Names usually hold the id, so that those files are looked at first."""
        known = self._paths.get(session_id)
        if known is not None and self._holds(known, session_id):
            return known
        paths = sorted(self._folder.rglob("*.jsonl"), key=lambda path: (session_id not in path.name, path.name))
        found = next((path for path in paths if self._holds(path, session_id)), None)
        if found is not None:
            self._paths[session_id] = found
        return found

    def _holds(self, path: Path, session_id: str) -> bool:
        stamp = stamp_of(path)
        info = None if stamp is None else self._listing.info(path, stamp)
        return info is not None and info["id"] == session_id


def _parsed(text: str) -> PiFile:
    try:
        return parse_pi(text)
    except CodecError as error:
        raise BadRequest(f"The session's file cannot be read: {error}.") from error
