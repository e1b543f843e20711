"""Pages of an ordered list, by an opaque cursor that holds an offset. Spec: session protocol, pagination."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isnan
from typing import Generic, TypeVar

T = TypeVar("T")

_OFFSET = re.compile(r"nrs:([0-9]+)")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items, and the cursor of the next ones; None when there are no more."""

    items: list[T]
    cursor: str | None = None


def page_of(items: Sequence[T], limit: float | None = None, cursor: str | None = None) -> Page[T]:
    """The items from the cursor on, at most `limit` of them.

    An unreadable cursor means the start, no limit means the rest. Limits are rounded down, negative ones count as 0;
    the cursor of an empty page does not move, so that a caller who wants progress must ask for at least one item.
    """
    start = cursor_offset(cursor)
    if limit is None or limit == float("inf"):
        return Page(list(items[start:]))
    if isnan(limit):
        return Page([])
    end = start + max(0, floor(limit))
    return Page(list(items[start:end]), cursor_of(end) if end < len(items) else None)


def cursor_of(offset: int) -> str:
    """The cursor of an offset."""
    return base64.b64encode(f"nrs:{offset}".encode("ascii")).decode("ascii")


def cursor_offset(cursor: str | None) -> int:
    """The offset in a cursor; 0 for one that we did not make."""
    if not cursor:
        return 0
    text = _NOT_BASE64.sub("", cursor.partition("=")[0].replace("-", "+").replace("_", "/"))
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return 0
    found = _OFFSET.fullmatch(raw.decode("utf-8", "replace"))
    return int(found[1][:18]) if found else 0
