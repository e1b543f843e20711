"""Putting readings into the index, and deciding which sighting of a request counts. Spec: decision 26."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import Any, Final

import msgspec

from cardloom_protocol.usage import Tokens

from .index import BY_KEY, BY_LOG_AND_TIME, INSERT, UNSORTED, Index, IndexDamagedError, Pricing
from .readers.lines import OF_THE_END
from .reading import Cursor, LogFile, Reading
from .records import Seen, Skip, UsageRecord, merge, merge_logs
from .rows import DAY_MS, ENCODER, RECORDS, Packed, Rows, beginning, cursor_of, record_of, unpack

_MERGED: Final = 0
_SETTLED_TOGETHER: Final = 1000
_UNSETTLED: Final = "unsettled"
"""In `meta` while requests may be counted once for each log that has them: with the last log that is settled."""
_FILLED_TOGETHER: Final = 32
"""So many rows are inserted by one statement, in two thirds of the time that one by one takes."""
_KNOWN: Final = "SELECT path FROM logs WHERE path IN (SELECT value FROM json_each(?))"
_SHARED: Final = """SELECT harness, key FROM sightings WHERE log != 0 GROUP BY key, harness
    HAVING count(*) > 1 AND max(log) > ?"""
_SHARED_BY_NEW: Final = """SELECT DISTINCT harness, key FROM sightings AS new WHERE log > ? AND EXISTS (
    SELECT 1 FROM sightings WHERE key = new.key AND harness = new.harness AND log NOT IN (0, new.log))"""
"""Gives what `_SHARED` does, sooner where there are few new ones among many."""
TOLD: Final = "told:"
"""How the path of a log begins that is no file but what agents told."""


@dataclass(frozen=True, slots=True)
class KnownLog:
    """A log as the index has it."""

    id: int
    log: LogFile
    cursor: Cursor
    gone: bool
    error: str | None


class Intake:
    """What a scan does to the index. Every method is one transaction."""

    def __init__(self, index: Index) -> None:
        self._index = index
        with suppress(IndexDamagedError), index.writing():
            self._settle_rest()

    def logs(self) -> list[KnownLog]:
        """Every log ever read."""
        rows = self._index.rows("SELECT id, harness, path, size, mtime_ns, inode, cursor, gone, error FROM logs")
        return [KnownLog(row[0], LogFile(*row[1:6]), cursor_of(row[6]), bool(row[7]), row[8]) for row in rows]

    def apply(self, *readings: Reading) -> None:
        """Take in what reading logs gave, in one transaction; of a log that could not be read only the reason."""
        with self._index.writing():
            for reading in readings:
                self._take(reading)

    def apply_packed(self, *readings: Packed) -> None:
        self.apply(*map(unpack, readings))

    def fill(self, *readings: Packed) -> None:
        """Take in readings as `apply` does, sooner: what several logs have is settled when the scan is over.

        Should there be no end of it, that is done when the index is opened again.
        """
        with self._index.writing():
            self._begin_fill()
            paths = msgspec.json.encode([reading.log.path for reading in readings]).decode()
            known = {path for (path,) in self._index.rows(_KNOWN, (paths,))}
            for reading in readings:
                if reading.error is not None or reading.log.path in known:
                    self._take(unpack(reading))
                    continue
                log, harness = self._new_log(reading, reading.began_ms), reading.log.harness
                for group in reading.groups:
                    told = (harness, log, group.session, group.provider, group.model, group.subagent)
                    rows = _filling(group, self._index.prices)
                    while together := tuple(islice(rows, _FILLED_TOGETHER)):
                        self._index.run(_fill(len(together)), (*told, *chain.from_iterable(together)))
                if reading.skips:
                    self._add_skips(log, reading.skips)

    def settle(self) -> None:
        """Settle what several logs have so far; from now on keys are sorted as they come."""
        with self._index.writing():
            self._settle_rest()

    def mark_gone(self, paths: Iterable[str]) -> None:
        """Note logs that are no longer there; what was read of them stays."""
        with self._index.writing():
            for path in paths:
                self._index.run("UPDATE logs SET gone = 1, error = NULL WHERE path = ?", (path,))

    def told(self, harness: str, records: Sequence[UsageRecord]) -> None:
        """Take in requests that an agent told itself, by a webhook; each is told once or again in full."""
        log = LogFile(harness, f"{TOLD}{harness}", 0, 0, 0)
        self.apply(Reading(log, Cursor(offset=1), records=list(records), latest_wins=True))

    def told_by_session(self, harness: str) -> dict[str, Tokens]:
        """The sums of what an agent told itself, by session."""
        rows = self._index.rows(
            """SELECT session, sum(input), sum(output), sum(cache_read), sum(cache_write), NULL, sum(reasoning)
               FROM sightings JOIN logs ON logs.id = log WHERE path = ? GROUP BY 1""",
            (f"{TOLD}{harness}",),
        )
        return {session: Tokens(*sums) for session, *sums in rows}

    def scanned(self, at_ms: int) -> None:
        """Note the time of a finished scan."""
        with self._index.writing():
            self._settle_rest()
            self._index.run("INSERT OR REPLACE INTO meta VALUES ('scanned_at_ms', ?)", (str(at_ms),))

    def _begin_fill(self) -> None:
        if self._index.rows("SELECT 1 FROM meta WHERE name = ?", (_UNSETTLED,)):
            return
        last = self._index.rows("SELECT coalesce(max(id), 0) FROM logs")[0][0]
        self._index.run("INSERT INTO meta VALUES (?, ?)", (_UNSETTLED, str(last)))
        if not self._index.rows("SELECT 1 FROM sightings LIMIT 1"):
            self._index.run(UNSORTED)

    def _take(self, reading: Reading) -> None:
        earlier = self._index.rows("SELECT cursor FROM logs WHERE path = ?", (reading.log.path,))
        offset = cursor_of(earlier[0][0]).offset if earlier else 0
        if not reading.restarted and reading.error is None and reading.from_offset not in (None, offset):
            return  # another program read on meanwhile; the next scan goes on from there
        log = self._log_row(reading, beginning(reading.records))
        if reading.error is not None:
            return
        self._index.run(BY_KEY)
        self._index.run(BY_LOG_AND_TIME)
        known = offset > 0 or (bool(earlier) and reading.log.path.startswith(TOLD))
        harness = reading.log.harness
        changed = set(reading.dropped)
        if reading.restarted or not known:
            kept = {record.key for record in reading.records}
            rows = self._index.rows("SELECT key FROM sightings WHERE log = ?", (log,))
            changed.update(key for (key,) in rows if key not in kept)
            self._index.run("DELETE FROM skips WHERE log = ?", (log,))
        for key in changed:
            self._index.run("DELETE FROM sightings WHERE key = ? AND harness = ? AND log = ?", (key, harness, log))
        self._put(log, reading, known=known)
        if reading.dropped:
            changed |= self._begin_anew(log)
        self._settle(harness, changed)
        self._add_skips(log, reading.skips)

    def _put(self, log: int, reading: Reading, *, known: bool) -> None:
        harness, records = reading.log.harness, reading.records
        if known and not reading.restarted and not reading.latest_wins:
            records = [self._merged_with_known(log, harness, record) for record in records]
        elif reading.restarted:
            bodies = dict(self._index.rows("SELECT key, body FROM sightings WHERE log = ?", (log,)))
            records = [record for record in records if bodies.get(record.key) != ENCODER.encode(record)]
        keys = msgspec.json.encode([record.key for record in records]).decode()
        shared = {
            key
            for (key,) in self._index.rows(
                """SELECT DISTINCT key FROM sightings WHERE harness = ? AND log NOT IN (0, ?)
                   AND key IN (SELECT value FROM json_each(?))""",
                (harness, log, keys),
            )
        }
        self._index.run_many(
            INSERT,
            [self._row(record, harness, log, log, counted=record.key not in shared) for record in records],
        )
        self._settle(harness, shared)

    def _begin_anew(self, log: int) -> set[str]:
        """Find anew when a log begins, for its first request may have been dropped; gives what that may decide."""
        rows = self._index.rows("SELECT body FROM sightings WHERE log = ?", (log,))
        records = [record for (body,) in rows if (record := record_of(body)) is not None]
        self._index.run("UPDATE logs SET began_ms = ? WHERE id = ?", (beginning(records), log))
        return {record.key for record in records}

    def _merged_with_known(self, log: int, harness: str, record: UsageRecord) -> UsageRecord:
        rows = self._index.rows(
            "SELECT body FROM sightings WHERE key = ? AND harness = ? AND log = ?", (record.key, harness, log)
        )
        earlier = record_of(rows[0][0]) if rows else None
        return record if earlier is None else merge(earlier, record)

    def _settle(self, harness: str, keys: Collection[str]) -> None:
        """Decide anew what is counted of some requests. Damaged sightings count only where there is no other."""
        if not keys:
            return
        chosen = msgspec.json.encode(sorted(keys)).decode()
        rows = self._index.rows(
            """SELECT key, body, coalesce(began_ms, 0), path, logs.id, counted, sightings.rowid
               FROM sightings JOIN logs ON logs.id = log
               WHERE key IN (SELECT value FROM json_each(?)) AND sightings.harness = ?""",
            (chosen, harness),
        )
        seen: defaultdict[str, list[Seen]] = defaultdict(list)
        damaged: defaultdict[str, list[int]] = defaultdict(list)
        for key, body, began_ms, path, log, counted, row in rows:
            record = record_of(body)
            if record is None:
                damaged[key].append(row)
            else:
                seen[key].append(Seen(record, began_ms, path, log, counted, row))
        self._index.run(
            """DELETE FROM sightings WHERE key IN (SELECT value FROM json_each(?)) AND harness = ? AND log = 0""",
            (msgspec.json.encode([key for key in keys if key in seen or key not in damaged]).decode(), harness),
        )
        merged: list[tuple[Any, ...]] = []
        changed: list[tuple[bool, int | None, int]] = [(False, None, row) for key in seen for row in damaged[key]]
        for sightings in seen.values():
            record, owner = merge_logs(sightings)
            if record is not owner.record:
                merged.append(self._row(record, harness, _MERGED, owner.log, counted=True))
            for sighting in sightings:
                counts = sighting.record is record
                if counts != sighting.counted:
                    changed.append((counts, self._index.prices.cost_pico(record) if counts else None, sighting.row))
        self._index.run_many("UPDATE sightings SET counted = ?, cost_pico = ? WHERE rowid = ?", changed)
        self._index.run_many(INSERT, merged)

    def _settle_rest(self) -> None:
        """Settle what `fill` left: every request that more than one log has, one of them a new one."""
        marks = self._index.rows("SELECT value FROM meta WHERE name = ?", (_UNSETTLED,))
        if not marks:
            return
        self._index.run(BY_KEY)
        shared: defaultdict[str, list[str]] = defaultdict(list)
        last = int(marks[0][0] or 0)
        for harness, key in self._index.rows(_SHARED_BY_NEW if last else _SHARED, (last,)):
            shared[harness].append(key)
        for harness, keys in shared.items():
            for first in range(0, len(keys), _SETTLED_TOGETHER):
                self._settle(harness, keys[first : first + _SETTLED_TOGETHER])
        self._index.run(BY_LOG_AND_TIME)
        self._index.run("DELETE FROM meta WHERE name = ?", (_UNSETTLED,))

    def _row(self, record: UsageRecord, harness: str, log: int, owner: int, *, counted: bool) -> tuple[Any, ...]:
        return (
            harness,
            record.key,
            log,
            owner,
            int(counted),
            record.session,
            record.at_ms,
            record.provider,
            record.model,
            record.subagent,
            record.input,
            record.output,
            record.cache_read,
            record.cache_write,
            record.cache_write_1h,
            record.reasoning,
            self._index.prices.cost_pico(record) if counted else None,
            ENCODER.encode(record),
        )

    def _log_row(self, reading: Reading | Packed, began_ms: int | None) -> int:
        """Note how far a log was read; gives its id."""
        log = reading.log
        known = self._index.rows("SELECT id FROM logs WHERE path = ?", (log.path,))
        if not known:
            return self._new_log(reading, began_ms)
        size, mtime_ns = _seen_as(reading)
        self._index.run(
            """UPDATE logs SET size = ?, mtime_ns = ?, inode = ?, cursor = ?, gone = 0, error = ?,
               began_ms = CASE WHEN ? THEN ? ELSE coalesce(began_ms, ?) END WHERE id = ?""",
            (
                size,
                mtime_ns,
                log.inode,
                ENCODER.encode(reading.cursor),
                reading.error,
                reading.restarted,
                began_ms,
                began_ms,
                known[0][0],
            ),
        )
        return int(known[0][0])

    def _new_log(self, reading: Reading | Packed, began_ms: int | None) -> int:
        log, cursor = reading.log, ENCODER.encode(reading.cursor)
        self._index.run(
            "INSERT INTO logs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (log.harness, log.path, *_seen_as(reading), log.inode, cursor, began_ms, reading.error),
        )
        return self._index.last_id()

    def _add_skips(self, log: int, skips: Sequence[Skip]) -> None:
        """Add what was not counted now; what is missing at the end of a log may have come."""
        self._index.run("DELETE FROM skips WHERE log = ? AND reason IN (?, ?)", (log, *OF_THE_END))
        for skip in skips:
            self._index.run(
                """INSERT INTO skips VALUES (?, ?, ?, ?)
                   ON CONFLICT (log, reason) DO UPDATE SET count = count + excluded.count""",
                (log, skip.reason, skip.count, skip.offset),
            )


def _seen_as(reading: Reading | Packed) -> tuple[int, int]:
    """Size and time of a log, such as no log has when it could not be read and has to be tried again."""
    return (reading.log.size, reading.log.mtime_ns) if reading.error is None else (-1, 0)


@cache
def _fill(rows: int) -> str:
    """The statement that inserts so many new requests of one group: what they agree in first, then each one's own.

    OR FAIL keeps no copies of pages for undoing a half of it, as the transaction is undone as a whole.
    """
    values = []
    for row in range(rows):
        key, at, fresh, output, read, written, hour, reasoning, body, cost = range(7 + 10 * row, 17 + 10 * row)
        counts = f"?{fresh},?{output},?{read},?{written},?{hour},?{reasoning}"
        values.append(f"(?1,?{key},?2,?2,1,?3,?{at},?4,?5,?6,{counts},?{cost},?{body})")
    return f"INSERT OR FAIL INTO sightings VALUES {','.join(values)}"  # noqa: S608 - numbers alone are put in


def _filling(group: Rows, prices: Pricing) -> Iterator[tuple[Any, ...]]:
    """What new requests of a group differ in, with their costs, as `_fill` takes it."""
    counts = (group.input, group.output, group.cache_read, group.cache_write, group.cache_write_1h, group.reasoning)
    return zip(group.keys, group.at_ms, *counts, group.bodies, _costs(group, prices), strict=True)


def _costs(group: Rows, prices: Pricing) -> list[int | None]:
    """What each request costs; one for which its counts do not suffice is decoded."""
    rates = prices.rates(group.provider, group.model, group.day * DAY_MS) if group.plain else None
    if rates is None:
        return [prices.cost_pico(RECORDS.decode(body)) for body in group.bodies]
    counts = (group.input, group.output, group.cache_read, group.cache_write, group.cache_write_1h)
    costs = rates.costs_pico(*counts)
    if None in costs:
        costs = [
            prices.cost_pico(RECORDS.decode(body)) if cost is None else cost
            for cost, body in zip(costs, group.bodies, strict=True)
        ]
    return costs
