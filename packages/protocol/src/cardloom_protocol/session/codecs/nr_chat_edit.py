"""Changes of an nr-chat text, each touching only the messages it must. Spec: session protocol, nr-chat text.

A file is handled as pieces, one a marker with all that follows up to the next one. Joined again they are checked: a
fence that an older message left open must not swallow what came later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate
from typing import Final, TypeAlias

from ...jstext import JsonValue
from ..errors import BadRequest, Conflict, NotFound
from ..hashing import content_hash
from ..json_text import JsonObject
from ..model import NodeInput, NodePatch, StoreNode, Unset
from ..tree import active_leaf, tree_of
from .json5 import write_json5
from .nr_chat import (
    MIN_FENCE,
    ChatMessage,
    escape_body,
    fence_over,
    marker_line,
    marker_starts,
    parse_chat,
    write_chat_message,
)
from .nr_chat_parts import write_parts
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

FreshId: TypeAlias = Callable[[], str]
"""Makes an id at random; it is asked again when the id is taken."""

_SHORTEST_FENCE: Final = "`" * MIN_FENCE
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
    pieces = _Pieces(file)
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
    pieces = _Pieces(file)
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
    pieces = _Pieces(file)
    pieces.set_marker(node.message, meta)
    return pieces.text()


def delete_nr_chat(file: ChatFile, node_id: str, fresh_id: FreshId) -> str:
    """The text without a message; its children hang below its parent, and the active leaf falls to it."""
    gone = _found(file, node_id)
    pieces = _Pieces(file)
    children = [node for node in file.nodes if node.parent == node_id and node is not gone]
    parent = gone.parent
    if parent is not None and children:
        parent = pieces.named(_found(file, parent), fresh_id)
    for child in children:
        pieces.set_marker(child.message, {**(child.message.meta or {}), "parent": parent})
    _move_leaf(pieces, file, gone, fresh_id)
    pieces.remove(gone)
    return pieces.text()


def _move_leaf(pieces: _Pieces, file: ChatFile, gone: ChatNode, fresh_id: FreshId) -> None:
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
    pieces = _Pieces(file, session_id)
    pieces.ensure_header(fields)
    return pieces.text()


def patch_meta_nr_chat(file: ChatFile, patch: JsonObject, session_id: str) -> str:
    """The text with the session document shallowly merged with `patch`; null is a value like any other."""
    stored = file.header_meta.get(SESSION_META_FIELD)
    before: JsonObject = stored if isinstance(stored, dict) else {}
    return set_header_nr_chat(file, {SESSION_META_FIELD: before | patch}, session_id)


def set_meta_nr_chat(file: ChatFile, document: JsonObject, session_id: str) -> str:
    """The text with another session document; sub-messages of the header that it does not name go."""
    pieces = _Pieces(file, session_id)
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
    pieces = _Pieces(file)
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
    return _joined("", [write_chat_message(message) + "\n" for message in messages]).removesuffix("\n")


class _Pieces:
    """A file cut at its markers, and the changes made to the pieces so far."""

    def __init__(self, file: ChatFile, session_id: str = "") -> None:
        self._file = file
        self._session_id = session_id
        starts = [message.span.start for message in file.messages]
        ends = [*starts, len(file.text)][1:]
        self._preamble = file.text[: starts[0]] if starts else file.text
        self._pieces = [file.text[start:end] for start, end in zip(starts, ends, strict=True)]
        self._places = {start: at for at, start in enumerate(starts)}
        self._new_header = ""
        self._new_ids: dict[int, str] = {}
        self._header_fields = dict(file.header_meta)

    def text(self) -> str:
        """The whole text."""
        pieces = [self._preamble, *self._pieces]
        if self._new_header:
            first = self._place(self._file.nodes[0].message) + 1 if self._file.nodes else len(pieces)
            pieces[first - 1] = _ended(pieces[first - 1])
            pieces.insert(first, self._new_header)
        return _joined(pieces[0], [piece for piece in pieces[1:] if piece])

    def text_of(self, messages: Iterable[ChatMessage]) -> str:
        """The pieces of some messages as they are now."""
        return "".join(self._pieces[self._place(message)] for message in messages)

    def set_marker(self, message: ChatMessage, meta: JsonObject, drop: tuple[str, ...] = ()) -> None:
        """Writes a marker line anew, unless its meta stays what it was."""
        at = self._place(message)
        if at in self._new_ids:
            meta = {**meta, "id": self._new_ids[at]}
        kept: JsonObject = {name: value for name, value in meta.items() if name not in drop}
        if kept == (message.meta or {}) and list(kept) == list(message.meta or {}):
            return
        head = marker_line(message.role, message.name, write_json5(kept) if kept else None)
        self._pieces[at] = head + self._file.text[message.head_end : message.span.start + len(self._raw(message))]

    def named(self, node: ChatNode, fresh_id: FreshId) -> str:
        """The id of a node under which others can name it; it is given one where it has none."""
        if node.has_own_id:
            return node.id
        at = self._place(node.message)
        if at not in self._new_ids:
            taken = {other.id for other in self._file.nodes} | set(self._new_ids.values())
            taken.add(str(self._file.header_meta.get("id")))
            new_id = fresh_id()
            while new_id in taken:
                new_id = fresh_id()
            self._new_ids[at] = new_id
            self.set_marker(node.message, {**(node.message.meta or {}), "id": new_id})
        return self._new_ids[at]

    def append(self, chunk: str, messages: list[ChatMessage]) -> None:
        """Adds messages at the end of the file."""
        if self._pieces:
            self._pieces[-1] = _ended(self._pieces[-1])
        else:
            self._preamble = _ended(self._preamble)
        self._pieces.extend(_cut(chunk, messages))

    def replace(self, node: ChatNode, written: str, messages: list[ChatMessage]) -> None:
        """Puts other messages in the place of a node and all below it; what separates it from the next stays."""
        at = self._place(node.message)
        last = at + len(node.below)
        end = self._file.messages[last].span
        separator = self._raw(self._file.messages[last])[end.end - end.start :]
        if not separator and written.endswith("\n"):
            separator = "\n"  # else the end of the body would read as the end of the line
        self._pieces[at : last + 1] = ["".join(_cut(written, messages)) + separator] + [""] * (last - at)

    def remove(self, node: ChatNode) -> None:
        """Takes a node and all below it away."""
        for message in (node.message, *node.below):
            self.remove_message(message)

    def remove_message(self, message: ChatMessage) -> None:
        """Takes one message away."""
        self._pieces[self._place(message)] = ""

    def set_header(self, fields: JsonObject) -> None:
        """Changes fields of the header where there is one; None removes a field."""
        if self._file.header is not None:
            self._header_fields = _changed(self._header_fields, fields)
            self.set_marker(self._file.header, self._header_fields)

    def ensure_header(self, fields: JsonObject) -> None:
        """Changes fields of the header, and makes it where there is none."""
        if self._file.header is not None:
            self.set_header(fields)
            return
        header = write_json5(_changed({"id": self._session_id}, fields))
        self._new_header = marker_line(HEADER_ROLE, None, header) + "\n"

    def _place(self, message: ChatMessage) -> int:
        return self._places[message.span.start]

    def _raw(self, message: ChatMessage) -> str:
        """The piece of a message as the file has it."""
        at = self._place(message)
        starts = self._file.messages
        end = starts[at + 1].span.start if at + 1 < len(starts) else len(self._file.text)
        return self._file.text[message.span.start : end]


def _ended(piece: str) -> str:
    return piece if not piece or piece.endswith("\n") else piece + "\n"


def _changed(fields: JsonObject, changes: JsonObject) -> JsonObject:
    changed: dict[str, JsonValue] = {**fields, **changes}
    return {name: value for name, value in changed.items() if not (name in changes and value is None)}


def _cut(text: str, messages: list[ChatMessage]) -> list[str]:
    starts = [message.span.start for message in messages]
    return [text[start:end] for start, end in zip(starts, [*starts, len(text)][1:], strict=True)]


def _joined(preamble: str, pieces: list[str]) -> str:
    """The pieces as one text in which each is still found.

    Where a fence that one piece leaves open would close in a later one and hide the markers between, the open fence is
    closed at the end of its own message.
    """
    pieces = [preamble, *pieces]
    for _ in pieces:
        starts = [0, *accumulate(map(len, pieces))]
        text = "".join(pieces)
        if _SHORTEST_FENCE not in text:
            return text
        found = set(marker_starts(text))
        lost = next((at for at in range(1, len(pieces)) if starts[at] not in found), None)
        if lost is None:
            return text
        fence = fence_over(text, starts[lost])
        pieces[lost - 1] = _closed(pieces[lost - 1], fence)
    raise BadRequest("The session cannot hold this text: its fences cannot be kept apart.")


def _closed(piece: str, fence: str) -> str:
    """A piece whose open fence is closed by one more line."""
    messages = parse_chat(piece)
    if not messages:
        return f"{piece}{fence}\n"
    last = messages[-1]
    closed = replace(last, body=f"{last.body}\n{fence}" if last.body else fence)
    head = piece[: last.head_end]
    return f"{head}\n{escape_body(closed.body)}\n"
