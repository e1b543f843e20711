import math
from typing import Any

import pytest

from cardloom_protocol.schema import Issue, compile_schema, kind_of

TASKS: dict[str, object] = {
    "type": "array",
    "maxItems": 200,
    "items": {
        "type": "object",
        "required": ["text"],
        "additionalProperties": False,
        "properties": {"text": {"type": "string", "minLength": 1}, "status": {"enum": ["done", "pending"]}},
    },
}


def at(issues: list[Issue]) -> list[tuple[str, str]]:
    return [(issue.path, issue.keyword) for issue in issues]


def test_every_fault_of_a_value_is_named_by_path_and_keyword() -> None:
    tasks = [{"text": "a"}, {"text": "", "status": "lost"}, {"status": "done", "extra": 1}, 5]
    assert at(compile_schema(TASKS).check(tasks)) == [
        ("/1/text", "minLength"),
        ("/1/status", "enum"),
        ("/2/text", "required"),
        ("/2/extra", "additionalProperties"),
        ("/3", "type"),
    ]


def test_a_right_value_has_no_issues() -> None:
    schema = compile_schema(TASKS)
    assert schema.check([{"text": "a", "status": "done"}] * 200) == []
    assert schema.is_valid([])
    assert not schema.is_valid([{}])


def test_an_issue_travels_as_path_keyword_and_message() -> None:
    (issue,) = compile_schema({"type": "string"}).check(1)
    assert issue.to_wire() == {"path": "", "keyword": "type", "message": "Expected string, got integer."}


@pytest.mark.parametrize("value", [math.nan, math.inf, 10**400, object(), (1,), {1: 2}, {"a": {3}}, b"x"])
def test_what_is_not_plain_json_has_that_one_issue(value: object) -> None:
    for schema in ({}, {"type": "string"}, {"anyOf": [{"type": "number"}, {"type": "object"}]}):
        issues = compile_schema(schema).check(value, max_issues=0)
        assert [issue.keyword for issue in issues] == ["json"]


def test_a_value_may_be_64_levels_deep_and_no_deeper() -> None:
    deep: Any = 1
    for _ in range(64):
        deep = [deep]
    schema = compile_schema({})
    assert schema.check(deep) == []
    assert at(schema.check([deep])) == [("/0" * 65, "json")]


def test_a_value_of_too_many_parts_is_refused_where_the_last_allowed_one_ended() -> None:
    assert at(compile_schema({}).check([0, 0, [0]], max_nodes=3)) == [("/2", "json")]


@pytest.mark.parametrize(
    ("value", "kind"),
    [(True, "boolean"), (1, "integer"), (1.0, "integer"), (1.5, "number"), (1e308, "integer"), (math.nan, "invalid")],
)
def test_a_number_is_an_integer_if_whole_and_a_boolean_is_no_number(value: object, kind: str) -> None:
    assert kind_of(value) == kind


def test_a_recursive_schema_follows_the_value() -> None:
    schema = compile_schema(
        {
            "$defs": {"tree": {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/tree"}}}}},
            "$ref": "#/$defs/tree",
        }
    )
    assert schema.is_valid({"kids": [{"kids": []}]})
    assert at(schema.check({"kids": [{"kids": [1]}]})) == [("/kids/0/kids/0", "type")]


def test_a_reference_in_circles_is_an_issue_and_no_endless_loop() -> None:
    assert at(compile_schema({"$ref": "#"}).check(1)) == [("", "$ref")]


def test_work_beyond_the_budget_is_reported_where_it_ran_out() -> None:
    assert at(compile_schema({"items": {}}).check([0, 0], budget=2)) == [("/1", "budget")]


def test_changing_a_schema_after_it_was_compiled_changes_nothing() -> None:
    schema: dict[str, object] = {"type": "string"}
    compiled = compile_schema(schema)
    schema["type"] = "number"
    assert compiled.is_valid("a")


def test_a_useless_keyword_has_no_effect() -> None:
    assert compile_schema({"minLength": "5", "items": 3, "properties": [], "required": "a"}).check("a") == []


# The shortcuts never change an answer.


def test_a_limit_is_told_digit_by_digit() -> None:
    (issue,) = compile_schema({"type": "number", "maximum": 10_485_760}).check(10_485_761)
    assert issue.message == "The number must be 10485760 or less."
