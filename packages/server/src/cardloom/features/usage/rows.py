"""Readings as they travel between processes: requests as columns of the index, so that nobody has to make them twice.

Requests that agree in session, model, provider, sub-agent and day stand together, and what they agree in is told once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import msgspec

from .reading import Cursor, LogFile, Reading
from .records import PLAIN_SPEEDS, Skip, UsageRecord

ENCODER: Final = msgspec.msgpack.Encoder()
RECORDS: Final = msgspec.msgpack.Decoder(UsageRecord)
CURSORS: Final = msgspec.msgpack.Decoder(Cursor)
DAY_MS: Final = 86_400_000
_OFFSETS: Final = attrgetter("offsets")
_SHARED: Final = attrgetter("session", "model", "provider", "subagent", "speed", "geo", "web_searches", "recorded_pico")


class Rows(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Requests that agree: one column for each thing they differ in, the last one with all of each request encoded.

    `plain` says that a cost needs nothing of a request but these counts.
    """

    session: str
    provider: str | None
    model: str | None
    subagent: str | None
    day: int
    plain: bool
    keys: list[str]
    at_ms: list[int]
    input: list[int | None]
    output: list[int | None]
    cache_read: list[int | None]
    cache_write: list[int | None]
    cache_write_1h: list[int | None]
    reasoning: list[int | None]
    bodies: list[bytes]


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
        return sum([len(group.keys) for group in self.groups])


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
        [RECORDS.decode(body) for group in packed.groups for body in group.bodies],
        packed.dropped,
        packed.latest_wins,
        packed.skips,
        packed.error,
        packed.from_offset,
    )


def record_of(body: Any) -> UsageRecord | None:
    """The request that a row of the index holds, None when the row is damaged."""
    try:
        return RECORDS.decode(body)
    except (msgspec.DecodeError, TypeError):  # TypeError: the column holds a text or a number
        return None


def cursor_of(body: Any) -> Cursor:
    """How far a log was read, its beginning when that is damaged."""
    try:
        return CURSORS.decode(body)
    except (msgspec.DecodeError, TypeError):
        return Cursor()


def beginning(records: Sequence[UsageRecord]) -> int | None:
    """The time of the request that stands first in a log."""
    if not records:
        return None
    first = min(map(_OFFSETS, records))[:1]
    return min([record.at_ms for record in records if record.offsets[:1] == first])


def _grouped(records: Sequence[UsageRecord]) -> list[Rows]:
    return [
        _rows(list(alike))
        for _, run in groupby(records, _SHARED)
        for _, alike in groupby(run, lambda one: one.at_ms // DAY_MS)
    ]


def _rows(records: list[UsageRecord]) -> Rows:
    """Records that agree, as columns."""
    first = records[0]
    return Rows(
        first.session,
        first.provider,
        first.model,
        first.subagent,
        first.at_ms // DAY_MS,
        first.speed in PLAIN_SPEEDS and not first.geo and not first.web_searches and first.recorded_pico is None,
        [one.key for one in records],
        [one.at_ms for one in records],
        [one.input for one in records],
        [one.output for one in records],
        [one.cache_read for one in records],
        [one.cache_write for one in records],
        [one.cache_write_1h for one in records],
        [one.reasoning for one in records],
        [ENCODER.encode(one) for one in records],
    )
