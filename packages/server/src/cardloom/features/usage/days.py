"""Work by local days, found from one request to the next: a log with a wrong clock may span half a century."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from cardloom_protocol.usage import Work

from .store import Scope, UsageStore
from .windows import DAY_MS, Window, day_of, days_between

MOST_EMPTY_DAYS: Final = 400
"""Days without any request stand in a report that has no more days than this."""


def worked_days(store: UsageStore, scope: Scope) -> Iterator[tuple[Window, Work]]:
    """The days on which requests were made, each cut to the scope."""
    start_ms = scope.from_ms
    while (span := store.span(replace(scope, from_ms=start_ms))) is not None:
        begin_ms, end_ms = day_of(span[0])
        begin_ms = begin_ms if scope.from_ms is None else max(begin_ms, scope.from_ms)
        end_ms = end_ms if scope.to_ms is None else min(end_ms, scope.to_ms)
        yield (begin_ms, end_ms), store.work(replace(scope, from_ms=begin_ms, to_ms=end_ms))
        start_ms = end_ms


def filled_days(store: UsageStore, scope: Scope, from_ms: int, to_ms: int) -> Iterator[tuple[Window, Work]]:
    """The same with the days without any request, unless they are too many. `scope` lies within the span."""
    worked = {window[0]: (window, work) for window, work in worked_days(store, scope)}
    if (to_ms - from_ms) // DAY_MS > MOST_EMPTY_DAYS:
        yield from worked.values()
        return
    for window in days_between(from_ms, to_ms):
        yield worked.get(window[0], (window, Work()))
