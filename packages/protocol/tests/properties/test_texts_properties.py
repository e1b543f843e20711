"""Localised texts, forbidden characters, number formats, plurals and the translator: what holds for every input."""

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.texts import (
    format_number,
    plural_category,
)


@given(st.integers(-(10**15), 10**15))
def test_a_whole_number_reads_back_from_its_groups(number: int) -> None:
    assert int(format_number(number, "ru-RU").replace("\u00a0", "")) == number


@given(st.integers(0, 10**9))
def test_chinese_has_one_plural_category_and_english_two(count: int) -> None:
    assert plural_category(count, "zh-CN") == "other"
    assert (plural_category(count, "en-US") == "one") is (count == 1)
