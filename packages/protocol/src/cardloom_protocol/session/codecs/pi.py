"""A pi session file (JSONL version 3): header, entries, and every other line kept where it stands.

A line that is no entry is anchored to the entry before it, or to the header. Blank lines vanish when the file is
written; all else that nobody changed keeps its bytes. Spec: session protocol, pi JSONL v3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...jstext import compact_json, is_js_space
from ..errors import CodecError
from ..info import SessionInfo
from ..json_text import JsonObject, is_object, object_of, read_object, text_of
from ..model import StoredSession, StoreNode
from .pi_message import read_message
from .side_channel import NodeContent, side_content

HIDDEN_TYPE = "mds-hidden"
_PLACE_FIELDS = frozenset({"type", "id", "parentId", "timestamp"})


@dataclass(frozen=True, slots=True)
class PiEntry:
    """One entry: its line as it stands, what it says, and the foreign lines that follow it."""

    raw: str
    data: JsonObject
    foreign: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The entry's id."""
        return text_of(self.data.get("id"))

    @property
    def parent(self) -> str | None:
        """The entry that this one hangs below."""
        parent = self.data.get("parentId")
        return parent if isinstance(parent, str) else None

    def rewritten(self, data: JsonObject) -> PiEntry:
        """The entry with other content; its foreign lines stay."""
        return PiEntry(compact_json(data), data, self.foreign)


@dataclass(frozen=True, slots=True)
class PiFile:
    """A whole file. The header comes first, wherever it was found."""

    header_raw: str
    header: JsonObject
    foreign: tuple[str, ...]
    entries: tuple[PiEntry, ...]

    @property
    def session_id(self) -> str:
        """The session's id, whatever the file is called."""
        return text_of(self.header.get("id"))

    @property
    def leaf_id(self) -> str | None:
        """The entry that the session ends with: the last one."""
        return self.entries[-1].id if self.entries else None

    def find(self, entry_id: str) -> int | None:
        """The place of the last entry of that id."""
        for at in range(len(self.entries) - 1, -1, -1):
            if self.entries[at].id == entry_id:
                return at
        return None

    def with_entries(self, entries: Sequence[PiEntry]) -> PiFile:
        """The file with other entries."""
        return replace(self, entries=tuple(entries))


def parse_pi(text: str) -> PiFile:
    """The parsed file; a CodecError when it holds no header line."""
    header: tuple[str, JsonObject] | None = None
    before: list[str] = []
    entries: list[PiEntry] = []
    foreign: list[str] = before

    def close() -> None:
        if entries and foreign:
            entries[-1] = replace(entries[-1], foreign=(*entries[-1].foreign, *foreign))
            foreign.clear()

    for line in _lines(text):
        data = read_object(line)
        if header is None and data is not None and _is_header(data):
            header = (line, data)
        elif data is not None and _is_entry(data):
            close()
            entries.append(PiEntry(line, data))
            if foreign is before:
                foreign = []
        else:
            foreign.append(line)
    close()
    if header is None:
        raise CodecError("this is no pi session: it has no header line")
    return PiFile(header[0], header[1], tuple(before), tuple(entries))


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if not all(map(is_js_space, line)):
            yield line


def _is_header(data: JsonObject) -> bool:
    return data.get("type") == "session" and isinstance(data.get("id"), str)


def _is_entry(data: JsonObject) -> bool:
    return (
        isinstance(data.get("type"), str)
        and data["type"] != "session"
        and isinstance(data.get("id"), str)
        and "parentId" in data
    )


def serialize_pi(file: PiFile) -> str:
    """The text of a file; it ends with one line feed."""
    lines = [file.header_raw, *file.foreign]
    for entry in file.entries:
        lines.append(entry.raw)
        lines.extend(entry.foreign)
    return "\n".join(lines) + "\n"


def pi_header(session_id: str, created_at: str, cwd: str, parent_session: str | None = None) -> JsonObject:
    """The header of a new file."""
    header: JsonObject = {"type": "session", "version": 3, "id": session_id, "timestamp": created_at, "cwd": cwd}
    if parent_session is not None:
        header["parentSession"] = parent_session
    return header


def new_pi_file(header: JsonObject, entries: Sequence[PiEntry] = ()) -> PiFile:
    """A new file."""
    return PiFile(compact_json(header), header, (), tuple(entries))


def pi_file_name(session_id: str, created_at: str) -> str:
    """What pi calls the file of a session."""
    return f"{created_at.replace(':', '-').replace('.', '-')}_{session_id}.jsonl"


def pi_session(file: PiFile) -> StoredSession:
    """The session of a file, every entry a node. The last node is the active leaf, so that no meta is needed."""
    return StoredSession(pi_info(file, len(file.entries)), [entry_node(entry) for entry in file.entries])


def pi_info(file: PiFile, message_count: int) -> SessionInfo:
    """What the header says of the session."""
    info: SessionInfo = {"id": file.session_id}
    created_at, parent = file.header.get("timestamp"), file.header.get("parentSession")
    if isinstance(created_at, str):
        info["createdAt"] = created_at
    if isinstance(parent, str) and parent:
        info["parentSessionId"] = _session_of_path(parent)
    info["messageCount"] = message_count
    return info


def _session_of_path(parent: str) -> str:
    # pi itself records the path of the parent's file, whose name ends with the id.
    name = parent.replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".jsonl").rpartition("_")[2] if name.endswith(".jsonl") else parent


def entry_node(entry: PiEntry) -> StoreNode:
    """The node of an entry."""
    return entry_content(entry).node(entry.id, entry.parent, entry.data.get("timestamp"))


def entry_content(entry: PiEntry) -> NodeContent:
    """What an entry says: the node beside it, else its message, else one custom part."""
    data = entry.data
    hidden = hidden_message(data)
    message = data.get("message") if data["type"] == "message" else hidden
    beside = side_content(data)
    if beside is None and is_object(message) and isinstance(message.get("role"), str):
        beside = read_message(message)
    content = beside or _service_content(data)
    return content if hidden is None else replace(content, flags={**(content.flags or {}), "disabled": True})


def hidden_message(data: JsonObject) -> JsonObject | None:
    """The message inside an entry that hides it, None when the entry hides none."""
    if data.get("type") != "custom" or data.get("customType") != HIDDEN_TYPE:
        return None
    message = object_of(data.get("data")).get("message")
    return message if is_object(message) else None


def _service_content(data: JsonObject) -> NodeContent:
    rest: JsonObject = {name: value for name, value in data.items() if name not in _PLACE_FIELDS}
    part: JsonObject = {"type": "custom", "data": rest, "meta": {"hint": f"pi.{text_of(data.get('type'))}"}}
    for text in (data.get("summary"), data.get("content")):
        if isinstance(text, str):
            part["text"] = text
            break
    return NodeContent("system", [part])
