"""What the life of a process does to a status. Spec: harnesses, process life."""

from __future__ import annotations

from dataclasses import replace

from cardloom_protocol.agents import AgentStatus

from .facts import SessionSeen
from .signals import Exited, ResumeMissed, Source, Spawned, SpawnFailed
from .state import AgentState, Published, Step
from .telling import link
from .transitions import evidence_of


def _emptied(state: AgentState) -> AgentState:
    """The state without what belonged to one process."""
    return replace(
        state,
        question=None,
        asks=(),
        asked_at_ms=None,
        ends_as=None,
        retrying=None,
        hold=None,
        subagents=(),
        foreign_sessions=(),
        pasting=False,
        interrupt_since_ms=None,
        dismissed_at_ms=None,
        entered_at_ms=None,
        prompt_sent_at_ms=None,
        heard_hook=False,
        unheard=False,
        presumed=False,
        program=None,
        due=None,
    )


def spawned(state: AgentState, signal: Spawned) -> Step:
    """A process runs. The first one tells nothing, nor one that takes the place of a launch without a session."""
    relaunch, first = state.relaunching, state.life == 0
    life = state.life if relaunch else state.life + 1
    state = replace(_emptied(state), life=life, alive=True, relaunching=False, since_ms=state.now_ms)
    state = replace(state, printed_at_ms=state.now_ms, log=None)
    if signal.session_id is not None:
        state = replace(link(state, SessionSeen(signal.session_id)), session_life=0)
    if signal.with_prompt:
        state = replace(state, entered_at_ms=state.now_ms, prompt_sent_at_ms=state.now_ms)
    if first or (relaunch and state.status in (None, AgentStatus.IDLE)):
        return state, ()
    evidence = evidence_of(state, Source.PROCESS, "started")
    state = replace(state, status=AgentStatus.IDLE, evidence=evidence, error=None)
    return state, (Published(AgentStatus.IDLE, evidence, state.now_ms),)


def failed_to_spawn(state: AgentState, signal: SpawnFailed) -> Step:
    evidence = evidence_of(state, Source.PROCESS, signal.reason)
    state = replace(_emptied(state), life=state.life + 1, alive=False, relaunching=False, evidence=evidence)
    return state, (Published(AgentStatus.EXITED, evidence, state.now_ms, signal.reason, error=True),)


def exited(state: AgentState, signal: Exited) -> Step:
    """A process ended; the end of an older one means nothing, nor that of one which makes room for a fresh one."""
    if signal.life != state.life or not state.alive:
        return state, ()
    if state.relaunching:
        return _at_rest(replace(_emptied(state), alive=False))
    code = "" if signal.exit_code is None else f" with {signal.exit_code}"
    evidence = evidence_of(state, Source.PROCESS, f"ended{code}")
    state = replace(_emptied(state), life=state.life + 1, alive=False, since_ms=state.now_ms, evidence=evidence)
    return state, (Published(AgentStatus.EXITED, evidence, state.now_ms, evidence.note),)


def _at_rest(state: AgentState) -> Step:
    """A turn that a program without its session seemed to have is none."""
    if state.status in (None, AgentStatus.IDLE):
        return state, ()
    evidence = evidence_of(state, Source.PROCESS, "its session is gone")
    state = replace(state, status=AgentStatus.IDLE, evidence=evidence, since_ms=state.now_ms, error=None)
    return state, (Published(AgentStatus.IDLE, evidence, state.now_ms),)


def resume_missed(state: AgentState, signal: ResumeMissed) -> AgentState:
    """The session to continue is not there: forget it, and let a fresh process come unseen."""
    if not state.alive:
        return state
    remaining = tuple(one for one in state.session_ids if one != state.session_id)
    return replace(state, session_id=None, session_ids=remaining, log_path=None, relaunching=signal.relaunch)
