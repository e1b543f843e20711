"""Pi: `agent/sessions/<folder>/<time>_<session>.jsonl`, a tree of messages.

Entry ids are short and repeat between sessions, so a request is known by the answer's own id, else by entry and time.
The answer's time is its beginning, the line's its end. Spec: real CLIs, logs.
"""

from __future__ import annotations

from typing import Final

import msgspec

from cardloom_protocol.counts import MOST_TOOLS

from ..records import UsageRecord, recorded_pico
from .lines import MALFORMED, UNTIMED, Count, Output, decoded, id_in, lines_of, looks_whole, ms_of, restored, time_of

HARNESS: Final = "pi"


class _Cost(msgspec.Struct):
    total: float | None = None


class _Usage(msgspec.Struct):
    input: Count | None = None
    output: Count | None = None
    cacheRead: Count | None = None
    cacheWrite: Count | None = None
    cost: _Cost | None = None


class _Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""


class _Message(msgspec.Struct):
    role: str = ""
    provider: str | None = None
    model: str | None = None
    responseId: str | None = None
    timestamp: int | None = None
    content: list[_Block] | str | None = None
    usage: _Usage | None = None


class _Line(msgspec.Struct):
    type: str = ""
    id: str = ""
    timestamp: str | None = None
    cwd: str | None = None
    message: _Message | None = None


class _State(msgspec.Struct):
    session: str = ""
    cwd: str | None = None


_LINES: Final = msgspec.json.Decoder(_Line)


class PiReader:
    """Reads one session log."""

    latest_wins = False

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._state = restored(_State, state)
        if state is None:
            self._state.session = id_in(path)

    def feed(self, block: bytearray, end: int, offset: int) -> None:
        for line, begin in lines_of(block, end, offset):
            if b'"usage"' in line or b'"session"' in line:
                self._line(line, begin)
            elif not looks_whole(line):
                self.output.skip(MALFORMED, begin)

    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def _line(self, raw: bytes, offset: int) -> None:
        line = decoded(_LINES, raw)
        if line is None:
            self.output.skip(MALFORMED, offset)
            return
        if line.type == "session":
            self._state.session, self._state.cwd = line.id or self._state.session, line.cwd
        message = line.message
        if line.type != "message" or message is None or message.role != "assistant" or message.usage is None:
            return
        usage, at = message.usage, ms_of(line.timestamp)
        if not (usage.input or usage.output or usage.cacheRead or usage.cacheWrite):
            return
        if at is None:
            self.output.skip(UNTIMED, offset)
            return
        calls: tuple[tuple[str, str], ...] = ()
        if isinstance(message.content, list):
            calls = tuple((block.id, block.name) for block in message.content if block.type == "toolCall")
        self.output.add(
            UsageRecord(
                message.responseId or f"{line.id}@{message.timestamp}",
                self._state.session,
                at,
                at,
                message.provider,
                message.model,
                usage.input,
                usage.output,
                usage.cacheRead,
                usage.cacheWrite,
                started_ms=time_of(message.timestamp),
                calls=calls[:MOST_TOOLS],
                cwd=self._state.cwd,
                recorded_pico=recorded_pico(usage.cost.total) if usage.cost else None,
                offsets=(offset,),
            )
        )
