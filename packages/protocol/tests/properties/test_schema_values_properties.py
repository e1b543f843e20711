"""Values against schemas: what holds for every input."""

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cardloom_protocol.schema import Issue
from cardloom_protocol.schema.compile import CompiledSchema
from cardloom_protocol.schema.node import read_schema
from cardloom_protocol.schema.plain import plain_issue, plain_nodes
from cardloom_protocol.schema.value import Check


def exactly(schema: Any, value: Any, max_issues: int, budget: int) -> list[Issue]:
    """The answer without any shortcut."""
    fault = plain_issue(value, 64, 200_000)
    if fault is not None:
        return [fault]
    check = Check(max_issues, budget, set())
    check.visit(read_schema(schema), value, "", 0)
    return check.issues


TEXTS = st.sampled_from(["", "a", "ab", "é", "😀", "\ud83d", "\ud83da", "2024-01-01", "a" * 300, "a@b", "#fff"])


NUMBERS = st.sampled_from([0, -0.0, 1, 1.0, 1.5, -1, 2**53 + 1, 1e21, 10**400, math.nan, 0.3])


SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS


NAMES = st.sampled_from(["a", "b", "~/", "__proto__"])


VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)


COUNTS = st.integers(0, 3)


TYPES = st.sampled_from(["null", "boolean", "string", "integer", "number", "array", "object"])


FORMATS = st.sampled_from(["uri", "date", "email", "color"])


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "minLength": COUNTS,
            "maxLength": COUNTS,
            "format": FORMATS,
            "pattern": st.sampled_from(["^a", "b$", "["]),
            "minimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "multipleOf": st.sampled_from([1, 0.1, 2]),
            "minItems": COUNTS,
            "maxItems": COUNTS,
            "uniqueItems": st.booleans(),
            "items": inner,
            "minProperties": COUNTS,
            "maxProperties": COUNTS,
            "required": st.lists(NAMES, max_size=2),
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "additionalProperties": st.booleans() | inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "oneOf": st.lists(inner, min_size=1, max_size=3),
            "$ref": st.sampled_from(["#", "#/$defs/x", "#/$defs/y"]),
        },
    )


SCHEMAS: st.SearchStrategy[Any] = st.builds(
    lambda root, x, y: {**root, "$defs": {"x": x, "y": y}},
    st.recursive(st.builds(dict), schemas, max_leaves=6),
    st.recursive(st.builds(dict), schemas, max_leaves=3),
    st.builds(dict),
)


@settings(max_examples=400, deadline=None)
@given(SCHEMAS, VALUES, st.sampled_from([200_000, 1000, 20, 3]))
def test_the_quick_answer_is_the_exact_one(schema: Any, value: Any, budget: int) -> None:
    assert CompiledSchema(schema).check(value, budget=budget) == exactly(schema, value, 20, budget)


@given(VALUES, st.integers(0, 4), st.integers(0, 6))
def test_the_quick_look_for_plain_json_agrees_with_the_one_that_names_the_place(
    value: Any, max_depth: int, max_nodes: int
) -> None:
    assert (plain_nodes(value, max_depth, max_nodes) < 0) == (plain_issue(value, max_depth, max_nodes) is not None)
