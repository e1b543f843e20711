"""Everything that can move an agent's status: one closed union, one signal at a time into `status.step`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from .facts import Fact, HookResult, Question

ProgramState = Literal["idle", "working", "done", "blocked", "error", "clear"]
TitleState = Literal["ready", "working", "asking"]
LogPhase = Literal["unknown", "busy", "answered", "ended", "interrupted", "error"]
Choice = Literal["approve", "always", "deny"]


class Source(StrEnum):
    """What a status rests on."""

    HOOK = "hook"
    PROGRAM_STATUS = "program status"
    TITLE = "title"
    TRANSCRIPT = "transcript"
    KEYS = "keys"
    PROCESS = "process"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Told:
    """A fact of the harness. `life` is the process life when it *arrived*, `at_ms` when it was reported.

    `delivery` makes a fact that is delivered twice count once; `session_id` is whose it is.
    """

    fact: Fact
    life: int
    at_ms: int
    source: Source = Source.HOOK
    session_id: str | None = None
    delivery: str | None = None


MAX_LATE_MS: Final = 86_400_000
"""What a hook says of its own time is believed within a day."""


def told(result: HookResult, life: int, arrived_at_ms: int) -> tuple[Told, ...]:
    """Give the signals of one hook that arrived in a process life."""
    at_ms = arrived_at_ms
    if result.at_ms is not None:
        at_ms = min(max(result.at_ms, arrived_at_ms - MAX_LATE_MS), arrived_at_ms)
    return tuple(
        Told(
            fact,
            life,
            at_ms,
            session_id=result.session_id,
            delivery=None if result.delivery is None else f"{result.delivery}/{number}",
        )
        for number, fact in enumerate(result.facts)
    )


@dataclass(frozen=True, slots=True)
class ProgramSaid:
    """One program status record (OSC 7501). `id` names a part of the program, None is the program itself."""

    state: ProgramState
    kind: str | None = None
    id: str | None = None
    title: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class TitleSaid:
    """The terminal's title, as the harness reads it: a state where its glyph says one, the session's title."""

    state: TitleState | None = None
    session_title: str | None = None


@dataclass(frozen=True, slots=True)
class LogView:
    """What the end of a session's log says. Times are epoch milliseconds, None where the log has none.

    `phase_at_ms` is when the phase was written, `queued` how many prompts wait inside the harness.
    """

    phase: LogPhase = "unknown"
    phase_at_ms: int | None = None
    turn_started_at_ms: int | None = None
    assistant_at_ms: int | None = None
    queued: int = 0
    error: str | None = None
    reply: str | None = None
    reply_at_ms: int | None = None
    reply_key: str | None = None
    title: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class LogRead:
    view: LogView


@dataclass(frozen=True, slots=True)
class Keyed:
    """Bytes that the person typed; never what the host writes nor what the terminal answers by itself."""

    data: bytes


@dataclass(frozen=True, slots=True)
class InterruptSent:
    """The host pressed the harness's interrupt keys for somebody."""


@dataclass(frozen=True, slots=True)
class AnswerSent:
    """The host answered the open question for somebody."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class AnswerMissed:
    """The keys of the host's answer were lost: the question is still open in the terminal."""

    question: Question


@dataclass(frozen=True, slots=True)
class PromptSent:
    """The host submitted a prompt."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Output came."""


@dataclass(frozen=True, slots=True)
class Spawned:
    """A process was started. The state counts lives itself: read `AgentState.life` after this.

    `session_id` is the one the launch chose or continued; `with_prompt`: the first prompt went with it.
    """

    session_id: str | None = None
    with_prompt: bool = False


@dataclass(frozen=True, slots=True)
class SpawnFailed:
    """No process could be started. `reason` is for the person."""

    reason: str


@dataclass(frozen=True, slots=True)
class Exited:
    """The process that was started as `life` ended."""

    life: int
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class ResumeMissed:
    """The session asked for does not exist. With `relaunch` its process makes room for a fresh one, unseen."""

    relaunch: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed. Send one when `status.wake_at_ms` says."""


Signal: TypeAlias = (
    Told
    | ProgramSaid
    | TitleSaid
    | LogRead
    | Keyed
    | InterruptSent
    | AnswerSent
    | AnswerMissed
    | PromptSent
    | Printed
    | Spawned
    | SpawnFailed
    | Exited
    | ResumeMissed
    | Tick
)
