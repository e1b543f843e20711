"""What every store of sessions can do, and what only some can.

A store keeps the whole tree of each session and knows nothing of runs, models or HTTP. Operations outside its
capabilities fail with NOT_SUPPORTED. Errors are `SessionError`: NOT_FOUND for an unknown session or node, INVALID_ID
before anything is read, CONFLICT for what exists already or has changed. Spec: session protocol, storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from cardloom_protocol.session.capabilities import EditCapabilities
from cardloom_protocol.session.errors import NotFound, NotSupported
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.model import NodeInput, NodePatch, StoredSession, StoreNode
from cardloom_protocol.session.tree import active_path, to_history, to_message, tree_of

# Inside the classes `list` is a method.
History: TypeAlias = list[Message]
Documents: TypeAlias = list[JsonObject]


class StoreCapabilities(TypedDict, total=False):
    """What a store can do beyond listing, loading, creating and appending."""

    edits: EditCapabilities
    swipes: bool
    fork: bool
    rename: bool
    assets: bool
    sessionMeta: bool


def everything() -> StoreCapabilities:
    """What a store can do that lacks nothing."""
    return {
        "edits": {"edit": True, "delete": True, "hide": True},
        "swipes": True,
        "fork": True,
        "rename": True,
        "assets": True,
        "sessionMeta": True,
    }


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Some sessions, newest first, and the cursor of the next ones; None when there are no more."""

    sessions: list[SessionInfo]
    cursor: str | None = None


class SessionStore:
    """The operations of a store. Those that a subclass leaves out are not supported by it."""

    @property
    def capabilities(self) -> StoreCapabilities:
        """What this store can do beyond listing, loading, creating and appending."""
        return {}

    async def list(self, *, limit: float | None = None, cursor: str | None = None) -> SessionPage:
        """Sessions without their messages, the last changed first."""
        raise NotSupported("list")

    async def load(self, session_id: str) -> StoredSession:
        """A whole session; what is returned belongs to the caller."""
        raise NotSupported("load")

    async def info(self, session_id: str) -> SessionInfo:
        """A session without its messages; `messageCount` is the length of its active path."""
        session = await self.load(session_id)
        return {**session.info, "messageCount": len(active_path(session))}

    async def history(self, session_id: str) -> History:
        """The messages of the active path."""
        return to_history(await self.load(session_id))

    async def message(self, session_id: str, node_id: str) -> Message:
        """One message, whether or not it is on the active path."""
        tree = tree_of((await self.load(session_id)).nodes)
        if node_id not in tree.by_id:
            raise NotFound(f"The session has no message {node_id!r}.")
        return to_message(tree, tree.by_id[node_id])

    async def create(self, *, session_id: str | None = None, info: JsonObject | None = None) -> SessionInfo:
        """A new session; stores keep of `info` what their format has a place for."""
        raise NotSupported("create")

    async def append_node(self, session_id: str, node: NodeInput) -> StoreNode:
        """A new message, as it is stored."""
        raise NotSupported("append")

    async def edit_node(self, session_id: str, node_id: str, patch: NodePatch) -> StoreNode:
        """A message with other content. CONFLICT when its hash is not the one given."""
        raise NotSupported("edits.edit")

    async def delete_node(self, session_id: str, node_id: str) -> None:
        """Removes a message; its children hang below its parent."""
        raise NotSupported("edits.delete")

    async def hide_node(self, session_id: str, node_id: str, hidden: bool) -> None:
        """Hides a message from the model, or shows it again."""
        raise NotSupported("edits.hide")

    async def set_active_leaf(self, session_id: str, node_id: str) -> None:
        """Makes exactly this node the end of the session."""
        raise NotSupported("swipes")

    async def fork_copy(self, session_id: str, node_id: str | None = None) -> SessionInfo:
        """A new session with the messages from the root to a node, or to the active leaf."""
        raise NotSupported("fork")

    async def rename(self, session_id: str, title: str) -> None:
        """Gives a session another title."""
        raise NotSupported("rename")

    async def delete(self, session_id: str) -> None:
        """Removes a session with its assets."""
        raise NotSupported("delete")

    async def untold(self, session_id: str) -> dict[str, int]:
        """How many entries of which kind its file has that neither the session nor its document tells of."""
        return {}

    async def get_meta(self, session_id: str) -> JsonObject:
        """The session document."""
        raise NotSupported("sessionMeta")

    async def documents(self, session_ids: Sequence[str]) -> Documents:
        """The documents of several sessions, in their order."""
        return [await self.get_meta(session_id) for session_id in session_ids]

    async def patch_meta(self, session_id: str, patch: JsonObject) -> None:
        """Merges a patch shallowly into the session document; null is a value."""
        raise NotSupported("sessionMeta")

    async def set_meta(self, session_id: str, document: JsonObject) -> None:
        """Replaces the session document."""
        raise NotSupported("sessionMeta")

    async def put_asset(self, session_id: str, name: str, data: bytes, mime: str | None = None) -> str:
        """Keeps a file beside the session and gives the reference to it; one of the same name is replaced."""
        raise NotSupported("assets")

    async def get_asset(self, session_id: str, ref: str) -> bytes:
        """The bytes behind a reference."""
        raise NotSupported("assets")

    async def version(self, session_id: str) -> str:
        """A token that changes with the session's messages."""
        raise NotSupported("version")

    async def close(self) -> None:
        """Lets go of what the store holds."""
        return
