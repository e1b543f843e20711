"""Changes of an nr-chat text, each touching only the messages it must. Spec: session protocol, nr-chat text.

Here it is decided what becomes of messages, their ids and the leaf; the text is changed by its pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..errors import BadRequest, Conflict, NotFound
from ..hashing import content_hash
from ..json_text import JsonObject
from ..model import NodeInput, NodePatch, StoreNode, Unset
from ..tree import active_leaf, tree_of
from .json5 import write_json5
from .nr_chat import ChatMessage, marker_line, parse_chat, write_chat_message
from .nr_chat_parts import write_parts
from .nr_chat_pieces import FreshId, Pieces, joined
from .nr_chat_session import (
    FLAG_FIELDS,
    HEADER_ROLE,
    LEAF_FIELD,
    NODE_FIELDS,
    SESSION_META_FIELD,
    ChatFile,
    ChatNode,
    chat_node,
    nr_chat_session,
)

_CREATE_FIELDS: Final = ("title", "botId", "botName", "botAvatar", "accentColor")


def new_nr_chat(session_id: str, created_at: str, info: JsonObject) -> str:
    """The text of a new session: its header alone."""
    header: JsonObject = {"id": session_id}
    header |= {name: info[name] for name in _CREATE_FIELDS if isinstance(info.get(name), str)}
    return marker_line(HEADER_ROLE, None, write_json5({**header, "createdAt": created_at})) + "\n"


def append_nr_chat(file: ChatFile, node: NodeInput, node_id: str, fresh_id: FreshId) -> tuple[str, StoreNode]:
    """The text with a message at its end, which becomes the active leaf, and the node of it.

    CONFLICT for an id that is taken, NOT_FOUND for an unknown parent. A parent without an id is given one when it must
    be named.
    """
    if file.find(node_id) is not None or file.header_meta.get("id") == node_id:
        raise Conflict(f"The session already has a message {node_id!r}.")
    pieces = Pieces(file)
    parent = _parent_of(file, node)
    last = file.nodes[-1].id if file.nodes else None
    meta = _marker_meta(node) | {"id": node_id}
    if parent != last:
        if parent is not None:
            parent = pieces.named(_found(file, parent), fresh_id)
        meta["parent"] = parent
    pieces.set_header({LEAF_FIELD: None})
    body, below = write_parts(node.content())
    chunk = _node_text(node.role, node.name, meta, body, below) + "\n"
    messages = parse_chat(chunk)
    pieces.append(chunk, messages)
    added = ChatNode(node_id, parent, messages[0], tuple(messages[1:]))
    return pieces.text(), chat_node(added)


def edit_nr_chat(file: ChatFile, node_id: str, patch: NodePatch) -> tuple[str, StoreNode]:
    """The text with other content in one message. NOT_FOUND, CONFLICT by hash, BAD_REQUEST without any content."""
    node = _found(file, node_id)
    stored = chat_node(node)
    patch.check(content_hash(stored.role, stored.parts))
    if patch.is_empty:
        raise BadRequest("An edit needs parts or text.")
    body, below = write_parts(patch.applied(stored.parts))
    written = _node_text(node.message.role, node.message.name, node.message.meta, body, below)
    messages = parse_chat(written + "\n")
    pieces = Pieces(file)
    pieces.replace(node, written, messages)
    edited = ChatNode(node.id, node.parent, messages[0], tuple(messages[1:]))
    return pieces.text(), chat_node(edited)


def hide_nr_chat(file: ChatFile, node_id: str, hidden: bool) -> str:
    """The text with a message hidden from the model, or shown again; only its marker line changes."""
    node = _found(file, node_id)
    meta = dict(node.message.meta or {})
    if hidden:
        meta.pop("hidden", None)
        meta["disabled"] = True
    else:
        for name in ("disabled", "hidden"):
            meta.pop(name, None)
    pieces = Pieces(file)
    pieces.set_marker(node.message, meta)
    return pieces.text()


def delete_nr_chat(file: ChatFile, node_id: str, fresh_id: FreshId) -> str:
    """The text without a message; its children hang below its parent, and the active leaf falls to it."""
    gone = _found(file, node_id)
    pieces = Pieces(file)
    children = [node for node in file.nodes if node.parent == node_id and node is not gone]
    parent = gone.parent
    if parent is not None and children:
        parent = pieces.named(_found(file, parent), fresh_id)
    for child in children:
        pieces.set_marker(child.message, {**(child.message.meta or {}), "parent": parent})
    _move_leaf(pieces, file, gone, fresh_id)
    pieces.remove(gone)
    return pieces.text()


def _move_leaf(pieces: Pieces, file: ChatFile, gone: ChatNode, fresh_id: FreshId) -> None:
    """Lets the header name the leaf that deleting leaves behind, where the last line does not say it already."""
    leaf = file.leaf
    rest = [node for node in file.nodes if node is not gone]
    if leaf is not gone:
        if leaf is not None and not leaf.has_own_id and LEAF_FIELD in file.header_meta:
            pieces.set_header({LEAF_FIELD: pieces.named(leaf, fresh_id)})  # positions are about to shift
    elif gone.parent is None or rest[-1].id == gone.parent:
        pieces.set_header({LEAF_FIELD: None})
    else:
        pieces.ensure_header({LEAF_FIELD: pieces.named(_found(file, gone.parent), fresh_id)})


def set_leaf_nr_chat(file: ChatFile, node_id: str, session_id: str) -> str:
    """The text whose header names a node as the active leaf."""
    _found(file, node_id)
    return set_header_nr_chat(file, {LEAF_FIELD: node_id}, session_id)


def set_header_nr_chat(file: ChatFile, fields: JsonObject, session_id: str) -> str:
    """The text with some header fields changed, None removing one; a header is made where there is none."""
    pieces = Pieces(file, session_id)
    pieces.ensure_header(fields)
    return pieces.text()


def patch_meta_nr_chat(file: ChatFile, patch: JsonObject, session_id: str) -> str:
    """The text with the session document shallowly merged with `patch`; null is a value like any other."""
    stored = file.header_meta.get(SESSION_META_FIELD)
    before: JsonObject = stored if isinstance(stored, dict) else {}
    return set_header_nr_chat(file, {SESSION_META_FIELD: before | patch}, session_id)


def set_meta_nr_chat(file: ChatFile, document: JsonObject, session_id: str) -> str:
    """The text with another session document; sub-messages of the header that it does not name go."""
    pieces = Pieces(file, session_id)
    pieces.ensure_header({SESSION_META_FIELD: document or None})
    for message in file.header_below:
        if message.role[1:] not in document:
            pieces.remove_message(message)
    return pieces.text()


def fork_nr_chat(file: ChatFile, session_id: str, source_id: str, created_at: str, node_id: str | None) -> str:
    """The text of a new session with the messages from the root to a node, or to the active leaf.

    Messages keep their ids and text; one follows the other, so that no parent is named. References to assets follow
    the copy. NOT_FOUND for an unknown node, BAD_REQUEST when there is nothing to copy.
    """
    if not file.nodes:
        raise BadRequest("An empty session cannot be forked.")
    session = nr_chat_session(file)
    tree = tree_of(session.nodes)
    at = active_leaf(tree, session.meta) if node_id is None else tree.by_id.get(node_id)
    if at is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    dropped = ("id", "createdAt", "updatedAt", "parentSessionId", "forkMessageId", LEAF_FIELD)
    header: JsonObject = {"id": session_id}
    header |= {name: value for name, value in file.header_meta.items() if name not in dropped}
    header |= {"createdAt": created_at, "parentSessionId": source_id}
    if node_id is not None:
        header["forkMessageId"] = node_id
    pieces = Pieces(file)
    copied = [marker_line(HEADER_ROLE, None, write_json5(header)) + "\n"]
    copied.extend(pieces.text_of([message]) for message in file.header_below)
    for place in tree.path(at):
        node = file.nodes[place]
        if "parent" in (node.message.meta or {}):
            pieces.set_marker(node.message, {**(node.message.meta or {}), "parent": None}, drop=("parent",))
        copied.append(pieces.text_of([node.message, *node.below]))
    text = "".join(piece if piece.endswith("\n") else piece + "\n" for piece in copied)
    return text.replace(f"file:{source_id}.assets/", f"file:{session_id}.assets/")


def _parent_of(file: ChatFile, node: NodeInput) -> str | None:
    if isinstance(node.parent, Unset):
        return None if file.leaf is None else file.leaf.id
    if node.parent is not None:
        _found(file, node.parent)
    return node.parent


def _found(file: ChatFile, node_id: str) -> ChatNode:
    node = file.find(node_id)
    if node is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    return node


def _marker_meta(node: NodeInput) -> JsonObject:
    flags = dict(node.flags or {})
    if flags.pop("hidden", None) is True:
        flags["disabled"] = True
    meta: JsonObject = {name: value for name, value in (node.meta or {}).items() if name not in NODE_FIELDS}
    for name in FLAG_FIELDS:
        if name in flags and (flags[name] is True or name == "visible"):
            meta[name] = flags[name]
    return meta


def _node_text(role: str, name: str | None, meta: JsonObject | None, body: str, below: Iterable[ChatMessage]) -> str:
    if role.startswith("%"):
        raise BadRequest(f"{role!r} cannot be the role of a message: it begins with a percent sign.")
    messages = [ChatMessage(role, body, name, meta or None), *below]
    return joined("", [write_chat_message(message) + "\n" for message in messages]).removesuffix("\n")
