"""The content hash of a message: what a client compares before it edits.

FNV-1a over the UTF-16 units of the JSON that JavaScript writes for `{role, parts}`. Flags, name, meta and place in the
tree do not enter. Spec: session protocol, content hash.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from sys import byteorder

from ..jstext import JsonValue, compact_json
from .json_text import as_json

_OFFSET = 0x811C9DC5
_PRIME = 0x01000193
_HEAD_CHARS = 46
_MAX_INDEX = 2**32 - 2
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_UTF16 = "utf-16-le" if byteorder == "little" else "utf-16-be"


def content_hash(role: str, parts: Sequence[Mapping[str, object]]) -> str:
    """Eight hexadecimal digits that change with the role or any part."""
    return fnv1a(canonical_content(role, parts))


def canonical_content(role: str, parts: Sequence[Mapping[str, object]]) -> str:
    """The JSON text that is hashed."""
    return compact_json(as_json({"role": role, "parts": [indexes_first(as_json(part)) for part in parts]}))


def fnv1a(text: str) -> str:
    """FNV-1a of 32 bits, where JavaScript's units take the place of bytes."""
    return f"{_after(_after_head(text[:_HEAD_CHARS]), text[_HEAD_CHARS:]):08x}"


@lru_cache(maxsize=256)
def _after_head(head: str) -> int:
    # Most messages begin alike: `{"role":"user","parts":[{"type":"text","text":"`.
    return _after(_OFFSET, head)


def _after(state: int, text: str) -> int:
    # Each unit of an ASCII text is one byte; iterating bytes is a third faster than an array.
    units: bytes | array[int]
    units = text.encode("ascii") if text.isascii() else array("H", text.encode(_UTF16, "surrogatepass"))
    for unit in units:
        state = (state ^ unit) * _PRIME & 0xFFFFFFFF
    return state


def indexes_first(value: JsonValue) -> JsonValue:
    """`value` with its keys in JavaScript's order: those that look like array indexes first, ascending."""
    if isinstance(value, dict):
        members = {key: indexes_first(member) for key, member in value.items()}
        indexes = sorted((key for key in members if _is_index(key)), key=int)
        if not indexes:
            return members
        return {key: members[key] for key in indexes} | members
    if isinstance(value, list):
        return [indexes_first(item) for item in value]
    return value


def _is_index(key: str) -> bool:
    return key[:1].isdigit() and _INDEX.fullmatch(key) is not None and int(key) <= _MAX_INDEX
