"""Localised texts, forbidden characters, number formats, plurals and the translator."""

import math

import pytest

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.texts import (
    LOCALES,
    Messages,
    Translator,
    forbidden_character,
    format_number,
    localized,
    plural_category,
)

MESSAGES: dict[str, Messages] = {
    "en": {"hello": "Hello {{name}}", "list": {"items_one": "{{count}} item", "items_other": "{{count}} items"}},
    "ru": {"hello": "Привет, {{ name }}", "list": {"items_few": "{{count}} дела"}},
}


@pytest.mark.parametrize(
    ("text", "language", "chosen"),
    [
        ("plain", "ru", "plain"),
        ({"en": "E", "ru": "Р"}, "ru", "Р"),
        ({"en": "E"}, "zh", "E"),
        ({"en": "E", "ru": ""}, "ru", ""),
        (None, "en", ""),
        ({"ru": "Р"}, "en", None),
    ],
)
def test_a_text_comes_in_the_language_or_in_english(
    text: str | dict[str, str] | None, language: str, chosen: str | None
) -> None:
    assert localized(text, language) == chosen


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\r", "U+000D"),
        ("\x85", "U+0085"),
        ("\u200d", "U+200D"),
        ("\u202e", "U+202E"),
        ("\u2028", "U+2028"),
        ("\U0001343a", "U+1343A"),
        ("\U000e0041", "U+E0041"),
    ],
)
def test_control_and_invisible_characters_are_named(char: str, name: str) -> None:
    assert forbidden_character(f"a{char}b") == name
    assert forbidden_character(f"a{char}b", multiline=True) == name


@pytest.mark.parametrize("char", ["\u00a0", "\ufe0f", "\ue000", "\ud800", "é", "😀", "\u0378", "\U00013440"])
def test_other_odd_characters_pass(char: str) -> None:
    assert forbidden_character(f"a{char}b") is None


def test_tab_and_line_feed_pass_in_multi_line_texts_alone() -> None:
    assert forbidden_character("a\n\tb", multiline=True) is None
    assert forbidden_character("a\n\tb") == "U+000A"


@pytest.mark.parametrize(
    ("value", "locale", "text"),
    [
        (1234567.891, "en-US", "1,234,567.891"),
        (1234567.891, "ru-RU", "1\u00a0234\u00a0567,891"),
        (1234.5, "zh-CN", "1,234.5"),
        (1234.5, "de-DE", "1.234,5"),
        (1234.5, "xx", "1,234.5"),
        (0.0005, "en-US", "0.001"),
        (-0.0005, "en-US", "-0.001"),
        (-0.0, "en-US", "-0"),
        (2.0, "en-US", "2"),
        (10**400, "en-US", "∞"),
        (-math.inf, "ru-RU", "-∞"),
        (math.nan, "en-US", "NaN"),
    ],
)
def test_numbers_are_written_as_the_locale_does(value: float, locale: str, text: str) -> None:
    assert format_number(value, locale) == text


@pytest.mark.parametrize(
    ("count", "category"),
    [(1, "one"), (21, "one"), (11, "many"), (3, "few"), (13, "many"), (0, "many"), (1.5, "other"), (math.inf, "other")],
)
def test_russian_has_four_plural_categories(count: float, category: str) -> None:
    assert plural_category(count, "ru-RU") == category


@pytest.mark.parametrize(
    ("key", "values", "text"),
    [
        ("hello", {"name": "Ann"}, "Привет, Ann"),
        ("hello", {}, "Привет, {{ name }}"),
        ("hello", {"name": "{{x}}", "x": "no"}, "Привет, {{x}}"),
        ("hello", {"name": None}, "Привет, {{ name }}"),
        ("hello", {"name": [1, None, "a"]}, "Привет, 1,,a"),
        ("hello", {"name": {}}, "Привет, [object Object]"),
        ("hello", {"name": True}, "Привет, true"),
        ("list.items", {"count": 2}, "2 дела"),
        ("list.items", {"count": 5}, "5 items"),
        ("list.items", {"count": "2"}, "list.items"),
        ("missing", None, "missing"),
    ],
)
def test_a_key_becomes_a_text_in_the_active_language_or_english(
    key: str, values: dict[str, JsonValue] | None, text: str
) -> None:
    assert Translator(MESSAGES, "ru").translate(key, values) == text


def test_a_change_of_language_brings_its_locale_and_tells_listeners_once() -> None:
    translator = Translator(MESSAGES)
    heard: list[tuple[str, str]] = []
    stop = translator.on_change(lambda: heard.append((translator.language, translator.locale)))
    translator.set_language("ru")
    translator.set_language("ru", LOCALES["ru"])
    translator.set_language("ru", "ru-KZ")
    stop()
    stop()
    translator.set_language("en")
    assert heard == [("ru", "ru-RU"), ("ru", "ru-KZ")]


def test_an_unknown_language_reads_english_in_the_english_way() -> None:
    translator = Translator(MESSAGES, "fr")
    assert translator.locale == "en-US"
    assert translator.translate("list.items", {"count": 1000}) == "1,000 items"
