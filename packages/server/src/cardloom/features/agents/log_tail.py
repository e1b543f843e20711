"""Which bytes of a growing log to read next, and which whole lines they hold. Pure: somebody else opens the file.

A log is looked at from its end: the first look takes its last 256 KiB, a jump of more than 2 MiB starts there again.
A file that became shorter, or that begins otherwise, is a new one. Spec: harnesses, transcript.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

FIRST_LOOK_BYTES: Final = 256 << 10
MAX_STEP_BYTES: Final = 2 << 20
HEAD_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class LogCursor:
    """How far a log was read: `offset` bytes, of which `carry` is the unfinished last line."""

    offset: int = 0
    carry: bytes = b""
    head: bytes = b""


@dataclass(frozen=True, slots=True)
class NextRead:
    """Read from `offset` to the end. `anew`: what was known of the log is void; begin with an empty view."""

    offset: int
    anew: bool


def next_read(cursor: LogCursor | None, size: int, head: bytes) -> NextRead | None:
    """Give what to read of a file of that size and beginning (`head`, its first 64 bytes); None when nothing is new."""
    replaced = cursor is not None and (size < cursor.offset or not head.startswith(cursor.head))
    if cursor is None or replaced:
        return NextRead(max(0, size - FIRST_LOOK_BYTES), True)
    if size == cursor.offset:
        return None
    if size - cursor.offset > MAX_STEP_BYTES:
        return NextRead(size - FIRST_LOOK_BYTES, False)
    return NextRead(cursor.offset, False)


def take(cursor: LogCursor | None, read: NextRead, data: bytes, head: bytes) -> tuple[LogCursor, tuple[str, ...]]:
    """Give the cursor after `data`, read as told, and the whole lines in it."""
    continues = cursor is not None and read.offset == cursor.offset
    text = (cursor.carry if cursor is not None and continues else b"") + data
    *lines, carry = text.split(b"\n")
    after = replace(cursor or LogCursor(), offset=read.offset + len(data), carry=carry, head=head[:HEAD_BYTES])
    return after, tuple(line.decode(errors="replace") for line in lines if line.strip())
