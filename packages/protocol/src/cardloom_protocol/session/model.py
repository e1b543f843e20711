"""What a store keeps of a session, whatever its file format: the whole tree of nodes in the order of their arrival.

Spec: session protocol, storage, neutral model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, cast

from ..jstext import JsonValue
from .errors import BadRequest, Conflict
from .info import SessionInfo
from .json_text import JsonObject, copy_object, is_object, text_of
from .parts import AnyPart, parts_of, replace_text_parts


class Unset(Enum):
    """Marks a parent that was not named, as opposed to none."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class StoreNode:
    """A message in its place. `parent` is None for a root; `meta` holds createdAt, model, usage and the driver's own.

    Lists and objects inside belong to the reader: stores never hand out their own.
    """

    id: str
    parent: str | None
    role: str
    parts: list[AnyPart]
    name: str | None = None
    flags: JsonObject | None = None
    meta: JsonObject | None = None

    def to_wire(self) -> JsonObject:
        """The node under its wire names; what is empty is left out, `parent` is always there."""
        wire: JsonObject = {
            "id": self.id,
            "parent": self.parent,
            "role": self.role,
            "parts": cast(list[JsonValue], self.parts),
        }
        if self.name is not None:
            wire["name"] = self.name
        if self.flags:
            wire["flags"] = self.flags
        if self.meta:
            wire["meta"] = self.meta
        return wire

    @classmethod
    def from_wire(cls, wire: JsonObject) -> StoreNode:
        """The node of an object; a parent that is no text reads as none."""
        parent, name, flags, meta = wire.get("parent"), wire.get("name"), wire.get("flags"), wire.get("meta")
        parts = wire.get("parts")
        return cls(
            id=text_of(wire.get("id")),
            parent=parent if isinstance(parent, str) else None,
            role=text_of(wire.get("role")),
            parts=[part for part in parts if is_object(part)] if isinstance(parts, list) else [],
            name=name if isinstance(name, str) else None,
            flags=flags if is_object(flags) else None,
            meta=meta if is_object(meta) else None,
        )

    def copied(self) -> StoreNode:
        """A node that shares no list and no object with this one."""
        return StoreNode(
            self.id,
            self.parent,
            self.role,
            [copy_object(part) for part in self.parts],
            self.name,
            None if self.flags is None else copy_object(self.flags),
            None if self.meta is None else copy_object(self.meta),
        )


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as a store loads it. `meta.activeLeaf` names the active leaf where the format records one."""

    info: SessionInfo
    nodes: Sequence[StoreNode]
    meta: JsonObject | None = None

    def to_wire(self) -> JsonObject:
        """The session under its wire names; `meta` is left out where the format has none."""
        wire: JsonObject = {"info": cast(JsonObject, self.info)}
        if self.meta is not None:
            wire["meta"] = self.meta
        wire["nodes"] = [node.to_wire() for node in self.nodes]
        return wire

    @classmethod
    def from_wire(cls, wire: JsonObject) -> StoredSession:
        """The session of an object."""
        info, nodes, meta = wire.get("info"), wire.get("nodes"), wire.get("meta")
        return cls(
            info=cast(SessionInfo, info if is_object(info) else {}),
            nodes=[StoreNode.from_wire(node) for node in nodes if is_object(node)] if isinstance(nodes, list) else [],
            meta=meta if is_object(meta) else None,
        )


@dataclass(frozen=True, slots=True)
class NodeInput:
    """What is appended. Parts win over text; neither means one empty text.

    A parent that is UNSET is the active leaf, None a new root.
    """

    role: str
    id: str | None = None
    name: str | None = None
    parts: list[AnyPart] | None = None
    text: str | None = None
    parent: str | Unset | None = UNSET
    flags: JsonObject | None = None
    meta: JsonObject | None = field(default=None)

    @classmethod
    def from_wire(cls, wire: JsonObject) -> NodeInput:
        """The input of an object. BAD_REQUEST without a role or with a field of the wrong kind."""
        for key, kind in _INPUT_KINDS.items():
            if wire.get(key) is not None and not isinstance(wire[key], kind):
                raise BadRequest(f"{key} is not of the right kind.")
        role, parts, flags, meta = wire.get("role"), wire.get("parts"), wire.get("flags"), wire.get("meta")
        if not isinstance(role, str):
            raise BadRequest("A message needs a role.")
        return cls(
            role=role,
            id=cast(str | None, wire.get("id")),
            name=cast(str | None, wire.get("name")),
            parts=[part for part in parts if is_object(part)] if isinstance(parts, list) else None,
            text=cast(str | None, wire.get("text")),
            parent=cast(str | None, wire["parent"]) if "parent" in wire else UNSET,
            flags=flags if is_object(flags) else None,
            meta=meta if is_object(meta) else None,
        )

    def content(self) -> list[AnyPart]:
        """The parts to store."""
        return parts_of(self.parts, self.text)


_INPUT_KINDS: Final = {"id": str, "name": str, "parts": list, "text": str, "parent": str, "flags": dict, "meta": dict}


@dataclass(frozen=True, slots=True)
class NodePatch:
    """A change of a message: all parts, or only its text. `if_hash` is the hash that the writer has seen."""

    parts: list[AnyPart] | None = None
    text: str | None = None
    if_hash: str | None = None

    @classmethod
    def from_wire(cls, wire: JsonObject) -> NodePatch:
        """The patch of an object. BAD_REQUEST for a field of the wrong kind."""
        parts, text, if_hash = wire.get("parts"), wire.get("text"), wire.get("ifHash")
        if parts is not None and not isinstance(parts, list):
            raise BadRequest("parts must be a list.")
        if not isinstance(text, str | None) or not isinstance(if_hash, str | None):
            raise BadRequest("text and ifHash must be texts.")
        return cls(None if parts is None else [part for part in parts if is_object(part)], text, if_hash)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return self.parts is None and self.text is None

    def check(self, current_hash: str) -> None:
        """CONFLICT when the writer has seen another content; an empty hash is one too."""
        if self.if_hash is not None and self.if_hash != current_hash:
            raise Conflict("The message has changed since it was read.", {"hash": current_hash})

    def applied(self, parts: Sequence[AnyPart]) -> list[AnyPart]:
        """The parts after the change; parts win over text."""
        if self.parts is not None:
            return list(self.parts)
        return list(parts) if self.text is None else replace_text_parts(parts, self.text)
