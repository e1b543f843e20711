"""A Claude transcript: JSONL that is only ever appended to. Spec: session protocol, Claude transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...jstext import compact_json, is_js_space
from ..errors import BadRequest, NotFound
from ..info import SessionInfo
from ..json_text import JsonObject, is_object, object_of, read_json, text_of
from ..model import NodeInput, StoredSession, StoreNode, Unset
from ..parts import AnyPart
from ..tree import tree_of
from .claude_message import read_content, write_content
from .side_channel import NodeContent, side_content, side_fields

_PLACE_FIELDS = frozenset({"type", "uuid", "parentUuid", "timestamp", "sessionId"})


@dataclass(frozen=True, slots=True)
class ClaudeFile:
    """The records of a transcript that are messages, and how many lines could not be read."""

    records: tuple[JsonObject, ...]
    nodes: tuple[StoreNode, ...]
    broken_lines: int
    ends_with_newline: bool

    def find(self, node_id: str) -> StoreNode | None:
        """The last message of that id."""
        return next((node for node in reversed(self.nodes) if node.id == node_id), None)


def parse_claude(text: str) -> ClaudeFile:
    """The parsed transcript. Lines that are no JSON are counted, records without a `uuid` passed over."""
    records: list[JsonObject] = []
    broken = 0
    for line in text.split("\n"):
        if all(map(is_js_space, line)):
            continue
        try:
            value = read_json(line)
        except ValueError:
            broken += 1
            continue
        if is_object(value) and isinstance(value.get("uuid"), str):
            records.append(value)
    nodes = tuple(_node(record) for record in records)
    return ClaudeFile(tuple(records), nodes, broken, text.endswith("\n") or not text)


def claude_session(file: ClaudeFile, session_id: str) -> StoredSession:
    """The session of a transcript, whose id is the name of its file."""
    info: SessionInfo = {"id": session_id}
    times = (node.meta.get("createdAt") for node in file.nodes if node.meta)
    created_at = next((time for time in times if isinstance(time, str)), None)
    if created_at is not None:
        info["createdAt"] = created_at
    info["messageCount"] = len(file.nodes)
    return StoredSession(info, file.nodes)


def _node(record: JsonObject) -> StoreNode:
    content = side_content(record) or _native_content(record)
    return content.node(text_of(record["uuid"]), record.get("parentUuid"), record.get("timestamp"))


def _native_content(record: JsonObject) -> NodeContent:
    message, kind, name = record.get("message"), text_of(record.get("type")), record.get("name")
    meta: JsonObject = {}
    if is_object(message) and isinstance(message.get("model"), str):
        meta["model"] = message["model"]
    if record.get("isSidechain") is True:
        meta["sidechain"] = True
    return NodeContent(
        role=text_of(object_of(message).get("role")) or ("system" if kind in ("", "summary") else kind),
        parts=read_content(message.get("content")) if is_object(message) else [_service_part(record, kind)],
        name=name if isinstance(name, str) else None,
        flags={"injected": True} if record.get("isMeta") is True else None,
        meta=meta,
    )


def _service_part(record: JsonObject, kind: str) -> AnyPart:
    rest: JsonObject = {name: value for name, value in record.items() if name not in _PLACE_FIELDS}
    part: AnyPart = {"type": "custom", "data": rest, "meta": {"hint": f"claude.{kind}"}}
    if isinstance(record.get("summary"), str):
        part["text"] = record["summary"]
    return part


def append_claude(
    file: ClaudeFile, node: NodeInput, node_id: str, *, session_id: str, at: str, cwd: str
) -> tuple[str, StoreNode]:
    """The text to append to the file, and the node in it. A line feed that the last record lacks comes first."""
    last = file.nodes[-1].id if file.nodes else None
    parent = last if isinstance(node.parent, Unset) else node.parent
    content = NodeContent(node.role, node.content(), node.name, node.flags, node.meta)
    record: JsonObject = {
        "parentUuid": parent,
        "uuid": node_id,
        "sessionId": session_id,
        "type": "assistant" if node.role == "assistant" else "user",
        "cwd": cwd,
        "isSidechain": False,
        "userType": "external",
        "message": {"role": node.role, "content": write_content(content.parts)},
        "timestamp": at,
    }
    if node.name is not None:
        record["name"] = node.name
    line = compact_json({**record, **side_fields(content)}) + "\n"
    return line if file.ends_with_newline else "\n" + line, content.node(node_id, parent, at)


def fork_claude(file: ClaudeFile, session_id: str, node_id: str | None) -> tuple[str, int]:
    """The text of a new transcript from the root to a node, or to the last one, and how many messages it holds.

    NOT_FOUND for an unknown node, BAD_REQUEST when there is nothing to copy.
    """
    if not file.nodes:
        raise BadRequest("An empty session cannot be forked.")
    tree = tree_of(file.nodes)
    at = len(file.nodes) - 1 if node_id is None else tree.by_id.get(node_id)
    if at is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    chain: Sequence[JsonObject] = [file.records[place] for place in tree.path(at)]
    return "".join(compact_json({**record, "sessionId": session_id}) + "\n" for record in chain), len(chain)
