"""What the backend is told of agents and may ask of them; whoever puts the server together fills this in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

CANVAS: Final = "canvas"
"""The id and the kind of the backend whose sessions are the agents on the canvas."""

LogForm = Literal["claude", "pi"]
Status = Literal["working", "needs-input", "finished", "idle", "exited"]

REST: tuple[Status, ...] = ("finished", "idle", "exited")


@dataclass(frozen=True, slots=True)
class LogPlace:
    """The file in which an agent's program keeps its session, in a form that we read."""

    form: LogForm
    path: Path


@dataclass(frozen=True, slots=True)
class AgentCard:
    """One agent card. `changed_at_ms` is when its status last changed, 0 where it never had one."""

    id: str
    name: str
    workspace_id: str
    program: str
    changed_at_ms: int
    log: LogPlace | None


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent asks; `choices` are those of approve, always, deny that can be given from here."""

    id: str
    is_permission: bool
    title: str
    action: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentNow:
    """How an agent is: `error` says that its last turn failed, `reply` is what it said last, at `reply_at_ms`."""

    status: Status
    question: Question | None = None
    error: str | None = None
    reply: str | None = None
    reply_at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """An agent's statuses changed, in this order, each with its time in epoch ms; or something else about it."""

    card_id: str
    statuses: tuple[tuple[Status, int], ...] = ()


@dataclass(frozen=True, slots=True)
class WentOut:
    """A prompt reached its agent; it was typed from `at_ms` on."""

    card_id: str
    ticket: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Gone:
    """A card was removed, or its workspace closed."""

    card_id: str


News: TypeAlias = Moved | WentOut | Gone
Listen: TypeAlias = Callable[[News], None]


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents of the open workspaces. What is refused is a `SessionError`.

    `prompt(card, text, ticket)` sends a prompt as the owner, into the queue where the agent is busy; `waits` tells
    whether the prompt of a ticket still waits there, and `withdraw` takes it away. `listen` gives what ends it.
    """

    cards: Callable[[], Sequence[AgentCard]]
    now: Callable[[str], AgentNow]
    prompt: Callable[[str, str, str], Awaitable[None]]
    waits: Callable[[str, str], bool]
    withdraw: Callable[[str, str], Awaitable[None]]
    interrupt: Callable[[str], Awaitable[None]]
    answer: Callable[[str, str, str], Awaitable[None]]
    listen: Callable[[Listen], Callable[[], None]]
