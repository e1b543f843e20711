"""JSON as it goes over the wire and into the database: fast where possible, right where the fast one refuses.

orjson takes nearly everything; lone surrogates, which JavaScript may send, and integers beyond 64 bits go through the
standard library. Spec: architecture, dependencies; decision 50.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

from cardloom_protocol.frames import default_dumps, default_loads


def dumps(value: Any) -> str:
    """Give compact JSON text. ValueError or TypeError for what is not JSON."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return default_dumps(value)


def loads(text: str) -> Any:
    """Give the value of JSON text. ValueError or RecursionError for anything else."""
    try:
        return orjson.loads(text)
    except ValueError:
        return default_loads(text)


def whole_loads(text: str) -> Any:
    """Give the value of foreign JSON text with `?` for each half of a character, which no file or database takes.

    ValueError or RecursionError for anything that is no JSON.
    """
    value = json.loads(text)
    if "\\u" not in text:  # halves come by escapes alone
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
