"""The status of an agent: one pure function over everything that can move it.

`step` takes a state, a signal and the time, and gives the state after it with what is to be told. Time is epoch
milliseconds of a clock that never goes back; a time before the last one counts as the last one. Nothing happens by
itself: send `Tick` at `wake_at_ms`. Spec: harnesses, status machine; decisions 22-24, 28b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, assert_never

from cardloom_protocol.agents import AgentStatus

from .processes import exited, failed_to_spawn, resume_missed, spawned
from .signals import (
    AnswerMissed,
    AnswerSent,
    Exited,
    InterruptSent,
    Keyed,
    LogRead,
    Printed,
    ProgramSaid,
    PromptSent,
    ResumeMissed,
    Signal,
    Source,
    Spawned,
    SpawnFailed,
    Tick,
    TitleSaid,
    Told,
)
from .state import IN_TURN, AgentState, Published, Rules, Step
from .telling import hear
from .timing import TIMERS
from .transitions import answered, ask, evidence_of, work
from .watching import dismissed, entered, keyed, log_read, program_said, title_said

_OF_PROCESSES: Final = (Spawned, SpawnFailed, Exited, ResumeMissed, Tick)
_ROUNDS: Final = 8
"""A timer may set another one; each of the few timers runs out at most once in one step."""


def initial(rules: Rules) -> AgentState:
    """An agent that was never started."""
    return AgentState(rules)


def step(state: AgentState, signal: Signal, now_ms: int) -> Step:
    """Take one signal."""
    now_ms = max(now_ms, state.now_ms)
    if isinstance(signal, Printed) and state.status in IN_TURN and not _is_due(state, now_ms):
        # By far the most frequent signal; it can only put timers off.
        return replace(state, now_ms=now_ms, printed_at_ms=now_ms), ()
    before_ms = min(now_ms, signal.at_ms) if isinstance(signal, Told) else now_ms
    state, due = _run_timers(replace(state, now_ms=max(before_ms, state.now_ms)))
    state, moved = _take(replace(state, now_ms=now_ms), signal)
    state, then = _run_timers(state)
    return state, (*due, *moved, *then)


def wake_at_ms(state: AgentState) -> int | None:
    """When a `Tick` may change something, None while nothing waits for time."""
    return min((at_ms for at_ms, _ in _pending(state)), default=None)


def _pending(state: AgentState) -> Iterable[tuple[int, Callable[[AgentState], Step]]]:
    for due_at_ms, run_out in TIMERS if state.alive else ():
        at_ms = due_at_ms(state)
        if at_ms is not None:
            yield at_ms, run_out


def _is_due(state: AgentState, now_ms: int) -> bool:
    return any(at_ms <= now_ms for at_ms, _ in _pending(state))


def _run_timers(state: AgentState) -> Step:
    published: tuple[Published, ...] = ()
    for _ in range(_ROUNDS):
        due = [(at_ms, run_out) for at_ms, run_out in _pending(state) if at_ms <= state.now_ms]
        if not due:
            break
        state, more = min(due, key=lambda pair: pair[0])[1](state)
        published += more
    return state, published


def _take(state: AgentState, signal: Signal) -> Step:
    if state.relaunching and not isinstance(signal, _OF_PROCESSES):
        return state, ()  # a program that makes room for a fresh one has nothing to tell
    match signal:
        case Told():
            return hear(state, signal)
        case ProgramSaid():
            return program_said(state, signal)
        case TitleSaid():
            return title_said(state, signal)
        case LogRead():
            return log_read(state, signal.view)
        case Keyed():
            return keyed(state, signal.data) if state.alive else (state, ())
        case InterruptSent():
            return dismissed(state, Source.KEYS) if state.alive else (state, ())
        case AnswerSent():
            return _answer_sent(state, signal)
        case AnswerMissed():
            return _answer_missed(state, signal)
        case PromptSent():
            return _prompt_sent(state), ()
        case Printed():
            return _printed(state)
        case Spawned():
            return spawned(state, signal)
        case SpawnFailed():
            return failed_to_spawn(state, signal)
        case Exited():
            return exited(state, signal)
        case ResumeMissed():
            return resume_missed(state, signal), ()
        case Tick():
            return state, ()
        case _:
            assert_never(signal)


def _answer_sent(state: AgentState, signal: AnswerSent) -> Step:
    if state.status is not AgentStatus.NEEDS_INPUT or state.question is None:
        return state, ()
    if signal.choice == "deny" and state.rules.escape == "ends-turn":
        return dismissed(state, Source.KEYS)
    if not state.rules.keys_answer:
        return state, ()
    evidence = evidence_of(state, Source.KEYS, signal.choice)
    return answered(state, state.question.about, evidence)


def _answer_missed(state: AgentState, signal: AnswerMissed) -> Step:
    """Ask again what only keys of the host have answered; what anything else told since then stands."""
    by_keys = state.evidence is not None and state.evidence.source is Source.KEYS
    if not state.alive or state.status is AgentStatus.NEEDS_INPUT or not by_keys:
        return state, ()
    return ask(state, signal.question, evidence_of(state, Source.KEYS, "the answer was not taken"))


def _prompt_sent(state: AgentState) -> AgentState:
    return replace(
        state, entered_at_ms=state.now_ms, prompt_sent_at_ms=state.now_ms, dismissed_at_ms=None, interrupt_since_ms=None
    )


def _printed(state: AgentState) -> Step:
    state = replace(state, printed_at_ms=state.now_ms)
    if not state.alive or state.status in IN_TURN:
        return state, ()
    rule = "after-enter" if state.unheard else state.rules.output
    if rule == "always" or (rule == "after-enter" and entered(state)):
        return work(state, evidence_of(state, Source.OUTPUT, "output"))
    return state, ()
