"""Reading what harnesses post: fields of the right kind or none, times, one line of text, names for questions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from ....host.wire_json import whole_loads
from ..facts import MAX_DETAIL

Payload: TypeAlias = Mapping[str, Any]

_SPACE = re.compile(r"\s+")


def text(payload: Payload, *names: str) -> str | None:
    """The first of these fields that is a text with something in it."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def table(payload: Payload, name: str) -> Payload:
    """The field as an object, an empty one when it is none."""
    value = payload.get(name)
    return value if isinstance(value, Mapping) else {}


def tables(payload: Payload, name: str) -> list[Payload]:
    """The field's objects, none when it is no list."""
    value = payload.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def whole(payload: Payload, name: str) -> int | None:
    value = payload.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def iso_ms(value: object) -> int | None:
    """Epoch milliseconds of an ISO 8601 time with a zone."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return None if moment.tzinfo is None else round(moment.timestamp() * 1000)


def json_line(line: str) -> Payload | None:
    """The object on a line of a log; None for anything else, as a line cut by its reader is."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        value = whole_loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def one_line(words: str, max_chars: int = MAX_DETAIL) -> str:
    """The text on one line, cut to so many characters."""
    line = _SPACE.sub(" ", words).strip()
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"


def about(tool: str, tool_input: object) -> str:
    """A name for a question about this call of a tool, the same whenever the same call is told of."""
    words = json.dumps(tool_input, sort_keys=True, ensure_ascii=False, default=str)
    return f"{tool}:{hashlib.sha256(words.encode()).hexdigest()[:16]}"
