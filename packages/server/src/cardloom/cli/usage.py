"""Usage on the command line, from the agents' logs: with the server's index or, for given folders, keeping nothing.

Works beside a running server: both may bring the index up to date.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.agents import HARNESSES
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.usage import Work, total_work

from ..features.usage.attribution import by_sender
from ..features.usage.explaining import Sighting, bill_lines, explain
from ..features.usage.index import INDEX_NAME
from ..features.usage.ledger import LedgerCopy, read_ledger
from ..features.usage.prices import Prices
from ..features.usage.roots import ANY, Root, roots_of
from ..features.usage.scan import scan
from ..features.usage.store import FUTURE_MS, LogSkip, Scope, UsageStore
from ..features.usage.windows import days_between, local_day, midnight_ms
from ..settings import Settings
from .console import Answer, UsageError, say, table

_HEADS: Final = ("requests", "input", "cache read", "cache write", "output", "total", "cost")
_FIELDS: Final = ("input", "cache_read", "cache_write", "output", "reasoning", "total")
_NOT_REPORTED: Final = "–"
_FOLDER_DEPTH: Final = 12
_QUIET_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class Group:
    """One row: what it stands for and its sum."""

    names: tuple[str, ...]
    work: Work


def sum_up(folders: Sequence[Path], by: str, since: str | None, *, as_csv: bool) -> Answer:
    """Sums by day, agent, model or session."""
    now_ms = time.time_ns() // 1_000_000
    from_ms = None if since is None else _since_ms(since, now_ms)
    with _scanned(folders, now_ms) as store:
        heads, groups = _groups(store, by, Scope(from_ms, now_ms + FUTURE_MS))
        skips = store.skips(now_ms)
        prices = store.price_version
    total = total_work(group.work for group in groups)
    if as_csv:
        return Answer(None, _as_csv(heads, groups))
    return Answer(
        _as_json(by, from_ms, heads, groups, total, skips, prices), _as_text(heads, groups, total, skips, prices)
    )


def explain_request(folders: Sequence[Path], request: str) -> Answer:
    """The lines behind one request. NOT_FOUND when no request's id begins so."""
    now_ms = time.time_ns() // 1_000_000
    with _scanned(folders, now_ms) as store:
        sightings = explain(store, request)
    if not sightings:
        raise CallError(ErrorCode.NOT_FOUND, f"no request's id begins with {request!r}")
    prices = Prices()
    return Answer([_sighting_json(seen, prices) for seen in sightings], "\n".join(_sighting_text(sightings, prices)))


@contextmanager
def _scanned(folders: Sequence[Path], now_ms: int) -> Iterator[UsageStore]:
    """The index, up to date. Given folders are read into memory and nothing is kept."""
    for folder in folders:
        if not folder.exists():
            raise UsageError(f"{folder} does not exist")
    kept = None if folders else Settings.from_environment().data_folder / INDEX_NAME
    store = UsageStore(kept, Prices())
    roots = (
        [Root(ANY, folder.resolve(), "*", _FOLDER_DEPTH) for folder in folders]
        if folders
        else roots_of(Path.home(), os.environ)
    )
    begun_ms = time.monotonic_ns() // 1_000_000

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic_ns() // 1_000_000 - begun_ms > _QUIET_MS:
            print(f"\r{done * 100 // max(total, 1)} % of {total >> 20} MiB", end="", file=sys.stderr, flush=True)
            if done >= total:
                say("")

    try:
        scan(store, roots, now_ms, progress)
        yield store
    finally:
        store.close()


def _since_ms(text: str, now_ms: int) -> int:
    today = local_day(now_ms)
    days = re.fullmatch(r"(\d{1,4})d", text)
    try:
        day = today - timedelta(days=int(days[1]) - 1) if days else date.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since is {text!r}; it can be a day such as {today} or a number of days such as 7d"
        ) from None
    return midnight_ms(day)


def _groups(store: UsageStore, by: str, scope: Scope) -> tuple[tuple[str, ...], list[Group]]:
    if by == "day":
        return ("day",), _days(store, scope)
    if by == "session":
        found = store.work_by_session(scope)
        groups = [Group((harness, session), work) for (harness, session), work in found.items()]
        return ("agent", "session"), _by_size(groups)
    if by == "sender":
        return ("sender",), _by_size(_senders(store, scope))
    if by == "agent":
        return ("agent", "harness"), _by_size(_agents(store, scope))
    column = store.work_by("model", scope)
    return (by,), _by_size([Group((name or "unknown",), work) for name, work in column.items()])


def _agents(store: UsageStore, scope: Scope) -> list[Group]:
    """By the agents on canvases; sessions of no canvas stand under their harness."""
    names = {(one.harness, one.session): one.name for one in _ledger().sessions}
    works: defaultdict[tuple[str, str], Work] = defaultdict(Work)
    for (harness, session), work in store.work_by_session(scope).items():
        works[(names.get((harness, session), HARNESSES[harness].name), harness)] += work
    return [Group(key, work) for key, work in works.items()]


def _senders(store: UsageStore, scope: Scope) -> list[Group]:
    ledger = _ledger()
    owners = {(one.harness, one.session): one.agent_id for one in ledger.sessions}
    records = [(record, owners.get((harness, record.session))) for record, harness, _ in store.records_with_logs(scope)]
    return [Group((one.name,), one.work) for one in by_sender(records, ledger.senders, store.cost_pico)]


def _ledger() -> LedgerCopy:
    return read_ledger(Settings.from_environment().data_folder / "cardloom.db")


def _days(store: UsageStore, scope: Scope) -> list[Group]:
    span = store.span(scope)
    if span is None:
        return []
    days = days_between(midnight_ms(local_day(span[0])), span[1] + 1)
    sums = ((local_day(begin).isoformat(), store.work(Scope(begin, end))) for begin, end in days)
    return [Group((name,), work) for name, work in sums if work.requests]


def _by_size(groups: list[Group]) -> list[Group]:
    return sorted(
        groups, key=lambda group: (-(group.work.cost_pico or 0), -(group.work.tokens.total or 0), group.names)
    )


def _as_json(
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


def _as_csv(heads: tuple[str, ...], groups: list[Group]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*heads, "requests", *_FIELDS, "cost_micro_usd", "unpriced"])
    for group in groups:
        counts = [getattr(group.work.tokens, field) for field in _FIELDS]
        cells = [group.work.requests, *counts, group.work.cost_micro_usd, group.work.unpriced]
        writer.writerow([*group.names, *("" if cell is None else cell for cell in cells)])
    return text.getvalue().rstrip("\n")


def _as_text(heads: tuple[str, ...], groups: list[Group], total: Work, skips: list[LogSkip], prices: str) -> str:
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
    for skip in skips:
        place = "" if skip.offset is None else f", first at byte {skip.offset}"
        parts.append(f"Not counted: {skip.path}: {skip.reason}, {skip.count}×{place}")
    return "\n".join(parts)


def _cells(work: Work) -> tuple[str, ...]:
    tokens = work.tokens
    counts = (tokens.input, tokens.cache_read, tokens.cache_write, tokens.output, tokens.total)
    return (str(work.requests), *(_NOT_REPORTED if count is None else f"{count:,}" for count in counts), _money(work))


def _money(work: Work) -> str:
    micro = work.cost_micro_usd
    if micro is None:
        return "no price"
    return f"${micro / 1_000_000:,.4f}{'+' if work.cost_partial else ''}"


def _sighting_json(seen: Sighting, prices: Prices) -> dict[str, Any]:
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
        "lines": [{"line": line.number, "offset": line.offset, "counts": line.counts} for line in seen.lines],
    }


def _sighting_text(sightings: Sequence[Sighting], prices: Prices) -> Iterator[str]:
    for seen in sightings:
        record, tokens = seen.record, seen.record.tokens
        role = "counted" if seen.counted else "merged into the counted one"
        yield f"{record.key}  {record.model or 'unknown model'}  {role}"
        yield f"  session {record.session} of {seen.harness}"
        yield "  " + ", ".join(
            f"{field.replace('_', ' ')} {_NOT_REPORTED if value is None else f'{value:,}'}"
            for field in _FIELDS
            for value in (getattr(tokens, field),)
        )
        if seen.counted:
            yield from (f"  {line}" for line in bill_lines(record, prices))
        yield f"  {seen.path}"
        for line in seen.lines:
            where = f"line {line.number}" if line.number is not None else f"byte {line.offset}, no longer there"
            yield f"    {where}: {line.counts}"
