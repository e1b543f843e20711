import math
from typing import Any

import pytest

from cardloom_protocol.jstext import (
    JsonValue,
    as_double,
    canonical_json,
    compact_json,
    is_js_space,
    join_surrogates,
    js_trim,
    json_length,
    number_text,
    point_length,
    pretty_json,
    utf16_cut,
    utf16_key,
    utf16_length,
)

NUMBER_TEXTS = [
    (0, "0"),
    (-0.0, "0"),
    (1.0, "1"),
    (-7, "-7"),
    (0.1, "0.1"),
    (123.456, "123.456"),
    (1e5, "100000"),
    (1e15, "1000000000000000"),
    (1e16, "10000000000000000"),
    (123456789012345680000.0, "123456789012345680000"),
    (1e20, "100000000000000000000"),
    (1e21, "1e+21"),
    (1.5e21, "1.5e+21"),
    (1e-6, "0.000001"),
    (1.234e-5, "0.00001234"),
    (1e-7, "1e-7"),
    (-1.5e-10, "-1.5e-10"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (9007199254740991, "9007199254740991"),
    (9007199254740993, "9007199254740992"),
    (10**21, "1e+21"),
    (10**400, "Infinity"),
    (-(10**400), "-Infinity"),
    (math.nan, "NaN"),
    (math.inf, "Infinity"),
]


@pytest.mark.parametrize(("number", "text"), NUMBER_TEXTS)
def test_a_number_is_written_as_javascript_writes_it(number: int | float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 1.0, -0.0, 1e21, None, True]}, '{"a":[1,1,0,1e+21,null,true]}'),
        ([math.nan, math.inf], "[null,null]"),
        ('\x00\x1f\x7f\b\t\n\f\r"\\/', '"\\u0000\\u001f\x7f\\b\\t\\n\\f\\r\\"\\\\/"'),
        ("é\u2028😀", '"é\u2028😀"'),
        ("\ud83d", '"\\ud83d"'),
        ({"\ude00": 1.5}, '{"\\ude00":1.5}'),
        ("\ud83d" + "\ude00", '"😀"'),
        ({}, "{}"),
        ([[], {}], "[[],{}]"),
        (9007199254740993, "9007199254740992"),
    ],
)
def test_compact_json_is_what_a_browser_writes(value: JsonValue, text: str) -> None:
    assert compact_json(value) == text
    assert json_length(value) == utf16_length(text)


def test_pretty_json_indents_by_two_and_keeps_empty_containers_on_one_line() -> None:
    value: JsonValue = {"a": [], "b": {}, "c": [1.0, {"d": "é"}]}
    assert pretty_json(value) == ('{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": "é"\n    }\n  ]\n}')


def test_canonical_json_sorts_keys_by_utf16_unit_at_every_level() -> None:
    assert canonical_json({"b": 1, "a": {"d": 1, "c": 2.0}}) == '{"a":{"c":2,"d":1},"b":1}'
    assert canonical_json({"\uffff": 1, "😀": 2}) == '{"😀":2,"\uffff":1}'


def test_what_is_not_json_is_refused() -> None:
    odd: Any = {"a": [object()]}
    with pytest.raises(TypeError):
        compact_json(odd)


@pytest.mark.parametrize(("text", "units"), [("", 0), ("abc", 3), ("é", 1), ("😀", 2), ("\ud83d", 1), ("a😀\ud800", 4)])
def test_a_length_counts_utf16_units(text: str, units: int) -> None:
    assert utf16_length(text) == units


def test_a_cut_may_leave_the_first_half_of_a_character() -> None:
    assert utf16_cut("a😀b", 2) == "a\ud83d"
    assert utf16_cut("a😀b", 3) == "a😀"
    assert utf16_cut("abc", 2) == "ab"
    assert utf16_cut("é", 5) == "é"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("e\u0301", 2),
        ("😀😀", 2),
        ("\ud83da", 1),
        ("\ud83d\ud83d", 1),
        ("\ude00", 1),
        ("a\ud83d", 2),
        ("\ud83d😀", 2),
    ],
)
def test_a_high_surrogate_swallows_the_unit_after_it(text: str, length: int) -> None:
    assert point_length(text) == length


def test_white_space_is_javascripts() -> None:
    assert js_trim("\ufeff\u00a0 a \u3000\u2028") == "a"
    assert js_trim("\x85a\x1c\u200b") == "\x85a\x1c\u200b"
    assert is_js_space("\ufeff")
    assert not is_js_space("\x85")
    assert not is_js_space("")


def test_halves_side_by_side_become_one_character() -> None:
    assert join_surrogates("\ud83d" + "\ude00") == "😀"
    assert join_surrogates("\ude00\ud83d") == "\ude00\ud83d"


def test_texts_sort_by_utf16_unit() -> None:
    assert sorted(["\uffff", "😀", "a"], key=utf16_key) == ["a", "😀", "\uffff"]


def test_a_whole_number_beyond_all_doubles_is_infinite() -> None:
    assert as_double(-(10**400)) == -math.inf
    assert as_double(2**53 + 1) == 2.0**53
