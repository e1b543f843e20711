"""A schema read once: every keyword in the shape in which values are checked against it.

What `check_definition` refuses is read leniently here: a keyword with a useless value has no effect.
"""

from collections.abc import Callable, Mapping
from typing import Final

from ..jstext import JsonValue, as_double, canonical_json, utf16_length
from .formats import FORMATS
from .plain import plain_nodes
from .references import resolve

WORK_UNIT_CHARS: Final = 64
"""UTF-16 units of canonical JSON that cost as much as a visited node."""

NO_VALUE: Final = "\0"
"""Stands for the canonical text of what is not JSON; no value has it."""

_MAX_OPTION_NODES: Final = 1_000_000


class Node:
    """One schema object. `refers` with `target` None means a `$ref` that leads nowhere."""

    __slots__ = (
        "additional",
        "any_of",
        "constant",
        "constant_work",
        "exclusive_maximum",
        "exclusive_minimum",
        "format",
        "items",
        "max_items",
        "max_length",
        "max_properties",
        "maximum",
        "min_items",
        "min_length",
        "min_properties",
        "minimum",
        "multiple_of",
        "one_of",
        "options",
        "options_work",
        "pattern",
        "properties",
        "refers",
        "required",
        "target",
        "types",
        "unique",
    )

    refers: bool
    target: "Node | None"
    types: frozenset[str] | None
    constant: str | None
    constant_work: int
    options: frozenset[str] | None
    options_work: int
    min_length: float | None
    max_length: float | None
    pattern: str | None
    format: Callable[[str], bool] | None
    minimum: float | None
    maximum: float | None
    exclusive_minimum: float | None
    exclusive_maximum: float | None
    multiple_of: float | None
    min_items: float | None
    max_items: float | None
    unique: bool
    items: "Node | None"
    min_properties: float | None
    max_properties: float | None
    required: tuple[str, ...]
    properties: "Mapping[str, Node]"
    additional: "Node | bool | None"
    """False refuses other members, a node checks them, True and None let them pass."""
    any_of: "tuple[Node, ...] | None"
    one_of: "tuple[Node, ...] | None"


def read_schema(schema: Mapping[str, object]) -> Node:
    """The root node; a schema object that is reached several times becomes one node."""
    return _Reader(schema).node(schema)


class _Reader:
    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._nodes: dict[int, Node] = {}

    def node(self, schema: Mapping[str, object]) -> Node:
        known = self._nodes.get(id(schema))
        if known is not None:
            return known
        node = Node()
        self._nodes[id(schema)] = node
        _read_values(node, schema)
        self._read_schemas(node, schema)
        return node

    def _child(self, schema: object) -> Node | None:
        return self.node(schema) if isinstance(schema, dict) else None

    def _children(self, schemas: object) -> tuple[Node, ...] | None:
        if not isinstance(schemas, list):
            return None
        return tuple(self.node(schema) for schema in schemas if isinstance(schema, dict))

    def _read_schemas(self, node: Node, schema: Mapping[str, object]) -> None:
        node.refers = "$ref" in schema
        target = resolve(self._root, schema["$ref"]) if node.refers else None
        node.target = None if target is None else self.node(target)
        node.items = self._child(schema.get("items"))
        members = schema.get("properties")
        node.properties = {
            name: self.node(member)
            for name, member in (members.items() if isinstance(members, dict) else ())
            if isinstance(member, dict)
        }
        additional = schema.get("additionalProperties")
        node.additional = additional if isinstance(additional, bool) else self._child(additional)
        node.any_of = self._children(schema.get("anyOf"))
        node.one_of = self._children(schema.get("oneOf"))


def _read_values(node: Node, schema: Mapping[str, object]) -> None:
    types = schema.get("type")
    names = types if isinstance(types, list) else [types] if "type" in schema else None
    node.types = None if names is None else frozenset(name for name in names if isinstance(name, str))
    node.constant = _canonical(schema["const"]) if "const" in schema else None
    node.constant_work = text_work(node.constant) if node.constant is not None else 0
    options = schema.get("enum")
    texts = [_canonical(option) for option in options] if isinstance(options, list) else None
    node.options = None if texts is None else frozenset(texts)
    node.options_work = sum(map(text_work, texts or ()))
    node.min_length = _number(schema.get("minLength"))
    node.max_length = _number(schema.get("maxLength"))
    pattern = schema.get("pattern")
    node.pattern = pattern if isinstance(pattern, str) else None
    format_name = schema.get("format")
    node.format = FORMATS.get(format_name) if isinstance(format_name, str) else None
    node.minimum = _number(schema.get("minimum"))
    node.maximum = _number(schema.get("maximum"))
    node.exclusive_minimum = _number(schema.get("exclusiveMinimum"))
    node.exclusive_maximum = _number(schema.get("exclusiveMaximum"))
    divisor = _number(schema.get("multipleOf"))
    node.multiple_of = divisor if divisor is not None and divisor > 0 else None
    node.min_items = _number(schema.get("minItems"))
    node.max_items = _number(schema.get("maxItems"))
    node.unique = schema.get("uniqueItems") is True
    node.min_properties = _number(schema.get("minProperties"))
    node.max_properties = _number(schema.get("maxProperties"))
    required = schema.get("required")
    node.required = tuple(name for name in required if isinstance(name, str)) if isinstance(required, list) else ()


def _number(value: object) -> float | None:
    return as_double(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _canonical(value: object) -> str:
    if isinstance(value, float) or plain_nodes(value, _MAX_OPTION_NODES, _MAX_OPTION_NODES) >= 0:
        return canonical_text(value)
    return NO_VALUE


def canonical_text(value: object) -> str:
    """The text by which values are compared: 1 and 1.0 are equal, the order of keys does not matter."""
    json_value: JsonValue = value  # type: ignore[assignment]  # known to be plain
    return canonical_json(json_value)


def text_work(text: str) -> int:
    """What building a canonical text costs."""
    return -(-utf16_length(text) // WORK_UNIT_CHARS)
