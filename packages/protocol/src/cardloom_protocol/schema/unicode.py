"""Unicode properties as sets of code points, for `\\p{…}` in patterns.

The tables are ours and not Python's `unicodedata`, so that every Python answers as current browsers do.
"""

import base64
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Final

from .unicode_data import PACKED

Boundaries = tuple[int, ...]
"""A set of code points: from each boundary at an even index up to, not including, the next one."""

END: Final = 0x110000

# Categories that are unions of others; the first letters name their parts.
_UNIONS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("L", "Letter"), ("Lu", "Ll", "Lt", "Lm", "Lo")),
    **dict.fromkeys(("LC", "Cased_Letter"), ("Lu", "Ll", "Lt")),
    **dict.fromkeys(("M", "Mark", "Combining_Mark"), ("Mn", "Mc", "Me")),
    **dict.fromkeys(("N", "Number"), ("Nd", "Nl", "No")),
    **dict.fromkeys(("P", "Punctuation", "punct"), ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po")),
    **dict.fromkeys(("S", "Symbol"), ("Sm", "Sc", "Sk", "So")),
    **dict.fromkeys(("Z", "Separator"), ("Zs", "Zl", "Zp")),
    **dict.fromkeys(("C", "Other"), ("Cc", "Cf", "Cs", "Co", "Cn")),
}
_SPECIAL: Final[Mapping[str, Boundaries]] = {"Any": (0, END), "ASCII": (0, 0x80)}


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    """Property kind → name → packed boundaries; every alias is a name."""
    text = zlib.decompress(base64.b85decode(PACKED)).decode()
    tables: dict[str, dict[str, str]] = {}
    for section in text.split("\n\n"):
        kind, *lines = section.split("\n")
        rows = (line.split(" ") for line in lines)
        tables[kind] = {name: packed for names, packed in rows for name in names.split("=")}
    return tables


def property_set(expression: str) -> Boundaries | None:
    """The code points of `Lu`, `Script=Han`, `Emoji` and so on; None for a name ECMAScript does not know."""
    name, equals, value = expression.partition("=")
    if equals:
        if name in ("General_Category", "gc"):
            return _category(value)
        if name in ("Script", "sc"):
            return _unpacked("sc", value)
        if name in ("Script_Extensions", "scx"):
            return _unpacked("scx", value) or _unpacked("sc", value)
        return None
    return _category(name) or _SPECIAL.get(name) or _assigned(name) or _unpacked("binary", name)


def _category(name: str) -> Boundaries | None:
    parts = _UNIONS.get(name)
    if parts is None:
        return _unpacked("gc", name)
    return union([_unpacked("gc", part) or () for part in parts])


def _assigned(name: str) -> Boundaries | None:
    return complement(_unpacked("gc", "Cn") or ()) if name == "Assigned" else None


def _unpacked(kind: str, name: str) -> Boundaries | None:
    packed = _tables()[kind].get(name)
    if packed is None:
        return None
    boundary = 0
    boundaries: list[int] = []
    for delta in packed.split(","):
        boundary += int(delta, 36)
        boundaries.append(boundary)
    return closed(boundaries)


def closed(boundaries: list[int]) -> Boundaries:
    """Boundaries with the end added where the last range is open."""
    return (*boundaries, END) if len(boundaries) % 2 else tuple(boundaries)


def complement(points: Boundaries) -> Boundaries:
    """All other code points."""
    flipped = points[1:] if points[:1] == (0,) else (0, *points)
    return flipped[:-1] if flipped[-1:] == (END,) else (*flipped, END)


def union(sets: list[Boundaries]) -> Boundaries:
    """The code points of all `sets` together, as few ranges as possible."""
    ranges = sorted((points[at], points[at + 1]) for points in sets for at in range(0, len(points), 2))
    merged: list[int] = []
    for start, end in ranges:
        if merged and start <= merged[-1]:
            merged[-1] = max(merged[-1], end)
        else:
            merged += [start, end]
    return tuple(merged)
