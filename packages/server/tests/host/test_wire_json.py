"""JSON on the wire is what JavaScript and the standard library say it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardloom.host.wire_json import dumps, loads, whole_loads

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_goes_out_comes_back(value: Any) -> None:
    assert json.loads(dumps(value)) == value


@given(values)
def test_both_decoders_agree_on_what_the_standard_library_writes(value: Any) -> None:
    assert loads(json.dumps(value)) == value


def test_half_a_surrogate_pair_survives_both_ways() -> None:
    assert dumps(["\ud83d"]) == '["\\ud83d"]'
    assert loads('["\\ud83d"]') == ["\ud83d"]


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", "", "01", "[1,]", "\ufeff1"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "\\ud800", "\\udc00": ["x\\ud83dy"]}', {"a": "?", "?": ["x?y"]}),
        ('"\\ud83d\\ude00"', "😀"),
        ('{"n": 18446744073709551616, "t": "\\u0041"}', {"n": 18446744073709551616, "t": "A"}),
    ],
)
def test_halves_of_characters_in_foreign_json_become_question_marks(text: str, value: object) -> None:
    assert whole_loads(text) == value
