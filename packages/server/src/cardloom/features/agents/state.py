"""An agent's status with all that it rests on, as one value. Spec: harnesses, status machine; decisions 22-24, 27."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cardloom_protocol.agents import AgentStatus

from .facts import Ending, EndsAs, Question, Subagent
from .signals import LogView, ProgramState, Source

OutputRule = Literal["never", "always", "after-enter"]
EscapeRule = Literal["ends-turn", "goes-on", "nothing"]

IN_TURN: Final = (AgentStatus.WORKING, AgentStatus.NEEDS_INPUT)
AT_REST: Final = (AgentStatus.FINISHED, AgentStatus.IDLE)


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
    prompt by themselves. `escape`: what Escape on a question does. `keys_answer`: the harness does not tell of answers,
    so that the person's keys must be taken for them. `output`: whether output and silence alone tell of
    work. `hooks`: the harness reports by itself, so that its silence after a prompt means something. `silence_ms`: how
    long a working program prints nothing before its turn counts as lost, None where it may be silent for ever.
    `ends_when_interrupted`: the harness tells of an interrupted turn as of one that ended.
    """

    ask_hold_ms: int = 500
    answer_letters: str = ""
    escape: EscapeRule = "ends-turn"
    keys_answer: bool = True
    output: OutputRule = "never"
    hooks: bool = True
    silence_ms: int | None = 120_000
    ends_when_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class PendingAsk:
    """A question that is not shown yet: it waits for an answer by rule until `due_ms`, or behind another question."""

    question: Question
    due_ms: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Hold:
    """An end of a turn that is not given out yet.

    It waits for sub-agents (`due_ms` None; `settle_from_ms` since when none runs), or until `due_ms` for the turn that
    a queued prompt or a retry may begin.
    """

    at_ms: int
    evidence: Evidence
    due_ms: int | None = None
    settle_from_ms: int | None = None
    ending: Ending = "done"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """A status that the program or its title says, given out at `at_ms` unless something surer comes first."""

    at_ms: int
    status: AgentStatus
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class AgentState:
    """One agent.

    What others read: `shown`; `evidence`; `question`, open exactly while the status is needs-input; `error`, set when
    the last turn failed (the queue waits then); `retrying`, the message of a request that is tried again; `reply`,
    `title`, `model` and `subagents`; `session_id` and `log_path`, and `session_ids` with every session the agent ever
    used; `unheard`, when a prompt was sent and no hook told of it, so that output alone is watched.

    `status` None: nothing has told of any work yet. `life` grows with each start and each end of a process.
    `turn_at_ms`: when the present turn, or the last one, was reported to begin.
    `entered_at_ms`: the last Enter of the person, or prompt of the host. `prompt_sent_at_ms`: a prompt of the host that
    no turn followed yet. `dismissed_at_ms`: when a question was refused or a turn broken off; `interrupt_since_ms`:
    since when an interrupt waits for its effect. `asks` are questions behind the open one, `hold` is an end that waits,
    `due` a status that does. `presumed`: the turn was only given up as lost, so that a sign of life goes on with it.
    `foreign_sessions`: those of other programs that inherited our settings. `deliveries`: hooks taken
    already.
    """

    rules: Rules
    life: int = 0
    alive: bool = False
    relaunching: bool = False
    now_ms: int = 0
    status: AgentStatus | None = None
    evidence: Evidence | None = None
    since_ms: int = 0
    turn_at_ms: int = 0
    question: Question | None = None
    asks: tuple[PendingAsk, ...] = ()
    asked_at_ms: int | None = None
    error: str | None = None
    retrying: str | None = None
    ends_as: EndsAs | None = None
    hold: Hold | None = None
    subagents: tuple[Subagent, ...] = ()
    seen_subagents: tuple[str, ...] = ()
    reply: Reply | None = None
    title: str | None = None
    model: str | None = None
    session_id: str | None = None
    session_ids: tuple[str, ...] = ()
    foreign_sessions: tuple[str, ...] = ()
    session_life: int = 0
    log_path: str | None = None
    log: LogView | None = None
    deliveries: tuple[str, ...] = ()
    pasting: bool = False
    interrupt_since_ms: int | None = None
    dismissed_at_ms: int | None = None
    entered_at_ms: int | None = None
    prompt_sent_at_ms: int | None = None
    printed_at_ms: int = 0
    heard_hook: bool = False
    unheard: bool = False
    presumed: bool = False
    program: ProgramState | None = None
    due: Due | None = None

    @property
    def shown(self) -> AgentStatus:
        """The status as everybody sees it."""
        if self.life > 0 and not self.alive and not self.relaunching:
            return AgentStatus.EXITED
        return self.status or AgentStatus.IDLE

    @property
    def visible(self) -> tuple[object, ...]:
        """All that viewers see of it."""
        return (
            self.life,
            self.shown,
            self.evidence,
            self.question,
            self.error,
            self.retrying,
            self.reply,
            self.title,
            self.model,
            self.subagents,
            self.session_ids,
        )


@dataclass(frozen=True, slots=True)
class Published:
    """A status to tell. `quiet`: only words changed, nothing rings. `error`: the turn failed, with `detail`."""

    status: AgentStatus
    evidence: Evidence
    at_ms: int
    detail: str | None = None
    quiet: bool = False
    error: bool = False


Step: TypeAlias = tuple[AgentState, tuple[Published, ...]]
