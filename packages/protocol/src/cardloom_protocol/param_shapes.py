"""Small builders of parameter schemas, so that a row of the method table reads as one line.

Each call gives a fresh plain dict of the schema subset; nothing here checks a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .jstext import MAX_SAFE_INTEGER

Shape = dict[str, Any]

ID_CHARS = 128


def record(required: dict[str, Shape] | None = None, optional: dict[str, Shape] | None = None) -> Shape:
    """An object with exactly these members."""
    properties = {**(required or {}), **(optional or {})}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required or {}),
    }


def nothing() -> Shape:
    """No parameters: an empty object, or null."""
    return {"type": ["object", "null"], "maxProperties": 0}


def text(min_chars: int, max_chars: int) -> Shape:
    """A string, its length in code points."""
    return {"type": "string", "minLength": min_chars, "maxLength": max_chars}


def ident(max_chars: int = ID_CHARS) -> Shape:
    """A non-empty id."""
    return text(1, max_chars)


def url(max_chars: int) -> Shape:
    """A URI."""
    return {"type": "string", "format": "uri", "maxLength": max_chars}


def integer(minimum: int, maximum: int | None = None) -> Shape:
    """A whole number between two bounds, both included."""
    shape: Shape = {"type": "integer", "minimum": minimum}
    if maximum is not None:
        shape["maximum"] = maximum
    return shape


def safe_integer(minimum: int) -> Shape:
    """A whole number that JavaScript holds exactly: an amount, a number of the journal, a time in epoch ms."""
    return integer(minimum, MAX_SAFE_INTEGER)


def place() -> dict[str, Shape]:
    """The members `x` and `y`: a point of the canvas, in pixels at 100 %."""
    return {axis: {"type": "number", "minimum": -1_000_000, "maximum": 1_000_000} for axis in ("x", "y")}


def size() -> dict[str, Shape]:
    """The members `w` and `h`: how large a card is, in pixels at 100 %."""
    return {side: {"type": "number", "minimum": 80, "maximum": 4000} for side in ("w", "h")}


def boolean() -> Shape:
    """True or false."""
    return {"type": "boolean"}


def one_of(options: Sequence[str]) -> Shape:
    """One of these words."""
    return {"enum": list(options)}


def nullable(shape: Shape) -> Shape:
    """The shape, or null, as the card contract writes it."""
    return {"anyOf": [shape, {"type": "null"}]}


def or_null(shape: Shape) -> Shape:
    """A shape of one type, or null. A refusal says what is wrong with the value, where `nullable` names no reason."""
    return {**shape, "type": [shape["type"], "null"]}


def anything() -> Shape:
    """Any JSON value."""
    return {}


def items(shape: Shape, *, min_items: int | None = None, max_items: int | None = None, unique: bool = False) -> Shape:
    """An array of one shape."""
    array: Shape = {"type": "array", "items": shape}
    if min_items is not None:
        array["minItems"] = min_items
    if max_items is not None:
        array["maxItems"] = max_items
    if unique:
        array["uniqueItems"] = True
    return array
