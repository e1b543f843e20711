"""What time alone does to a status: each timer gives when it runs out, and what happens then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from cardloom_protocol.agents import AgentStatus

from .signals import Source
from .state import AgentState, Step
from .transitions import (
    OUTPUT_QUIET_MS,
    QUIET_MS,
    SUBAGENT_HOLD_MS,
    SUBAGENT_SETTLE_MS,
    UNHEARD_AT_START_MS,
    UNHEARD_MS,
    ask,
    end,
    evidence_of,
    finish,
    newer_turn,
    rest,
)
from .watching import by_log, log_due_ms

DueAt: TypeAlias = Callable[[AgentState], int | None]
RunOut: TypeAlias = Callable[[AgentState], Step]


def _ask_due(state: AgentState) -> int | None:
    if state.status is AgentStatus.NEEDS_INPUT or not state.asks:
        return None
    return min(one.due_ms for one in state.asks)


def _ask_now(state: AgentState) -> Step:
    first = min(state.asks, key=lambda one: one.due_ms)
    rest_of = tuple(one for one in state.asks if one is not first)
    return ask(replace(state, asks=rest_of), first.question, first.evidence)


def _quiet_due(state: AgentState) -> int | None:
    if state.interrupt_since_ms is None or state.status is not AgentStatus.WORKING or state.program == "working":
        return None
    quiet_ms = QUIET_MS if _output_rule(state) == "never" else OUTPUT_QUIET_MS
    return max(state.interrupt_since_ms, state.printed_at_ms) + quiet_ms


def _quiet_now(state: AgentState) -> Step:
    return rest(state, evidence_of(state, Source.KEYS, "interrupted, and silent since"))


def _hold_due(state: AgentState) -> int | None:
    hold = state.hold
    if hold is None:
        return None
    if hold.due_ms is not None:
        return hold.due_ms
    if state.status is AgentStatus.NEEDS_INPUT:
        return None
    if hold.settle_from_ms is not None:
        return hold.settle_from_ms + SUBAGENT_SETTLE_MS
    return hold.at_ms + SUBAGENT_HOLD_MS


def _hold_now(state: AgentState) -> Step:
    hold = state.hold
    if hold is None:
        return state, ()
    state = replace(state, hold=None)
    if hold.due_ms is None:
        return finish(replace(state, subagents=()), hold.evidence)
    if state.log is not None and state.log.phase in ("busy", "answered") and newer_turn(state, hold.evidence.at_ms):
        return state, ()
    return end(state, hold.ending, hold.reason, hold.evidence)


def _said_due(state: AgentState) -> int | None:
    return None if state.due is None else state.due.at_ms


def _said_now(state: AgentState) -> Step:
    due = state.due
    if due is None:
        return state, ()
    state = replace(state, due=None)
    if due.status is AgentStatus.IDLE and not (due.evidence.source is Source.HOOK and _answered_in_log(state)):
        return rest(state, due.evidence)
    if state.ends_as is not None:
        return end(state, state.ends_as.ending, state.ends_as.reason, due.evidence)
    return end(state, "done", None, due.evidence)


def _answered_in_log(state: AgentState) -> bool:
    """Whether the log shows the answer of this turn, whose end may have been lost on its way."""
    log = state.log
    return log is not None and log.phase == "answered" and (log.phase_at_ms or 0) > state.turn_at_ms


def _output_rule(state: AgentState) -> str:
    return "after-enter" if state.unheard else state.rules.output


def _output_due(state: AgentState) -> int | None:
    if _output_rule(state) == "never" or state.status is not AgentStatus.WORKING or state.hold is not None:
        return None
    return max(state.printed_at_ms, state.since_ms) + OUTPUT_QUIET_MS


def _output_now(state: AgentState) -> Step:
    if state.interrupt_since_ms is not None:
        return _quiet_now(state)
    return finish(state, evidence_of(state, Source.OUTPUT, "silent"))


def _unheard_due(state: AgentState) -> int | None:
    if state.prompt_sent_at_ms is None or not state.rules.hooks or not state.alive or state.heard_hook:
        return None
    at_start = state.prompt_sent_at_ms == state.since_ms
    return None if state.unheard else state.prompt_sent_at_ms + (UNHEARD_AT_START_MS if at_start else UNHEARD_MS)


def _unheard_now(state: AgentState) -> Step:
    return replace(state, unheard=True), ()


def _silence_due(state: AgentState) -> int | None:
    """The watchdog: no turn lasts for ever without a sign of life; one that is known to be long is given an hour."""
    silence_ms = state.rules.silence_ms
    if silence_ms is None or state.status is not AgentStatus.WORKING or state.hold is not None:
        return None
    busy_in_log = state.log is not None and state.log.phase == "busy"
    if state.subagents or state.program == "working" or busy_in_log:
        silence_ms = max(silence_ms, SUBAGENT_HOLD_MS)
    return max(state.printed_at_ms, state.since_ms) + silence_ms


def _silence_now(state: AgentState) -> Step:
    evidence = evidence_of(state, Source.OUTPUT, "no sign of life")
    state, published = finish(replace(state, subagents=()), evidence, error="nothing more was heard of this turn")
    return replace(state, presumed=True), published


TIMERS: tuple[tuple[DueAt, RunOut], ...] = (
    (_ask_due, _ask_now),
    (_quiet_due, _quiet_now),
    (_hold_due, _hold_now),
    (_said_due, _said_now),
    (log_due_ms, by_log),
    (_output_due, _output_now),
    (_unheard_due, _unheard_now),
    (_silence_due, _silence_now),
)


def first_turn_is_due(state: AgentState, now_ms: int) -> bool:
    """Whether the program was just started with a prompt, and the turn of that one is still to be told of."""
    sent_at_ms = state.prompt_sent_at_ms
    if sent_at_ms is None or sent_at_ms != state.since_ms or not (state.alive and state.rules.hooks):
        return False
    return now_ms - sent_at_ms < UNHEARD_AT_START_MS
