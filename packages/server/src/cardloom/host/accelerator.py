"""A fast yes for values of ports: a compiled validator may say "surely valid", everything else our own check decides.

The two checkers disagree on multiples, numbers beyond 64 bits, text lengths of lone surrogates, unknown keywords and
more, and ours also limits depth, size and work. So the fast one is asked only about schemas made of the keywords in
`_EXACT`, closed to unknown members and bounded in every direction, for which a property test proves the two equal.
Its "no" counts for nothing: our check then names the places. Spec: architecture, dependencies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import jsonschema_rs

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.ports import PORT_TYPES, PortInfo
from cardloom_protocol.ports import check_value as exact_check
from cardloom_protocol.schema import Issue

SurelyValid = Callable[[JsonValue], bool]

_EXACT: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset(("type", "properties", "required", "additionalProperties")),
    "array": frozenset(("type", "items", "maxItems", "minItems")),
    "string": frozenset(("type", "minLength", "maxLength")),
    "boolean": frozenset(("type",)),
    "null": frozenset(("type",)),
}
_NOTES: Final = frozenset(("title", "description"))
_MAX_SHAPES: Final = 1024
_MAX_NODES: Final = limit("valueNodes") // 4
_MAX_DEPTH: Final = limit("valueDepth") // 4


def check_value(port: PortInfo, value: JsonValue) -> list[Issue]:
    """What is wrong with a value for a port: what the protocol's own check says, sooner where nothing is."""
    fast = _FAST.get(port.shape) or _remember(port)
    try:
        for is_valid in fast:
            if not is_valid(value):
                return exact_check(port, value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return exact_check(port, value)  # what the fast one cannot even read: half characters, huge numbers
    return []


def compile_fast(schema: Mapping[str, Any]) -> SurelyValid | None:
    """The fast test of a schema, None for schemas it is not proved for."""
    if _nodes(schema, 0) > _MAX_NODES:
        return None
    try:
        fast: SurelyValid = jsonschema_rs.Draft202012Validator(_plain(schema)).is_valid
    except ValueError:
        return None  # half a character in a name or an option, which the fast one cannot hold
    return fast


# By a port's shape, since hashing a whole port would take longer than checking many a value.
_FAST: Final[dict[tuple[str, str], tuple[SurelyValid, ...]]] = {}


def _remember(port: PortInfo) -> tuple[SurelyValid, ...]:
    """The fast tests of a port's schemas; one that always says no where a schema is not proved."""
    schemas = [schema for schema in (PORT_TYPES.get(port.type), port.schema) if schema is not None]
    compiled = [compile_fast(schema) for schema in schemas]
    fast = tuple(one for one in compiled if one is not None)
    if not fast or len(fast) < len(schemas):
        fast = (_never,)
    if len(_FAST) >= _MAX_SHAPES:
        _FAST.clear()
    _FAST[port.shape] = fast
    return fast


def _never(_value: JsonValue) -> bool:
    return False


def _nodes(schema: Mapping[str, Any], depth: int) -> int:
    """The most nodes a valid value can have; more than allowed for schemas that are open or not understood."""
    unknown = _MAX_NODES + 1
    if depth > _MAX_DEPTH:
        return unknown
    words = schema.keys() - _NOTES
    if words == {"enum"}:
        return 1 if all(isinstance(option, str) for option in schema["enum"]) else unknown
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _EXACT or not words <= _EXACT[kind]:
        return unknown
    if kind == "object":
        if schema.get("additionalProperties") is not False:
            return unknown
        return 1 + sum(_nodes(member, depth + 1) for member in schema.get("properties", {}).values())
    if kind == "array":
        most = schema.get("maxItems")
        if not isinstance(most, int) or "items" not in schema:
            return unknown
        return 1 + most * _nodes(schema["items"], depth + 1)
    return 1


def _plain(schema: Any) -> Any:
    """The schema as plain dicts and lists, without the words that say nothing about values."""
    if isinstance(schema, Mapping):
        return {name: _plain(value) for name, value in schema.items()}
    return [_plain(value) for value in schema] if isinstance(schema, list | tuple) else schema
