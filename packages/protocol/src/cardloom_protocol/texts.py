"""Texts for people: localised texts of a manifest, the characters they may hold, and a translator.

Spec: manifest texts, translator.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from types import MappingProxyType
from typing import TypeAlias

from .jstext import JS_SPACE, JsonValue, as_double, number_text

LocalizedText: TypeAlias = str | Mapping[str, str]
"""One text for all languages, or a text a language, of which `en` is there always."""

Messages: TypeAlias = "Mapping[str, str | Messages]"
"""Texts by key; a table inside a table adds `key.` in front of its own keys."""

FALLBACK_LANGUAGE = "en"

LOCALES: Mapping[str, str] = MappingProxyType({"en": "en-US", "ru": "ru-RU", "zh": "zh-CN"})
"""The languages of the product, each with the locale whose formats go with it."""

# Categories Cc and Cf of Unicode 17 and the two line separators. Written out, because Python 3.11
# knows Unicode 14, which lacks U+13439-1343F.
_FORMAT_CHARS = (
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"
)
_NOT_IN_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f{_FORMAT_CHARS}]")
_NOT_IN_BLOCK = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_FORMAT_CHARS}]")
_PLACEHOLDER = re.compile(rf"\{{\{{[{JS_SPACE}]*([A-Za-z0-9_.-]+)[{JS_SPACE}]*\}}\}}")


def localized(text: LocalizedText | None, language: str) -> str | None:
    """Picks the text for a language, else the English one; an empty text is kept.

    "" when there is no text at all; None only for a table that lacks `en`, which no manifest may.
    """
    if text is None or isinstance(text, str):
        return text or ""
    chosen = text.get(language)
    return text.get(FALLBACK_LANGUAGE) if chosen is None else chosen


def placed_texts(path: str, text: LocalizedText) -> dict[str, str]:
    """The texts of all languages, each under the JSON pointer of its place; `path` is that of the whole."""
    return {path: text} if isinstance(text, str) else {f"{path}/{language}": one for language, one in text.items()}


def forbidden_character(text: str, *, multiline: bool = False) -> str | None:
    """Names the first character that a manifest text may not hold, as `U+200B`, or None.

    Control and invisible format characters are refused, because they can hide or reorder what the
    reader sees. A multi-line text may hold tab and line feed; carriage return never passes.
    """
    found = (_NOT_IN_BLOCK if multiline else _NOT_IN_LINE).search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How a language writes numbers."""

    group: str
    decimal: str
    not_a_number: str = "NaN"


_NUMBER_FORMATS: Mapping[str, NumberFormat] = {
    "en": NumberFormat(",", "."),
    "de": NumberFormat(".", ","),
    "ru": NumberFormat("\u00a0", ",", not_a_number="не\u00a0число"),
    "zh": NumberFormat(",", "."),
}


def format_number(value: float, locale: str) -> str:
    """Writes a number as a locale does: groups of three, at most three decimals, halves away from zero.

    The number is a JavaScript one: its shortest decimal text is what gets rounded. Locales of other
    languages are written the English way.
    """
    style = _NUMBER_FORMATS.get(_language_of(locale), _NUMBER_FORMATS[FALLBACK_LANGUAGE])
    number = as_double(value)
    if math.isnan(number):
        return style.not_a_number
    sign = "-" if math.copysign(1.0, number) < 0 else ""
    if math.isinf(number):
        return f"{sign}∞"
    whole, fraction = _round_to_thousandths(abs(number))
    grouped = f"{int(whole):,}".replace(",", style.group)
    return f"{sign}{grouped}{style.decimal}{fraction}" if fraction else f"{sign}{grouped}"


def plural_category(count: float, locale: str) -> str:
    """Gives the plural category of a count: `one`, `few`, `many` or `other`.

    English and German tell one from other, Russian has all four, Chinese has other alone. The sign is
    ignored and a fraction, after rounding to three decimals, is always `other`.
    """
    number = as_double(count)
    if not math.isfinite(number):
        return "other"
    whole, fraction = _round_to_thousandths(abs(number))
    if fraction:
        return "other"
    language = _language_of(locale)
    if language == "zh":
        return "other"
    if language == "ru":
        return _russian_category(int(whole))
    return "one" if whole == "1" else "other"


class Translator:
    """Looks up texts by key in the active language, falling back to English, then to the key itself."""

    def __init__(
        self, messages: Mapping[str, Messages], language: str = FALLBACK_LANGUAGE, locale: str | None = None
    ) -> None:
        self._texts = {name: _flatten(table) for name, table in messages.items()}
        self._language = language
        self._locale = locale or _locale_for(language)
        self._listeners: list[Callable[[], None]] = []

    @property
    def language(self) -> str:
        """The active language, such as `ru`."""
        return self._language

    @property
    def locale(self) -> str:
        """The locale whose number and plural rules apply, such as `ru-RU`."""
        return self._locale

    def translate(self, key: str, values: Mapping[str, JsonValue] | None = None) -> str:
        """Gives the text of `key` with each `{{ name }}` replaced by the value of that name.

        A number under `count` picks a plural form: `key_one`, `key_few` and so on by the active locale,
        wherever the text is then found, else `key_other`, else `key`. Unknown names and None leave their
        placeholder standing; numbers are written in the locale's format; inserted text is not read again.
        """
        found = self._find(key, values)
        if found is None:
            return key
        if values is None:
            return found

        def fill(placeholder: re.Match[str]) -> str:
            value = values.get(placeholder[1])
            return placeholder[0] if value is None else self._text_of(value)

        return _PLACEHOLDER.sub(fill, found)

    def set_language(self, language: str, locale: str | None = None) -> None:
        """Switches to a language, by default with its own locale; listeners hear of real changes alone."""
        wanted = (language, locale or _locale_for(language))
        if wanted == (self._language, self._locale):
            return
        self._language, self._locale = wanted
        for listener in tuple(self._listeners):
            listener()

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each change of language or locale; the result ends that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def _find(self, key: str, values: Mapping[str, JsonValue] | None) -> str | None:
        count = values.get("count") if values is not None else None
        keys = [key]
        if isinstance(count, int | float) and not isinstance(count, bool):
            keys = [f"{key}_{plural_category(count, self._locale)}", f"{key}_other", key]
        tables = [self._texts.get(self._language, {}), self._texts.get(FALLBACK_LANGUAGE, {})]
        for candidate in keys:
            for table in tables:
                if candidate in table:
                    return table[candidate]
        return None

    def _text_of(self, value: JsonValue) -> str:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return format_number(value, self._locale)
        return _plain_text(value)


def _flatten(table: Messages, prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, str):
            flat[prefix + key] = value
        else:
            flat.update(_flatten(value, f"{prefix}{key}."))
    return flat


def _locale_for(language: str) -> str:
    return LOCALES.get(language, LOCALES[FALLBACK_LANGUAGE])


def _language_of(locale: str) -> str:
    return locale.partition("-")[0]


def _round_to_thousandths(magnitude: float) -> tuple[str, str]:
    """The digits before the point and those after it, without final zeros, of a number rounded to three decimals."""
    with localcontext() as context:
        context.prec = 400  # a double has at most 309 digits before the point
        rounded = Decimal(repr(magnitude)).quantize(Decimal("0.001"), rounding=ROUND_HALF_UP)
        whole, _, fraction = f"{rounded:f}".partition(".")
    return whole, fraction.rstrip("0")


def _russian_category(whole: int) -> str:
    last, last_two = whole % 10, whole % 100
    if last == 1 and last_two != 11:
        return "one"
    if 2 <= last <= 4 and not 12 <= last_two <= 14:
        return "few"
    return "many"


def _plain_text(value: JsonValue) -> str:
    """What JavaScript's String() makes of a value that is no text."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case list():
            return ",".join("" if item is None else _plain_text(item) for item in value)
        case dict():
            return "[object Object]"
        case None:
            return "null"
