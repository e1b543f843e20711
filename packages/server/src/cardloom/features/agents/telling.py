"""What the facts of a harness do to a status. Spec: harnesses, hook rules and sub-agents; decisions 22-24, 27, 28b."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from cardloom_protocol.agents import AgentStatus

from .bounds import bounded, is_session_id
from .facts import (
    Answered,
    Asked,
    EndsAs,
    Fact,
    ModelSeen,
    Replied,
    Resumed,
    Retrying,
    SessionSeen,
    Subagent,
    SubagentsAre,
    SubagentStarted,
    SubagentStopped,
    Titled,
    TurnEnded,
    TurnStarted,
    Waiting,
)
from .signals import Source, Told
from .state import AT_REST, IN_TURN, AgentState, Due, Evidence, Reply, Step
from .transitions import (
    ASK_MEMORY_MS,
    DISMISS_GRACE_MS,
    HOOK_HEADSTART_MS,
    MAX_DELIVERIES,
    MAX_SESSIONS,
    MAX_SUBAGENTS,
    STOP_HOLD_MS,
    answered,
    ask,
    end,
    newer_turn,
    pend,
    rest,
    work,
)


def hear(state: AgentState, signal: Told) -> Step:
    """Take one fact. What an older process told, or a program that is not this agent, changes nothing."""
    if signal.life != state.life or not state.alive or signal.session_id in state.foreign_sessions:
        return state, ()
    if signal.delivery is not None:
        if signal.delivery in state.deliveries:
            return state, ()
        state = replace(state, deliveries=(*state.deliveries, signal.delivery)[-MAX_DELIVERIES:])
    if signal.source is Source.HOOK:
        state = replace(state, heard_hook=True, unheard=False)
    return _apply(state, bounded(signal.fact), signal)


def _apply(state: AgentState, fact: Fact, signal: Told) -> Step:
    evidence = Evidence(signal.source, _note(fact), signal.at_ms)
    match fact:
        case TurnStarted():
            return _begin(state, evidence)
        case Resumed():
            return _resume(state, fact.about, evidence)
        case Answered():
            return _resume(state, fact.about, evidence)
        case Asked():
            return _ask(state, fact, evidence)
        case EndsAs():
            return replace(state, ends_as=fact), ()
        case TurnEnded():
            return _end(state, fact, evidence)
        case Waiting():
            return _waits(state, evidence)
        case SubagentStarted():
            return subagents_are(state, (*_others(state, fact.subagent.id), fact.subagent), evidence)
        case SubagentStopped():
            return subagents_are(state, _others(state, fact.id), evidence)
        case SubagentsAre():
            return subagents_are(state, fact.subagents, evidence)
        case SessionSeen():
            return (link(state, fact) if is_session_id(fact.session_id) else state), ()
        case Replied():
            return replace(state, reply=Reply(fact.text, signal.at_ms)), ()
        case Titled():
            return replace(state, title=fact.title), ()
        case ModelSeen():
            return replace(state, model=fact.model), ()
        case Retrying():
            return replace(state, retrying=fact.message), ()
        case _:
            assert_never(fact)


def _stale(state: AgentState, at_ms: int) -> bool:
    """Whether something was reported before what the status rests on, and only arrived after it."""
    return state.evidence is not None and at_ms < state.evidence.at_ms


def _waits(state: AgentState, evidence: Evidence) -> Step:
    """Take the notice of a program at rest; the end that belongs to it may still be on its way."""
    if state.status not in IN_TURN or _stale(state, evidence.at_ms):
        return state, ()
    if state.interrupt_since_ms is not None:
        return rest(state, replace(evidence, note="interrupted"))
    return replace(state, due=Due(state.now_ms + HOOK_HEADSTART_MS, AgentStatus.IDLE, evidence)), ()


def _begin(state: AgentState, evidence: Evidence) -> Step:
    state = replace(state, prompt_sent_at_ms=None)
    if state.status is AgentStatus.IDLE and _in_grace(state):
        return state, ()
    if state.status in AT_REST and _stale(state, evidence.at_ms):
        return state, ()
    return work(replace(state, hold=None, due=None, ends_as=None, retrying=None), evidence)


def _in_grace(state: AgentState) -> bool:
    """Whether the echoes of a refusal may still arrive."""
    return state.dismissed_at_ms is not None and state.now_ms - state.dismissed_at_ms < DISMISS_GRACE_MS


def _resume(state: AgentState, about: str | None, evidence: Evidence) -> Step:
    if state.presumed and state.status is AgentStatus.FINISHED:
        return work(state, evidence)
    state, published = answered(state, about, evidence)
    if state.status is AgentStatus.WORKING:
        state = replace(state, interrupt_since_ms=None)
    return state, published


def _ask(state: AgentState, fact: Asked, evidence: Evidence) -> Step:
    question = fact.question
    if _is_weak(state, evidence):
        return state, ()
    if not fact.sure:
        recently = state.asked_at_ms is not None and state.now_ms - state.asked_at_ms < ASK_MEMORY_MS
        if recently or state.asks or state.status is not AgentStatus.WORKING or _log_is_over(state):
            return state, ()
    elif state.status in AT_REST and _stale(state, evidence.at_ms):
        return state, ()
    state = replace(state, asked_at_ms=state.now_ms)
    shown = state.question
    if shown is None:
        return pend(state, question, evidence, evidence.at_ms + state.rules.ask_hold_ms), ()
    if shown.about is not None and question.about not in (None, shown.about):
        return pend(state, question, evidence, evidence.at_ms + state.rules.ask_hold_ms), ()
    if not question.detail or question.detail == shown.detail:
        return state, ()
    changed, published = ask(state, question, evidence)
    return changed, tuple(replace(one, quiet=True) for one in published)


def _log_is_over(state: AgentState) -> bool:
    return state.log is not None and state.log.phase in ("ended", "interrupted", "error")


def _end(state: AgentState, fact: TurnEnded, evidence: Evidence) -> Step:
    if fact.reply:
        state = replace(state, reply=Reply(fact.reply, evidence.at_ms))
    ending, reason = fact.ending, fact.reason
    if ending == "done" and state.ends_as is not None:
        ending, reason = state.ends_as.ending, state.ends_as.reason
    elif ending == "done" and state.rules.ends_when_interrupted and state.interrupt_since_ms is not None:
        ending = "interrupted"
    if _is_weak(state, evidence) or state.status is AgentStatus.FINISHED:
        return state, ()
    if state.status is None and ending == "interrupted":
        return state, ()
    if state.status is AgentStatus.IDLE and not _may_end_from_rest(state, ending):
        return state, ()
    if state.status in IN_TURN and _stale(state, evidence.at_ms):
        return state, ()
    settle_ms = fact.settle_ms
    if ending == "done" and settle_ms == 0 and _another_turn_may_follow(state, evidence.at_ms):
        settle_ms = STOP_HOLD_MS
    return end(state, ending, reason, evidence, settle_ms)


def _is_weak(state: AgentState, evidence: Evidence) -> bool:
    """Whether something that was only read off the output has no open turn to be about."""
    return evidence.source is Source.OUTPUT and state.status is not AgentStatus.WORKING


def _may_end_from_rest(state: AgentState, ending: str) -> bool:
    """Whether an end may follow an interruption: only where keys or a notice of rest spoke for it, not as its echo."""
    evidence = state.evidence
    is_guess = evidence is not None and (evidence.source is Source.KEYS or evidence.note == _NOTES[Waiting])
    return is_guess and ending != "interrupted" and not _in_grace(state)


def _another_turn_may_follow(state: AgentState, ended_at_ms: int) -> bool:
    log = state.log
    return log is not None and (log.queued > 0 or (log.phase == "busy" and newer_turn(state, ended_at_ms)))


def _others(state: AgentState, subagent_id: str) -> tuple[Subagent, ...]:
    return tuple(one for one in state.subagents if one.id != subagent_id)


def subagents_are(state: AgentState, subagents: tuple[Subagent, ...], evidence: Evidence) -> Step:
    """Replace the set of running sub-agents.

    One never seen before starts work. When none is left, an end that waited for them goes out.
    """
    subagents = subagents[-MAX_SUBAGENTS:]
    new = [one.id for one in subagents if one.id not in state.seen_subagents]
    state = replace(state, subagents=subagents, seen_subagents=(*state.seen_subagents, *new)[-2 * MAX_SUBAGENTS :])
    hold = state.hold
    if hold is not None and hold.due_ms is None:
        settle_from_ms = None if subagents else hold.settle_from_ms or state.now_ms
        return replace(state, hold=replace(hold, settle_from_ms=settle_from_ms)), ()
    if new and state.status in AT_REST:
        return work(state, evidence)
    return state, ()


def link(state: AgentState, fact: SessionSeen) -> AgentState:
    """Remember the agent's session; every one it ever used stays linked (decision 27)."""
    known = fact.session_id in state.session_ids
    if fact.fresh and not known and state.session_life == state.life:
        return replace(state, foreign_sessions=(*state.foreign_sessions, fact.session_id)[-MAX_SESSIONS:])
    moved = fact.session_id != state.session_id
    others = tuple(one for one in state.session_ids if one != fact.session_id)
    return replace(
        state,
        session_id=fact.session_id,
        session_ids=(*others, fact.session_id)[-MAX_SESSIONS:],
        session_life=state.life,
        log_path=fact.log_path or (None if moved else state.log_path),
        log=None if moved else state.log,
    )


_NOTES: dict[type, str] = {
    TurnStarted: "a turn began",
    Resumed: "work went on",
    Asked: "a question",
    Answered: "the question was answered",
    Waiting: "waits for a prompt",
    SubagentStarted: "a sub-agent started",
    SubagentStopped: "a sub-agent stopped",
    SubagentsAre: "sub-agents",
}


def _note(fact: Fact) -> str:
    if isinstance(fact, TurnEnded):
        return {"done": "the turn ended", "failed": "the turn failed", "interrupted": "interrupted"}[fact.ending]
    return _NOTES.get(type(fact), "")
