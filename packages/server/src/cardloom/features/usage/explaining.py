"""Which lines of which logs gave a request its numbers, and what its cost is made of."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from cardloom_protocol.usage import micro_usd

from .databases import row_of
from .intake import TOLD
from .message_folders import counts_in_folder
from .prices import Prices
from .reading import BLOCK_BYTES, LONGEST_LINE_BYTES
from .records import UsageRecord
from .store import UsageStore

_COUNTS: Final = frozenset({"usage", "tokens", "usageMetadata", "uiEvent", "last_token_usage", "total_token_usage"})


@dataclass(frozen=True, slots=True)
class SeenLine:
    """One line: its number and the counts in it; `counts` is None when the log is gone or holds something else now."""

    number: int | None
    offset: int
    counts: Any


@dataclass(frozen=True, slots=True)
class SeenRow:
    """One row of a database, or one part of a document: its name there, and its counts as with a line."""

    name: str
    counts: Any


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one log says of a request; `counted` is the record that is summed, merged where several logs have it."""

    record: UsageRecord
    harness: str
    path: str
    counted: bool
    lines: tuple[SeenLine | SeenRow, ...]


def explain(store: UsageStore, request: str) -> list[Sighting]:
    """All that is known of the requests whose key begins so, the counted record of each first."""
    return [
        Sighting(record, harness, path, counted, _seen(record, harness, path))
        for record, harness, path, counted in store.request(request)
    ]


def _seen(record: UsageRecord, harness: str, path: str) -> tuple[SeenLine | SeenRow, ...]:
    if path.startswith(TOLD):
        return ()
    if path.endswith(".db"):
        return (SeenRow(record.key, row_of(path, harness, record.key)),)
    if path.endswith(os.sep):
        return (SeenRow(record.key, counts_in_folder(path, record.key)),)
    if path.endswith(".json"):
        return (SeenRow(record.key, _part(path, record.key)),)
    return tuple(_line(path, offset) for offset in record.offsets)


def bill_lines(record: UsageRecord, prices: Prices) -> list[str]:
    """The cost part by part, or why there is none."""
    if record.recorded_pico:
        return [f"recorded by the harness: {dollars(record.recorded_pico)}"]
    bill = prices.bill(record)
    if bill is None:
        return [f"no price for {record.model or 'an unknown model'} of {record.provider or 'an unknown provider'}"]
    lines = [
        f"{kind}: {count:,} × {rate / 1_000_000:f} $/M = {amount / 10**12:f} $"
        for kind, count, rate, amount in bill.parts
    ]
    if bill.factor != 1:
        lines.append(f"× {bill.factor}")
    return [*lines, f"= {dollars(bill.pico)}, {micro_usd(bill.pico)} micro-dollars, by {prices.version}"]


def dollars(pico: int) -> str:
    """An exact amount."""
    whole, rest = divmod(pico, 10**12)
    return f"{whole}.{rest:012d}".rstrip("0").rstrip(".") + " $"


def _line(path: str, offset: int) -> SeenLine:
    try:
        with open(path, "rb") as file:
            number = _line_number(file, offset)
            line = b"" if number is None else file.readline(LONGEST_LINE_BYTES)
    except OSError:
        number, line = None, b""
    return SeenLine(number, offset, _counts(_value(line)))


def _line_number(file: BinaryIO, offset: int) -> int | None:
    """The number of the line that begins at an offset, the file standing there; None when the file is shorter."""
    number, left = 1, offset
    while left:
        block = file.read(min(left, BLOCK_BYTES))
        if not block:
            return None
        number, left = number + block.count(b"\n"), left - len(block)
    return number


def _part(path: str, key: str) -> Any:
    """The counts of the part of a document that has this id."""
    try:
        with open(path, "rb") as file:
            return _counts(_with_id(_value(file.read(LONGEST_LINE_BYTES)), key))
    except OSError:
        return None


def _with_id(value: object, key: str) -> object:
    if isinstance(value, dict) and value.get("id") == key:
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in inner if (found := _with_id(one, key)) is not None), None)


def _value(text: bytes) -> object:
    try:
        return json.loads(text.strip(b"\0\r\n "))
    except (ValueError, RecursionError):
        return None


def _counts(value: object) -> Any:
    """The first object with counts inside a line."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in _COUNTS and isinstance(inner, dict):
                return inner
        for inner in value.values():
            if (found := _counts(inner)) is not None:
                return found
    return None
