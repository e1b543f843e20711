"""A message of Claude Code as its lines tell it, and the record it becomes. Spec: harnesses, Claude usage."""

from __future__ import annotations

from typing import Final

import msgspec

from cardloom_protocol.counts import MOST_TOOLS

from ..records import MOST_OFFSETS, Call, UsageRecord, joined_calls, least
from .lines import Count, decoded, is_time

ABSENT: Final = msgspec.Raw(b"null")


class _CacheWrites(msgspec.Struct, gc=False):
    ephemeral_5m_input_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None


class _OutputDetails(msgspec.Struct, gc=False):
    thinking_tokens: Count | None = None


class _ServerTools(msgspec.Struct, gc=False):
    web_search_requests: Count | None = None


class Usage(msgspec.Struct, gc=False):
    input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation: _CacheWrites | None = None
    output_tokens: Count | None = None
    output_tokens_details: _OutputDetails | None = None
    server_tool_use: _ServerTools | None = None
    speed: str | None = None
    inference_geo: str | None = None
    iterations: msgspec.Raw = ABSENT

    @property
    def is_empty(self) -> bool:
        return not (
            self.input_tokens
            or self.output_tokens
            or self.cache_read_input_tokens
            or self.cache_creation_input_tokens
            or (
                self.cache_creation
                and (self.cache_creation.ephemeral_1h_input_tokens or self.cache_creation.ephemeral_5m_input_tokens)
            )
        )


class Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str = ""
    name: str = ""


class Message(msgspec.Struct, gc=False):
    model: str | None = None
    id: str | None = None
    content: list[Block] | str | None = None
    usage: Usage | None = None


class Line(msgspec.Struct, gc=False):
    """A line. Fields stand in the order that lines have, in which they are found soonest; so do those of its parts."""

    isSidechain: bool = False
    agentId: str | None = None
    cwd: str | None = None
    sessionId: str = ""
    type: str = ""
    message: Message | None = None
    requestId: str | None = None
    requestRef: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    forkedFrom: msgspec.Raw = ABSENT


LINES: Final = msgspec.json.Decoder(Line)
_ITERATIONS: Final = msgspec.json.Decoder(list[Usage])


class OpenMessage(msgspec.Struct, gc=False):
    """The message whose lines are being read: what its first line told, and what the next ones add to it."""

    key: str
    line: Line
    message: Message
    usage: Usage
    at_ms: int
    ended_ms: int
    started_ms: int | None
    inferred_ms: int | None
    copied: bool
    calls: tuple[Call, ...]
    offsets: tuple[int, ...]

    def goes_on(
        self, line: Line, message: Message, at: int, started: int | None, inferred: int | None, copied: bool
    ) -> bool:
        """Whether a line of the same message only adds to it: told with the same usage, and no earlier."""
        return (
            message.usage == self.message.usage
            and line.sessionId == self.line.sessionId
            and line.isSidechain == self.line.isSidechain
            and copied == self.copied
            and started == self.started_ms
            and self.at_ms <= at
            and (inferred == self.inferred_ms or least(self.inferred_ms, inferred) == self.inferred_ms)
            and is_time(at)
        )

    def add(self, calls: tuple[Call, ...], at: int, offset: int) -> None:
        """Add what one more line tells."""
        if at > self.ended_ms:
            self.ended_ms = at
        if calls:
            self.calls = joined_calls(self.calls, calls)
        self.offsets = (*self.offsets, offset)[:MOST_OFFSETS]

    def record(self, label: str | None) -> UsageRecord:
        """All of it; `label` is the kind of sub-agent whose log this is."""
        line, message, usage = self.line, self.message, self.usage
        written, written_1h = _cache_writes(usage)
        return UsageRecord(
            self.key,
            line.sessionId,
            self.at_ms,
            self.ended_ms,
            _provider(message),
            message.model,
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_input_tokens,
            written,
            written_1h,
            usage.output_tokens_details.thinking_tokens if usage.output_tokens_details else None,
            self.started_ms,
            self.inferred_ms,
            self.calls,
            line.agentId or ("sidechain" if line.isSidechain else None),
            label,
            line.isSidechain,
            self.copied,
            line.cwd,
            usage.server_tool_use.web_search_requests if usage.server_tool_use else None,
            usage.speed,
            usage.inference_geo or None,
            None,
            self.offsets,
        )


def calls_of(content: list[Block] | str | None) -> tuple[Call, ...]:
    """The tool calls that a line tells of. Most lines have one block."""
    if not isinstance(content, list):
        return ()
    if len(content) == 1:
        block = content[0]
        return ((block.id, block.name),) if block.type == "tool_use" else ()
    return tuple([(block.id, block.name) for block in content if block.type == "tool_use"][:MOST_TOOLS])


def _cache_writes(usage: Usage) -> tuple[int | None, int | None]:
    """All cache writes and those for an hour. Some builds log 0 in the flat field beside the parts."""
    parts = usage.cache_creation
    if parts is None:
        return usage.cache_creation_input_tokens, None
    split = (parts.ephemeral_5m_input_tokens or 0) + (parts.ephemeral_1h_input_tokens or 0)
    flat = usage.cache_creation_input_tokens
    return (split if flat is None else max(flat, split)), parts.ephemeral_1h_input_tokens


def sum_of_iterations(usage: Usage) -> Usage:
    """A copy may carry zeros on top and the real counts in its iterations."""
    parts = decoded(_ITERATIONS, bytes(usage.iterations)) or []
    total = Usage(speed=usage.speed, inference_geo=usage.inference_geo, server_tool_use=usage.server_tool_use)
    total.output_tokens_details = usage.output_tokens_details
    for part in parts:
        written, written_1h = _cache_writes(part)
        total.input_tokens = (total.input_tokens or 0) + (part.input_tokens or 0)
        total.output_tokens = (total.output_tokens or 0) + (part.output_tokens or 0)
        total.cache_read_input_tokens = (total.cache_read_input_tokens or 0) + (part.cache_read_input_tokens or 0)
        total.cache_creation_input_tokens = (total.cache_creation_input_tokens or 0) + (written or 0)
        if written_1h is not None:
            earlier = total.cache_creation.ephemeral_1h_input_tokens if total.cache_creation else 0
            total.cache_creation = _CacheWrites(None, (earlier or 0) + written_1h)
    return total


def _provider(message: Message) -> str | None:
    """Who answered, where that is certain: other vendors' models and resellers' message ids tell of another address."""
    if not (message.model or "").startswith("claude-"):
        return None
    if (message.id or "").startswith(("msg_bdrk_", "msg_vrtx_")):
        return None
    return "anthropic"
