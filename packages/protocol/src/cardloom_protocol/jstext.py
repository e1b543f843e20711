"""Numbers, JSON, lengths and white space as JavaScript has them.

Sizes on the wire count UTF-16 units of compact JSON, and cards compare texts that a browser wrote, so
these rules lie under schemas, ports, envelopes and paths alike. A Python text may hold lone surrogates,
as JavaScript's may; two halves side by side are one character, however the text was put together.
"""

import json
import re
from collections.abc import Callable
from math import inf, isfinite
from typing import Any, Final, TypeGuard

from .errors import JsonValue as JsonValue

JS_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""White space of JavaScript: it has the byte order mark, and neither U+0085 nor U+001C to U+001F."""

MAX_SAFE_INTEGER: Final = 2**53 - 1

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_OR_BEYOND = re.compile("[\ud800-\U0010ffff]")
_HIGH_AND_ANY = re.compile("[\ud800-\udbff](?s:.)")
_compact: Callable[[object], str] = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(",", ":")
).encode
_sorted: Callable[[object], str] = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(",", ":"), sort_keys=True
).encode


# Numbers


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a decoded value is a JSON number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_double(number: int | float) -> float:
    """The double that JavaScript would hold; whole numbers beyond its range become infinite."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def number_text(number: int | float) -> str:
    """A number as JavaScript writes it: 1.0 is "1", -0.0 is "0", 1e21 is "1e+21", 1e-7 is "1e-7"."""
    if type(number) is int and -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
        return str(number)
    double = as_double(number)
    if not isfinite(double):
        return "NaN" if double != double else "Infinity" if double > 0 else "-Infinity"
    if double == 0:
        return "0"
    text = repr(double)  # the shortest digits that read back as the same double, as in JavaScript
    if "e" not in text:
        return text.removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    return sign + _place_point(whole + fraction, int(exponent) + len(whole))


def _place_point(digits: str, point: int) -> str:
    """`digits` with the decimal point after `point` of them, in the notation JavaScript chooses."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    fraction = "." + digits[1:] if count > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


# Texts


def join_surrogates(text: str) -> str:
    """`text` with halves that stand side by side joined to the character they mean."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def utf16_length(text: str) -> int:
    """The length JavaScript sees: characters beyond U+FFFF count two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_cut(text: str, max_units: int) -> str:
    """The first `max_units` UTF-16 units; a character cut in the middle leaves its first half."""
    if len(text) * 2 <= max_units:
        return text
    if text.isascii():
        return text[:max_units]
    return text.encode("utf-16-le", "surrogatepass")[: max_units * 2].decode("utf-16-le", "surrogatepass")


def utf16_key(text: str) -> bytes:
    """A sort key that orders texts as JavaScript does, by UTF-16 unit."""
    return text.encode("utf-16-be", "surrogatepass")


def point_length(text: str) -> int:
    """The length in code points as schemas count it: a high surrogate swallows whatever unit follows it."""
    if text.isascii() or not _SURROGATE.search(text):
        return len(text)
    units = text.encode("utf-16-be", "surrogatepass")
    one_char_a_unit = "".join(chr(units[at] << 8 | units[at + 1]) for at in range(0, len(units), 2))
    return len(_HIGH_AND_ANY.sub("_", one_char_a_unit))


def is_js_space(char: str) -> bool:
    """Whether one character is white space in JavaScript."""
    return len(char) == 1 and char in JS_SPACE


def js_trim(text: str) -> str:
    """`text` without JavaScript's white space at either end."""
    return text.strip(JS_SPACE)


# JSON


def refuse_constant(name: str) -> Any:
    """For Python's decoder, which would read NaN and the infinities: ValueError, as they are not JSON."""
    raise ValueError(f"{name} is not JSON")


def compact_json(value: JsonValue) -> str:
    """What `JSON.stringify(value)` gives. TypeError for anything that is not JSON; NaN becomes null."""
    if _written_alike(value):
        return _escape_surrogates(_compact(value))
    return _escape_surrogates(_written(value, "", _in_order))


def pretty_json(value: JsonValue) -> str:
    """What `JSON.stringify(value, null, 2)` gives: two spaces a level, empty containers on one line."""
    return _escape_surrogates(_written(value, "  ", _in_order))


def canonical_json(value: JsonValue) -> str:
    """Compact JSON with the keys of every object sorted by UTF-16 unit: equal values, equal texts."""
    if _written_alike(value):
        text = _sorted(value)
        if text.isascii() or not _SURROGATE_OR_BEYOND.search(text):
            return text  # below U+D800 both orders are the same
    return _escape_surrogates(_written(value, "", _by_utf16))


def json_length(value: JsonValue) -> int:
    """UTF-16 units of compact JSON, the measure of every size limit on messages."""
    return utf16_length(compact_json(value))


def _written_alike(value: JsonValue) -> bool:
    """Whether Python's encoder writes `value` as JavaScript does, lone surrogates aside."""
    level: list[JsonValue] = [value]
    while level:
        kinds = set(map(type, level))
        if kinds <= _SCALARS:
            return True
        if not kinds <= _PLAIN or (int in kinds and not all(map(_is_safe, level))):
            return False
        below: list[JsonValue] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        level = below
    return True


_SCALARS: Final = frozenset({str, bool, type(None)})
_PLAIN: Final = frozenset({*_SCALARS, int, dict, list})


def _is_safe(value: JsonValue) -> bool:
    return type(value) is not int or -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER


def _escape_surrogates(text: str) -> str:
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", join_surrogates(text))


_Entries = Callable[[dict[str, JsonValue]], list[tuple[str, JsonValue]]]


def _in_order(members: dict[str, JsonValue]) -> list[tuple[str, JsonValue]]:
    return list(members.items())


def _by_utf16(members: dict[str, JsonValue]) -> list[tuple[str, JsonValue]]:
    return sorted(members.items(), key=lambda member: utf16_key(member[0]))


def _written(value: JsonValue, gap: str, entries: _Entries) -> str:
    pieces: list[str] = []
    _write(value, gap, "\n" if gap else "", entries, pieces)
    return "".join(pieces)


def _write(value: JsonValue, gap: str, line: str, entries: _Entries, pieces: list[str]) -> None:
    """Append the JSON of `value`; `line` starts a line at this level, `gap` is one more level's indent."""
    if isinstance(value, dict) and value:
        opener = "{"
        inner = line + gap if gap else ""
        colon = ": " if gap else ":"
        for key, member in entries(value):
            pieces.append(f"{opener}{inner}{_compact(key)}{colon}")
            _write(member, gap, inner, entries, pieces)
            opener = ","
        pieces.append(f"{line}}}")
    elif isinstance(value, list) and value:
        opener = "["
        inner = line + gap if gap else ""
        for item in value:
            pieces.append(opener + inner)
            _write(item, gap, inner, entries, pieces)
            opener = ","
        pieces.append(f"{line}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        pieces.append(number_text(value) if isfinite(as_double(value)) else "null")
    else:
        pieces.append(_compact(value))
