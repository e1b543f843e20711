"""Kinds of values, and the check that a value is plain JSON before anything else is asked of it."""

from math import isfinite
from typing import Final

from ..jstext import as_double
from .issue import Issue, pointer


def kind_of(value: object) -> str:
    """`null`, `boolean`, `string`, `integer`, `number`, `array`, `object`, or `invalid` for what is not JSON.

    Whole finite numbers are integers, however they are written: 1.0 and 1e21 too. Booleans are no numbers.
    Only the exact Python types count: a subclass may behave as it likes, so it is not plain JSON.
    """
    kind = _KINDS.get(type(value), "invalid")
    if kind == "integer":
        return kind if _fits_double(value) else "invalid"
    if kind == "number" and isinstance(value, float):
        return "invalid" if not isfinite(value) else "integer" if value.is_integer() else "number"
    return kind


_KINDS: Final[dict[type, str]] = {
    str: "string",
    bool: "boolean",
    type(None): "null",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}
_NUMBERS: Final = frozenset({int, float})
_SAFE_BITS: Final = 1023  # an integer of so many bits is below the largest double


def _fits_double(value: object) -> bool:
    """False for numbers that no finite double holds; True for all that is no number."""
    if type(value) is int:
        return value.bit_length() <= _SAFE_BITS or isfinite(as_double(value))
    return type(value) is not float or isfinite(value)


def _is_text(key: object) -> bool:
    return isinstance(key, str)


def plain_nodes(value: object, max_depth: int, max_nodes: int) -> int:
    """How many values `value` holds, itself included; -1 if it is not plain JSON or beyond a limit.

    The quick twin of `plain_issue`: level by level and kind by kind, without pointers.
    """
    count, depth = 1, 0
    level: list[object] = [value]
    while level:
        kinds = set(map(type, level))
        if depth > max_depth or count > max_nodes or not kinds <= _KINDS.keys():
            return -1
        if not kinds.isdisjoint(_NUMBERS) and not all(map(_fits_double, level)):
            return -1
        below: list[object] = []
        keys: list[object] = []
        if dict in kinds:
            for item in level:
                if type(item) is dict:
                    keys.extend(item)
                    below.extend(item.values())
        if list in kinds:
            for item in level:
                if type(item) is list:
                    below.extend(item)
        if not all(issubclass(kind, str) for kind in set(map(type, keys))):
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
            if not _is_text(key):
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
