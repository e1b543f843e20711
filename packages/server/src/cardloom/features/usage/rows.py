"""Readings as they travel between processes: requests as rows of the index, so that nobody has to make them twice.

Rows that agree in session, model, provider, sub-agent and day stand together, and what they agree in is told once.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec

from .reading import Cursor, LogFile, Reading
from .records import Skip, UsageRecord

ENCODER: Final = msgspec.msgpack.Encoder()
RECORDS: Final = msgspec.msgpack.Decoder(UsageRecord)
DAY_MS: Final = 86_400_000
_OFFSETS: Final = attrgetter("offsets")


class Rows(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Requests that agree. `plain` says that a cost needs nothing of a request but its counts, which are told.

    Each row has the request's key, its time, what `Tokens` has of it, and all of it encoded.
    """

    session: str
    provider: str | None
    model: str | None
    subagent: str | None
    at_ms: int
    plain: bool
    rows: list[list[Any]]


class Packed(msgspec.Struct, frozen=True, array_like=True):
    """A reading with its requests as rows. `began_ms` is the time of the first request in the log."""

    log: LogFile
    cursor: Cursor
    restarted: bool
    groups: list[Rows]
    began_ms: int | None
    dropped: list[str]
    latest_wins: bool
    skips: list[Skip]
    error: str | None
    from_offset: int | None

    @property
    def count(self) -> int:
        """How many requests it has."""
        return sum([len(group.rows) for group in self.groups])


def pack(reading: Reading) -> Packed:
    """A reading as it travels."""
    return Packed(
        reading.log,
        reading.cursor,
        reading.restarted,
        _grouped(reading.records),
        beginning(reading.records),
        reading.dropped,
        reading.latest_wins,
        reading.skips,
        reading.error,
        reading.from_offset,
    )


def unpack(packed: Packed) -> Reading:
    """The reading as it was."""
    return Reading(
        packed.log,
        packed.cursor,
        packed.restarted,
        [RECORDS.decode(row[-1]) for group in packed.groups for row in group.rows],
        packed.dropped,
        packed.latest_wins,
        packed.skips,
        packed.error,
        packed.from_offset,
    )


def beginning(records: Sequence[UsageRecord]) -> int | None:
    """The time of the request that stands first in a log."""
    if not records:
        return None
    first = min(map(_OFFSETS, records))[:1]
    return min([record.at_ms for record in records if record.offsets[:1] == first])


def _grouped(records: Sequence[UsageRecord]) -> list[Rows]:
    groups: list[Rows] = []
    rows: list[list[Any]] = []
    told, encode = None, ENCODER.encode
    for one in records:
        at_ms = one.at_ms
        plain = (
            one.input is not None
            and one.output is not None
            and one.speed is None
            and one.geo is None
            and not one.web_searches
            and one.recorded_pico is None
        )
        key = (one.session, one.model, one.provider, one.subagent, at_ms // DAY_MS, plain)
        if key != told:
            told, rows = key, []
            groups.append(Rows(one.session, one.provider, one.model, one.subagent, at_ms, plain, rows))
        rows.append(
            [
                one.key,
                at_ms,
                one.input,
                one.output,
                one.cache_read,
                one.cache_write,
                one.cache_write_1h,
                one.reasoning,
                encode(one),
            ]
        )
    return groups
