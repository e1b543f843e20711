"""Claude Code: `projects/<folder>/<session>.jsonl` and `…/<session>/subagents/agent-<id>.jsonl`.

One message is written as a line for each content block, all with the message's usage, and copied when a session is
resumed or forked; so a request is a message id, wherever it is seen. A request's beginning is that of the `api-request`
line it refers to, else the time of the last input before it. Spec: harnesses, Claude usage; decisions 26, 28a.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import structs

from cardloom_protocol.usage import MOST_TOOLS

from ..records import UsageRecord
from .lines import MALFORMED, UNTIMED, Count, Output, decoded, looks_whole, ms_of, restored

HARNESS: Final = "claude-code"
_REMEMBERED_REQUESTS: Final = 64
_WHOLE_LINE_BYTES: Final = 8 << 10
_SIDE_WITHIN: Final = 200
_INPUT_HEAD: Final = re.compile(rb'"type":\s?"(user|system)"')
_STAMP: Final = re.compile(rb'"uuid":\s?"[^"]{1,64}",\s?"timestamp":\s?"([^"]{10,40})"')
_SIDE: Final = re.compile(rb'"isSidechain":\s?true')

_ABSENT: Final = msgspec.Raw(b"null")


class _CacheWrites(msgspec.Struct):
    ephemeral_5m_input_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None


class _OutputDetails(msgspec.Struct):
    thinking_tokens: Count | None = None


class _ServerTools(msgspec.Struct):
    web_search_requests: Count | None = None


class _Usage(msgspec.Struct):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_creation: _CacheWrites | None = None
    output_tokens_details: _OutputDetails | None = None
    server_tool_use: _ServerTools | None = None
    speed: str | None = None
    inference_geo: str | None = None
    iterations: msgspec.Raw = _ABSENT

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


class _Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""


class _Message(msgspec.Struct):
    id: str | None = None
    model: str | None = None
    content: list[_Block] | str | None = None
    usage: _Usage | None = None


class _Line(msgspec.Struct):
    type: str = ""
    uuid: str | None = None
    sessionId: str = ""
    timestamp: str | None = None
    cwd: str | None = None
    requestId: str | None = None
    requestRef: str | None = None
    isSidechain: bool = False
    agentId: str | None = None
    forkedFrom: msgspec.Raw = _ABSENT
    message: _Message | None = None


class _Head(msgspec.Struct):
    type: str = ""
    id: str | None = None
    timestamp: str | None = None
    isSidechain: bool = False


class _State(msgspec.Struct):
    inputs: dict[str, int | None] = {}
    requests: dict[str, int] = {}


_LINES: Final = msgspec.json.Decoder(_Line)
_HEADS: Final = msgspec.json.Decoder(_Head)
_KINDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITERATIONS: Final = msgspec.json.Decoder(list[_Usage])


class ClaudeReader:
    """Reads one log of Claude Code."""

    latest_wins = False

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._label = label
        self._state = restored(_State, state)
        self._looked: dict[bool, int] = {}

    def feed(self, lines: Sequence[bytes], offset: int) -> None:
        self._looked = {True: 0, False: 0}
        sides = {False, *(side == "side" for side in self._state.inputs)}
        side_unseen = True not in sides
        for index, line in enumerate(lines):
            if b'"usage":' in line:
                self._usage_line(lines, index, offset, sides)
            elif b'"api-request"' in line[:200]:
                self._request_line(line)
            elif line[-1:] != b"}" and not looks_whole(line):
                self.output.skip(MALFORMED, offset)
            if side_unseen and b'"isSidechain"' in (head := line[:_SIDE_WITHIN]) and _SIDE.search(head):
                side_unseen = False
                sides.add(True)
            offset += len(line) + 1
        for side in sides:
            self._last_input(lines, len(lines), side)

    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def _request_line(self, line: bytes) -> None:
        head = decoded(_HEADS, line)
        at = ms_of(head.timestamp) if head else None
        if head and head.id and at is not None and head.type == "api-request":
            requests = self._state.requests
            requests[head.id] = at
            while len(requests) > _REMEMBERED_REQUESTS:
                del requests[next(iter(requests))]

    def _usage_line(self, lines: Sequence[bytes], index: int, offset: int, sides: set[bool]) -> None:
        line = decoded(_LINES, lines[index])
        if line is None:
            kind = decoded(_KINDS, lines[index])
            if kind is None or bytes(kind.get("type", b"")) == b'"assistant"':
                self.output.skip(MALFORMED, offset)
            return
        message = line.message
        if line.type != "assistant" or message is None or message.usage is None:
            return
        usage, copied = message.usage, bytes(line.forkedFrom) != b"null"
        if usage.is_empty and bytes(usage.iterations) not in (b"null", b"[]"):
            usage, copied = _sum_of_iterations(usage), True
        if usage.is_empty or message.model == "<synthetic>":
            return
        at = ms_of(line.timestamp)
        key = message.id or line.requestId or line.uuid
        if at is None or key is None:
            self.output.skip(UNTIMED, offset)
            return
        started = self._state.requests.get(line.requestRef) if line.requestRef else None
        inferred = None
        if started is None:
            sides.add(line.isSidechain)
            inferred = self._last_input(lines, index, line.isSidechain)
        record = _record(key, line, message, usage, at, started, inferred, offset, copied)
        self.output.add(record if self._label is None else structs.replace(record, subagent_name=self._label))

    def _last_input(self, lines: Sequence[bytes], before: int, side: bool) -> int | None:
        """The time of the newest input line before `before`. Looks at each line once."""
        known = self._looked[side]
        inputs, name = self._state.inputs, "side" if side else "main"
        inputs.setdefault(name, None)
        for index in range(before - 1, known - 1, -1):
            at = _input_time(lines[index], side)
            if at is not None:
                inputs[name] = at
                break
        self._looked[side] = max(known, before)
        return inputs[name]


def _input_time(line: bytes, side: bool) -> int | None:
    if len(line) <= _WHOLE_LINE_BYTES:
        if b'"user"' not in line and b'"system"' not in line:
            return None
    else:
        kind = _INPUT_HEAD.search(line, 0, 1000)
        stamp = _STAMP.search(line) if kind else None
        if stamp is not None:
            return (
                ms_of(stamp[1].decode("ascii", "replace"))
                if (_SIDE.search(line, 0, 1000) is not None) == side
                else None
            )
    head = decoded(_HEADS, line)
    if head is None or head.type not in ("user", "system") or head.isSidechain != side:
        return None
    return ms_of(head.timestamp)


def _record(
    key: str,
    line: _Line,
    message: _Message,
    usage: _Usage,
    at: int,
    started: int | None,
    inferred: int | None,
    offset: int,
    copied: bool,
) -> UsageRecord:
    written, written_1h = _cache_writes(usage)
    calls: tuple[tuple[str, str], ...] = ()
    if isinstance(message.content, list):
        calls = tuple((block.id, block.name) for block in message.content if block.type == "tool_use")[:MOST_TOOLS]
    return UsageRecord(
        key,
        line.sessionId,
        at,
        at,
        _provider(message),
        message.model,
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens,
        written,
        written_1h,
        usage.output_tokens_details.thinking_tokens if usage.output_tokens_details else None,
        started,
        inferred,
        calls,
        line.agentId or ("sidechain" if line.isSidechain else None),
        None,
        line.isSidechain,
        copied,
        line.cwd,
        usage.server_tool_use.web_search_requests if usage.server_tool_use else None,
        usage.speed,
        usage.inference_geo or None,
        None,
        (offset,),
    )


def _cache_writes(usage: _Usage) -> tuple[int | None, int | None]:
    """All cache writes and those for an hour. Some builds log 0 in the flat field beside the parts."""
    parts = usage.cache_creation
    if parts is None:
        return usage.cache_creation_input_tokens, None
    split = (parts.ephemeral_5m_input_tokens or 0) + (parts.ephemeral_1h_input_tokens or 0)
    flat = usage.cache_creation_input_tokens
    return (split if flat is None else max(flat, split)), parts.ephemeral_1h_input_tokens


def _sum_of_iterations(usage: _Usage) -> _Usage:
    """A copy may carry zeros on top and the real counts in its iterations."""
    parts = decoded(_ITERATIONS, bytes(usage.iterations)) or []
    total = _Usage(speed=usage.speed, inference_geo=usage.inference_geo, server_tool_use=usage.server_tool_use)
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


def _provider(message: _Message) -> str | None:
    """Who answered, where that is certain: other vendors' models and resellers' message ids tell of another address."""
    if not (message.model or "").startswith("claude-"):
        return None
    if (message.id or "").startswith(("msg_bdrk_", "msg_vrtx_")):
        return None
    return "anthropic"
