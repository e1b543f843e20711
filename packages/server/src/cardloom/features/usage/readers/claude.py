"""Claude Code: `projects/<folder>/<session>.jsonl` and `…/<session>/subagents/agent-<id>.jsonl`.

One message is written as a line for each content block, all with the message's usage, and copied when a session is
resumed or forked; so a request is a message id, wherever it is seen. A request's beginning is that of the `api-request`
line it refers to, else the time of the last input before it. Spec: harnesses, Claude usage; decisions 26, 28a.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec import structs

from cardloom_protocol.usage import MOST_TOOLS

from ..records import UsageRecord
from .lines import MALFORMED, UNTIMED, Count, Output, decoded, looks_whole, ms_of, restored

HARNESS: Final = "claude-code"
_REMEMBERED_REQUESTS: Final = 64
_HEAD_BYTES: Final = 400
"""The beginning of a line, where its kind is."""
_USER_LINE: Final = b'"type":"user","message":{"role":"user"'
_PROGRESS: Final = b'"type":"progress"'
"""A line that tells of a sub-agent's message and holds it."""
_SIDE: Final = b'"isSidechain":true'
_SIDE_SPACED: Final = b'"isSidechain": true'
_CLOSING: Final = ord("}")
_STAMP: Final = re.compile(rb'"uuid":"[^"]{1,64}","timestamp":"([^"]{10,40})"')
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
    """Reads one log of Claude Code.

    Most of a log are results of tools. Their lines are told by their beginning and not searched, and nothing is decoded
    but the lines with usage and, where a request's beginning has to be inferred, the time of the input before it.
    """

    latest_wins = False

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._label = label
        self._state = restored(_State, state)
        self._block = b""
        self._inputs: list[tuple[int, int]] = []
        self._looked: dict[bool, int] = {}

    def feed(self, block: bytes, offset: int) -> None:
        self._block, self._inputs, self._looked = block, [], {True: 0, False: 0}
        sides = {False, *(side == "side" for side in self._state.inputs)}
        find, begin, size = block.find, 0, len(block)
        while begin < size:
            end = find(b"\n", begin)
            if end < 0:
                end = size
            head = min(begin + _HEAD_BYTES, end)
            if find(_USER_LINE, begin, head) >= 0:
                self._inputs.append((begin, end))
                if find(_SIDE, begin, head) >= 0:
                    sides.add(True)
            elif find(b'"usage":', begin, end) >= 0:
                self._usage_line(begin, end, offset, sides)
            elif find(b'"api-request"', begin, head) >= 0:
                self._request_line(block[begin:end])
            else:
                self._inputs.append((begin, end))
                if find(_SIDE_SPACED, begin, head) >= 0 or find(_SIDE, begin, head) >= 0:
                    sides.add(True)
            if block[end - 1] != _CLOSING and not looks_whole(block[begin:end]):
                self.output.skip(MALFORMED, offset + begin)
            begin = end + 1
        for side in sides:
            self._last_input(side)
        self._block = b""

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

    def _usage_line(self, begin: int, end: int, offset: int, sides: set[bool]) -> None:
        raw = self._block[begin:end]
        line = decoded(_LINES, raw)
        if line is None:
            kind = decoded(_KINDS, raw)
            if (kind is not None and bytes(kind.get("type", b"")) == b'"assistant"') or (
                kind is None and raw[-1:] == b"}"
            ):
                self.output.skip(MALFORMED, offset + begin)
            return
        message = line.message
        if line.type != "assistant" or message is None or message.usage is None:
            self._inputs.append((begin, end))
            return
        usage, copied = message.usage, bytes(line.forkedFrom) != b"null"
        if usage.is_empty and bytes(usage.iterations) not in (b"null", b"[]"):
            usage, copied = _sum_of_iterations(usage), True
        if usage.is_empty or message.model == "<synthetic>":
            return
        at = ms_of(line.timestamp)
        key = message.id or line.requestId or line.uuid
        if at is None or key is None:
            self.output.skip(UNTIMED, offset + begin)
            return
        started = self._state.requests.get(line.requestRef) if line.requestRef else None
        inferred = None
        if started is None:
            sides.add(line.isSidechain)
            inferred = self._last_input(line.isSidechain)
        record = _record(key, line, message, usage, at, started, inferred, offset + begin, copied)
        self.output.add(record if self._label is None else structs.replace(record, subagent_name=self._label))

    def _last_input(self, side: bool) -> int | None:
        """The time of the newest input so far. Looks at each line once."""
        inputs, name = self._state.inputs, "side" if side else "main"
        inputs.setdefault(name, None)
        for begin, end in reversed(self._inputs[self._looked[side] :]):
            at = _input_time(self._block, begin, end, side)
            if at is not None:
                inputs[name] = at
                break
        self._looked[side] = len(self._inputs)
        return inputs[name]


def _input_time(block: bytes, begin: int, end: int, side: bool) -> int | None:
    """When a line of a person, a tool or the program was written; None for other lines and the other chain's."""
    head = min(begin + _HEAD_BYTES, end)
    if block.find(_USER_LINE, begin, head) >= 0 and block.find(_PROGRESS, begin, head) < 0:
        stamp = _STAMP.search(block, begin, end)
        if stamp is not None:
            same = (block.find(_SIDE, begin, head) >= 0) == side
            return ms_of(stamp[1].decode("ascii", "replace")) if same else None
    elif block.find(b'"user"', begin, end) < 0 and block.find(b'"system"', begin, end) < 0:
        return None
    line = decoded(_HEADS, block[begin:end])
    if line is None or line.type not in ("user", "system") or line.isSidechain != side:
        return None
    return ms_of(line.timestamp)


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
