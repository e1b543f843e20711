"""Numbers, JSON and lengths as JavaScript has them: what holds for every input."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.jstext import (
    JsonValue,
    canonical_json,
    compact_json,
    json_length,
    number_text,
    pretty_json,
    utf16_cut,
    utf16_length,
)

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_number_reads_back_as_the_same_double(number: float) -> None:
    assert float(number_text(number)) == number


@given(JSON_VALUES)
def test_json_texts_read_back_and_agree_on_the_value(value: JsonValue) -> None:
    compact = compact_json(value)
    assert json.loads(pretty_json(value)) == json.loads(compact)
    assert json.loads(canonical_json(value)) == json.loads(compact)
    assert json_length(value) == utf16_length(compact)
    compact.encode()  # no lone surrogate is left


@given(ANY_TEXT, st.integers(0, 40))
def test_a_cut_is_a_prefix_in_units(text: str, max_units: int) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    assert utf16_cut(text, max_units).encode("utf-16-le", "surrogatepass") == units[: max_units * 2]
