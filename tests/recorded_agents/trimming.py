"""Makes a tape fit to be kept: nobody's folders in it, and no texts of a program's maker.

Programs log what they tell the model, which is their makers' own. No harness reads those lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from .tape import Entry, Hook, Log, Output

HOME = "/home/user"
MAKERS_OWN = frozenset(
    ("attachment", "api-request", "api-request-blob", "api-request-shape", "response_item", "session_meta")
)
MAX_LINE = 4_000
MAX_TEXT = 1_000


def trimmed(entries: Iterable[Entry], home: str) -> Iterator[Entry]:
    """The entries of a run in that home folder, as they may be kept."""
    for entry in entries:
        match entry:
            case Log():
                lines = tuple(line.replace(home, HOME) for line in entry.lines if _may_stay(line))
                if lines:
                    yield replace(entry, lines=lines)
            case Hook():
                yield replace(entry, payload=_shortened(entry.payload, home))
            case Output():
                yield replace(entry, text=entry.text.replace(home, HOME))
            case _:
                yield entry


def _may_stay(line: str) -> bool:
    try:
        kind = json.loads(line).get("type")
    except (ValueError, AttributeError):
        return False
    return kind not in MAKERS_OWN and len(line) <= MAX_LINE


def _shortened(value: Any, home: str) -> Any:
    match value:
        case str():
            return value.replace(home, HOME)[:MAX_TEXT]
        case Mapping():
            return {name: _shortened(one, home) for name, one in value.items()}
        case list():
            return [_shortened(one, home) for one in value]
        case _:
            return value
