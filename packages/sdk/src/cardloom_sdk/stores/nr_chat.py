"""Sessions as nr-chat texts: one `<id>.mds` each, with the assets in a folder beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from cardloom_protocol.session.codecs.nr_chat_edit import (
    append_nr_chat,
    delete_nr_chat,
    edit_nr_chat,
    fork_nr_chat,
    hide_nr_chat,
    new_nr_chat,
    patch_meta_nr_chat,
    set_header_nr_chat,
    set_leaf_nr_chat,
    set_meta_nr_chat,
)
from cardloom_protocol.session.codecs.nr_chat_parts import Decoders
from cardloom_protocol.session.codecs.nr_chat_session import ChatFile, nr_chat_meta, nr_chat_session, parse_nr_chat
from cardloom_protocol.session.errors import BadRequest, CodecError, NotFound
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.model import NodeInput, NodePatch, StoredSession, StoreNode
from cardloom_protocol.session.names import asset_name, safe_id

from .contract import SessionPage, SessionStore, StoreCapabilities, everything
from .disk import Writers, change_file, create_file, file_version, on_disk, read_text, replace_file
from .listing import Listing
from .sources import NewId, Now, iso_now, new_short_id, new_uuid

T = TypeVar("T")

_SUFFIX = ".mds"
_ASSETS_SUFFIX = ".assets"


class NrChatStore(SessionStore):
    """The `*.mds` files of a folder. `decoders` read bodies in formats beyond JSON5."""

    @property
    def capabilities(self) -> StoreCapabilities:
        """What this store can do."""
        return everything()

    def __init__(
        self,
        folder: Path,
        *,
        now: Now = iso_now,
        new_session_id: NewId = new_uuid,
        new_node_id: NewId = new_short_id,
        decoders: Decoders | None = None,
    ) -> None:
        self._folder = folder
        self._now = now
        self._new_session_id = new_session_id
        self._new_node_id = new_node_id
        self._decoders = decoders
        self._writers = Writers()
        self._listing = Listing(lambda path: self._session(_parsed(read_text(path)), path.stem).info)

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """See the contract."""
        return await on_disk(lambda: self._listing.page(self._folder.glob("*" + _SUFFIX), limit, cursor))

    async def load(self, session_id: str) -> StoredSession:
        """See the contract. BAD_REQUEST names the line of a file that cannot be read."""
        path = self._path(session_id)
        return await on_disk(lambda: self._session(_parsed(read_text(path)), session_id))

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """See the contract."""
        new_id = self._new_session_id() if session_id is None else session_id
        path, at = self._path(new_id), self._now()
        await self._writers.run(new_id, lambda: create_file(path, new_nr_chat(new_id, at, info or {})))
        made: JsonObject = {"id": new_id}
        made |= {name: value for name, value in (info or {}).items() if name in ("title", "botId")}
        return cast(SessionInfo, {**made, "createdAt": at, "messageCount": 0})

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """See the contract. NOT_FOUND for an unknown parent."""
        given = None if node.id is None else safe_id(node.id, "message id")

        def append(file: ChatFile) -> tuple[str, StoreNode]:
            return append_nr_chat(file, node, given or self._unused_id(file), self._new_node_id)

        return await self._change(session_id, append)

    async def edit_node(self, session_id: str, node_id: str, patch: NodePatch) -> StoreNode:
        """See the contract. BAD_REQUEST for a patch without content."""
        return await self._change(session_id, lambda file: edit_nr_chat(file, node_id, patch))

    async def delete_node(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        await self._rewrite(session_id, lambda file: delete_nr_chat(file, node_id, self._new_node_id))

    async def hide_node(self, session_id: str, node_id: str, hidden: bool) -> None:
        """See the contract."""
        await self._rewrite(session_id, lambda file: hide_nr_chat(file, node_id, hidden))

    async def set_active_leaf(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        await self._rewrite(session_id, lambda file: set_leaf_nr_chat(file, node_id, session_id))

    async def rename(self, session_id: str, title: str) -> None:
        """See the contract."""
        await self._rewrite(session_id, lambda file: set_header_nr_chat(file, {"title": title}, session_id))

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        path = self._path(session_id)
        return await on_disk(lambda: nr_chat_meta(_parsed(read_text(path)), self._decoders))

    async def patch_meta(self, session_id: str, patch: JsonObject) -> None:
        """See the contract."""
        await self._rewrite(session_id, lambda file: patch_meta_nr_chat(file, patch, session_id))

    async def set_meta(self, session_id: str, document: JsonObject) -> None:
        """See the contract."""
        await self._rewrite(session_id, lambda file: set_meta_nr_chat(file, document, session_id))

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """See the contract. Assets are copied along."""
        path, new_id, at = self._path(session_id), self._new_session_id(), self._now()

        def fork() -> SessionInfo:
            text = fork_nr_chat(_parsed(read_text(path)), new_id, session_id, at, node_id)
            if self._assets(session_id).is_dir():
                shutil.copytree(self._assets(session_id), self._assets(new_id), symlinks=True)
            create_file(self._path(new_id), text)
            return self._session(_parsed(text), new_id).info

        return await self._writers.run(session_id, fork)

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        path = self._path(session_id)

        def delete() -> None:
            try:
                path.unlink()
            except FileNotFoundError as error:
                raise NotFound(f"There is no session {session_id!r}.") from error
            shutil.rmtree(self._assets(session_id), ignore_errors=True)

        await self._writers.run(session_id, delete)

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """See the contract."""
        path = self._path(session_id)
        target = self._assets(session_id) / asset_name(name)

        def put() -> None:
            read_text(path)
            target.parent.mkdir(exist_ok=True)
            replace_file(target, data, follow_links=False)

        await self._writers.run(session_id, put)
        return f"file:{session_id}{_ASSETS_SUFFIX}/{name}"

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """See the contract."""
        prefix = f"file:{safe_id(session_id, 'session id')}{_ASSETS_SUFFIX}/"
        target = self._assets(session_id) / asset_name(ref.removeprefix(prefix))

        def get() -> bytes:
            if target.is_symlink() or not target.is_file():
                raise NotFound(f"The session has no asset {ref!r}.")
            return target.read_bytes()

        return await on_disk(get)

    async def version(self, session_id: str) -> str:
        """See the contract."""
        path = self._path(session_id)
        return await on_disk(lambda: file_version(path))

    async def _rewrite(self, session_id: str, change: Callable[[ChatFile], str]) -> None:
        await self._change(session_id, lambda file: (change(file), None))

    async def _change(self, session_id: str, change: Callable[[ChatFile], tuple[str, T]]) -> T:
        path = self._path(session_id)

        def changed(text: str) -> tuple[str, T]:
            file = _parsed(text)
            try:
                return change(file)
            except CodecError as error:
                raise BadRequest(f"This cannot be written in the session's file: {error}.") from error

        return await self._writers.run(session_id, lambda: change_file(path, changed))

    def _session(self, file: ChatFile, session_id: str) -> StoredSession:
        return nr_chat_session(file, session_id, self._decoders)

    def _unused_id(self, file: ChatFile) -> str:
        while True:
            made = self._new_node_id()
            if file.find(made) is None:
                return made

    def _path(self, session_id: str) -> Path:
        return self._folder / (safe_id(session_id, "session id") + _SUFFIX)

    def _assets(self, session_id: str) -> Path:
        return self._folder / (session_id + _ASSETS_SUFFIX)


def _parsed(text: str) -> ChatFile:
    try:
        return parse_nr_chat(text)
    except CodecError as error:
        raise BadRequest(f"The session's file cannot be read: {error}.") from error
