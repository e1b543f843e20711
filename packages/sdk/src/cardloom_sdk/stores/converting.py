"""Copies a session from one store into another and tells what the other could not take.

Spec: session protocol, storage; what is lost is found by reading the copy back, not by what a format promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.json_text import JsonObject, object_of
from cardloom_protocol.session.model import NodeInput, StoredSession, StoreNode
from cardloom_protocol.session.parts import AnyPart
from cardloom_protocol.session.tree import active_path

from .contract import SessionStore

_KEPT_INFO: Final = (
    "title",
    "model",
    "workspace",
    "profile",
    "profileDoc",
    "botId",
    "botName",
    "botAvatar",
    "accentColor",
    "participants",
)
_MADE_BY_STORES: Final = ("createdAt", "updatedAt", "version", "hash", "revision")


@dataclass(frozen=True, slots=True)
class Loss:
    """Something the copy does not have: what, at how many messages, and the first of them (None: the session)."""

    what: str
    count: int
    first: str | None

    def __str__(self) -> str:
        place = "" if self.first is None else f", first at message {self.first}"
        return f"{self.what} ({self.count}×{place})" if self.count > 1 else f"{self.what}{place}"


@dataclass(frozen=True, slots=True)
class Copied:
    """The copy's id, how many messages it has, and what was lost."""

    session_id: str
    messages: int
    losses: tuple[Loss, ...]


async def copy_session(source: SessionStore, target: SessionStore, session_id: str) -> Copied:
    """Copy a whole tree with the files and the document beside it; without branches in the target, the active path.

    NOT_FOUND; the target's own errors when it refuses to begin a session. A message it refuses is left out and told.
    """
    stored = await source.load(session_id)
    losses = _Losses()
    info = {name: value for name, value in cast(JsonObject, stored.info).items() if name in _KEPT_INFO}
    made = (await target.create(info=info))["id"]
    path = [node.id for node in active_path(stored)]
    whole = bool(target.capabilities.get("swipes"))
    nodes = stored.nodes if whole else [node for node in stored.nodes if node.id in set(path)]
    if len(nodes) < len(stored.nodes):
        losses.add("branches beside the active one", None, len(stored.nodes) - len(nodes))
    carry = _Files(source, session_id, target, made, losses)
    nodes = [replace(node, parts=[await carry.along(node.id, part) for part in node.parts]) for node in nodes]
    places = await _append(target, made, nodes, losses)
    leaf = next((places[node_id] for node_id in reversed(path) if node_id in places), None)
    if whole and leaf is not None:
        await target.set_active_leaf(made, leaf)
    await _copy_document(source, session_id, target, made, losses)
    for kind, count in (await source.untold(session_id)).items():
        losses.add(f"the service entry {kind}", None, count)
    copied = await target.load(made)
    _compare(stored, nodes, copied, places, losses)
    return Copied(made, len(places), losses.told())


async def _copy_document(
    source: SessionStore, session_id: str, target: SessionStore, made: str, losses: _Losses
) -> None:
    document = await source.get_meta(session_id) if source.capabilities.get("sessionMeta") else {}
    if not document:
        return
    if target.capabilities.get("sessionMeta"):
        await target.set_meta(made, document)
        if await target.get_meta(made) == document:
            return
    losses.add("the session's document", None)


class _Files:
    """Takes the files beside a session along, each once."""

    def __init__(self, source: SessionStore, session_id: str, target: SessionStore, made: str, losses: _Losses) -> None:
        self._source = source
        self._session_id = session_id
        self._target = target
        self._made = made
        self._losses = losses
        self._refs: dict[str, str] = {}

    async def along(self, node_id: str, part: AnyPart) -> AnyPart:
        """The part with the reference that its file has in the target; as it is where there is none."""
        meta = object_of(part.get("meta"))
        ref = meta.get("ref")
        if not isinstance(ref, str) or not self._source.capabilities.get("assets"):
            return part
        if ref not in self._refs:
            self._refs[ref] = await self._copy(node_id, ref)
        return {**part, "meta": {**meta, "ref": self._refs[ref]}}

    async def _copy(self, node_id: str, ref: str) -> str:
        if not self._target.capabilities.get("assets"):
            self._losses.add("a file beside the session", node_id)
            return ref
        try:
            data = await self._source.get_asset(self._session_id, ref)
            return await self._target.put_asset(self._made, ref.rsplit("/", 1)[-1], data)
        except SessionError as error:
            self._losses.add(f"a file beside the session: {error.message}", node_id)
            return ref


async def _append(target: SessionStore, session_id: str, nodes: Sequence[StoreNode], losses: _Losses) -> dict[str, str]:
    """Append the nodes in the order they came; gives the copy's id of each that was taken."""
    places: dict[str, str] = {}
    parents = {node.id: node.parent for node in nodes}
    for node in nodes:
        parent = node.parent
        while parent is not None and parent not in places:
            parent = parents.get(parent)
        given = NodeInput(
            role=node.role,
            name=node.name,
            parts=node.parts,
            parent=None if parent is None else places[parent],
            flags=node.flags,
            meta=node.meta,
        )
        try:
            places[node.id] = (await target.append_node(session_id, given)).id
        except SessionError as error:
            losses.add(f"a message of the role {node.role!r}: {error.message}", node.id)
    return places


def _compare(
    stored: StoredSession,
    nodes: Sequence[StoreNode],
    copied: StoredSession,
    places: dict[str, str],
    losses: _Losses,
) -> None:
    found = {node.id: node for node in copied.nodes}
    for node in nodes:
        copy = found.get(places.get(node.id, ""))
        if copy is None:
            if node.id in places:
                losses.add("a message that the format does not keep", node.id)
            continue
        if copy.role != node.role:
            losses.add(f"the role {node.role!r}, which became {copy.role!r}", node.id)
        if copy.parts != node.parts:
            kinds = sorted({str(part.get("type")) for part in node.parts if part not in copy.parts})
            losses.add(f"contents of parts: {', '.join(kinds) or 'their order'}", node.id)
        if node.name is not None and copy.name != node.name:
            losses.add("a name", node.id)
        for name, value in (node.flags or {}).items():
            if (copy.flags or {}).get(name) != value:
                losses.add(f"the flag {name}", node.id)
        for name, value in (node.meta or {}).items():
            if name not in _MADE_BY_STORES and (copy.meta or {}).get(name) != value:
                losses.add(f"meta.{name}", node.id)
    before, after = cast(JsonObject, stored.info), cast(JsonObject, copied.info)
    for name in _KEPT_INFO:
        if before.get(name) is not None and after.get(name) != before[name]:
            losses.add(f"the session's {name}", None)


class _Losses:
    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str | None]] = {}

    def add(self, what: str, node_id: str | None, count: int = 1) -> None:
        known, first = self._found.get(what, (0, node_id))
        self._found[what] = (known + count, first)

    def told(self) -> tuple[Loss, ...]:
        return tuple(Loss(what, count, first) for what, (count, first) in self._found.items())
