"""Changes of a pi session file, each touching only the lines it must. Spec: session protocol, pi JSONL v3."""

from __future__ import annotations

from dataclasses import replace

from ...jstext import compact_json
from ..errors import BadRequest, NotFound
from ..hashing import content_hash
from ..json_text import JsonObject, is_object, object_of
from ..messages import with_disabled
from ..model import NodeInput, NodePatch, StoreNode, Unset
from ..tree import tree_of
from .pi import (
    HIDDEN_TYPE,
    PiEntry,
    PiFile,
    entry_content,
    entry_node,
    hidden_message,
    new_pi_file,
    pi_header,
)
from .pi_message import TOOL_ROLES, whole_answer, write_content, write_message, write_result_content
from .side_channel import NodeContent, side_fields

_TAIL_FIELDS = frozenset({"customType", "data"})


def append_pi(
    file: PiFile, node: NodeInput, node_id: str, at: str, *, for_pi: bool = False
) -> tuple[PiFile, StoreNode]:
    """The file with a new entry at its end, and the node of it. An unknown explicit parent is taken as it is.

    With `for_pi` answers get all that pi needs to go on from them; without, only what the node says is written.
    """
    parent = file.leaf_id if isinstance(node.parent, Unset) else node.parent
    content = NodeContent(node.role, node.content(), node.name, node.flags, node.meta)
    message = write_message(node.role, content.parts, node.name)
    data: JsonObject = {
        "type": "message",
        "id": node_id,
        "parentId": parent,
        "timestamp": at,
        "message": whole_answer(message, node.meta) if for_pi else message,
        **side_fields(content),
    }
    flags = node.flags or {}
    if flags.get("disabled") is True or flags.get("hidden") is True:
        data = _wrapped(data)
    appended = file.with_entries([*file.entries, PiEntry(compact_json(data), data)])
    return appended, content.node(node_id, parent, at)


def edit_pi(file: PiFile, node_id: str, patch: NodePatch) -> tuple[PiFile, StoreNode]:
    """The file with other content in one entry. NOT_FOUND, CONFLICT by hash, BAD_REQUEST for a service entry."""
    at = _place(file, node_id)
    entry = file.entries[at]
    content = entry_content(entry)
    patch.check(content_hash(content.role, content.parts))
    message = _message_of(entry)
    if message is None:
        raise BadRequest(f"{node_id!r} is a service entry; its content cannot be edited.")
    if patch.is_empty:
        raise BadRequest("An edit needs parts or text.")
    parts = patch.applied(content.parts)
    data = _with_message(entry.data, _edited_message(message, parts))
    if "nrsParts" in data:
        data["nrsParts"] = list(parts)
    edited = entry.rewritten(data)
    return _replaced(file, at, edited), entry_node(edited)


def hide_pi(file: PiFile, node_id: str, hidden: bool) -> PiFile:
    """The file with a message hidden from the model, or shown again; the same file when that changes nothing."""
    at = _place(file, node_id)
    entry = file.entries[at]
    wrapped = hidden_message(entry.data) is not None
    if wrapped is hidden:
        return file
    if _message_of(entry) is None:
        if not hidden:
            return file
        raise BadRequest(f"{node_id!r} is a service entry; it cannot be hidden.")
    data = dict(entry.data)
    if "nrsParts" in data:
        flags = with_disabled(object_of(data.pop("nrsFlags", None)), hidden)
        data |= {} if flags is None else {"nrsFlags": flags}
    return _replaced(file, at, entry.rewritten(_wrapped(data) if hidden else _unwrapped(data)))


def delete_pi(file: PiFile, node_id: str) -> PiFile:
    """The file without an entry; its children hang below its parent, its foreign lines go to the end."""
    at = _place(file, node_id)
    gone = file.entries[at]
    kept = [
        entry.rewritten({**entry.data, "parentId": gone.parent}) if entry.parent == node_id else entry
        for place, entry in enumerate(file.entries)
        if place != at
    ]
    foreign = file.foreign
    if gone.foreign and kept:
        kept[-1] = replace(kept[-1], foreign=(*kept[-1].foreign, *gone.foreign))
    elif gone.foreign:
        foreign = (*foreign, *gone.foreign)
    after = replace(file, foreign=foreign, entries=tuple(kept))
    was_leaf = at == len(file.entries) - 1
    if was_leaf and gone.parent is not None and after.find(gone.parent) is not None:
        return move_pi_to_end(after, gone.parent)
    return after


def move_pi_to_end(file: PiFile, node_id: str) -> PiFile:
    """The file with one line moved to the end, which makes it the active leaf."""
    at = _place(file, node_id)
    if at == len(file.entries) - 1:
        return file
    return file.with_entries([*file.entries[:at], *file.entries[at + 1 :], file.entries[at]])


def activate_pi_branch(file: PiFile, node_id: str) -> PiFile:
    """The file with a whole branch moved to the end, so that its last line is the active leaf."""
    branch = set(pi_subtree(file, node_id))
    below = [entry for entry in file.entries if entry.id in branch]
    return file.with_entries([*(entry for entry in file.entries if entry.id not in branch), *below])


def pi_subtree(file: PiFile, node_id: str) -> list[str]:
    """The ids of an entry and all below it in the order of the file; none for an unknown one."""
    at = file.find(node_id)
    if at is None:
        return []
    below = sorted(tree_of([_placed(entry) for entry in file.entries]).subtree(at))
    return [file.entries[place].id for place in below]


def pi_siblings(file: PiFile, node_id: str) -> list[str]:
    """The ids of the entries below the same parent in the order of the file; none for an unknown one."""
    at = file.find(node_id)
    if at is None:
        return []
    tree = tree_of([_placed(entry) for entry in file.entries])
    return [file.entries[place].id for place in tree.siblings(at)]


def fork_pi(file: PiFile, session_id: str, created_at: str, cwd: str, node_id: str | None) -> PiFile:
    """A new file with the entries from the root to a node, or to the active leaf, their lines as they are.

    NOT_FOUND for an unknown node, BAD_REQUEST when there is nothing to copy.
    """
    if not file.entries:
        raise BadRequest("An empty session cannot be forked.")
    at = len(file.entries) - 1 if node_id is None else _place(file, node_id)
    chain = tree_of([_placed(entry) for entry in file.entries]).path(at)
    folder = file.header.get("cwd")
    header = pi_header(session_id, created_at, folder if isinstance(folder, str) else cwd, file.session_id)
    return new_pi_file(header, [replace(file.entries[place], foreign=()) for place in chain])


def _placed(entry: PiEntry) -> StoreNode:
    return StoreNode(entry.id, entry.parent, "", [])


def _place(file: PiFile, node_id: str) -> int:
    at = file.find(node_id)
    if at is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    return at


def _replaced(file: PiFile, at: int, entry: PiEntry) -> PiFile:
    return file.with_entries([*file.entries[:at], entry, *file.entries[at + 1 :]])


def _message_of(entry: PiEntry) -> JsonObject | None:
    message = entry.data.get("message") if entry.data["type"] == "message" else hidden_message(entry.data)
    return message if is_object(message) else None


def _with_message(data: JsonObject, message: JsonObject) -> JsonObject:
    if data["type"] == "message":
        return {**data, "message": message}
    return {**data, "data": {**object_of(data.get("data")), "message": message}}


def _edited_message(message: JsonObject, parts: list[JsonObject]) -> JsonObject:
    """The message with other content and without a recorded failure; its other fields stay."""
    is_tool = message.get("role") in TOOL_ROLES
    edited = {**message, "content": write_result_content(parts) if is_tool else write_content(parts)}
    if "errorMessage" in edited:
        del edited["errorMessage"]
        if edited.get("stopReason") == "error":
            edited["stopReason"] = "stop"
    return edited


def _wrapped(data: JsonObject) -> JsonObject:
    rest = {name: value for name, value in data.items() if name != "message"}
    return {**rest, "type": "custom", "customType": HIDDEN_TYPE, "data": {"message": data["message"]}}


def _unwrapped(data: JsonObject) -> JsonObject:
    rest = {name: value for name, value in data.items() if name not in _TAIL_FIELDS}
    return {**rest, "type": "message", "message": object_of(data["data"])["message"]}
