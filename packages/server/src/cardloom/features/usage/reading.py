"""Reading one log from where it was left: whole lines only, in blocks; anew when it is no longer the same file.

The cursor stands behind the last line end. A log has restarted when it is shorter than the cursor, or when the bytes at
its beginning or before the cursor are no longer those that were read. Spec: harnesses, usage readers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import BinaryIO, Final

import msgspec

from .readers.claude import ClaudeReader
from .readers.codex import CodexReader
from .readers.gemini import GeminiReader
from .readers.lines import TOO_LONG, LineReader, ReaderFactory
from .readers.pi import PiReader
from .readers.qwen import QwenReader
from .records import Skip, UsageRecord

BLOCK_BYTES: Final = 1 << 20
LONGEST_LINE_BYTES: Final = 32 << 20
_MARK_BYTES: Final = 64

LINE_READERS: Final[Mapping[str, ReaderFactory]] = {
    "claude-code": ClaudeReader,
    "codex-cli": CodexReader,
    "gemini-cli": GeminiReader,
    "pi": PiReader,
    "qwen-code": QwenReader,
}
"""How the line logs of each harness are read."""


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """How far a log was read and how to know it again. `skipping` says that this is inside a line too long."""

    offset: int = 0
    head: bytes = b""
    tail: bytes = b""
    skipping: bool = False
    state: bytes | None = None


class LogFile(msgspec.Struct, frozen=True, array_like=True):
    """A log as the folder shows it. `label` is what is known of it from outside: the kind of a sub-agent."""

    harness: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    label: str | None = None


class Reading(msgspec.Struct, frozen=True, array_like=True):
    """What reading a log gave. After a restart it says everything of the log; else only what was new.

    `error` says why the log could not be read; then nothing else of it counts.
    """

    log: LogFile
    cursor: Cursor
    restarted: bool = False
    records: list[UsageRecord] = []
    dropped: list[str] = []
    latest_wins: bool = False
    skips: list[Skip] = []
    error: str | None = None


def read_log(log: LogFile, cursor: Cursor, now_ms: int) -> Reading:
    """Read what a log has gained, by the way its harness keeps it."""
    return read_lines(log, cursor)


def read_lines(log: LogFile, cursor: Cursor, longest_line_bytes: int = LONGEST_LINE_BYTES) -> Reading:
    """Read what a line log has gained."""
    try:
        with open(log.path, "rb", buffering=0) as file:
            restarted = cursor.offset > 0 and not _same(file, cursor)
            start = Cursor() if restarted else cursor
            reader = LINE_READERS[log.harness](log.path, start.state, log.label)
            lines = _Lines(start, longest_line_bytes, reader)
            file.seek(start.offset)
            while block := file.read(BLOCK_BYTES):
                lines.take(block)
            reached = lines.reached()
            head, tail = _marks(file, reached)
    except OSError as error:
        return Reading(log, cursor, error=error.strerror or str(error))
    output = reader.output
    return Reading(
        log,
        Cursor(reached, head, tail, lines.skipping, reader.state()),
        restarted,
        list(output.records.values()),
        list(output.dropped),
        reader.latest_wins,
        output.skips,
    )


class _Lines:
    """Cuts blocks into whole lines and hands them to a reader."""

    def __init__(self, start: Cursor, longest_bytes: int, reader: LineReader) -> None:
        self._offset = start.offset
        self.skipping = start.skipping
        self._longest_bytes = longest_bytes
        self._reader = reader
        self._rest: list[bytes] = []
        self._rest_bytes = 0

    def take(self, block: bytes) -> None:
        end = block.rfind(b"\n")
        if end < 0:
            self._keep(block)
            return
        whole = b"".join((*self._rest, block[:end]))
        rest, self._rest, self._rest_bytes = block[end + 1 :], [], 0
        offset, self._offset = self._offset, self._offset + len(whole) + 1
        if self.skipping:
            self.skipping = False
            first = whole.find(b"\n")
            if first < 0:
                self._keep(rest)
                return
            offset, whole = offset + first + 1, whole[first + 1 :]
        self._reader.feed(whole.split(b"\n"), offset)
        self._keep(rest)

    def _keep(self, rest: bytes) -> None:
        if self.skipping:
            self._offset += len(rest)
            return
        self._rest.append(rest)
        self._rest_bytes += len(rest)
        if self._rest_bytes > self._longest_bytes:
            self._reader.output.skip(TOO_LONG, self._offset)
            self._offset += self._rest_bytes
            self.skipping, self._rest, self._rest_bytes = True, [], 0

    def reached(self) -> int:
        """Where the next reading begins: behind the last whole line, or inside a line too long."""
        return self._offset


def _same(file: BinaryIO, cursor: Cursor) -> bool:
    size = os.fstat(file.fileno()).st_size
    if size < cursor.offset:
        return False
    head, tail = _marks(file, cursor.offset)
    return head == cursor.head and tail == cursor.tail


def _marks(file: BinaryIO, offset: int) -> tuple[bytes, bytes]:
    """The bytes at the beginning and before an offset."""
    count = min(_MARK_BYTES, offset)
    descriptor = file.fileno()
    return os.pread(descriptor, count, 0), os.pread(descriptor, count, offset - count)
