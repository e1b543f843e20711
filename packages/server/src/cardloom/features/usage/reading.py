"""Reading one log from where it was left: whole lines only, in blocks; anew when it is no longer the same file.

The cursor stands behind the last line end. A log has restarted when it is shorter than the cursor, or when the bytes at
its beginning or before the cursor are no longer those that were read. Spec: harnesses, usage readers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import FileIO
from typing import Final

import msgspec

from .readers.claude import ClaudeReader
from .readers.codex import CodexReader
from .readers.gemini import GeminiReader
from .readers.lines import TOO_LONG, UNFINISHED, LineReader, ReaderFactory
from .readers.pi import PiReader
from .readers.qwen import QwenReader
from .records import Skip, UsageRecord

BLOCK_BYTES: Final = 120 << 10
"""Small enough to stay in the processor's cache."""
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
    """A log as the folder shows it."""

    harness: str
    path: str
    size: int
    mtime_ns: int
    inode: int


class Reading(msgspec.Struct, frozen=True, array_like=True):
    """What reading a log gave. After a restart it says everything of the log; else what is new behind `from_offset`.

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
    from_offset: int | None = None


def read_lines(
    log: LogFile,
    cursor: Cursor,
    longest_line_bytes: int = LONGEST_LINE_BYTES,
    memory: bytearray | None = None,
) -> Reading:
    """Read what a line log has gained. Whoever reads many logs lends the memory for blocks, that of one block."""
    try:
        with open(log.path, "rb", buffering=0) as file:
            restarted = cursor.offset > 0 and not _same(file, cursor)
            start = Cursor() if restarted else cursor
            reader = LINE_READERS[log.harness](log.path, start.state, _label(log.path))
            reached, skipping = _feed_lines(file, start, reader, longest_line_bytes, memory or bytearray(BLOCK_BYTES))
            head, tail = _marks(file, reached)
    except OSError as error:
        return Reading(log, cursor, error=error.strerror or str(error))
    output = reader.output
    return Reading(
        log,
        Cursor(reached, head, tail, skipping, reader.state()),
        restarted,
        list(output.records.values()),
        list(output.dropped),
        reader.latest_wins,
        output.skips,
        from_offset=start.offset,
    )


def read_document(log: LogFile, most_bytes: int = LONGEST_LINE_BYTES) -> Reading:
    """Read a log that is one JSON document and is written anew each time."""
    reader = GeminiReader(log.path, None)
    try:
        with open(log.path, "rb") as file:
            text = file.read(most_bytes + 1)
    except OSError as error:
        return Reading(log, Cursor(), error=error.strerror or str(error))
    if len(text) > most_bytes:
        reader.output.skip(TOO_LONG, 0)
    else:
        reader.document(text)
    output = reader.output
    return Reading(log, Cursor(offset=len(text)), True, list(output.records.values()), skips=output.skips)


def _feed_lines(
    file: FileIO, start: Cursor, reader: LineReader, longest_bytes: int, memory: bytearray
) -> tuple[int, bool]:
    """Hand whole lines to a reader, and tell how far that went and whether it ended inside a line too long.

    Every block begins with a line; what a block has of a line that goes on is read again with the next one. A last line
    without an end is told: it is read when it has one, which never comes after a crash.
    """
    reached, skipping, block = start.offset, start.skipping, memory
    file.seek(reached)
    while count := file.readinto(block):
        if skipping:
            end = block.find(b"\n", 0, count)
            skipping, reached = end < 0, reached + (count if end < 0 else end + 1)
            if not skipping:
                file.seek(reached)
        elif (end := block.rfind(b"\n", 0, count)) >= 0:
            reader.feed(block, end, reached)
            reached, block = reached + end + 1, memory
            if end + 1 < count:
                file.seek(reached)
        elif count > longest_bytes:
            reader.output.skip(TOO_LONG, reached)
            reached, block, skipping = reached + count, memory, True
        elif count < len(block):
            if block[:count].strip(b"\0\r "):
                reader.output.skip(UNFINISHED, reached)
            break
        else:
            block = bytearray(min(len(block) * 2, longest_bytes + 1))
            file.seek(reached)
    return reached, skipping


def _same(file: FileIO, cursor: Cursor) -> bool:
    size = os.fstat(file.fileno()).st_size
    if size < cursor.offset:
        return False
    head, tail = _marks(file, cursor.offset)
    return head == cursor.head and tail == cursor.tail


def _marks(file: FileIO, offset: int) -> tuple[bytes, bytes]:
    """The bytes at the beginning and before an offset."""
    count = min(_MARK_BYTES, offset)
    file.seek(0)
    head = file.read(count)
    file.seek(offset - count)
    return head, file.read(count)


class _Meta(msgspec.Struct):
    agentType: str | None = None


def _label(path: str) -> str | None:
    """The kind of sub-agent whose log this is, from the small file beside it."""
    if f"{os.sep}subagents{os.sep}" not in path:
        return None
    try:
        with open(f"{path.removesuffix('.jsonl')}.meta.json", "rb") as file:
            return msgspec.json.decode(file.read(1 << 16), type=_Meta).agentType
    except (OSError, msgspec.DecodeError):
        return None
