"""Reading JSON as JavaScript does, and looking at what was read.

Session files and streams come from programs we do not control: nothing here raises anything but ValueError, whatever
the text holds. What is nested deeper than `jsonDepth` is not read, so that everything that was read can be copied,
hashed and written again wherever that is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias, TypeGuard, cast

from ..jstext import JsonValue, number_text, refuse_constant
from ..jstext import is_number as is_number
from .limits import session_limit

JsonObject: TypeAlias = dict[str, JsonValue]

# Python reads longer whole numbers digit by digit or not at all; a double cannot hold them anyway.
_MAX_EXACT_DIGITS = 308
_MAX_DEPTH = session_limit("jsonDepth")
_SURELY_SHALLOW = 2 * _MAX_DEPTH  # characters; every level takes two


def _whole_number(text: str) -> int | float:
    if text == "-0":
        return -0.0
    return int(text) if len(text) <= _MAX_EXACT_DIGITS else float(text)


_decoder = json.JSONDecoder(parse_constant=refuse_constant, parse_int=_whole_number)
_quick_decoder = json.JSONDecoder(parse_constant=refuse_constant)
_scan = cast("Callable[[str, int], tuple[Any, int]]", cast(Any, _quick_decoder).scan_once)  # what raw_decode calls


def read_json(text: str) -> JsonValue:
    """The value of a JSON text. ValueError for anything else, NaN, Infinity and bottomless nesting included."""
    try:
        value = cast(JsonValue, _decoder.decode(text))
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    if len(text) > _SURELY_SHALLOW and _is_deep(text, 0, value):
        raise ValueError("the JSON is nested too deeply")
    return value


def read_object(text: str) -> JsonObject | None:
    """The object of a JSON text, None when it is none. -0 reads as 0; whole numbers keep their digits."""
    try:
        # Without white space around it, which decode would look for, an object is read a fifth faster.
        value, end = _quick_decoder.raw_decode(text) if text[:1] == "{" else (None, -1)
        if end != len(text):
            value = _quick_decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or (len(text) > _SURELY_SHALLOW and _is_deep(text, 0, value)):
        return None
    return value


def read_object_at(text: str, start: int) -> JsonObject | None:
    """The object that a text holds from `start` to its end; None when there is none, or white space around it."""
    try:
        value, end = _scan(text, start)
    except (StopIteration, ValueError, RecursionError):
        return None
    if (
        end != len(text)
        or not isinstance(value, dict)
        or (end - start > _SURELY_SHALLOW and _is_deep(text, start, value))
    ):
        return None
    return value


def _is_deep(text: str, start: int, value: JsonValue) -> bool:
    """Whether what was read of a text is nested too deeply; only where it has brackets enough is it looked through."""
    return text.count("[", start) + text.count("{", start) > _MAX_DEPTH and is_too_deep(value)


def is_too_deep(value: JsonValue) -> bool:
    """Whether a value has more than `jsonDepth` levels, one for each object or list inside another."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(_MAX_DEPTH):
        below: list[JsonValue] = []
        for item in level:
            below.extend(item.values() if isinstance(item, dict) else item)
        level = [item for item in below if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a decoded value is a JSON object."""
    return isinstance(value, dict)


def object_of(value: object) -> JsonObject:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[JsonValue]:
    """The value when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """The value when it is a text, else ""."""
    return value if isinstance(value, str) else ""


def written_text(value: JsonValue) -> str:
    """The text of an id that a careless writer gave as a number; "" for a missing one."""
    if isinstance(value, str):
        return value
    return number_text(value) if is_number(value) else ""


def as_json(value: object) -> JsonValue:
    """`value` seen as JSON: a typed record is JSON to any reader but the type checker."""
    return cast(JsonValue, value)


def copy_json(value: JsonValue) -> JsonValue:
    """A copy that shares no list and no object with `value`."""
    if isinstance(value, dict):
        return {key: copy_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [copy_json(item) for item in value]
    return value


def copy_object(value: JsonObject) -> JsonObject:
    """A copy of an object that shares nothing with it."""
    return {key: copy_json(member) for key, member in value.items()}
