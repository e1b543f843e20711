"""An agent's status with all that it rests on, as one value. Spec: harnesses, status machine; decisions 22-24, 27."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cardloom_protocol.agents import AgentStatus

from .facts import Question, Subagent
from .signals import LogView, ProgramState, Source

OutputRule = Literal["never", "always", "after-enter"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a status holds: what told it, in a few words, and when (epoch ms)."""

    source: Source
    note: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Rules:
    """What differs between harnesses.

    `ask_hold_ms`: how long a question waits for an answer by rule. `answer_letters`: letters that answer a permission
    prompt by themselves. `output`: whether output and silence alone tell of work. `hooks`: whether the harness has any
    way to report, so that its silence after a prompt means something.
    """

    ask_hold_ms: int = 500
    answer_letters: str = ""
    escape_denies: bool = True
    output: OutputRule = "never"
    hooks: bool = True


@dataclass(frozen=True, slots=True)
class PendingAsk:
    """A question that nobody has answered yet, shown at `due_ms`."""

    question: Question
    due_ms: int
    source: Source


@dataclass(frozen=True, slots=True)
class Hold:
    """An end of a turn that waits for sub-agents, or for the turn that a queued prompt may begin.

    `settle_from_ms`: since when no sub-agent runs. `due_ms`: when it is given out if nothing changes.
    """

    at_ms: int
    evidence: Evidence
    due_ms: int | None = None
    settle_from_ms: int | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class AgentState:
    """One agent.

    `status` None: nothing has told of any work yet (shown as idle). `question` is open exactly while the status is
    needs-input. `error` is set when the last turn failed, and then the queue waits. `session_ids` holds every session
    the agent ever used, the current one last. `retrying` is the message of a request that is tried again.
    """

    rules: Rules
    life: int = 0
    alive: bool = False
    relaunching: bool = False
    status: AgentStatus | None = None
    evidence: Evidence | None = None
    since_ms: int = 0
    question: Question | None = None
    error: str | None = None
    retrying: str | None = None
    reply: Reply | None = None
    title: str | None = None
    model: str | None = None
    session_id: str | None = None
    session_ids: tuple[str, ...] = ()
    log_path: str | None = None
    subagents: tuple[Subagent, ...] = ()
    asks: tuple[PendingAsk, ...] = ()
    hold: Hold | None = None
    interrupt_since_ms: int | None = None
    dismissed_at_ms: int | None = None
    program: ProgramState | None = None
    program_due_ms: int | None = None
    log: LogView | None = None
    heard_hook: bool = False
    prompt_sent_at_ms: int | None = None
    unheard: bool = False
    presumed: bool = False
    spawned_at_ms: int = 0
    printed_at_ms: int = 0
    entered_at_ms: int | None = None
    now_ms: int = 0

    @property
    def shown(self) -> AgentStatus:
        """The status as everybody sees it."""
        if self.life > 0 and not self.alive and not self.relaunching:
            return AgentStatus.EXITED
        return self.status or AgentStatus.IDLE


@dataclass(frozen=True, slots=True)
class Published:
    """A status to tell. `quiet`: only words changed, nothing rings. `error`: the turn failed, with `detail`."""

    status: AgentStatus
    evidence: Evidence
    at_ms: int
    detail: str | None = None
    quiet: bool = False
    error: bool = False
