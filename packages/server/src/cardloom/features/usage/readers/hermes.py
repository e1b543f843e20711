"""Hermes Agent: its webhook `post_api_request` tells of every request; its `state.db` has only sums of sessions.

What the webhook told is counted request by request; of a session's sum only what is left over, as one request at the
session's last moment. A conversation goes on in another session after it was compressed. Spec: harnesses, Hermes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from cardloom_protocol.usage import Tokens

from ..records import UsageRecord, recorded_pico
from .lines import Count, Output, ms_of, time_of

HARNESS: Final = "hermes-agent"
SESSION: Final = "session:"
"""How the key of a session's sum begins."""
_COMPRESSED: Final = "compression"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session's sums. Times are epoch seconds; `last_s` is that of its last message."""

    id: str
    parent: str | None
    model: str | None
    provider: str | None
    started_s: float | None
    ended_s: float | None
    last_s: float | None
    end_reason: str | None
    cwd: str | None
    tokens: Tokens
    actual_usd: float | None
    estimated_usd: float | None


class _Usage(msgspec.Struct):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class _Extra(msgspec.Struct):
    usage: _Usage | None = None
    started_at: float | str | None = None
    ended_at: float | str | None = None
    model: str | None = None
    provider: str | None = None
    api_request_id: str | None = None


class _Event(msgspec.Struct):
    hook_event_name: str = ""
    session_id: str = ""
    cwd: str | None = None
    timestamp: float | str | None = None
    extra: _Extra | None = None


def record_of_request(payload: object) -> UsageRecord | None:
    """The request that a `post_api_request` webhook tells of; None for other events and for what makes no sense."""
    try:
        event = msgspec.convert(payload, _Event)
    except msgspec.ValidationError:
        return None
    extra = event.extra
    if event.hook_event_name != "post_api_request" or extra is None or extra.usage is None:
        return None
    ended = _ms(extra.ended_at) or _ms(event.timestamp)
    usage = extra.usage
    if ended is None or not extra.api_request_id or not (usage.input_tokens or usage.output_tokens):
        return None
    return UsageRecord(
        _writable(extra.api_request_id),
        _writable(event.session_id),
        ended,
        ended,
        extra.provider and _writable(extra.provider),
        extra.model and _writable(extra.model),
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        None,
        usage.reasoning_tokens,
        _ms(extra.started_at),
        cwd=event.cwd and _writable(event.cwd),
    )


def read_sessions(rows: Iterable[SessionRow], told: Mapping[str, Tokens]) -> Output:
    """The sums of sessions as requests, without what the webhook `told` of each session."""
    sessions = {row.id: row for row in rows}
    output = Output()
    for row in sessions.values():
        left = row.tokens if row.id not in told else _less(row.tokens, told[row.id])
        if not left.total:
            continue
        at = max((_ms(time) or 0 for time in (row.last_s, row.ended_s, row.started_s)), default=0)
        root, is_side = _root(row, sessions)
        cost = row.actual_usd if row.actual_usd is not None else row.estimated_usd or None
        output.put(
            UsageRecord(
                f"{SESSION}{row.id}",
                root,
                at,
                at,
                row.provider,
                row.model,
                left.input,
                left.output,
                left.cache_read,
                left.cache_write,
                None,
                left.reasoning,
                subagent=row.id if is_side else None,
                cwd=row.cwd,
                recorded_pico=recorded_pico(cost) if row.id not in told else None,
            )
        )
    return output


def _writable(text: str) -> str:
    """A text as it can be stored: JSON can hold halves of characters."""
    return text.encode("utf-8", "replace").decode()


def _root(row: SessionRow, sessions: Mapping[str, SessionRow]) -> tuple[str, bool]:
    """The session that a person began, and whether a sub-agent's lies between."""
    is_side, seen = False, {row.id}
    while row.parent and row.parent in sessions and row.parent not in seen:
        row = sessions[row.parent]
        seen.add(row.id)
        is_side = is_side or row.end_reason != _COMPRESSED
    return row.id, is_side


def _less(whole: Tokens, part: Tokens) -> Tokens:
    def left(all_of_it: int | None, told: int | None) -> int | None:
        return None if all_of_it is None else max(all_of_it - (told or 0), 0)

    return Tokens(
        left(whole.input, part.input),
        left(whole.output, part.output),
        left(whole.cache_read, part.cache_read),
        left(whole.cache_write, part.cache_write),
        None,
        left(whole.reasoning, part.reasoning),
    )


def _ms(time: float | str | None) -> int | None:
    if isinstance(time, str):
        return ms_of(time)
    return None if time is None else time_of(time * 1000)
