"""pi's session files below a folder, whatever they are called: the id stands in the header."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, cast

from cardloom_protocol.jstext import JsonValue, compact_json
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
from cardloom_protocol.session.codecs.pi_view import (
    activate_pi_node,
    append_service,
    delete_pi_node,
    document_fields,
    pi_document,
    pi_view,
    session_info_fields,
    untold_services,
)
from cardloom_protocol.session.errors import BadRequest, CodecError, Conflict, NotFound, NotSupported
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.model import NodeInput, NodePatch, StoredSession, StoreNode
from cardloom_protocol.session.names import safe_id

from .contract import SessionPage, SessionStore, StoreCapabilities
from .disk import Writers, append_file, change_file, create_file, file_version, on_disk, read_text, stamp_of
from .listing import Listing
from .sources import NewId, Now, iso_now, new_ordered_uuid, new_short_hex

T = TypeVar("T")

_VIEW_CAPABILITIES: dict[bool, StoreCapabilities] = {False: {}, True: {"rename": True, "sessionMeta": True}}


class PiStore(SessionStore):
    """The `*.jsonl` files below a folder; `cwd` goes into the header of new ones.

    With `hide_service_entries` only messages are nodes, and the entries between them give the session its title, model,
    profile and document; renaming and documents work in this form only. `for_pi`: pi itself goes on in these files, so
    that answers are written with all that it needs.
    """

    @property
    def capabilities(self) -> StoreCapabilities:
        """What this store can do."""
        return {
            "edits": {"edit": True, "delete": True, "hide": True},
            "swipes": True,
            "fork": True,
            **_VIEW_CAPABILITIES[self._view],
        }

    def __init__(
        self,
        folder: Path,
        *,
        cwd: str,
        hide_service_entries: bool = False,
        for_pi: bool = False,
        now: Now = iso_now,
        new_session_id: NewId = new_ordered_uuid,
        new_node_id: NewId = new_short_hex,
    ) -> None:
        self._folder = folder
        self._cwd = cwd
        self._view = hide_service_entries
        self._for_pi = for_pi
        self._now = now
        self._new_session_id = new_session_id
        self._new_node_id = new_node_id
        self._writers = Writers()
        self._listing = Listing(lambda path: self._session(parse_pi(read_text(path))).info)
        self._paths: dict[str, Path] = {}

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """See the contract."""
        return await on_disk(lambda: self._listing.page(self._folder.rglob("*.jsonl"), limit, cursor))

    async def load(self, session_id: str) -> StoredSession:
        """See the contract."""
        safe_id(session_id, "session id")
        return await on_disk(lambda: self._session(_parsed(read_text(self._path(session_id)))))

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """See the contract. A title is given back, but kept only in the form without service entries."""
        new_id = self._new_session_id() if session_id is None else safe_id(session_id, "session id")
        at, title = self._now(), (info or {}).get("title")

        def create() -> None:
            if self._find(new_id) is not None:
                raise Conflict(f"There is a session {new_id!r} already.")
            self._write_new(self._titled(new_pi_file(pi_header(new_id, at, self._cwd)), title, at), at)

        await self._writers.run(new_id, create)
        made: JsonObject = {"id": new_id, "createdAt": at, "messageCount": 0}
        if isinstance(title, str):
            made["title"] = title
        return cast(SessionInfo, made)

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """See the contract. An unknown explicit parent is taken as it is."""
        given = None if node.id is None else safe_id(node.id, "message id")

        def append(file: PiFile) -> tuple[PiFile, StoreNode]:
            if given is not None and file.find(given) is not None:
                raise Conflict(f"The session already has a message {given!r}.")
            return append_pi(file, node, given or self._unused_id(file), self._now(), for_pi=self._for_pi)

        return await self._append(session_id, append)

    async def file(self, session_id: str) -> PiFile:
        """The session's file as it stands, for who works with pi itself."""
        safe_id(session_id, "session id")
        return await on_disk(lambda: _parsed(read_text(self._path(session_id))))

    async def adopt(self, session_id: str, entries: Sequence[JsonObject]) -> None:
        """Appends entries that pi made, as they are. CONFLICT for an id in use."""
        safe_id(session_id, "session id")

        def on_text(text: str) -> tuple[str, None]:
            known = {entry.id for entry in _parsed(text).entries}
            taken = next((entry["id"] for entry in entries if entry["id"] in known), None)
            if taken is not None:
                raise Conflict(f"The session already has an entry {taken!r}.")
            lines = "".join(compact_json(entry) + "\n" for entry in entries)
            return lines if text.endswith("\n") else "\n" + lines, None

        await self._writers.run(session_id, lambda: append_file(self._path(session_id), on_text))

    async def edit_node(self, session_id: str, node_id: str, patch: NodePatch) -> StoreNode:
        """See the contract. BAD_REQUEST for a service entry and for a patch without content."""
        return await self._change(session_id, lambda file: edit_pi(file, node_id, patch))

    async def delete_node(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        await self._change(
            session_id, lambda file: ((delete_pi_node if self._view else delete_pi)(file, node_id), None)
        )

    async def hide_node(self, session_id: str, node_id: str, hidden: bool) -> None:
        """See the contract. BAD_REQUEST for a service entry."""
        await self._change(session_id, lambda file: (hide_pi(file, node_id, hidden), None))

    async def set_active_leaf(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        await self._change(
            session_id, lambda file: ((activate_pi_node if self._view else move_pi_to_end)(file, node_id), None)
        )

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """See the contract."""
        safe_id(session_id, "session id")
        new_id, at = self._new_session_id(), self._now()

        def fork() -> SessionInfo:
            file = _parsed(read_text(self._path(session_id)))
            forked = fork_pi(file, new_id, at, self._cwd, node_id or self._leaf(file))
            title = self._session(file).info.get("title")
            if title != self._session(forked).info.get("title"):
                forked = self._titled(forked, title, at)
            self._write_new(forked, at)
            return self._session(forked).info

        info = await on_disk(fork)
        if node_id is not None:
            info["forkMessageId"] = node_id
        return info

    async def rename(self, session_id: str, title: str) -> None:
        """See the contract."""
        await self._append_service("rename", session_id, lambda _: session_info_fields(title))

    async def untold(self, session_id: str) -> dict[str, int]:
        """See the contract."""
        return untold_services(await self.file(session_id)) if self._view else {}

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        self._need_view("sessionMeta")
        safe_id(session_id, "session id")
        return await on_disk(lambda: pi_document(_parsed(read_text(self._path(session_id)))))

    async def patch_meta(self, session_id: str, patch: JsonObject) -> None:
        """See the contract."""
        await self._append_service("sessionMeta", session_id, lambda file: document_fields(pi_document(file) | patch))

    async def set_meta(self, session_id: str, document: JsonObject) -> None:
        """See the contract."""
        await self._append_service("sessionMeta", session_id, lambda _: document_fields(document))

    async def delete(self, session_id: str) -> None:
        """See the contract."""
        safe_id(session_id, "session id")
        await self._writers.run(session_id, lambda: self._path(session_id).unlink())

    async def version(self, session_id: str) -> str:
        """See the contract."""
        safe_id(session_id, "session id")
        return await on_disk(lambda: file_version(self._path(session_id)))

    async def _change(self, session_id: str, change: Callable[[PiFile], tuple[PiFile, T]]) -> T:
        safe_id(session_id, "session id")

        def on_text(text: str) -> tuple[str, T]:
            before = _parsed(text)
            after, result = change(before)
            return text if after is before else serialize_pi(after), result

        return await self._writers.run(session_id, lambda: change_file(self._path(session_id), on_text))

    async def _append(self, session_id: str, append: Callable[[PiFile], tuple[PiFile, T]]) -> T:
        """Adds the last entry of what `append` gives; what stands in the file is not written again."""
        safe_id(session_id, "session id")

        def on_text(text: str) -> tuple[str, T]:
            after, result = append(_parsed(text))
            line = after.entries[-1].raw + "\n"
            return line if text.endswith("\n") else "\n" + line, result

        return await self._writers.run(session_id, lambda: append_file(self._path(session_id), on_text))

    async def _append_service(self, op: str, session_id: str, fields: Callable[[PiFile], JsonObject]) -> None:
        self._need_view(op)

        def append(file: PiFile) -> tuple[PiFile, None]:
            return append_service(file, self._unused_id(file), self._now(), fields(file)), None

        await self._append(session_id, append)

    def _need_view(self, op: str) -> None:
        if not self._view:
            raise NotSupported(op)

    def _session(self, file: PiFile) -> StoredSession:
        return pi_view(file) if self._view else pi_session(file)

    def _leaf(self, file: PiFile) -> str | None:
        leaf = (pi_view(file).meta or {}).get("activeLeaf") if self._view else None
        return leaf if isinstance(leaf, str) else None

    def _titled(self, file: PiFile, title: JsonValue, at: str) -> PiFile:
        if not self._view or not isinstance(title, str):
            return file
        return append_service(file, self._unused_id(file), at, session_info_fields(title))

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
