"""What can be seen of an agent beside its hooks: program status, title, log, keys, output. Spec: harnesses, status."""

from __future__ import annotations

from dataclasses import replace

from cardloom_protocol.agents import AgentStatus

from .bounds import bounded_view
from .facts import MAX_DETAIL, Question, QuestionKind
from .keys import read_keys
from .signals import LogView, ProgramSaid, Source, TitleSaid
from .state import IN_TURN, AgentState, Due, Evidence, Reply, Step
from .transitions import (
    ANSWERED_SETTLE_MS,
    HOOK_HEADSTART_MS,
    PROGRAM_SETTLE_MS,
    QUEUED_SETTLE_MS,
    TITLE_SETTLE_MS,
    answered,
    end,
    evidence_of,
    finish,
    pend,
    rest,
    work,
)


def entered(state: AgentState) -> bool:
    """Whether something was submitted since the status last changed."""
    return state.entered_at_ms is not None and state.entered_at_ms >= state.since_ms


def program_said(state: AgentState, said: ProgramSaid) -> Step:
    """Take a program status record. It is trusted for questions, ends and interruptions, for beginnings only where no
    hook speaks: programs call their own start work too."""
    if said.id is not None or not state.alive:
        return state, ()
    before = state.program
    state = replace(state, program=said.state)
    evidence = evidence_of(state, Source.PROGRAM_STATUS, said.state)
    match said.state:
        case "working":
            state = replace(state, due=None)
            if before == "blocked":
                return answered(state, state.question.about if state.question else None, evidence)
            if state.status not in IN_TURN and not state.heard_hook and entered(state):
                return work(state, evidence)
        case "blocked" if before != "blocked":
            question = _asked_by_program(said)
            if state.question is None and not state.asks and (state.status in IN_TURN or entered(state)):
                state = replace(state, asked_at_ms=state.now_ms)
                return pend(state, question, evidence, state.now_ms + state.rules.ask_hold_ms), ()
        case "done" if before in ("working", "blocked") and state.status in IN_TURN:
            return _program_done(state, evidence), ()
        case "idle" if state.status in IN_TURN:
            if before == "done" and state.due is not None:
                return finish(state, state.due.evidence)
            if before in ("working", "blocked"):
                if state.interrupt_since_ms is not None:
                    return rest(state, evidence)
                return replace(state, due=Due(state.now_ms + PROGRAM_SETTLE_MS, AgentStatus.IDLE, evidence)), ()
        case "error" if state.status in IN_TURN:
            return finish(state, evidence, error=said.message or "the program reports an error")
        case _:
            pass
    return state, ()


def _asked_by_program(said: ProgramSaid) -> Question:
    action = said.message or said.title or ""
    kind: QuestionKind = "question" if said.kind == "question" else "permission"
    return Question(kind, action[:MAX_DETAIL] or "a question in the terminal", action)


def _program_done(state: AgentState, evidence: Evidence) -> AgentState:
    if state.hold is not None and state.hold.due_ms is None:
        hold = replace(state.hold, settle_from_ms=state.hold.settle_from_ms or state.now_ms)
        return replace(state, subagents=(), hold=hold)
    told_by_hook = state.evidence is not None and state.evidence.source is Source.HOOK
    headstart_ms = HOOK_HEADSTART_MS if told_by_hook or state.heard_hook else 0
    return replace(state, due=Due(state.now_ms + headstart_ms, AgentStatus.FINISHED, evidence))


def title_said(state: AgentState, said: TitleSaid) -> Step:
    """Take a title: the session's name, and the weakest of all signs of work."""
    if said.session_title is not None:
        state = replace(state, title=said.session_title)
    if not state.alive or state.program is not None:
        return state, ()
    evidence = evidence_of(state, Source.TITLE, said.state or "")
    asked = state.question if state.evidence is not None and state.evidence.source is Source.TITLE else None
    match said.state:
        case "working":
            state = replace(state, due=None)
            if asked is not None:
                return answered(state, asked.about, evidence)
            if state.status not in IN_TURN and not state.heard_hook and entered(state):
                return work(state, evidence)
        case "asking" if state.status is AgentStatus.WORKING and not state.asks:
            question = Question("permission", "a question in the terminal", "")
            return pend(state, question, evidence, state.now_ms + state.rules.ask_hold_ms), ()
        case "ready" if asked is not None:
            return rest(state, evidence)
        case "ready" if state.status is AgentStatus.WORKING and state.hold is None and not state.asks:
            return _rests_by_title(state, evidence)
        case _:
            pass
    return state, ()


def _rests_by_title(state: AgentState, evidence: Evidence) -> Step:
    """Believe the title at once after Escape, soon where no hook speaks, late where one should have."""
    if state.interrupt_since_ms is not None:
        return rest(state, evidence)
    if state.due is not None:
        return state, ()
    settle_ms = TITLE_SETTLE_MS if state.heard_hook else PROGRAM_SETTLE_MS
    return replace(state, due=Due(state.now_ms + settle_ms, AgentStatus.FINISHED, evidence)), ()


def log_read(state: AgentState, view: LogView) -> Step:
    """Take what the session's log says now."""
    view = bounded_view(view, state.now_ms)
    state = replace(state, log=view, title=view.title or state.title, model=view.model or state.model)
    if view.reply and _is_new_reply(state, view.reply, view.reply_at_ms or 0):
        state = replace(state, reply=Reply(view.reply, min(view.reply_at_ms or state.now_ms, state.now_ms)))
    return by_log(state)


def _is_new_reply(state: AgentState, text: str, at_ms: int) -> bool:
    """Whether a log's reply came after the last one; one from times to come is new once."""
    known = state.reply
    return known is None or (at_ms > known.at_ms and not (at_ms > state.now_ms and text == known.text))


def by_log(state: AgentState) -> Step:
    """Judge by the log: only what it says of the time since the status last changed counts."""
    log = state.log
    if log is None or log.phase == "unknown" or not state.alive:
        return state, ()
    evidence = evidence_of(state, Source.TRANSCRIPT, log.phase, log.phase_at_ms)
    if state.status not in IN_TURN:
        return _begun_in_log(state, log, evidence)
    if _newer(state, log.turn_started_at_ms, state.hold.at_ms if state.hold else None) and log.phase == "busy":
        state = replace(state, hold=None)
    if state.status is AgentStatus.NEEDS_INPUT and log.phase in ("busy", "answered"):
        if not _newer(state, log.assistant_at_ms):
            return state, ()
        return work(replace(state, asks=()), evidence)
    if not _newer(state, log.phase_at_ms):
        return state, ()
    match log.phase:
        case "interrupted":
            return rest(state, evidence)
        case "error":
            return finish(state, evidence, error=log.error or "the turn failed")
        case "ended" | "answered" if state.hold is None and state.now_ms >= (log_due_ms(state) or 0):
            return end(state, "done", None, evidence)
        case _:
            return state, ()


def log_due_ms(state: AgentState) -> int | None:
    """When an end that the log shows may be believed."""
    log = state.log
    if log is None or state.status not in IN_TURN or state.hold is not None or not _newer(state, log.phase_at_ms):
        return None
    if log.phase == "answered" and state.status is AgentStatus.WORKING:
        return (log.phase_at_ms or 0) + ANSWERED_SETTLE_MS
    if log.phase == "ended":
        return (log.phase_at_ms or 0) + (QUEUED_SETTLE_MS if log.queued > 0 else 0)
    return None


def _newer(state: AgentState, at_ms: int | None, than_ms: int | None = None) -> bool:
    if at_ms is None:
        return False
    return at_ms > (state.since_ms if than_ms is None else than_ms)


def _begun_in_log(state: AgentState, log: LogView, evidence: Evidence) -> Step:
    if log.phase not in ("busy", "answered") or not _newer(state, log.turn_started_at_ms):
        return state, ()
    if state.status is None and not entered(state):
        return state, ()
    return work(state, evidence)


def keyed(state: AgentState, data: bytes) -> Step:
    """Take what the person typed."""
    keys, pasting = read_keys(data, state.pasting)
    state = replace(state, pasting=pasting)
    if keys.dismiss:
        return dismissed(state, Source.KEYS)
    asked = state.question or (state.asks[0].question if state.asks else None)
    letters = state.rules.answer_letters if asked is not None and asked.kind == "permission" else ""
    if keys.enter or (keys.single is not None and keys.single in "123456789" + letters):
        return _answered_by_keys(state, enter=keys.enter)
    return state, ()


def _answered_by_keys(state: AgentState, *, enter: bool) -> Step:
    """An answer where something is asked, a new prompt where nothing is."""
    if not state.rules.keys_answer and (state.asks or state.question is not None):
        return state, ()
    evidence = evidence_of(state, Source.KEYS, "answered")
    about = state.question.about if state.question else None
    if state.status is AgentStatus.NEEDS_INPUT:
        state, published = answered(state, about, evidence)
        if state.status is AgentStatus.WORKING:
            state = replace(state, interrupt_since_ms=state.now_ms)
        return state, published
    if state.asks:
        return replace(state, asks=state.asks[1:], interrupt_since_ms=state.now_ms), ()
    if not enter:
        return state, ()
    if state.interrupt_since_ms is not None:
        state = replace(state, interrupt_since_ms=state.now_ms)
    return replace(state, entered_at_ms=state.now_ms, dismissed_at_ms=None, hold=None), ()


def dismissed(state: AgentState, source: Source) -> Step:
    """Escape or Ctrl+C, by the person or by the host for somebody."""
    evidence = evidence_of(state, source, "interrupted")
    asking = state.status is AgentStatus.NEEDS_INPUT or bool(state.asks)
    if asking and state.status is not None and state.rules.escape != "nothing":
        if state.rules.escape == "ends-turn":
            return rest(state, evidence, dismissed=True)
        return _answered_by_keys(state, enter=False)
    if state.status is AgentStatus.WORKING:
        return replace(state, interrupt_since_ms=state.now_ms), ()
    return state, ()
