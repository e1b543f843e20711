"""Port types and ports: the fifteen well-known types with their schemas, own types, and what a port declares.

Spec: ports, types; cards, card context (`PortInfo`, `PeerInfo`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal

from ..jstext import JsonValue, canonical_json
from ..schema import Issue, compile_schema

PortSchema = Mapping[str, Any]
Check = Callable[["PortInfo", JsonValue], "list[Issue]"]
"""Tells what is wrong with a value for a port; empty means it fits. `check_value` is the reference."""

_TASK_STATUSES: Final = ["pending", "active", "done", "error"]
_TASK: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "maxLength": 128},
        "text": {"type": "string", "minLength": 1, "maxLength": 500},
        "status": {"enum": _TASK_STATUSES},
        "column": {"type": "string", "maxLength": 64},
        "assignee": {"type": "string", "maxLength": 128},
    },
}

PORT_TYPES: Mapping[str, PortSchema] = MappingProxyType(
    {
        "ns:any": {},
        "ns:text": {"type": "string", "maxLength": 1_000_000},
        "ns:markdown": {"type": "string", "maxLength": 1_000_000},
        "ns:number": {"type": "number"},
        "ns:boolean": {"type": "boolean"},
        "ns:json": {"type": ["object", "array"]},
        "ns:url": {"type": "string", "format": "uri", "maxLength": 8192},
        "ns:image": {
            "type": "object",
            "required": ["mimeType", "data"],
            "additionalProperties": False,
            "properties": {
                "mimeType": {"enum": ["image/png", "image/jpeg", "image/webp", "image/gif"]},
                "data": {"type": "string", "maxLength": 1_000_000},
                "alt": {"type": "string", "maxLength": 500},
            },
        },
        "ns:file-ref": {
            "type": "object",
            "required": ["path"],
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "minLength": 1, "maxLength": 1024},
                "line": {"type": "integer", "minimum": 1},
            },
        },
        "ns:task": _TASK,
        "ns:tasks": {"type": "array", "maxItems": 200, "items": _TASK},
        "ns:task-patch": {
            "type": "object",
            "required": ["ref"],
            "additionalProperties": False,
            "properties": {
                "ref": {"type": "string", "minLength": 1, "maxLength": 500},
                "text": {"type": "string", "minLength": 1, "maxLength": 500},
                "status": {"enum": _TASK_STATUSES},
                "column": {"type": "string", "maxLength": 64},
            },
        },
        "ns:table": {
            "type": "object",
            "required": ["columns", "rows"],
            "additionalProperties": False,
            "properties": {
                "columns": {"type": "array", "maxItems": 64, "items": {"type": "string", "maxLength": 200}},
                "rows": {
                    "type": "array",
                    "maxItems": 5000,
                    "items": {
                        "type": "array",
                        "maxItems": 64,
                        "items": {"type": ["string", "number", "boolean", "null"]},
                    },
                },
            },
        },
        "ns:event": {
            "type": "object",
            "required": ["type"],
            "additionalProperties": False,
            "properties": {
                "type": {"type": "string", "minLength": 1, "maxLength": 64},
                "data": {},
                "at": {"type": "number"},
            },
        },
        "ns:trigger": {"type": ["object", "null"], "maxProperties": 0},
    }
)
"""The well-known types in their published order, each with the schema its values fit."""

CUSTOM_TYPE_PATTERN: Final = r"[a-z0-9][a-z0-9-]{0,47}/[a-z0-9][a-z0-9-]{0,47}"
"""An own type is named `<package>/<type>`."""

_CUSTOM_TYPE = re.compile(CUSTOM_TYPE_PATTERN)

PortMode = Literal["stream", "request"]


def is_custom_type(type_: str) -> bool:
    """Whether the name is that of an own type of some package."""
    return _CUSTOM_TYPE.fullmatch(type_) is not None


def is_port_type(type_: str) -> bool:
    """Whether a port may declare this type."""
    return type_ in PORT_TYPES or is_custom_type(type_)


@dataclass(frozen=True, slots=True)
class PortResponse:
    """What a request input answers with."""

    type: str
    schema: PortSchema | None = field(default=None, hash=False)

    def to_wire(self) -> dict[str, JsonValue]:
        wire: dict[str, JsonValue] = {"type": self.type}
        if self.schema is not None:
            wire["schema"] = dict(self.schema)
        return wire


@dataclass(frozen=True, slots=True)
class PortInfo:
    """One input or output as other cards see it.

    `permission` stands on ports of built-in cards: what the other card must hold to use the port. `shape` names type
    and schema as text: ports of one shape take the same values. Schemas are compared by it, since Python takes the
    schemas `{"const": 1}` and `{"const": true}` for equal.
    """

    id: str
    label: str
    type: str
    mode: PortMode = "stream"
    description: str | None = None
    schema: PortSchema | None = field(default=None, compare=False)
    response: PortResponse | None = None
    retain: bool = False
    default: bool = False
    permission: str | None = None
    shape: tuple[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        schema_text = "" if self.schema is None else canonical_json(dict(self.schema))
        object.__setattr__(self, "shape", (self.type, schema_text))

    def to_wire(self) -> dict[str, JsonValue]:
        """The port as cards read it; what is not given is left out."""
        wire: dict[str, JsonValue] = {"id": self.id, "label": self.label}
        if self.description is not None:
            wire["description"] = self.description
        wire["type"] = self.type
        if self.schema is not None:
            wire["schema"] = dict(self.schema)
        wire["mode"] = self.mode
        if self.response is not None:
            wire["response"] = self.response.to_wire()
        wire["retain"] = self.retain
        wire["default"] = self.default
        if self.permission is not None:
            wire["permission"] = self.permission
        return wire

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> PortInfo:
        """A port from what a host or a checked manifest says; a missing mode means stream."""
        response = wire.get("response")
        return cls(
            id=wire["id"],
            label=wire.get("label", wire["id"]),
            type=wire["type"],
            mode=wire.get("mode", "stream"),
            description=wire.get("description"),
            schema=wire.get("schema"),
            response=None if response is None else PortResponse(response["type"], response.get("schema")),
            retain=wire.get("retain") is True,
            default=wire.get("default") is True,
            permission=wire.get("permission"),
        )

    def answer_port(self) -> PortInfo:
        """The port whose type and schema an answer to this request input must fit."""
        response = self.response or PortResponse("ns:any")
        return PortInfo(self.id, self.label, response.type, schema=response.schema)


@lru_cache(maxsize=1024)
def _checks(port: PortInfo) -> tuple[Callable[[JsonValue], list[Issue]], ...]:
    schemas = (PORT_TYPES.get(port.type), port.schema)
    return tuple(compile_schema(dict(schema)).check for schema in schemas if schema is not None)


def check_value(port: PortInfo, value: JsonValue) -> list[Issue]:
    """What is wrong with a value for a port: issues of its type's schema, else of the port's own schema.

    Paths are JSON pointers into the value.
    """
    for check in _checks(port):
        issues = check(value)
        if issues:
            return issues
    return []
