"""The changes of status that every rule is made of: begin, ask, hold, end, rest. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cardloom_protocol.agents import AgentStatus

from .facts import Ending, Question
from .signals import Source
from .state import AgentState, Evidence, Hold, PendingAsk, Published, Step

QUIET_MS: Final = 3_000
"""Silence after Escape that means that the turn was broken off."""
OUTPUT_QUIET_MS: Final = 2_500
"""The same, and the end of a turn, where output is all that there is to go by."""
DISMISS_GRACE_MS: Final = 5_000
"""How long after a refusal its echoes arrive: an answered question, an end, a turn that seems to begin."""
ANSWERED_SETTLE_MS: Final = 10_000
"""A log with an answer and no end: hooks have this long to tell of the end, or of more work."""
QUEUED_SETTLE_MS: Final = 3_000
"""A log with an end and prompts in the program's own queue: the next turn may begin at once."""
SUBAGENT_SETTLE_MS: Final = 3_000
"""After the last sub-agent the program often goes on with what it found."""
SUBAGENT_HOLD_MS: Final = 60 * 60_000
"""The longest that sub-agents keep a turn open: their end may have been lost."""
STOP_HOLD_MS: Final = 1_500
"""An end while the log shows another turn, or one that waits: time for that one to be told of."""
STOP_SLACK_MS: Final = 300
"""By how much the times of hooks and of the log may disagree about one moment."""
ASK_MEMORY_MS: Final = 120_000
"""A notice of a question is the late echo of one that was told of so recently."""
PROGRAM_SETTLE_MS: Final = 300
"""The program's own status says idle for a moment between two steps."""
TITLE_SETTLE_MS: Final = 3_000
"""A title at rest, where hooks speak as well and ought to tell of the end first."""
HOOK_HEADSTART_MS: Final = 1_000
"""Notices and statuses overtake the hook with the whole news."""
UNHEARD_MS: Final = 10_000
"""A prompt of which no hook told: output is watched from then on."""
UNHEARD_AT_START_MS: Final = 60_000
"""A program that was started with a prompt loads its plugins first, on a busy machine for a long time."""

# What a program may make us remember: beyond, the oldest give way.
MAX_SUBAGENTS: Final = 64
MAX_ASKS: Final = 64
MAX_SESSIONS: Final = 200
MAX_DELIVERIES: Final = 64


def evidence_of(state: AgentState, source: Source, note: str, at_ms: int | None = None) -> Evidence:
    """What a status rests on; a time that is still to come, as of a log whose clock was ahead, counts as now."""
    return Evidence(source, note, state.now_ms if at_ms is None else min(at_ms, state.now_ms))


def work(state: AgentState, evidence: Evidence) -> Step:
    """Be inside a turn."""
    if state.status is AgentStatus.WORKING:
        return replace(state, interrupt_since_ms=None, presumed=False), ()
    changed = replace(state, question=None, dismissed_at_ms=None)
    if state.status is not AgentStatus.NEEDS_INPUT:
        changed = replace(changed, error=None, retrying=None, ends_as=None)
        changed = replace(changed, turn_at_ms=evidence.at_ms, prompt_sent_at_ms=None)
    return _enter(changed, AgentStatus.WORKING, evidence)


def ask(state: AgentState, question: Question, evidence: Evidence) -> Step:
    """Wait for the person."""
    changed = replace(state, question=question, dismissed_at_ms=None)
    if state.status is AgentStatus.NEEDS_INPUT:
        return changed, (Published(AgentStatus.NEEDS_INPUT, evidence, state.now_ms, question.detail),)
    return _enter(changed, AgentStatus.NEEDS_INPUT, evidence, question.detail)


def finish(state: AgentState, evidence: Evidence, *, error: str | None = None) -> Step:
    """End the turn."""
    changed = replace(state, question=None, asks=(), hold=None, ends_as=None, retrying=None, error=error)
    return _enter(changed, AgentStatus.FINISHED, evidence, error or evidence.note, error is not None)


def rest(state: AgentState, evidence: Evidence, *, dismissed: bool = False) -> Step:
    """Break the turn off: it was interrupted or refused."""
    changed = replace(
        state,
        question=None,
        asks=(),
        hold=None,
        ends_as=None,
        retrying=None,
        error=None,
        dismissed_at_ms=state.now_ms if dismissed else None,
    )
    if state.status is AgentStatus.IDLE:
        return changed, ()
    return _enter(changed, AgentStatus.IDLE, evidence)


def end(state: AgentState, ending: Ending, reason: str | None, evidence: Evidence, settle_ms: int = 0) -> Step:
    """End a turn as it ended; a plain end waits for running sub-agents, and `settle_ms` for a turn that may follow."""
    if ending == "interrupted":
        return rest(state, evidence)
    if settle_ms > 0:
        hold = Hold(state.now_ms, evidence, due_ms=state.now_ms + settle_ms, ending=ending, reason=reason)
        return _held(state, hold)
    if ending == "failed":
        return finish(state, evidence, error=reason or "the turn failed")
    if state.subagents:
        return _held(state, state.hold or Hold(state.now_ms, evidence))
    return finish(state, evidence)


def newer_turn(state: AgentState, ended_at_ms: int) -> bool:
    """Whether the log shows a turn that began when the one that ended was over."""
    started_ms = state.log.turn_started_at_ms if state.log is not None else None
    return started_ms is not None and started_ms >= max(ended_at_ms - STOP_SLACK_MS, state.turn_at_ms + STOP_SLACK_MS)


def _held(state: AgentState, hold: Hold) -> Step:
    if state.status in (AgentStatus.WORKING, AgentStatus.NEEDS_INPUT):
        return replace(state, hold=hold, interrupt_since_ms=None), ()
    state, published = work(state, hold.evidence)
    return replace(state, hold=hold), published


def answered(state: AgentState, about: str | None, evidence: Evidence) -> Step:
    """Go on after the open question, or show the next one that waits behind it.

    `about` names the question that was answered; a name that is not the open question's closes only its own.
    """
    asks = tuple(one for one in state.asks if not _is_about(one.question, about))
    state = replace(state, asks=asks)
    if state.status is not AgentStatus.NEEDS_INPUT or not _is_about(state.question, about):
        return state, ()
    for number, one in enumerate(asks):
        if one.due_ms <= state.now_ms:
            return ask(replace(state, asks=asks[:number] + asks[number + 1 :]), one.question, one.evidence)
    return work(state, evidence)


def _is_about(question: Question | None, about: str | None) -> bool:
    return question is None or about is None or question.about in (None, about)


def pend(state: AgentState, question: Question, evidence: Evidence, due_ms: int) -> AgentState:
    """Let a question wait for an answer by rule; a better description of one that waits takes its place."""
    for number, waiting in enumerate(state.asks):
        if waiting.question.about is None or question.about in (None, waiting.question.about):
            told = evidence.source is Source.HOOK or waiting.evidence.source is not Source.HOOK
            better = question if told else waiting.question
            merged = PendingAsk(better, min(waiting.due_ms, due_ms), waiting.evidence)
            return replace(state, asks=(*state.asks[:number], merged, *state.asks[number + 1 :]))
    return replace(state, asks=(*state.asks, PendingAsk(question, due_ms, evidence))[-MAX_ASKS:])


def _enter(
    state: AgentState, status: AgentStatus, evidence: Evidence, detail: str | None = None, error: bool = False
) -> Step:
    now_ms = state.now_ms
    changed = replace(
        state,
        status=status,
        evidence=evidence,
        since_ms=now_ms,
        interrupt_since_ms=None,
        presumed=False,
        due=None,
    )
    return changed, (Published(status, evidence, now_ms, detail, error=error),)
