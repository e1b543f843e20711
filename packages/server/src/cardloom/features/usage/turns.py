"""Turns as they are counted: from a prompt until the work is done, through every question in between.

A turn opens when an agent begins to work out of rest and ends when it rests again; waiting for an answer does not end
it. A turn in which no request was made is a blink of the status and is not counted. Spec: harnesses, turns and
accounting; agents, run of one agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.usage import StatusSegment, TimelineRequest, TimelineTurn

EARLY_MS: Final = 1000
LATE_MS: Final = 5000
"""A request belongs to a turn when it ends no earlier before it, or begins no later after it, than this."""
_OPENING: Final = AgentStatus.WORKING
_WAITING: Final = AgentStatus.NEEDS_INPUT


@dataclass(frozen=True, slots=True)
class StatusChange:
    """An agent has this status from a moment on."""

    at_ms: int
    status: AgentStatus


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of an agent in a window. `first_prompt_at_ms` may lie before it, when a turn reaches into it."""

    prompts: int
    working_ms: int
    elapsed_ms: int | None
    first_prompt_at_ms: int | None
    last_finished_at_ms: int | None
    complete: bool


def segments(changes: Sequence[StatusChange], since_ms: int, until_ms: int) -> tuple[StatusSegment, ...]:
    """The statuses of a window, equal neighbours joined. Changes come in the order they happened."""
    found: list[StatusSegment] = []
    for index, change in enumerate(changes):
        end = changes[index + 1].at_ms if index + 1 < len(changes) else until_ms
        begin, end = max(change.at_ms, since_ms), min(end, until_ms)
        if begin >= end:
            continue
        if found and found[-1].status == change.status.value and found[-1].to_ms == begin:
            found[-1] = StatusSegment(change.status.value, found[-1].from_ms, end)
        else:
            found.append(StatusSegment(change.status.value, begin, end))
    return tuple(found)


def turns(
    changes: Sequence[StatusChange], requests: Sequence[TimelineRequest] | None, since_ms: int, until_ms: int
) -> tuple[TimelineTurn, ...]:
    """The turns that touch a window. Without `requests`, of an agent whose logs are not read, every turn counts."""
    found: list[TimelineTurn] = []
    start: int | None = None
    for change in changes:
        if change.status is _OPENING:
            start = change.at_ms if start is None else start
        elif change.status is not _WAITING and start is not None:
            found.append(_turn(start, change.at_ms, change.status, requests))
            start = None
    if start is not None:
        found.append(TimelineTurn(start, None, True))
    return tuple(
        turn for turn in found if turn.start_ms < until_ms and (turn.end_ms is None or turn.end_ms >= since_ms)
    )


def timing(
    changes: Sequence[StatusChange],
    found: Sequence[TimelineTurn],
    since_ms: int,
    until_ms: int,
    history_began_ms: int | None,
) -> Timing:
    """The times of a window. They are complete when the history of statuses begins no later than it."""
    counted = [turn for turn in found if turn.counted]
    working = sum(
        segment.to_ms - segment.from_ms
        for segment in segments(changes, since_ms, until_ms)
        if segment.status == _OPENING.value
    )
    ends = [turn.end_ms for turn in counted if turn.end_ms is not None and turn.end_ms <= until_ms]
    last = (
        until_ms if any(turn.end_ms is None or turn.end_ms > until_ms for turn in counted) else max(ends, default=None)
    )
    first = counted[0].start_ms if counted else None
    return Timing(
        len(counted),
        working,
        None if first is None or last is None else max(last - max(first, since_ms), 0),
        first,
        max(ends, default=None),
        history_began_ms is not None and history_began_ms <= since_ms,
    )


def _turn(start: int, end: int, ended_as: AgentStatus, requests: Sequence[TimelineRequest] | None) -> TimelineTurn:
    counted = requests is None or any(
        request.ended_at_ms >= start - EARLY_MS and _begin(request) <= end + LATE_MS for request in requests
    )
    return TimelineTurn(start, end, counted, ended_as.value)


def _begin(request: TimelineRequest) -> int:
    return request.ended_at_ms if request.started_at_ms is None else request.started_at_ms
