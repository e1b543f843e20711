"""Claude Code: `projects/<folder>/<session>.jsonl` and `…/<session>/subagents/agent-<id>.jsonl`.

One message is written as a line for each content block, all with the message's usage, and copied when a session is
resumed or forked; so a request is a message id, wherever it is seen. A request's beginning is that of the `api-request`
line it refers to, else the time of the last input before it. Spec: harnesses, Claude usage; decisions 26, 28a.
"""

from __future__ import annotations

from typing import Final

import msgspec

from .claude_messages import ABSENT, LINES, Line, OpenMessage, calls_of, sum_of_iterations
from .lines import DECODE_ERRORS, MALFORMED, UNTIMED, Output, decoded, is_time, looks_whole, ms_of, restored

HARNESS: Final = "claude-code"
_REMEMBERED_REQUESTS: Final = 64
_HEAD_BYTES: Final = 400
"""The beginning of a line, where its kind is."""
_USER_LINE: Final = b'"type":"user","message":{"role":"user"'
_PROGRESS: Final = b'"type":"progress"'
"""A line that tells of a sub-agent's message and holds it."""
_ANSWER: Final = b'"assistant"'
_MAIN: Final = b'"isSidechain":false'
_MAIN_BYTES: Final = 100
"""Where a line of the main chain usually says so."""
_SIDE: Final = b'"isSidechain":true'
_SIDE_SPACED: Final = b'"isSidechain": true'
_CLOSING: Final = ord("}")
_UUID: Final = b'"uuid":"'
_CLOSED_UUID: Final = b'},"uuid":"'
_CLOSINGS: Final = range(8)
_STAMP: Final = b'","timestamp":"'
_UUID_CHARS: Final = 64
_STAMP_CHARS: Final = range(10, 41)
_NOTHING: Final = msgspec.Raw(b"[]")


class _Head(msgspec.Struct):
    type: str = ""
    id: str | None = None
    timestamp: str | None = None
    isSidechain: bool = False


class _State(msgspec.Struct):
    inputs: dict[str, int | None] = {}
    requests: dict[str, int] = {}


_HEADS: Final = msgspec.json.Decoder(_Head)
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
        self._block = b""
        self._inputs: list[tuple[int, int, int, bool]] = []
        self._looked = [0, 0]
        self._open: OpenMessage | None = None

    def feed(self, block: bytes, end: int, offset: int) -> None:
        self._block, self._inputs, self._looked = block, [], [0, 0]
        sides = {False, *(side == "side" for side in self._state.inputs)}
        find, begin, size, add_input = block.find, 0, end, self._inputs.append
        while begin < size:
            end = find(b"\n", begin, size)
            if end < 0:
                end = size
            head = begin + _HEAD_BYTES
            if head > end:
                head = end
            if find(_ANSWER, begin, head) >= 0:
                self._usage_line(begin, end, offset, sides)
            elif (text := find(_USER_LINE, begin, head)) >= 0:
                side = find(_MAIN, begin, begin + _MAIN_BYTES) < 0 and find(_SIDE, begin, head) >= 0
                add_input((begin, end, text, side))
                if side:
                    sides.add(True)
            elif find(b'"usage":', begin, end) >= 0:
                self._usage_line(begin, end, offset, sides)
            elif find(b'"api-request"', begin, head) >= 0:
                self._request_line(block[begin:end])
            else:
                add_input((begin, end, -1, False))
                if find(_SIDE_SPACED, begin, head) >= 0 or find(_SIDE, begin, head) >= 0:
                    sides.add(True)
            if block[end - 1] != _CLOSING and not looks_whole(block[begin:end]):
                self.output.skip(MALFORMED, offset + begin)
            begin = end + 1
        for side in sides:
            self._last_input(side)
        self._close()
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
        line: Line | None
        try:
            line = LINES.decode(self._block[begin:end])
        except DECODE_ERRORS:
            line = self._mended(begin, end, offset)
            if line is None:
                return
        message = line.message
        if line.type != "assistant" or message is None or (usage := message.usage) is None:
            self._inputs.append((begin, end, -1, False))
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
        inferred = None
        if started is None:
            sides.add(line.isSidechain)
            inferred = self._last_input(line.isSidechain)
        opened = self._open
        if opened is not None:
            if opened.goes_on(line, message, at, started, inferred, copied):
                opened.add(message, at, offset + begin)
                return
            self._close()
        found = OpenMessage(
            key, line, message, usage, at, at, started, inferred, copied, calls_of(message), (offset + begin,)
        )
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
            self._inputs.append((begin, end, -1, False))
            return None
        kind = decoded(_KINDS, raw)
        if (kind is not None and bytes(kind.get("type", b"")) == b'"assistant"') or (kind is None and raw[-1:] == b"}"):
            self.output.skip(MALFORMED, offset + begin)
        return None

    def _close(self) -> None:
        """Give out the message whose lines were read."""
        if self._open is not None:
            self.output.add(self._open.record(self._label))
            self._open = None

    def _last_input(self, side: bool) -> int | None:
        """The time of the newest input so far. Looks at each line once."""
        inputs, name, lines = self._state.inputs, "side" if side else "main", self._inputs
        looked, index = self._looked[side], len(lines)
        if looked < index:
            self._looked[side] = index
            while index > looked:
                index -= 1
                at = _input_time(self._block, *lines[index], side)
                if at is not None:
                    inputs[name] = at
                    return at
        return inputs.setdefault(name, None)


def _input_time(block: bytes, begin: int, end: int, text: int, chain: bool, side: bool) -> int | None:
    """When a line of a person, a tool or the program was written; None for other lines and the other chain's.

    `text` is where the message of a line begins whose chain is known; -1 when its beginning is not the usual one.
    """
    if text >= 0 and (
        block.rfind(b"{", begin, text) == begin or block.find(_PROGRESS, begin, min(begin + _HEAD_BYTES, end)) < 0
    ):
        stamp = _stamp(block, begin, end, text)
        if stamp is not None:
            return ms_of(stamp) if chain == side else None
    elif block.find(b'"user"', begin, end) < 0 and block.find(b'"system"', begin, end) < 0:
        return None
    line = decoded(_HEADS, block[begin:end])
    if line is None or line.type not in ("user", "system") or line.isSidechain != side:
        return None
    return ms_of(line.timestamp)


def _stamp(block: bytes, begin: int, end: int, text: int) -> str | None:
    """The time behind the first `uuid` that has one right behind it. Usually that follows the message's last brace."""
    if block.find(_STAMP, begin, text) < 0:
        at = text
        for _ in _CLOSINGS:
            at = block.find(b"}", at, end)
            if at < 0:
                break
            if block.startswith(_CLOSED_UUID, at):
                uuid = at + len(_CLOSED_UUID)
                stamp = _stamp_at(block, block.find(b'"', uuid, uuid + _UUID_CHARS), uuid, end)
                if stamp is not None:
                    return stamp
            at += 1
    at = block.find(_STAMP, begin, end)
    while at >= 0:
        uuid = block.rfind(b'"', begin, at) + 1
        if block.startswith(_UUID, uuid - len(_UUID)) and uuid - len(_UUID) >= begin:
            stamp = _stamp_at(block, at, uuid, end)
            if stamp is not None:
                return stamp
        at = block.find(_STAMP, at + 1, end)
    return None


def _stamp_at(block: bytes, at: int, uuid: int, end: int) -> str | None:
    """The time that stands behind a `uuid`, whose text begins and ends there."""
    first = at + len(_STAMP)
    if not (0 < at - uuid <= _UUID_CHARS and block.startswith(_STAMP, at)):
        return None
    last = block.find(b'"', first, end)
    return block[first:last].decode("ascii", "replace") if last - first in _STAMP_CHARS else None
