from typing import Any

import pytest

from cardloom_protocol.schema import check_definition


def at(schema: object, **options: Any) -> list[tuple[str, str]]:
    return [(issue.path, issue.keyword) for issue in check_definition(schema, **options)]


def test_a_schema_within_the_subset_is_accepted() -> None:
    schema = {
        "$defs": {"name": {"type": "string", "maxLength": 80}},
        "type": "object",
        "properties": {"name": {"$ref": "#/$defs/name"}},
        "anyOf": [{"required": ["name"]}, {"maxProperties": 0}],
    }
    assert at(schema) == []


def test_faults_are_named_by_the_place_of_their_keyword_in_the_order_of_the_keys() -> None:
    schema = {
        "nullable": True,
        "properties": {"a/b": {"type": "text"}, "c": True},
        "anyOf": [],
        "multipleOf": 0,
        "$ref": "#/$defs/missing",
    }
    assert at(schema) == [
        ("/nullable", "nullable"),
        ("/properties/a~1b/type", "type"),
        ("/properties/c", "schema"),
        ("/anyOf", "anyOf"),
        ("/multipleOf", "multipleOf"),
        ("/$ref", "$ref"),
    ]


def test_a_pattern_needs_leave() -> None:
    assert at({"pattern": "a"}) == [("/pattern", "pattern")]
    assert at({"pattern": "a"}, allow_pattern=True) == []
    assert at({"pattern": "("}, allow_pattern=True) == [("/pattern", "pattern")]


def test_size_and_depth_are_limited_by_arguments() -> None:
    schema: dict[str, object] = {"items": {"items": {}}}
    assert at(schema, max_nodes=2) == [("/items/items", "size")]
    assert at(schema, max_depth=1) == [("/items/items", "depth")]
    assert at(schema, max_nodes=3, max_depth=2) == []


def test_a_schema_full_of_faults_is_not_entered_further() -> None:
    schema: dict[str, object] = {"properties": {f"p{number}": {"type": "?"} for number in range(30)}}
    assert len(at(schema)) == 20
    assert len(at(schema, max_issues=5)) == 5


@pytest.mark.parametrize("schema", [None, True, [], "x", 1])
def test_only_an_object_is_a_schema(schema: object) -> None:
    assert at(schema) == [("", "schema")]
