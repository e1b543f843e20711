"""A pi session without its service entries: what they say becomes title, model, profile and document of the session.

Messages below a service entry hang below the nearest message above it. Siblings keep the order of their times, since
switching moves lines. Spec: session protocol, pi JSONL v3, hidden service entries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...jstext import compact_json
from ..errors import NotFound
from ..info import SessionInfo, SessionModel
from ..json_text import JsonObject, copy_object, is_object, object_of, text_of
from ..model import StoredSession
from ..profiles import inline_profile
from .pi import PiEntry, PiFile, entry_node, hidden_message, pi_info
from .pi_edit import delete_pi
from .side_channel import side_content

SERVICE_TYPES: Final = frozenset({"model_change", "thinking_level_change", "session_info", "label", "custom"})
_ISO_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T")

META_TYPE: Final = "nr-session-meta"
PROFILE_TYPE: Final = "nr-session-profile"
_TOLD_OF_BRANCH: Final = frozenset(
    {"model_change", "thinking_level_change", f"custom {META_TYPE}", f"custom {PROFILE_TYPE}"}
)
"""Of these kinds the last one on the active branch stands in what is told of the session."""


def is_service_entry(data: JsonObject) -> bool:
    """Whether an entry says something of the session rather than in it."""
    if data.get("nrContinue") is True or object_of(data.get("message")).get("nrContinue") is True:
        return True
    return data.get("type") in SERVICE_TYPES and hidden_message(data) is None and side_content(data) is None


def pi_view(file: PiFile) -> StoredSession:
    """The session of a file without its service entries."""
    kept = _by_time([entry for entry in file.entries if not is_service_entry(entry.data)])
    parents = _Ancestry(file)
    nodes = [replace(entry_node(entry), parent=parents.kept_above(entry)) for entry in kept]
    info = pi_info(file, len(nodes))
    _read_services(file, info)
    leaf = parents.leaf()
    return StoredSession(info, nodes, None if leaf is None else {"activeLeaf": leaf})


def _by_time(entries: Sequence[PiEntry]) -> list[PiEntry]:
    """The entries by their times; one without stays behind the one before it."""
    times: list[str] = []
    for entry in entries:
        at = text_of(entry.data.get("timestamp"))
        times.append(at if _ISO_TIME.match(at) else times[-1] if times else "")
    return [entries[at] for at in sorted(range(len(entries)), key=times.__getitem__)]


def pi_document(file: PiFile) -> JsonObject:
    """The session document: the last one on the active branch."""
    for entry in _branch(file):
        if entry.data.get("customType") == META_TYPE:
            return copy_object(object_of(entry.data.get("data")))
    return {}


def untold_services(file: PiFile) -> dict[str, int]:
    """How many service entries of each kind the session's title, model, profile and document tell nothing of."""
    newest: dict[str, PiEntry] = {}
    for entry in _branch(file):
        kind = _kind(entry.data)
        if kind in _TOLD_OF_BRANCH:
            newest.setdefault(kind, entry)
    title = next((entry for entry in reversed(file.entries) if _names_session(entry)), None)
    told = [*newest.values(), title]
    kinds = (
        _kind(entry.data)
        for entry in file.entries
        if is_service_entry(entry.data) and not any(entry is one for one in told)
    )
    return dict(Counter(kinds))


def _kind(data: JsonObject) -> str:
    kind = text_of(data.get("type"))
    return f"custom {text_of(data.get('customType'))}".strip() if kind == "custom" else kind


def append_service(file: PiFile, entry_id: str, at: str, fields: JsonObject) -> PiFile:
    """The file with a service entry below its last line; the active leaf stays the message above."""
    data: JsonObject = {"type": fields["type"], "id": entry_id, "parentId": file.leaf_id, "timestamp": at, **fields}
    return file.with_entries([*file.entries, PiEntry(compact_json(data), data)])


def session_info_fields(title: str) -> JsonObject:
    """The entry that gives a session its title."""
    return {"type": "session_info", "name": title}


def document_fields(document: JsonObject) -> JsonObject:
    """The entry that holds a session document."""
    return {"type": "custom", "customType": META_TYPE, "data": document}


def activate_pi_node(file: PiFile, node_id: str) -> PiFile:
    """The file whose last lines are a message and the service entries that follow it, which makes it the leaf."""
    if file.find(node_id) is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    moved = {node_id}
    for entry in _by_descent(file):
        if entry.parent in moved and is_service_entry(entry.data):
            moved.add(entry.id)
    rest = [entry for entry in file.entries if entry.id not in moved]
    tail = [entry for entry in file.entries if entry.id in moved]
    tail.sort(key=lambda entry: entry.id != node_id)
    return file.with_entries([*rest, *tail])


def delete_pi_node(file: PiFile, node_id: str) -> PiFile:
    """The file without a message; the active leaf falls to the message above it."""
    at = file.find(node_id)
    if at is None:
        raise NotFound(f"The session has no message {node_id!r}.")
    ancestry = _Ancestry(file)
    was_leaf = ancestry.leaf() == node_id
    above = ancestry.kept_above(file.entries[at])
    after = delete_pi(file, node_id)
    return activate_pi_node(after, above) if was_leaf and above is not None else after


def _read_services(file: PiFile, info: SessionInfo) -> None:
    title = next((entry.data["name"] for entry in reversed(file.entries) if _names_session(entry)), None)
    if isinstance(title, str):
        info["title"] = title
    model: SessionModel | None = None
    thinking = profile = None
    for entry in _branch(file):
        data = entry.data
        match data.get("type"):
            case "model_change" if model is None and isinstance(data.get("modelId"), str):
                model = {"model": _model_id(data)}
            case "thinking_level_change" if thinking is None:
                thinking = data.get("thinkingLevel")
            case "custom" if profile is None and data.get("customType") == PROFILE_TYPE:
                profile = object_of(data.get("data"))
    if model is not None:
        if isinstance(thinking, str):
            model["thinking"] = thinking
        info["model"] = model
    _read_profile(profile or {}, info)


def _names_session(entry: PiEntry) -> bool:
    return entry.data.get("type") == "session_info" and isinstance(entry.data.get("name"), str)


def _model_id(data: JsonObject) -> str:
    provider, model = data.get("provider"), text_of(data.get("modelId"))
    return f"{provider}/{model}" if isinstance(provider, str) and provider else model


def _read_profile(profile: JsonObject, info: SessionInfo) -> None:
    document, name = profile.get("doc"), profile.get("name")
    if is_object(document) and isinstance(document.get("name"), str):
        info["profile"] = "inline"
        info["profileDoc"] = inline_profile(copy_object(document))
    elif isinstance(name, str):
        info["profile"] = name


def _branch(file: PiFile) -> Iterator[PiEntry]:
    """The entries from the last line up to its root."""
    return _Ancestry(file).upwards(file.entries[-1]) if file.entries else iter(())


def _by_descent(file: PiFile) -> Iterator[PiEntry]:
    """The entries with each behind its parent, as far as there is one."""
    below: dict[str | None, list[PiEntry]] = {}
    known = {entry.id for entry in file.entries}
    for entry in file.entries:
        below.setdefault(entry.parent if entry.parent in known else None, []).append(entry)
    waiting = list(below.pop(None, ()))
    while waiting:
        entry = waiting.pop()
        yield entry
        waiting.extend(below.pop(entry.id, ()))


class _Ancestry:
    """Who stands above whom in a file, service entries included."""

    def __init__(self, file: PiFile) -> None:
        self._file = file
        self._by_id = {entry.id: entry for entry in file.entries}

    def upwards(self, entry: PiEntry | None) -> Iterator[PiEntry]:
        """An entry and those above it, cut where a cycle would repeat."""
        seen: set[str] = set()
        while entry is not None and entry.id not in seen:
            seen.add(entry.id)
            yield entry
            entry = self._by_id.get(entry.parent) if entry.parent is not None else None

    def kept_above(self, entry: PiEntry) -> str | None:
        """The nearest message above an entry."""
        way = self.upwards(entry)
        next(way)
        return next((above.id for above in way if not is_service_entry(above.data)), None)

    def leaf(self) -> str | None:
        """The message that the session ends with."""
        last = self._file.entries[-1] if self._file.entries else None
        return next((entry.id for entry in self.upwards(last) if not is_service_entry(entry.data)), None)
