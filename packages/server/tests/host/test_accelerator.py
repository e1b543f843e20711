"""The fast checker says yes exactly where the protocol's own check does, for every schema it is used for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardloom.host.accelerator import check_value, compile_fast
from cardloom_protocol.ports import PORT_TYPES, PortInfo
from cardloom_protocol.ports import check_value as exact_check
from cardloom_protocol.schema import compile_schema

# Texts with what the two might count or read differently: halves of characters, pairs, zeroes, astral letters.
_texts = st.text(
    alphabet=st.one_of(st.sampled_from(["a", "é", "\x00", "\ud83d", "\ude00", "😀", "\u2028"]), st.characters()),
    max_size=6,
)
_numbers = st.one_of(
    st.integers(), st.floats(), st.sampled_from([0, 1, True, False, 1.0, -0.0, 2**63, 2**64, 10**400, 1e308])
)
_scalars = st.one_of(st.none(), st.booleans(), _numbers, _texts)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["id", "text", "x", "é", "\ud800"]), inner, max_size=4),
    ),
    max_leaves=12,
)


def _objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    names = ["id", "text", "x"]
    return st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "additionalProperties": st.just(False),
            "properties": st.dictionaries(st.sampled_from(names), inner, max_size=3),
        },
        optional={"required": st.lists(st.sampled_from(names), max_size=2, unique=True)},
    )


def _arrays(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner, "maxItems": st.integers(0, 4)},
        optional={"minItems": st.integers(0, 2)},
    )


_leaves: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("string")}, optional={"minLength": st.integers(0, 3), "maxLength": st.integers(0, 5)}
    ),
    st.sampled_from([{"type": "boolean"}, {"type": "null"}]),
    st.fixed_dictionaries({"enum": st.lists(_texts, min_size=1, max_size=3, unique=True)}),
)
_schemas = st.recursive(_leaves, lambda inner: st.one_of(_objects(inner), _arrays(inner)), max_leaves=6)


@st.composite
def _fitting(draw: st.DrawFn, schema: dict[str, Any]) -> Any:
    """A value that nearly fits a schema, so that both answers occur."""
    if draw(st.integers(0, 12)) == 0:
        return draw(_values)
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    match schema["type"]:
        case "object":
            members = {name: draw(_fitting(one)) for name, one in schema["properties"].items()}
            return {name: value for name, value in members.items() if draw(st.integers(0, 4))}
        case "array":
            return draw(st.lists(_fitting(schema["items"]), max_size=schema["maxItems"] + 1))
        case "string":
            return draw(_texts)
        case "boolean":
            return draw(st.booleans())
    return None


def surely_valid(schema: dict[str, Any], value: Any) -> bool | None:
    fast = compile_fast(schema)
    if fast is None:
        return None
    try:
        return fast(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False


@settings(max_examples=600)
@given(st.data())
def test_the_two_agree_on_every_schema_the_fast_one_is_used_for(data: st.DataObject) -> None:
    schema = data.draw(_schemas)
    value = data.draw(_fitting(schema))
    exact = compile_schema(schema).is_valid(value)
    fast = surely_valid(schema, value)
    if fast:
        assert exact, "a value passed that our check refuses"
    if exact and not _has_half_characters(value) and not _has_half_characters(schema):
        assert fast, "a right value took the slow way"


@settings(max_examples=300)
@given(st.sampled_from(sorted(PORT_TYPES)), _values)
@example("ns:tasks", [{"text": "a", "status": "done"}] * 200)
@example("ns:tasks", [{"text": "a"}] * 201)
@example("ns:task", {"text": "x" * 500})
@example("ns:task", {"text": "😀" * 500})
@example("ns:task", {"text": "\ud83d\ude00" * 500})
@example("ns:text", "\ud800")
@example("ns:boolean", 1)
@example("ns:number", float("nan"))
def test_every_port_type_gets_the_very_issues_of_the_protocols_check(type_: str, value: Any) -> None:
    port = PortInfo("in", "In", type_)
    assert check_value(port, value) == exact_check(port, value)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "number"},
        {"type": "integer", "multipleOf": 0.1},
        {"type": ["string", "null"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "maxItems": 3},
        {"type": "array", "maxItems": 300, "items": {"type": "array", "maxItems": 300, "items": {"type": "null"}}},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        {"type": "string", "format": "uri"},
        {"type": "string", "enum": ["a"]},
        {"enum": [1, True]},
        {"const": 1},
        {"anyOf": [{"type": "string"}]},
        {"type": "array", "maxItems": 2, "items": {"type": "string"}, "uniqueItems": True},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}},
        {"type": "string", "surprise": 1},
        {"enum": ["\ud800"]},
    ],
)
def test_schemas_outside_the_proof_go_to_the_protocols_check(schema: dict[str, Any]) -> None:
    assert compile_fast(schema) is None


def test_a_schema_of_the_port_counts_beside_the_types() -> None:
    narrow = {"type": "array", "maxItems": 1, "items": PORT_TYPES["ns:task"]}
    port = PortInfo("in", "In", "ns:tasks", schema=narrow)
    assert check_value(port, [{"text": "a"}]) == []
    assert [issue.keyword for issue in check_value(port, [{"text": "a"}] * 2)] == ["maxItems"]
    free = PortInfo("in", "In", "ns:tasks", schema={"minItems": 1})
    assert [issue.keyword for issue in check_value(free, [])] == ["minItems"]


def _has_half_characters(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_half_characters(one) for pair in value.items() for one in pair)
    if isinstance(value, list):
        return any(map(_has_half_characters, value))
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)
