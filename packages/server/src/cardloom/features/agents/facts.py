"""What a coding agent tells about itself, in one vocabulary: every harness's hooks, plugins and logs become these.

A fact says what happened, never what follows from it; that is `status.step`'s part. Spec: harnesses, facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Ending = Literal["done", "failed", "interrupted"]
QuestionKind = Literal["permission", "question"]

MAX_DETAIL = 200
"""The longest `Question.detail` in characters."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent asks its person.

    `detail` is one short line for a status ring; `action` is the exact thing asked about (a command, a path, a
    question), which only `bounds.action` cuts, and says so. `about` tells this question's answer from another's where
    the harness names it; `id` is the harness's own number, which its API wants back. `subagent` names the sub-agent
    that asks.
    """

    kind: QuestionKind
    detail: str
    action: str
    tool: str | None = None
    about: str | None = None
    id: str | None = None
    subagent: str | None = None
    can_always: bool = True


@dataclass(frozen=True, slots=True)
class Subagent:
    """One running sub-agent: its id in the harness, and the name of its kind."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began, or a prompt joined the running one."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Work goes on after a question; means nothing in any other state. `about` names the question it answers."""

    about: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The agent asks. Shown only once nothing has answered it for a moment (decision 23).

    `sure` is False where the harness's late notice asks without saying what.
    """

    question: Question
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Answered:
    """A question was answered or settled by a rule, and the turn goes on."""

    about: str | None = None


@dataclass(frozen=True, slots=True)
class EndsAs:
    """The end of this turn, when it comes, is no plain one: it was refused, interrupted or failed."""

    ending: Ending
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn came to an end. `reason` goes with "failed"; `reply` is what the agent said last.

    `settle_ms`: how long to wait for the turn that the harness may begin by itself, as one that retries does.
    """

    ending: Ending = "done"
    reason: str | None = None
    reply: str | None = None
    settle_ms: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """The agent waits for a prompt and no end of a turn came: the turn was denied or interrupted (decision 28b)."""


@dataclass(frozen=True, slots=True)
class SubagentStarted:
    subagent: Subagent


@dataclass(frozen=True, slots=True)
class SubagentStopped:
    id: str


@dataclass(frozen=True, slots=True)
class SubagentsAre:
    """The whole set of running sub-agents; those it leaves out have stopped."""

    subagents: tuple[Subagent, ...]


@dataclass(frozen=True, slots=True)
class SessionSeen:
    """The session the agent is in, and its log where the harness names it.

    `fresh`: a program of its own announced it. When this agent already has a session, that is another program which
    only inherited our settings, and nothing it tells is about this agent.
    """

    session_id: str
    log_path: str | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Replied:
    text: str


@dataclass(frozen=True, slots=True)
class Titled:
    title: str


@dataclass(frozen=True, slots=True)
class ModelSeen:
    model: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """A request to the model failed and is tried again; the status stays."""

    message: str


Fact: TypeAlias = (
    TurnStarted
    | Resumed
    | Asked
    | Answered
    | EndsAs
    | TurnEnded
    | Waiting
    | SubagentStarted
    | SubagentStopped
    | SubagentsAre
    | SessionSeen
    | Replied
    | Titled
    | ModelSeen
    | Retrying
)


@dataclass(frozen=True, slots=True)
class HookContext:
    """What a harness must know to read a hook.

    `dangerous`: this agent runs without asking. `reviewed`: a program answers its permission requests.
    """

    dangerous: bool = False
    reviewed: bool = False


@dataclass(frozen=True, slots=True)
class HookResult:
    """What a hook told, and the JSON text that answers it (`{}` decides nothing).

    `session_id` is whose hook it was. `at_ms` is the harness's own time of it, `delivery` its own number, where it
    gives them.
    """

    facts: tuple[Fact, ...] = field(default=())
    reply: str = "{}"
    session_id: str | None = None
    at_ms: int | None = None
    delivery: str | None = None
