"""What the readers of line logs share: the shape of a reader, times in text, JSON of which only some fields matter."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Annotated, Final, Protocol, TypeVar

import msgspec

from ..records import Skip, UsageRecord, merge_next

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
"""A token count that makes sense; anything else makes its line malformed."""

MALFORMED: Final = "malformed"
UNTIMED: Final = "without a time"
TOO_LONG: Final = "line too long"
UNFINISHED: Final = "last line without an end"
COPIED_WITHOUT_END: Final = "copied history without an end"
OF_THE_END: Final = (UNFINISHED, COPIED_WITHOUT_END)
"""What holds of a log only as far as it goes now: each reading tells it anew, for the whole log."""

_AROUND: Final = b"\0\r \xef\xbb\xbf"
"""Zero bytes that a crash left, ends of lines of another system, and the mark of UTF-8 that some editors write."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_from_iso: Final = datetime.fromisoformat
_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_YEAR_9999_MS: Final = 253_370_764_800_000
"""From then on there is not for every day a day after it."""
DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Output:
    """What a reader found in the lines it was given: records by key, keys that no longer count, and what it skipped."""

    def __init__(self) -> None:
        self.records: dict[str, UsageRecord] = {}
        self.dropped: set[str] = set()
        self._skips: dict[str, tuple[int, int | None]] = {}

    def add(self, record: UsageRecord) -> None:
        """Add a sighting, merged with an earlier one of the same request."""
        if not self._has_time(record):
            return
        earlier = self.records.get(record.key)
        self.records[record.key] = record if earlier is None else merge_next(earlier, record)

    def put(self, record: UsageRecord) -> None:
        """Add a sighting in place of an earlier one."""
        if self._has_time(record):
            self.records[record.key] = record

    def drop(self, key: str) -> None:
        """Forget a request of this log, also one that an earlier reading had found."""
        self.records.pop(key, None)
        self.dropped.add(key)

    def skip(self, reason: str, offset: int | None = None) -> None:
        """Tell of something that was not counted; `offset` is where in the log, None for a database's row."""
        count, first = self._skips.get(reason, (0, offset))
        self._skips[reason] = (count + 1, first)

    def stands(self, reason: str, count: int, offset: int | None) -> None:
        """Tell what of the whole log is not counted as it stands now; nothing where `count` is 0."""
        self._skips.pop(reason, None)
        if count:
            self._skips[reason] = (count, offset)

    def _has_time(self, record: UsageRecord) -> bool:
        """Whether a record can be placed in time; if not, that is told."""
        if is_time(record.at_ms) and is_time(record.ended_ms):
            return True
        self.skip(UNTIMED, record.offsets[0] if record.offsets else None)
        return False

    @property
    def skips(self) -> list[Skip]:
        return [Skip(reason, count, first) for reason, (count, first) in self._skips.items()]


def is_time(at_ms: float) -> bool:
    """Whether a time is one that a request can have."""
    return 0 < at_ms < _YEAR_9999_MS


def time_of(at_ms: float | None) -> int | None:
    """Epoch milliseconds as a log has them; None when there are none or they make no sense."""
    return round(at_ms) if at_ms is not None and is_time(at_ms) else None


class LineReader(Protocol):
    """Reads one log. Made with the state that an earlier reading left, None at the beginning."""

    output: Output
    latest_wins: bool
    """Whether a later sighting replaces an earlier one instead of being merged with it."""

    def feed(self, block: bytearray, end: int, offset: int) -> None:
        """Take the whole lines before `end`, where the last one ends; `offset` is where the block begins in the log.

        The block's memory is used again: nothing of it may be kept.
        """

    def state(self) -> bytes:
        """What the next reading has to know."""


ReaderFactory = Callable[[str, bytes | None, str | None], LineReader]
"""Makes a reader from the log's path, the state of the earlier reading and what is known of the log from outside."""


def lines_of(block: bytearray, end: int, offset: int) -> Iterator[tuple[bytes, int]]:
    """The lines of a block before `end`, each with the byte where it begins in the log."""
    for line in bytes(memoryview(block)[:end]).split(b"\n"):
        yield line, offset
        offset += len(line) + 1


def ms_of(text: str | None) -> int | None:
    """Epoch milliseconds of an ISO time; None when there is none or it makes no sense. Without a zone it is local."""
    if not text:
        return None
    try:
        since = _from_iso(text) - _EPOCH
    except TypeError:
        return _local_ms(text)
    except (ValueError, OverflowError):
        return None
    micros = since.microseconds
    if micros % 1000:
        return round(since.total_seconds() * 1000)
    return since.days * 86_400_000 + since.seconds * 1000 + micros // 1000


def _local_ms(text: str) -> int | None:
    """Epoch milliseconds of an ISO time without a zone."""
    try:
        return round(_from_iso(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def decoded(decoder: msgspec.json.Decoder[T], line: bytes | bytearray) -> T | None:
    """The line's fields, None when it is no JSON of that shape. What stands around it is dropped."""
    try:
        return decoder.decode(line.strip(_AROUND))
    except DECODE_ERRORS:
        return None


def looks_whole(line: bytes | bytearray) -> bool:
    """Whether a line begins and ends as an object does, or is empty."""
    if line[:1] == b"{" and line[-1:] == b"}":
        return True
    inner = line.strip(_AROUND)
    return not inner or (inner[:1] == b"{" and inner[-1:] == b"}")


def id_in(path: str) -> str:
    """The id that a log's name ends with, for one whose first line is gone; its whole name when it has none."""
    name = os.path.basename(path).removesuffix(".jsonl")
    found = _ID.search(name)
    return name if found is None else found[0]


def restored(kind: type[T], state: bytes | None) -> T:
    """The state an earlier reading left, or a new one."""
    return kind() if state is None else msgspec.msgpack.decode(state, type=kind)
