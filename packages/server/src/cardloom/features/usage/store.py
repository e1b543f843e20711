"""The usage index as everybody but the scan sees it: sums and requests of a scope, and what was not counted.

What was read stays when the harness deletes its logs. Spec: harnesses, usage readers; cards, usage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from cardloom_protocol.usage import PICO_PER_MICRO, Tokens, Work

from .index import Index, Pricing
from .intake import TOLD, Intake
from .records import UsageRecord
from .rows import record_of

FUTURE_MS: Final = 24 * 3_600_000
"""A request dated further ahead than this is told as one that was not counted."""
IN_THE_FUTURE: Final = "dated in the future"
_SUMS: Final = """count(*), sum(input), sum(output), sum(cache_read), sum(cache_write), sum(cache_write_1h),
    sum(reasoning), sum(cost_pico / 1000000), sum(cost_pico % 1000000), sum(cost_pico IS NULL)"""

Session: TypeAlias = tuple[str, str]
"""A harness's id and a session's."""
Column: TypeAlias = Literal["harness", "model", "session", "provider"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which requests are meant: a window of time (the end not included), sessions, or both. None means all."""

    from_ms: int | None = None
    to_ms: int | None = None
    sessions: frozenset[Session] | None = None


@dataclass(frozen=True, slots=True)
class LogSkip:
    """What was not counted of one log. `offset` is the first such byte; None when the log itself could not be read."""

    harness: str
    path: str
    reason: str
    count: int
    offset: int | None


_ALL: Final = Scope()


class UsageStore:
    """The index of one file, or in memory without a path. Safe to use from several threads.

    UNAVAILABLE when the file was written by a newer Cardloom or cannot be opened.
    """

    def __init__(self, path: Path | None, prices: Pricing) -> None:
        self._index = Index(path, prices)
        self.intake = Intake(self._index)

    def close(self) -> None:
        self._index.close()

    @property
    def scanned_at_ms(self) -> int | None:
        """When the logs were last read to their ends."""
        return self._index.number("scanned_at_ms")

    @property
    def set_aside(self) -> Path | None:
        """Where the damaged file is that this index stands in for."""
        return self._index.set_aside

    @property
    def price_version(self) -> str:
        return self._index.prices.version

    def told(self, harness: str, records: Sequence[UsageRecord]) -> None:
        """Take in requests that an agent told itself, and read its sums anew, of which they are a part."""
        self.intake.told(harness, records)
        with self._index.writing():
            self._index.run("UPDATE logs SET size = -1 WHERE harness = ? AND path NOT LIKE ?", (harness, f"{TOLD}%"))

    def cost_pico(self, record: UsageRecord) -> int | None:
        """What a request costs by today's prices, None when nobody can tell."""
        return self._index.prices.cost_pico(record)

    def work(self, scope: Scope = _ALL) -> Work:
        """The sum of a scope."""
        where, values = _where(scope)
        return _work(self._index.rows(f"SELECT {_SUMS} FROM sightings WHERE {where}", values)[0])  # noqa: S608 - fixed parts

    def span(self, scope: Scope = _ALL) -> tuple[int, int] | None:
        """The times of the first and the last request of a scope."""
        where, values = _where(scope)
        query = f"SELECT min(at_ms), max(at_ms) FROM sightings WHERE {where}"  # noqa: S608 - fixed parts
        first, last = self._index.rows(query, values)[0]
        return None if first is None else (first, last)

    def times_ms(self, sessions: frozenset[Session]) -> list[int]:
        """When the requests of some sessions were made, in order."""
        where, values = _where(Scope(sessions=sessions))
        return [at for (at,) in self._index.rows(f"SELECT at_ms FROM sightings WHERE {where} ORDER BY 1", values)]  # noqa: S608 - fixed parts

    def work_by(self, column: Column, scope: Scope = _ALL) -> dict[str | None, Work]:
        """The sums of a scope by one column; an empty text is none."""
        where, values = _where(scope)
        rows = self._index.rows(f"SELECT nullif({column}, ''), {_SUMS} FROM sightings WHERE {where} GROUP BY 1", values)  # noqa: S608 - fixed parts
        return {row[0]: _work(row[1:]) for row in rows}

    def work_by_session(self, scope: Scope = _ALL) -> dict[Session, Work]:
        """The sums of a scope by session."""
        where, values = _where(scope)
        rows = self._index.rows(f"SELECT harness, session, {_SUMS} FROM sightings WHERE {where} GROUP BY 1, 2", values)  # noqa: S608 - fixed parts
        return {(row[0], row[1]): _work(row[2:]) for row in rows}

    def work_by_side(self, scope: Scope = _ALL) -> tuple[Work, Work, int]:
        """The sums of the main chain and of sub-agents, and how many sub-agents there were."""
        where, values = _where(scope)
        query = f"SELECT subagent IS NOT NULL, {_SUMS} FROM sightings WHERE {where} GROUP BY 1"  # noqa: S608 - fixed parts
        sums = {row[0]: row[1:] for row in self._index.rows(query, values)}
        count = self._index.rows(f"SELECT count(DISTINCT subagent) FROM sightings WHERE {where}", values)[0][0]  # noqa: S608 - fixed parts
        return _work(sums[0]) if 0 in sums else Work(), _work(sums[1]) if 1 in sums else Work(), count

    def records(self, scope: Scope = _ALL, newest: int | None = None) -> list[UsageRecord]:
        """The requests of a scope by time, only the newest ones if a number is given."""
        return [record for record, _, _ in self.records_with_logs(scope, newest)]

    def records_with_logs(self, scope: Scope = _ALL, newest: int | None = None) -> list[tuple[UsageRecord, str, str]]:
        """The same with each one's harness and the path of the log that owns it."""
        where, values = _where(scope)
        rows = self._index.rows(
            f"""SELECT body, sightings.harness, path FROM sightings JOIN logs ON logs.id = owner
                WHERE {where} ORDER BY at_ms DESC, key DESC LIMIT ?""",  # noqa: S608 - fixed parts
            (*values, -1 if newest is None else newest),
        )
        return [
            (record, harness, path) for body, harness, path in reversed(rows) if (record := record_of(body)) is not None
        ]

    def latest(self, scope: Scope) -> UsageRecord | None:
        """The newest request of a scope: it tells model, provider and folder."""
        found = self.records(scope, 1)
        return found[0] if found else None

    def request(self, key: str) -> list[tuple[UsageRecord, str, str, bool]]:
        """All sightings of the requests whose key begins so: record, harness, path of the log, whether it counts."""
        rows = self._index.rows(
            """SELECT body, sightings.harness, path, counted FROM sightings JOIN logs ON logs.id = owner
               WHERE key >= ? AND key < ? ORDER BY key, counted DESC, path LIMIT 200""",
            (key, key + "\U0010ffff"),
        )
        return [
            (record, harness, path, bool(counted))
            for body, harness, path, counted in rows
            if (record := record_of(body)) is not None
        ]

    def skips(self, now_ms: int, from_ms: int | None = None) -> list[LogSkip]:
        """All that was not counted, with its reason: lines, whole logs, and requests dated in the future.

        Lines of logs that were last written before `from_ms` are left out: they tell of nothing since then.
        """
        rows = self._index.rows(
            """SELECT harness, path, reason, count, offset FROM skips JOIN logs ON logs.id = log
               WHERE ?3 IS NULL OR mtime_ns <= 0 OR mtime_ns >= ?3 * 1000000
               UNION ALL SELECT harness, path, error, 1, NULL FROM logs WHERE error IS NOT NULL
               UNION ALL SELECT logs.harness, path, ?1, count(*), NULL FROM sightings JOIN logs ON logs.id = owner
               WHERE counted AND at_ms > ?2 GROUP BY path ORDER BY path, reason""",
            (IN_THE_FUTURE, now_ms + FUTURE_MS, from_ms),
        )
        return [LogSkip(*row) for row in rows]


def _where(scope: Scope) -> tuple[str, tuple[Any, ...]]:
    parts = ["counted"]
    values: list[Any] = []
    if scope.from_ms is not None:
        parts.append("at_ms >= ?")
        values.append(scope.from_ms)
    if scope.to_ms is not None:
        parts.append("at_ms < ?")
        values.append(scope.to_ms)
    if scope.sessions is not None:
        parts.append("(session, sightings.harness) IN (SELECT value ->> 1, value ->> 0 FROM json_each(?))")
        values.append(msgspec.json.encode(sorted(scope.sessions)).decode())
    return " AND ".join(parts), tuple(values)


def _work(row: Sequence[Any]) -> Work:
    """Costs are added in two parts, for whole picodollars of many dollars would not fit into a column's sum."""
    count, *tokens, micro, rest, unpriced = row
    cost = None if micro is None else micro * PICO_PER_MICRO + rest
    return Work(count, Tokens(*tokens), cost, unpriced or 0)
