"""Defaults of settings and the values a card may set."""

import math

import pytest

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.settings import SettingDefinition, check_values, defaults, value_fault

DEFINITIONS: list[SettingDefinition] = [
    {"key": "title", "type": "string", "label": "Title", "default": "x", "maxLength": 5},
    {"key": "notes", "type": "text", "label": "Notes"},
    {"key": "count", "type": "number", "label": "Count", "min": 0, "max": 10, "step": 2, "default": 0},
    {"key": "on", "type": "boolean", "label": "On", "default": False},
    {"key": "mode", "type": "select", "label": "Mode", "options": [{"value": "a", "label": "A"}]},
    {"key": "token", "type": "secret", "label": "Token", "default": "never"},
    {"key": "ink", "type": "color", "label": "Ink"},
]


def test_defaults_leave_secrets_out_and_keep_false_values() -> None:
    assert defaults(DEFINITIONS) == {"title": "x", "count": 0, "on": False}


def test_of_two_definitions_of_a_key_the_later_counts() -> None:
    twice: list[SettingDefinition] = [*DEFINITIONS, {"key": "title", "type": "number", "label": "T", "default": 3}]
    assert defaults(twice)["title"] == 3
    assert check_values(twice, {"title": 4}) == []


def test_values_that_fit_are_accepted() -> None:
    values: dict[str, JsonValue] = {"title": "abcde", "count": 3, "on": True, "mode": "a", "ink": "#Aa0011"}
    assert check_values(DEFINITIONS, values) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", "abcdef"),
        ("title", "😀😀😀"),
        ("title", None),
        ("notes", "x" * 20_001),
        ("count", 11),
        ("count", -0.5),
        ("count", True),
        ("count", math.nan),
        ("count", 10**400),
        ("on", 1),
        ("mode", "b"),
        ("mode", 1),
        ("token", "x"),
        ("ink", "#abc"),
        ("ink", "#aabbcc\n"),
        ("unknown", "x"),
    ],
)
def test_a_value_that_does_not_fit_names_its_key(key: str, value: JsonValue) -> None:
    assert [issue.key for issue in check_values(DEFINITIONS, {key: value})] == [key]


def test_issues_come_in_the_order_of_the_values() -> None:
    issues = check_values(DEFINITIONS, {"zzz": 1, "on": "x", "title": "ok", "count": 99})
    assert [issue.to_wire() for issue in issues] == [
        {"key": "zzz", "message": "There is no setting 'zzz'."},
        {"key": "on", "message": "The value must be true or false."},
        {"key": "count", "message": "The value must be at most 10."},
    ]


def test_a_text_without_its_own_limit_may_have_2000_characters_or_20000_when_long() -> None:
    plain: SettingDefinition = {"key": "k", "type": "string", "label": "K"}
    long: SettingDefinition = {"key": "k", "type": "text", "label": "K"}
    assert value_fault(plain, "x" * 2000) is None
    assert value_fault(plain, "x" * 2001) == "The text may have at most 2000 characters."
    assert value_fault(long, "x" * 20_000) is None
