"""Makes a tape fit to be kept: no folders of the machine in it, and no texts of a program's maker.

Programs log what they tell the model, which is their makers' own. No harness reads those lines. Programs cut a path in
their output wherever they like, so a run that is recorded has its home at HOME already.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .tape import Entry, Hook, Log, Output

HOME = Path("/home/user")
MAKERS_OWN = frozenset(
    ("attachment", "api-request", "api-request-blob", "api-request-shape", "response_item", "session_meta")
)
MAX_LINE = 4_000
MAX_TEXT = 1_000


def trimmed(entries: Iterable[Entry], names: Mapping[str, str]) -> Iterator[Entry]:
    """The entries of a run as they may be kept; `names` gives other names to folders of the machine."""
    for entry in entries:
        match entry:
            case Log():
                lines = tuple(_renamed(line, names) for line in entry.lines if _may_stay(line))
                if lines:
                    yield replace(entry, lines=lines)
            case Hook():
                yield replace(entry, payload=_shortened(entry.payload, names))
            case Output():
                yield replace(entry, text=_renamed(entry.text, names))
            case _:
                yield entry


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for folder, name in names.items():
        text = text.replace(folder, name)
    return text


def _may_stay(line: str) -> bool:
    try:
        kind = json.loads(line).get("type")
    except (ValueError, AttributeError):
        return False
    return kind not in MAKERS_OWN and len(line) <= MAX_LINE


def _shortened(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _renamed(value, names)[:MAX_TEXT]
        case Mapping():
            return {name: _shortened(one, names) for name, one in value.items()}
        case list():
            return [_shortened(one, names) for one in value]
        case _:
            return value
