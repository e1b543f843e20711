"""Gemini CLI: `tmp/<project>/chats/session-….jsonl`, in older builds one JSON document of the same messages.

A message is written again when its tools have answered; the last writing counts. After a cancelled request the whole
history is written anew under new ids and without counts, so messages without counts are no requests.
Spec: harnesses, Gemini; real CLIs, logs.
"""

from __future__ import annotations

from typing import Final

import msgspec

from cardloom_protocol.counts import MOST_TOOLS

from ..records import UsageRecord
from .lines import MALFORMED, UNTIMED, Count, Output, decoded, lines_of, looks_whole, ms_of, restored

HARNESS: Final = "gemini-cli"


class _Tokens(msgspec.Struct):
    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    thoughts: Count | None = None
    tool: Count | None = None
    total: Count | None = None


class _Call(msgspec.Struct):
    id: str = ""
    name: str = ""


class _Message(msgspec.Struct):
    id: str | None = None
    timestamp: str | None = None
    type: str = ""
    model: str | None = None
    tokens: _Tokens | None = None
    toolCalls: list[_Call] | None = None
    sessionId: str | None = None


class _Document(msgspec.Struct):
    sessionId: str = ""
    messages: list[_Message] = []


class _State(msgspec.Struct):
    session: str = ""


_MESSAGES: Final = msgspec.json.Decoder(_Message)
_DOCUMENTS: Final = msgspec.json.Decoder(_Document)


class GeminiReader:
    """Reads one chat log of lines."""

    latest_wins = True

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._state = restored(_State, state)

    def feed(self, block: bytearray, end: int, offset: int) -> None:
        for line, begin in lines_of(block, end, offset):
            if b'"tokens"' in line or b'"sessionId"' in line:
                message = decoded(_MESSAGES, line)
                if message is None:
                    self.output.skip(MALFORMED, begin)
                    continue
                self._state.session = self._state.session or message.sessionId or ""
                self._message(message, begin)
            elif not looks_whole(line):
                self.output.skip(MALFORMED, begin)

    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def document(self, text: bytes) -> None:
        """Take a log that is one document."""
        found = decoded(_DOCUMENTS, text)
        if found is None:
            self.output.skip(MALFORMED, 0)
            return
        self._state.session = found.sessionId
        for message in found.messages:
            self._message(message, 0)

    def _message(self, message: _Message, offset: int) -> None:
        tokens, at = message.tokens, ms_of(message.timestamp)
        if message.type != "gemini" or tokens is None or message.id is None:
            return
        if not tokens.input and not tokens.output:
            return
        if at is None:
            self.output.skip(UNTIMED, offset)
            return
        cached, thoughts = tokens.cached, tokens.thoughts
        parts = (tokens.input or 0) + (tokens.output or 0) + (thoughts or 0) + (tokens.tool or 0)
        holds_cached = tokens.total is None or tokens.total == parts
        prompt = None if tokens.input is None else tokens.input + (tokens.tool or 0)
        calls = tuple((call.id, call.name) for call in message.toolCalls or ())
        self.output.put(
            UsageRecord(
                message.id,
                self._state.session,
                at,
                at,
                "google" if (message.model or "").startswith("gemini-") else None,
                message.model,
                max((prompt or 0) - (cached or 0), 0) if holds_cached and prompt is not None else prompt,
                None if tokens.output is None else tokens.output + (thoughts or 0),
                cached,
                None,
                None,
                thoughts,
                calls=calls[:MOST_TOOLS],
                offsets=(offset,),
            )
        )
