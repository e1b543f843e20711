"""Kinds of values, and the check that a value is plain JSON before anything else is asked of it."""

from math import isfinite
from typing import Final

from .issue import Issue, pointer


def kind_of(value: object) -> str:
    """`null`, `boolean`, `string`, `integer`, `number`, `array`, `object`, or `invalid` for what is not JSON.

    Whole finite numbers are integers, however they are written: 1.0 and 1e21 too. Booleans are no numbers.
    Only the exact Python types count: a subclass may behave as it likes, so it is not plain JSON.
    """
    kind = type(value)
    if kind is float:
        assert isinstance(value, float)
        return "invalid" if not isfinite(value) else "integer" if value.is_integer() else "number"
    if kind is int:
        assert isinstance(value, int)
        return "integer" if _fits_double(value) else "invalid"
    return _KINDS.get(kind, "invalid")


_KINDS: Final[dict[type, str]] = {
    str: "string",
    bool: "boolean",
    type(None): "null",
    list: "array",
    dict: "object",
}
_SAFE_BITS: Final = 1023  # every integer of at most this many bits is below the largest double


def _fits_double(number: int) -> bool:
    if number.bit_length() <= _SAFE_BITS:
        return True
    try:
        float(number)
    except OverflowError:
        return False
    return True


def plain_nodes(value: object, max_depth: int, max_nodes: int) -> int:
    """How many values `value` holds, itself included; -1 if it is not plain JSON or beyond a limit.

    The quick twin of `plain_issue`: level by level, without pointers.
    """
    count, depth = 1, 0
    level: list[object] = [value]
    while level:
        if depth > max_depth or count > max_nodes:
            return -1
        below: list[object] = []
        for item in level:
            kind = type(item)
            if kind is str or item is None or kind is bool:
                continue
            if kind is dict:
                assert isinstance(item, dict)
                below.extend(item.values())
                if not all(type(key) is str for key in item):
                    return -1
            elif kind is list:
                assert isinstance(item, list)
                below.extend(item)
            elif kind_of(item) == "invalid":
                return -1
        count += len(below)
        depth += 1
        level = below
    return count


def plain_issue(value: object, max_depth: int, max_nodes: int) -> Issue | None:
    """The first place, depth first, where `value` stops being plain JSON within the limits.

    At one place the number of nodes is looked at before the depth, the depth before the kind.
    """
    if plain_nodes(value, max_depth, max_nodes) >= 0:
        return None
    return _first_fault(value, "", 0, max_depth, [max_nodes])


def _first_fault(value: object, path: str, depth: int, max_depth: int, left: list[int]) -> Issue | None:
    """Recursion ends at `max_depth`; `left` holds the nodes that may still come."""
    left[0] -= 1
    if left[0] < 0:
        return Issue(path, "json", "The value has too many parts.")
    if depth > max_depth:
        return Issue(path, "json", f"The value is nested more than {max_depth} levels deep.")
    if isinstance(value, dict) and type(value) is dict:
        for key, member in value.items():
            if type(key) is not str:
                return Issue(path, "json", "The keys of an object must be texts.")
            fault = _first_fault(member, pointer(path, key), depth + 1, max_depth, left)
            if fault is not None:
                return fault
        return None
    if isinstance(value, list) and type(value) is list:
        for index, item in enumerate(value):
            fault = _first_fault(item, pointer(path, index), depth + 1, max_depth, left)
            if fault is not None:
                return fault
        return None
    if kind_of(value) == "invalid":
        return Issue(path, "json", "This is not a JSON value.")
    return None
