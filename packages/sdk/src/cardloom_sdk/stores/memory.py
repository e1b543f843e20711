"""Sessions in memory: the reference that the other stores are measured by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import BadRequest, Conflict, NotFound
from cardloom_protocol.session.hashing import content_hash, fnv1a
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject, copy_object
from cardloom_protocol.session.messages import with_disabled
from cardloom_protocol.session.model import NodeInput, NodePatch, StoredSession, StoreNode, Unset
from cardloom_protocol.session.names import asset_name, safe_id
from cardloom_protocol.session.paging import page_of
from cardloom_protocol.session.tree import Tree, active_leaf, tree_of

from .contract import SessionPage, SessionStore, StoreCapabilities, everything
from .sources import NewId, Now, iso_now, new_uuid

_LEAF = "activeLeaf"


@dataclass(slots=True)
class _Session:
    info: JsonObject
    leaf: str | None
    nodes: list[StoreNode] = field(default_factory=list)
    document: JsonObject = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)

    @property
    def engine_meta(self) -> JsonObject:
        return {} if self.leaf is None else {_LEAF: self.leaf}

    def tree(self) -> Tree:
        return tree_of(self.nodes)


class MemoryStore(SessionStore):
    """Keeps everything until the process ends. `seed` are sessions that exist from the start."""

    @property
    def capabilities(self) -> StoreCapabilities:
        """What this store can do."""
        return everything()

    def __init__(self, seed: Iterable[StoredSession] = (), *, now: Now = iso_now, new_id: NewId = new_uuid) -> None:
        self._now = now
        self._new_id = new_id
        self._sessions: dict[str, _Session] = {}
        for given in seed:
            self._seed(given)

    def _seed(self, given: StoredSession) -> None:
        meta = given.meta or {}
        leaf = meta.get(_LEAF)
        self._sessions[given.info["id"]] = _Session(
            info=copy_object(cast(JsonObject, given.info)),
            leaf=leaf if isinstance(leaf, str) else None,
            nodes=[node.copied() for node in given.nodes],
            document=copy_object({name: value for name, value in meta.items() if name != _LEAF}),
        )

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """See the contract."""
        infos = [_info(session) for session in self._sessions.values()]
        infos.sort(key=lambda info: info.get("updatedAt") or info.get("createdAt") or "", reverse=True)
        page = page_of(infos, limit, cursor)
        return SessionPage(page.items, page.cursor)

    async def load(self, session_id: str) -> StoredSession:
        """See the contract."""
        session = self._get(session_id)
        return StoredSession(_info(session), [node.copied() for node in session.nodes], session.engine_meta)

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """See the contract."""
        new_id = self._new_id() if session_id is None else safe_id(session_id, "session id")
        if new_id in self._sessions:
            raise Conflict(f"There is a session {new_id!r} already.")
        at = self._now()
        made = copy_object(info or {}) | {"id": new_id, "createdAt": at, "updatedAt": at, "messageCount": 0}
        self._sessions[new_id] = _Session(made, None)
        return _info(self._sessions[new_id])

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """See the contract. An explicit parent leaves the active leaf where it is."""
        session = self._get(session_id)
        node_id = self._new_id() if node.id is None else safe_id(node.id, "message id")
        tree = session.tree()
        if node_id in tree.by_id:
            raise Conflict(f"The session already has a message {node_id!r}.")
        at = self._now()
        leaf = active_leaf(tree, session.engine_meta)
        follows = isinstance(node.parent, Unset)
        parent = (None if leaf is None else session.nodes[leaf].id) if isinstance(node.parent, Unset) else node.parent
        made = StoreNode(
            id=node_id,
            parent=parent,
            role=node.role,
            parts=node.content(),
            name=node.name,
            flags=node.flags or None,
            meta={"createdAt": at, **(node.meta or {})},
        ).copied()
        if not follows and session.leaf is None and leaf is not None:
            session.leaf = session.nodes[leaf].id  # so far the last node was the leaf
        session.nodes.append(made)
        if follows or leaf is None:
            session.leaf = node_id
        self._touch(session, at)
        return made.copied()

    async def edit_node(self, session_id: str, node_id: str, patch: NodePatch) -> StoreNode:
        """See the contract. A patch without content changes nothing."""
        session = self._get(session_id)
        at = _place(session, node_id)
        node = session.nodes[at]
        patch.check(content_hash(node.role, node.parts))
        if not patch.is_empty:
            session.nodes[at] = replace(node, parts=patch.applied(node.parts)).copied()
            self._touch(session)
        return session.nodes[at].copied()

    async def delete_node(self, session_id: str, node_id: str) -> None:
        """See the contract."""
        session = self._get(session_id)
        at = _place(session, node_id)
        gone = session.nodes[at]
        leaf = active_leaf(session.tree(), session.engine_meta)
        session.leaf = gone.parent if leaf == at else None if leaf is None else session.nodes[leaf].id
        session.nodes = [
            replace(node, parent=gone.parent) if node.parent == node_id else node
            for place, node in enumerate(session.nodes)
            if place != at
        ]
        self._touch(session)

    async def hide_node(self, session_id: str, node_id: str, hidden: bool) -> None:
        """See the contract."""
        session = self._get(session_id)
        at = _place(session, node_id)
        node = session.nodes[at]
        session.nodes[at] = replace(node, flags=with_disabled(node.flags, hidden))
        self._touch(session)

    async def set_active_leaf(self, session_id: str, node_id: str) -> None:
        """See the contract. The session does not become newer by it."""
        session = self._get(session_id)
        _place(session, node_id)
        session.leaf = node_id

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """See the contract. The session document comes along."""
        session = self._get(session_id)
        tree = session.tree()
        leaf = active_leaf(tree, session.engine_meta) if node_id is None else _place(session, node_id)
        if leaf is None:
            raise BadRequest("An empty session cannot be forked.")
        chain = [session.nodes[at].copied() for at in tree.path(leaf)]
        at, new_id = self._now(), self._new_id()
        info = copy_object(session.info)
        for name in ("parentSessionId", "forkMessageId"):
            info.pop(name, None)
        info |= {"id": new_id, "createdAt": at, "updatedAt": at, "parentSessionId": session_id}
        info["messageCount"] = len(chain)
        if node_id is not None:
            info["forkMessageId"] = node_id
        self._sessions[new_id] = _Session(info, chain[-1].id, chain, copy_object(session.document))
        return _info(self._sessions[new_id])

    async def rename(self, session_id: str, title: str) -> None:
        """See the contract."""
        session = self._get(session_id)
        session.info["title"] = title
        self._touch(session)

    async def delete(self, session_id: str) -> None:
        """See the contract. An unknown session is gone already."""
        self._sessions.pop(safe_id(session_id, "session id"), None)

    async def get_meta(self, session_id: str) -> JsonObject:
        """See the contract."""
        return copy_object(self._get(session_id).document)

    async def patch_meta(self, session_id: str, patch: JsonObject) -> None:
        """See the contract."""
        self._get(session_id).document |= copy_object(patch)

    async def set_meta(self, session_id: str, document: JsonObject) -> None:
        """See the contract."""
        self._get(session_id).document = copy_object(document)

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """See the contract."""
        session = self._get(session_id)
        session.assets[asset_name(name)] = bytes(data)
        return f"mem://{session_id}/{name}"

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """See the contract."""
        name = ref.removeprefix(f"mem://{session_id}/")
        found = self._get(session_id).assets.get(name) if name != ref else None
        if found is None:
            raise NotFound(f"The session has no asset {ref!r}.")
        return found

    async def version(self, session_id: str) -> str:
        """See the contract. Title and document do not enter."""
        session = self._get(session_id)
        nodes = cast(JsonValue, [node.to_wire() for node in session.nodes])
        return fnv1a(compact_json({"nodes": nodes, _LEAF: session.leaf}))

    def _get(self, session_id: str) -> _Session:
        session = self._sessions.get(safe_id(session_id, "session id"))
        if session is None:
            raise NotFound(f"There is no session {session_id!r}.")
        return session

    def _touch(self, session: _Session, at: str | None = None) -> None:
        session.info["updatedAt"] = self._now() if at is None else at
        session.info["messageCount"] = len(session.nodes)


def _info(session: _Session) -> SessionInfo:
    return cast(SessionInfo, copy_object(session.info))


def _place(session: _Session, node_id: str) -> int:
    at = session.tree().by_id.get(node_id)
    if at is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    return at
