"""The session in an nr-chat text: a `%meta` header, a tree of messages, the parts below each.

Spec: session protocol, nr-chat text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from ...jstext import JsonValue
from ..info import SessionInfo
from ..json_text import JsonObject
from ..model import StoredSession, StoreNode
from ..tree import active_leaf, tree_of
from .nr_chat import ChatMessage, Span, parse_chat
from .nr_chat_parts import Decoders, decoded_body, read_parts

HEADER_ROLE: Final = "meta"
HEADER_TEXTS: Final = (
    "id",
    "title",
    "createdAt",
    "updatedAt",
    "botId",
    "botName",
    "botAvatar",
    "accentColor",
    "parentSessionId",
    "forkMessageId",
)
LEAF_FIELD: Final = "currNode"
SESSION_META_FIELD: Final = "sessionMeta"
FLAG_FIELDS: Final = ("visible", "disabled", "frozen", "injected")
NODE_FIELDS: Final = frozenset({"id", "parent", "hidden", *FLAG_FIELDS})


@dataclass(frozen=True, slots=True)
class ChatNode:
    """A message with what stands below it, and its place in the tree. Without an id of its own it is `pos:N`."""

    id: str
    parent: str | None
    message: ChatMessage
    below: tuple[ChatMessage, ...]

    @property
    def has_own_id(self) -> bool:
        """Whether the file gives the id."""
        return own_id(self.message) is not None

    @property
    def span(self) -> Span:
        """The stretch of the text that the node takes, its sub-messages included."""
        last = self.below[-1] if self.below else self.message
        return Span(self.message.span.start, last.span.end)


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A whole file. Sub-messages above the first node belong to nothing and are only kept."""

    text: str
    messages: tuple[ChatMessage, ...]
    header: ChatMessage | None
    header_below: tuple[ChatMessage, ...]
    nodes: tuple[ChatNode, ...]

    @property
    def header_meta(self) -> JsonObject:
        """The fields of the header."""
        return (self.header.meta if self.header else None) or {}

    def find(self, node_id: str) -> ChatNode | None:
        """The last node of that id."""
        return next((node for node in reversed(self.nodes) if node.id == node_id), None)

    @property
    def leaf(self) -> ChatNode | None:
        """The node that the session ends with: the one that the header names, else the last one."""
        named = self.header_meta.get(LEAF_FIELD)
        found = self.find(named) if isinstance(named, str) else None
        return found or (self.nodes[-1] if self.nodes else None)


def own_id(message: ChatMessage) -> str | None:
    """The id that a marker gives its message."""
    found = (message.meta or {}).get("id")
    return found if isinstance(found, str) and found else None


def parse_nr_chat(text: str) -> ChatFile:
    """The parsed file; a CodecError names the line that cannot be read."""
    messages = parse_chat(text)
    groups: list[tuple[ChatMessage, list[ChatMessage]]] = []
    for message in messages:
        if not message.role.startswith("%"):
            groups.append((message, []))
        elif groups:
            groups[-1][1].append(message)
    header: ChatMessage | None = None
    header_below: tuple[ChatMessage, ...] = ()
    if groups and groups[0][0].role == HEADER_ROLE:
        header, below = groups.pop(0)
        header_below = tuple(below)
    return ChatFile(text, tuple(messages), header, header_below, _placed(groups))


def _placed(groups: Sequence[tuple[ChatMessage, list[ChatMessage]]]) -> tuple[ChatNode, ...]:
    ids = [own_id(message) or f"pos:{at}" for at, (message, _) in enumerate(groups)]
    known = {own_id(message) for message, _ in groups}
    parents: dict[str, str | None] = {}
    previous: str | None = None
    for node_id, (message, _) in zip(ids, groups, strict=True):
        meta = message.meta or {}
        named = meta.get("parent", 0)
        if named is None or (isinstance(named, str) and named not in known):
            parents[node_id] = None
        else:
            parents[node_id] = named if isinstance(named, str) else previous
        previous = node_id
    # Of an id given twice the last parent holds for both, as it is looked up by id.
    return tuple(
        ChatNode(node_id, parents[node_id], message, tuple(below))
        for node_id, (message, below) in zip(ids, groups, strict=True)
    )


def nr_chat_session(file: ChatFile, session_id: str = "", decoders: Decoders | None = None) -> StoredSession:
    """The session of a file; `session_id` is used where the header gives none."""
    nodes = [chat_node(node, decoders) for node in file.nodes]
    leaf = file.header_meta.get(LEAF_FIELD)
    tree = tree_of(nodes)
    meta: JsonObject | None = {"activeLeaf": leaf} if isinstance(leaf, str) and leaf in tree.by_id else None
    info: JsonObject = {"id": session_id}
    for name in HEADER_TEXTS:
        if isinstance(file.header_meta.get(name), str):
            info[name] = file.header_meta[name]
    if isinstance(file.header_meta.get("participants"), list):
        info["participants"] = file.header_meta["participants"]
    info["messageCount"] = len(tree.path(active_leaf(tree, meta)))
    return StoredSession(cast(SessionInfo, info), nodes, meta)


def chat_node(node: ChatNode, decoders: Decoders | None = None) -> StoreNode:
    """The node of a message and what stands below it."""
    meta = node.message.meta or {}
    flags: JsonObject = {}
    if meta.get("visible") is False:
        flags["visible"] = False
    if meta.get("disabled") is True or meta.get("hidden") is True:
        flags["disabled"] = True
    flags |= {name: True for name in ("frozen", "injected") if meta.get(name) is True}
    rest = {name: value for name, value in meta.items() if name not in NODE_FIELDS}
    return StoreNode(
        id=node.id,
        parent=node.parent,
        role=node.message.role,
        parts=read_parts(node.message.body, node.below, decoders),
        name=node.message.name,
        flags=flags or None,
        meta=rest or None,
    )


def nr_chat_meta(file: ChatFile, decoders: Decoders | None = None) -> JsonObject:
    """The session document: the header's sub-messages by name, and above them what the header itself holds."""
    document: JsonObject = {message.role[1:]: _document_value(message, decoders or {}) for message in file.header_below}
    stored = file.header_meta.get(SESSION_META_FIELD)
    return document | stored if isinstance(stored, dict) else document


def _document_value(message: ChatMessage, decoders: Decoders) -> JsonValue:
    form = (message.meta or {}).get("format")
    return message.body if form is None else decoded_body(message.body, form, decoders)
