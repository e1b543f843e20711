"""Which lines of which logs gave a request its numbers, and what its cost is made of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.usage import micro_usd

from .prices import Prices
from .records import UsageRecord
from .store import UsageStore

_COUNTS: Final = frozenset({"usage", "tokens", "usageMetadata", "uiEvent", "last_token_usage", "total_token_usage"})
_MOST_LINE_BYTES: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class SeenLine:
    """One line: its number and the counts in it; `counts` is None when the log is gone or holds something else now."""

    number: int | None
    offset: int
    counts: Any


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one log says of a request; `counted` is the record that is summed, merged where several logs have it."""

    record: UsageRecord
    harness: str
    path: str
    counted: bool
    lines: tuple[SeenLine, ...]


def explain(store: UsageStore, request: str) -> list[Sighting]:
    """All that is known of the requests whose key begins so, the counted record of each first."""
    return [
        Sighting(record, harness, path, counted, tuple(_line(path, offset) for offset in record.offsets))
        for record, harness, path, counted in store.request(request)
    ]


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
            before = file.read(offset)
            line = file.readline(_MOST_LINE_BYTES)
    except OSError:
        return SeenLine(None, offset, None)
    if len(before) < offset:
        return SeenLine(None, offset, None)
    try:
        counts = _counts(json.loads(line))
    except (ValueError, RecursionError):
        counts = None
    return SeenLine(before.count(b"\n") + 1, offset, counts)


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
