"""Qwen Code: `projects/<folder>/chats/<session>.jsonl`.

A response is told twice: by a telemetry line, which has its duration, and by the assistant's line after it, which has
the tool calls. Together they are one request, known by the assistant line's id. Older builds have only the second.
A branch copies lines and names the original in `forkedFrom`. Spec: harnesses, Qwen log; decision 28a.
"""

from __future__ import annotations

from typing import Final

import msgspec

from cardloom_protocol.counts import MOST_TOOLS

from ..records import UsageRecord
from .lines import MALFORMED, UNTIMED, Count, Output, decoded, lines_of, looks_whole, ms_of, restored, time_of

HARNESS: Final = "qwen-code"


class _Usage(msgspec.Struct):
    promptTokenCount: Count | None = None
    cachedContentTokenCount: Count | None = None
    candidatesTokenCount: Count | None = None
    thoughtsTokenCount: Count | None = None
    totalTokenCount: Count | None = None


class _Call(msgspec.Struct):
    id: str | None = None
    name: str = ""


class _Part(msgspec.Struct):
    functionCall: _Call | None = None


class _Message(msgspec.Struct):
    parts: list[_Part] = []


class _Fork(msgspec.Struct):
    messageUuid: str | None = None


class _Event(msgspec.Struct, rename={"name": "event.name", "timestamp": "event.timestamp"}):
    name: str = ""
    timestamp: str | None = None
    response_id: str | None = None
    model: str | None = None
    duration_ms: float | None = None
    input_token_count: Count | None = None
    output_token_count: Count | None = None
    cached_content_token_count: Count | None = None
    thoughts_token_count: Count | None = None
    total_token_count: Count | None = None

    @property
    def usage(self) -> _Usage:
        return _Usage(
            self.input_token_count,
            self.cached_content_token_count,
            self.output_token_count,
            self.thoughts_token_count,
            self.total_token_count,
        )


class _Payload(msgspec.Struct):
    uiEvent: _Event | None = None


class _Line(msgspec.Struct):
    uuid: str = ""
    sessionId: str = ""
    timestamp: str | None = None
    type: str = ""
    subtype: str = ""
    cwd: str | None = None
    model: str | None = None
    isSidechain: bool = False
    agentId: str | None = None
    agentName: str | None = None
    forkedFrom: _Fork | None = None
    message: _Message | None = None
    usageMetadata: _Usage | None = None
    systemPayload: _Payload | None = None


class _State(msgspec.Struct):
    waiting: UsageRecord | None = None


_LINES: Final = msgspec.json.Decoder(_Line)


class QwenReader:
    """Reads one chat log."""

    latest_wins = False

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._state = restored(_State, state)

    def feed(self, block: bytearray, end: int, offset: int) -> None:
        for line, begin in lines_of(block, end, offset):
            if b'"qwen-code.api_response"' in line or b'"usageMetadata"' in line:
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
        event = line.systemPayload.uiEvent if line.systemPayload else None
        if event is not None and event.name == "qwen-code.api_response":
            self._telemetry(line, event, offset)
        elif line.type == "assistant" and line.usageMetadata is not None:
            self._answer(line, line.usageMetadata, offset)

    def _telemetry(self, line: _Line, event: _Event, offset: int) -> None:
        at = ms_of(event.timestamp or line.timestamp)
        if at is None:
            self.output.skip(UNTIMED, offset)
            return
        started = time_of(None if event.duration_ms is None else at - event.duration_ms)
        record = _record(event.response_id or line.uuid, line, event.usage, at, event.model, started, offset)
        if record is not None:
            self.output.add(record)
        self._state.waiting = record

    def _answer(self, line: _Line, usage: _Usage, offset: int) -> None:
        at = ms_of(line.timestamp)
        if at is None:
            self.output.skip(UNTIMED, offset)
            return
        forked = line.forkedFrom.messageUuid if line.forkedFrom else None
        record = _record(forked or line.uuid, line, usage, at, line.model, None, offset)
        waiting, self._state.waiting = self._state.waiting, None
        if record is None:
            return
        if waiting is not None and (waiting.tokens, waiting.session) == (record.tokens, record.session):
            self.output.drop(waiting.key)
            record = msgspec.structs.replace(
                waiting, key=record.key, calls=record.calls, offsets=(*waiting.offsets, *record.offsets)
            )
        self.output.add(record)


def _record(
    key: str, line: _Line, usage: _Usage, at: int, model: str | None, started: int | None, offset: int
) -> UsageRecord | None:
    """The prompt contains what the cache gave; thoughts are beside the answer unless the total says otherwise."""
    prompt, cached, answer = usage.promptTokenCount, usage.cachedContentTokenCount, usage.candidatesTokenCount
    thoughts = usage.thoughtsTokenCount
    if not prompt and not answer:
        return None
    inside = usage.totalTokenCount == (prompt or 0) + (answer or 0)
    output = answer if inside or not thoughts else (answer or 0) + thoughts
    parts = line.message.parts if line.message else []
    calls = [(part.functionCall.id or "", part.functionCall.name) for part in parts if part.functionCall]
    return UsageRecord(
        key,
        line.sessionId,
        at,
        at,
        None,
        model,
        None if prompt is None else max(prompt - (cached or 0), 0),
        output,
        cached,
        None,
        None,
        thoughts,
        started,
        None,
        tuple(calls[:MOST_TOOLS]),
        line.agentId or ("sidechain" if line.isSidechain else None),
        line.agentName,
        line.isSidechain,
        line.forkedFrom is not None,
        line.cwd,
        offsets=(offset,),
    )
