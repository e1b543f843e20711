"""Claude's transcripts of one project: read, appended to and forked, never rewritten."""

from __future__ import annotations

from pathlib import Path

from cardloom_protocol.session.codecs.claude import (
    ClaudeFile,
    append_claude,
    claude_session,
    fork_claude,
    parse_claude,
)
from cardloom_protocol.session.errors import Conflict
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.model import NodeInput, StoredSession, StoreNode
from cardloom_protocol.session.names import safe_id

from .contract import SessionPage, SessionStore, StoreCapabilities
from .disk import Writers, append_file, create_file, file_version, on_disk, read_text
from .listing import Listing
from .sources import NewId, Now, iso_now, new_uuid


class ClaudeStore(SessionStore):
    """The `*.jsonl` files of a folder; `cwd` is recorded with what is appended."""

    @property
    def capabilities(self) -> StoreCapabilities:
        """What this store can do."""
        return {"fork": True}

    def __init__(self, folder: Path, *, cwd: str, now: Now = iso_now, new_id: NewId = new_uuid) -> None:
        self._folder = folder
        self._cwd = cwd
        self._now = now
        self._new_id = new_id
        self._writers = Writers()
        self._listing = Listing(lambda path: claude_session(parse_claude(read_text(path)), path.stem).info)

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """See the contract."""
        return await on_disk(lambda: self._listing.page(self._folder.glob("*.jsonl"), limit, cursor))

    async def load(self, session_id: str) -> StoredSession:
        """See the contract."""
        path = self._path(session_id)
        return await on_disk(lambda: claude_session(parse_claude(read_text(path)), session_id))

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """See the contract. The format has no place for anything of `info`."""
        new_id = self._new_id() if session_id is None else session_id
        path = self._path(new_id)
        await self._writers.run(new_id, lambda: create_file(path, ""))
        return {"id": new_id, "createdAt": self._now(), "messageCount": 0}

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """See the contract. An unknown explicit parent is taken as it is."""
        path = self._path(session_id)
        node_id = self._new_id() if node.id is None else safe_id(node.id, "message id")

        def append(text: str) -> tuple[str, StoreNode]:
            file = parse_claude(text)
            if file.find(node_id) is not None:
                raise Conflict(f"The session already has a message {node_id!r}.")
            return append_claude(file, node, node_id, session_id=session_id, at=self._now(), cwd=self._cwd)

        return await self._writers.run(session_id, lambda: append_file(path, append))

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """See the contract."""
        path, new_id, at = self._path(session_id), self._new_id(), self._now()

        def fork() -> int:
            file: ClaudeFile = parse_claude(read_text(path))
            text, count = fork_claude(file, new_id, node_id)
            create_file(self._path(new_id), text)
            return count

        count = await on_disk(fork)
        info: SessionInfo = {"id": new_id, "createdAt": at, "parentSessionId": session_id, "messageCount": count}
        if node_id is not None:
            info["forkMessageId"] = node_id
        return info

    async def version(self, session_id: str) -> str:
        """See the contract."""
        path = self._path(session_id)
        return await on_disk(lambda: file_version(path))

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{safe_id(session_id, 'session id')}.jsonl"
