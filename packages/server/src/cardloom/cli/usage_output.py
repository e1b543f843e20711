"""How `cardloom usage` tells what it found: a table for people, JSON for programs, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.usage import Work

from ..features.usage.explaining import SeenLine, SeenRow, Sighting, bill_lines
from ..features.usage.prices import Prices
from ..features.usage.store import LogSkip
from .console import one_line, table

_HEADS: Final = ("requests", "input", "cache read", "cache write", "output", "total", "cost")
_FIELDS: Final = ("input", "cache_read", "cache_write", "output", "reasoning", "total")
_NOT_REPORTED: Final = "–"
_LEAST_SHOWN_MICRO: Final = 100
_MOST_SKIPS: Final = 50
_FORMULA: Final = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""How a text begins that a spreadsheet would run; some take the wide signs for the others."""


@dataclass(frozen=True, slots=True)
class Group:
    """One row: what it stands for and its sum."""

    names: tuple[str, ...]
    work: Work


def groups_as_json(
    by: str,
    from_ms: int | None,
    heads: tuple[str, ...],
    groups: list[Group],
    total: Work,
    skips: list[LogSkip],
    prices: str,
) -> dict[str, Any]:
    return {
        "by": by,
        "since": from_ms,
        "prices": prices,
        "rows": [{**dict(zip(heads, group.names, strict=True)), **_work_json(group.work)} for group in groups],
        "total": _work_json(total),
        "partial": total.unpriced > 0 or bool(skips),
        "skipped": [
            {"agent": skip.harness, "log": skip.path, "reason": skip.reason, "count": skip.count, "offset": skip.offset}
            for skip in skips
        ],
    }


def _work_json(work: Work) -> dict[str, Any]:
    return {**work.to_wire(), "unpriced": work.unpriced}


def groups_as_csv(heads: tuple[str, ...], groups: list[Group]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*heads, "requests", *_FIELDS, "cost_micro_usd", "unpriced"])
    for group in groups:
        counts = [getattr(group.work.tokens, field) for field in _FIELDS]
        cells = [group.work.requests, *counts, group.work.cost_micro_usd, group.work.unpriced]
        writer.writerow([*map(_no_formula, group.names), *("" if cell is None else cell for cell in cells)])
    return text.getvalue().rstrip("\n")


def _no_formula(name: str) -> str:
    return f"'{name}" if _FORMULA.match(name) else name


def groups_as_text(heads: tuple[str, ...], groups: list[Group], total: Work, skips: list[LogSkip], prices: str) -> str:
    if not groups and not skips:
        return "No requests were found."
    rows = [(*group.names, *_cells(group.work)) for group in groups]
    rows.append(("total", *("" for _ in heads[1:]), *_cells(total)))
    widths = [max(len(line[column]) for line in rows) for column in range(len(rows[0]))]
    lines = [
        tuple(
            cell if column < len(heads) else cell.rjust(max(width, len((*heads, *_HEADS)[column])))
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    parts = [table((*heads, *_HEADS), lines), "", f"Costs by {prices}; – is not reported."]
    if total.unpriced:
        parts.append(f"{total.unpriced} of {total.requests} requests have no price; the costs are those of the others.")
    return "\n".join([*parts, skips_as_text(skips)] if skips else parts)


def skips_as_text(skips: Sequence[LogSkip]) -> str:
    """What was not counted: the first logs one by one, the rest together."""
    lines = []
    for skip in skips[:_MOST_SKIPS]:
        place = "" if skip.offset is None else f", first at byte {skip.offset}"
        lines.append(f"Not counted: {one_line(skip.path)}: {skip.reason}, {skip.count}×{place}")
    rest: Counter[str] = Counter()
    for skip in skips[_MOST_SKIPS:]:
        rest[skip.reason] += skip.count
    lines += [f"Not counted in other logs: {reason}, {count}×" for reason, count in rest.items()]
    return "\n".join(lines)


def _cells(work: Work) -> tuple[str, ...]:
    tokens = work.tokens
    counts = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output, tokens.total)
    return (str(work.requests), *(_NOT_REPORTED if count is None else f"{count:,}" for count in counts), _money(work))


def _money(work: Work) -> str:
    micro = work.cost_micro_usd
    if micro is None:
        return "no price"
    if 0 < micro < _LEAST_SHOWN_MICRO:
        return f"<$0.0001{'+' if work.cost_partial else ''}"
    return f"${micro / 1_000_000:,.4f}{'+' if work.cost_partial else ''}"


def sighting_as_json(seen: Sighting, prices: Prices) -> dict[str, Any]:
    record = seen.record
    return {
        "request": record.key,
        "counted": seen.counted,
        "agent": seen.harness,
        "log": seen.path,
        "session": record.session,
        "model": record.model,
        "provider": record.provider,
        "startedAt": record.begun_ms,
        "endedAt": record.ended_ms,
        "tools": list(record.tools),
        **Work.of(record.tokens, prices.cost_pico(record)).to_wire(),
        "lines": [_place_as_json(line) for line in seen.lines],
    }


def _place_as_json(line: SeenLine | SeenRow) -> dict[str, Any]:
    if isinstance(line, SeenRow):
        return {"row": line.name, "counts": line.counts}
    return {"line": line.number, "offset": line.offset, "counts": line.counts}


def sightings_as_text(sightings: Sequence[Sighting], prices: Prices) -> Iterator[str]:
    for seen in sightings:
        record, tokens = seen.record, seen.record.tokens
        role = "counted" if seen.counted else "merged into the counted one"
        yield one_line(f"{record.key}  {record.model or 'unknown model'}  {role}")
        yield one_line(f"  session {record.session} of {seen.harness}")
        yield "  " + ", ".join(
            f"{field.replace('_', ' ')} {_NOT_REPORTED if value is None else f'{value:,}'}"
            for field in _FIELDS
            for value in (getattr(tokens, field),)
        )
        if seen.counted:
            yield from (one_line(f"  {line}") for line in bill_lines(record, prices))
        yield one_line(f"  {seen.path}")
        yield from (one_line(f"    {_place(line)}") for line in seen.lines)


def _place(line: SeenLine | SeenRow) -> str:
    name = f"row {line.name}" if isinstance(line, SeenRow) else f"line {line.number}"
    if line.counts is not None:
        return f"{name}: {line.counts}"
    if isinstance(line, SeenLine) and line.number is None:
        name = f"byte {line.offset}"
    return f"{name}, no longer there"
