"""Codex CLI: `sessions/<year>/<month>/<day>/rollout-….jsonl`, also below `archived_sessions`.

Newer builds write a `token_usage_record` for every response. Older ones repeat running totals; there a request is
counted whenever the totals change, and forgotten as soon as the log turns out to have records. A forked log begins
with a copy of its parent's history, which belongs to the parent. Spec: harnesses, Codex usage; decision 28a.
"""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

import msgspec

from cardloom_protocol.counts import MOST_TOOLS

from ..records import Call, UsageRecord, joined_calls
from .lines import (
    COPIED_WITHOUT_END,
    MALFORMED,
    UNTIMED,
    Count,
    Output,
    decoded,
    id_in,
    lines_of,
    looks_whole,
    ms_of,
    restored,
)

HARNESS: Final = "codex-cli"
_HEAD: Final = re.compile(
    rb'\{"timestamp":\s?"([^"]{1,40})",\s?(?:"ordinal":\s?\d+,\s?)?"type":\s?"([a-z_]+)",\s?"payload":\s?\{"type":\s?"([a-z_]+)"'
)
_OUTPUTS: Final = frozenset(
    {b"function_call_output", b"custom_tool_call_output", b"local_shell_call_output", b"mcp_tool_call_output"}
)
_QUIET_EVENTS: Final = frozenset(
    {b"agent_message", b"user_message", b"item_completed", b"agent_reasoning", b"exec_command_end"}
)
_PRODUCED: Final = frozenset({"reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call"})


class _Counts(msgspec.Struct):
    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    cache_write_input_tokens: Count | None = None
    output_tokens: Count = 0
    reasoning_output_tokens: Count | None = None
    total_tokens: Count = 0

    @property
    def print(self) -> tuple[int, int, int, int, int]:
        return (
            self.input_tokens,
            self.cached_input_tokens,
            self.output_tokens,
            self.reasoning_output_tokens or 0,
            self.total_tokens,
        )


class _Info(msgspec.Struct):
    total_token_usage: _Counts | None = None
    last_token_usage: _Counts | None = None


class _Metadata(msgspec.Struct):
    model: str | None = None


class _Payload(msgspec.Struct):
    type: str = ""
    id: str | None = None
    role: str | None = None
    name: str | None = None
    call_id: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    model: str | None = None
    model_name: str | None = None
    model_provider: str | None = None
    agent_role: str | None = None
    agent_nickname: str | None = None
    source: msgspec.Raw = msgspec.Raw(b"null")
    turn_id: str | None = None
    response_id: str | None = None
    usage: _Counts | None = None
    info: _Info | None = None
    metadata: _Metadata | None = None


class _Line(msgspec.Struct):
    timestamp: str | None = None
    type: str = ""
    payload: _Payload | None = None


class _State(msgspec.Struct):
    thread: str = ""
    session: str = ""
    cwd: str | None = None
    provider: str | None = None
    model: str | None = None
    subagent_name: str | None = None
    headers: int = 0
    inherited: bool = False
    copied_counts: int = 0
    copied_at: int | None = None
    has_records: bool = False
    weak: int = 0
    totals: tuple[int, int, int, int, int] | None = None
    input_ms: int | None = None
    frozen_ms: int | None = None
    calls: tuple[Call, ...] = ()


_LINES: Final = msgspec.json.Decoder(_Line)


class CodexReader:
    """Reads one rollout log."""

    latest_wins = False

    def __init__(self, path: str, state: bytes | None, label: str | None = None) -> None:
        self.output = Output()
        self._state = restored(_State, state)
        if state is None:
            self._state.thread = self._state.session = id_in(path)

    def feed(self, block: bytearray, end: int, offset: int) -> None:
        for line, begin in lines_of(block, end, offset):
            if line:
                self._line(line, begin)
        self.output.stands(COPIED_WITHOUT_END, self._state.copied_counts, self._state.copied_at)

    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def _line(self, line: bytes, offset: int) -> None:
        head = _HEAD.match(line)
        if head is not None and line[-1:] == b"}":
            if head[3] in _OUTPUTS:
                self._input(ms_of(head[1].decode("ascii", "replace")))
                return
            if head[3] in _QUIET_EVENTS:
                return
        record = decoded(_LINES, line)
        if record is None:
            if not looks_whole(line) or b"token_" in line:
                self.output.skip(MALFORMED, offset)
            return
        payload = record.payload
        if payload is None:
            return
        at = ms_of(record.timestamp)
        match record.type:
            case "session_meta":
                self._header(payload)
            case "turn_context":
                self._own_turn(payload)
                self._state.model = payload.model or self._state.model
            case "response_item":
                self._item(payload, at)
            case "token_usage_record":
                self._usage_record(payload, at, offset)
            case "event_msg":
                self._event(payload, at, offset)

    def _header(self, payload: _Payload) -> None:
        """The first header is the log's own, and stands again where it is taken up; another's begins a copy."""
        state = self._state
        state.headers += 1
        if state.headers > 1:
            state.inherited = state.inherited or payload.id != state.thread
            return
        state.thread = payload.id or state.thread
        state.session = payload.session_id or state.thread
        state.cwd, state.provider = payload.cwd, payload.model_provider
        if payload.agent_role or state.session != state.thread or b"subagent" in bytes(payload.source):
            state.subagent_name = payload.agent_role or payload.agent_nickname or "subagent"

    def _own_turn(self, payload: _Payload) -> None:
        """A turn begun after the log was made is no copy. Both ids carry their time."""
        if self._state.inherited and _born_ms(payload.turn_id) >= _born_ms(self._state.thread) > 0:
            self._own_begins()
            self._forget_work()

    def _own_begins(self) -> None:
        """What was copied has ended, so that there is nothing to tell of it."""
        state = self._state
        state.inherited, state.copied_counts, state.copied_at = False, 0, None

    def _forget_work(self) -> None:
        """What was asked and produced so far belongs to no later request."""
        self._state.calls, self._state.frozen_ms = (), None

    def _item(self, payload: _Payload, at: int | None) -> None:
        state = self._state
        if payload.type.endswith("_output") or (payload.type == "message" and payload.role == "user"):
            self._input(at)
        elif payload.type in _PRODUCED or (payload.type == "message" and payload.role == "assistant"):
            if state.frozen_ms is None:
                state.frozen_ms = state.input_ms
            if payload.name and payload.type.endswith("_call"):
                state.calls = joined_calls(state.calls, ((payload.call_id or "", payload.name),))[:MOST_TOOLS]

    def _input(self, at: int | None) -> None:
        if at is not None:
            self._state.input_ms = at

    def _event(self, payload: _Payload, at: int | None, offset: int) -> None:
        match payload.type:
            case "thread_settings_applied" if self._state.inherited:
                self._own_begins()
                self._forget_work()
            case "task_started":
                self._own_turn(payload)
            case "token_count" if payload.info is not None:
                self._totals(payload, payload.info, at, offset)

    def _usage_record(self, payload: _Payload, at: int | None, offset: int) -> None:
        state = self._state
        if state.inherited:
            self._own_begins()
        if not state.has_records:
            state.has_records = True
            for number in range(state.weak):
                self.output.drop(self._weak_key(number))
        if payload.usage is None or payload.response_id is None:
            self.output.skip(MALFORMED, offset)
            return
        self._request(payload.response_id, payload.usage, payload, at, offset)

    def _totals(self, payload: _Payload, info: _Info, at: int | None, offset: int) -> None:
        state = self._state
        if state.has_records:
            return
        before, total, last = state.totals, info.total_token_usage, info.last_token_usage
        if total is not None:
            if total.print == before:
                return
            state.totals = total.print
        if state.inherited:
            state.copied_counts += 1
            state.copied_at = offset if state.copied_at is None else state.copied_at
            self._forget_work()
            return
        if last is None and total is not None:
            last = _difference(total, before)
        if last is not None:
            self._request(self._weak_key(state.weak), last, payload, at, offset)
            state.weak += 1

    def _weak_key(self, number: int) -> str:
        return f"{self._state.thread}#{number}"

    def _request(self, key: str, usage: _Counts, payload: _Payload, at: int | None, offset: int) -> None:
        state = self._state
        started = state.frozen_ms if state.frozen_ms is not None else state.input_ms
        calls = state.calls
        self._forget_work()
        if at is None:
            self.output.skip(UNTIMED, offset)
            return
        written = usage.cache_write_input_tokens
        fresh = max(usage.input_tokens - usage.cached_input_tokens - (written or 0), 0)
        if not usage.input_tokens and not usage.output_tokens:
            return
        self.output.add(
            UsageRecord(
                key,
                state.session,
                at,
                at,
                state.provider,
                payload.model
                or payload.model_name
                or (payload.metadata.model if payload.metadata else None)
                or state.model,
                fresh,
                usage.output_tokens,
                usage.cached_input_tokens,
                written,
                None,
                usage.reasoning_output_tokens,
                None,
                started,
                calls,
                state.thread if state.subagent_name else None,
                state.subagent_name,
                cwd=state.cwd,
                offsets=(offset,),
            )
        )


def _difference(total: _Counts, before: tuple[int, int, int, int, int] | None) -> _Counts:
    """What was used since. Totals that fell began anew, as those of some forks do."""
    now = total.print
    gone = before if before is not None and before[-1] <= now[-1] else (0, 0, 0, 0, 0)
    fresh, cached, output, reasoning, _ = (max(after - earlier, 0) for after, earlier in zip(now, gone, strict=True))
    return _Counts(fresh, cached, total.cache_write_input_tokens, output, reasoning)


def _born_ms(identifier: str | None) -> int:
    """The time in an id of version 7, 0 for others."""
    try:
        number = UUID(identifier or "")
    except ValueError:
        return 0
    return number.int >> 80 if number.version == 7 else 0
