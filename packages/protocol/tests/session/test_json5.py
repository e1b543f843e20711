"""The notation of an nr-chat meta."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import pytest

from cardloom_protocol.session import CodecError
from cardloom_protocol.session.codecs.json5 import read_json5, write_json5

VALUES: list[Any] = [
    None,
    True,
    0,
    -5,
    1.5,
    1e21,
    1e-7,
    "",
    'it\'s "q" \\ \n\r\t\b\f\v\0\x01\x7f\u2028\u2029 😀 \ud800 я',
    "\x001",
    [],
    {},
    [1, [2, {"a": []}]],
    {"a": 1, "b-c": 2, "": 3, "я": 4, "true": 5, "__proto__": 6, "1": 7, "it's": 8},
    inf,
    -inf,
]


@pytest.mark.parametrize("value", VALUES)
def test_what_is_written_is_read_again(value: Any) -> None:
    text = write_json5(value)
    assert read_json5(text) == value
    assert not set(text) & set("\n\r\u2028\u2029")
    text.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" {a: 1, } // end", {"a": 1}),
        ("/* x */ [1,2,]", [1, 2]),
        ("{$a_1: .5, b: 5., c: +0x1F, d: -Infinity}", {"$a_1": 0.5, "b": 5.0, "c": 31, "d": -inf}),
        ("'\\x41\\u0042\\0\\q\\\nx'", "AB\0qx"),
        ("'a\\\r\nb'", "ab"),
        ("'\u2028'", "\u2028"),
        ("{\\u0061b: 1}", {"ab": 1}),
        ("{имя: 1}", {"имя": 1}),
        ("1e3", 1000),
        ("\ufeff\u00a05", 5),
    ],
)
def test_all_of_the_notation_is_read(text: str, value: Any) -> None:
    assert read_json5(text) == value


def test_not_a_number_is_read_and_written() -> None:
    number = read_json5("NaN")
    assert isinstance(number, float)
    assert isnan(number)
    assert write_json5(number) == "NaN"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1",
        "{a}",
        "{a:}",
        "{a:1 b:2}",
        "{,}",
        "[,]",
        "01",
        "1x",
        "0x",
        "--1",
        "+",
        "- 1",
        "+true",
        "'a",
        "'\n'",
        "'\\1'",
        "'\\01'",
        "'\\xZZ'",
        "'\\u12'",
        "{\\x61: 1}",
        "{1a: 1}",
        "nul",
        "truex",
        "/* never",
        "1 2",
        "[" * 5000,
        "{a:" * 5000,
    ],
)
def test_what_is_no_json5_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        read_json5(text)
