"""Claude Code: `projects/<folder>/<session>.jsonl` and `…/<session>/subagents/agent-<id>.jsonl`.

One message is written as a line for each content block, all with the message's usage, and copied when a session is
resumed or forked; so a request is a message id, wherever it is seen. A request's beginning is that of the `api-request`
line it refers to, else the time of the last input before it. Spec: harnesses, Claude usage; decisions 26, 28a.
"""

from __future__ import annotations

from typing import Final

import msgspec

from .claude_inputs import HEAD_BYTES, HEADS, SIDE, Inputs, Told
from .claude_messages import ABSENT, LINES, Line, OpenMessage, calls_of, sum_of_iterations
from .lines import DECODE_ERRORS, MALFORMED, UNTIMED, Output, decoded, is_time, looks_whole, ms_of, restored

HARNESS: Final = "claude-code"
_REMEMBERED_REQUESTS: Final = 64
_USER_LINE: Final = b'"type":"user","message":{"role":"user"'
_ANSWER: Final = b'"assistant"'
_SIDE_SPACED: Final = b'"isSidechain": true'
_CLOSING: Final = ord("}")
_NOTHING: Final = msgspec.Raw(b"[]")


class _State(msgspec.Struct):
    inputs: Told = {}
    requests: dict[str, int] = {}


_decode_line: Final = LINES.decode
_KINDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class ClaudeReader:
    """Reads one log of Claude Code.

    Most of a log are results of tools. Their lines are told by their beginning and not searched, and nothing is decoded
    but the lines with usage and, where a request's beginning has to be inferred, the time of the input before it. Lines
    of one message that follow each other become one record at once.
    """

    latest_wins = False

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._label = label
        self._state = restored(_State, state)
        self._block = bytearray()
        self._inputs = Inputs(self._state.inputs)
        self._open: OpenMessage | None = None
        self._usual = 0

    def feed(self, block: bytearray, end: int, offset: int) -> None:
        self._block, inputs, usual = block, self._inputs, self._usual
        inputs.begin(block)
        find, startswith, begin, size = block.find, block.startswith, 0, end
        while begin < size:
            end = find(b"\n", begin, size)
            if end < 0:
                end = size
            head = begin + HEAD_BYTES
            if head > end:
                head = end
            if startswith(_USER_LINE, begin + usual, head):
                inputs.usual(begin, end, begin + usual, head)
            elif find(_ANSWER, begin, head) >= 0:
                self._usage_line(begin, end, offset)
            elif (text := find(_USER_LINE, begin, head)) >= 0:
                inputs.usual(begin, end, text, head)
                usual = text - begin
            elif find(b'"usage":', begin, end) >= 0:
                self._usage_line(begin, end, offset)
            elif find(b'"api-request"', begin, head) >= 0:
                self._request_line(block[begin:end])
            else:
                inputs.unclear(begin, end)
                if find(_SIDE_SPACED, begin, head) >= 0 or find(SIDE, begin, head) >= 0:
                    inputs.has_sides = True
            if block[end - 1] != _CLOSING and not looks_whole(block[begin:end]):
                self.output.skip(MALFORMED, offset + begin)
            begin = end + 1
        inputs.end()
        self._close()
        self._block, self._usual = bytearray(), usual

    def state(self) -> bytes:
        self._state.inputs = self._inputs.told
        return msgspec.msgpack.encode(self._state)

    def _request_line(self, line: bytearray) -> None:
        head = decoded(HEADS, line)
        at = ms_of(head.timestamp) if head else None
        if head and head.id and at is not None and head.type == "api-request":
            requests = self._state.requests
            requests[head.id] = at
            while len(requests) > _REMEMBERED_REQUESTS:
                del requests[next(iter(requests))]

    def _usage_line(self, begin: int, end: int, offset: int) -> None:
        line: Line | None
        try:
            line = _decode_line(self._block[begin:end])
        except DECODE_ERRORS:
            line = self._mended(begin, end, offset)
            if line is None:
                return
        message = line.message
        if line.type != "assistant" or message is None or (usage := message.usage) is None:
            self._inputs.unclear(begin, end)
            return
        copied = line.forkedFrom is not ABSENT and line.forkedFrom != ABSENT
        if not usage.output_tokens and usage.is_empty:
            if usage.iterations not in (ABSENT, _NOTHING):
                usage, copied = sum_of_iterations(usage), True
            if usage.is_empty:
                return
        if message.model == "<synthetic>":
            return
        at = ms_of(line.timestamp)
        key = message.id or line.requestId or line.uuid
        if at is None or key is None:
            self.output.skip(UNTIMED, offset + begin)
            return
        started = self._state.requests.get(line.requestRef) if line.requestRef else None
        if line.isSidechain:
            self._inputs.has_sides = True
        inferred = self._inputs.newest(line.isSidechain) if started is None else None
        calls = calls_of(message.content)
        opened = self._open
        if opened is not None:
            if opened.key == message.id and opened.goes_on(line, message, at, started, inferred, copied):
                opened.add(calls, at, offset + begin)
                return
            self._close()
        found = OpenMessage(key, line, message, usage, at, at, started, inferred, copied, calls, (offset + begin,))
        if message.id and key not in self.output.records and is_time(at):
            self._open = found
        else:
            self.output.add(found.record(self._label))

    def _mended(self, begin: int, end: int, offset: int) -> Line | None:
        """The fields of a line without what a crash left around it; None when it is malformed or says nothing."""
        raw = self._block[begin:end]
        line = decoded(LINES, raw)
        if line is not None:
            return line
        if b'"usage":' not in raw:
            self._inputs.unclear(begin, end)
            return None
        kind = decoded(_KINDS, raw)
        if (kind is not None and bytes(kind.get("type", b"")) == b'"assistant"') or (kind is None and raw[-1:] == b"}"):
            self.output.skip(MALFORMED, offset + begin)
        return None

    def _close(self) -> None:
        """Give out the message whose lines were read, which is a new one of this log."""
        if self._open is not None:
            self.output.records[self._open.key] = self._open.record(self._label)
            self._open = None
