"""What a card's handlers receive: values, questions, agents and their news, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from cardloom_protocol.agents import AgentStatus, LastTurn


@dataclass(frozen=True, slots=True)
class Message:
    """A value that arrived at an input. `type` is the input's, `source_type` what the sender's output declares."""

    sender: str
    sender_kind: str
    output: str
    input: str
    type: str
    source_type: str | None
    data: Any
    at_ms: int

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        return cls(
            wire["from"],
            wire["fromKind"],
            wire["output"],
            wire["input"],
            wire["type"],
            wire.get("sourceType"),
            wire["data"],
            wire["at"],
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A request from another card; after `deadline_ms` (epoch time) nobody waits for the answer any more."""

    request_id: str
    sender: str
    input: str
    data: Any
    deadline_ms: int

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        return cls(wire["requestId"], wire["from"], wire["input"], wire["data"], wire["deadline"])


@dataclass(frozen=True, slots=True)
class Retained:
    """The last value of a retained output and when it was sent."""

    data: Any
    at_ms: int


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent or terminal of the workspace; its id is its card's. `connected` says whether an arrow joins it."""

    id: str
    name: str
    harness: str
    kind: str
    status: AgentStatus
    connected: bool
    session_title: str | None = None
    turn_started_at_ms: int | None = None
    last_turn: LastTurn | None = None
    model: str | None = None

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        turn = wire.get("lastTurn")
        return cls(
            wire["id"],
            wire["name"],
            wire["harness"],
            wire["kind"],
            AgentStatus(wire["status"]),
            wire["connected"],
            wire.get("sessionTitle"),
            wire.get("turnStartedAt"),
            None if turn is None else LastTurn(turn["startedAt"], turn["endedAt"], turn["endedAs"]),
            wire.get("model"),
        )


@dataclass(frozen=True, slots=True)
class StatusChange:
    """An agent's new status."""

    agent_id: str
    status: AgentStatus
    at_ms: int


@dataclass(frozen=True, slots=True)
class TurnChange:
    """A turn of an agent began (`start`) or ended (`end`)."""

    agent_id: str
    phase: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Output:
    """Text that a joined agent or terminal printed, without control sequences."""

    agent_id: str
    text: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended. `exit_code` is None where the shell does not tell it, or the command still runs."""

    exit_code: int | None
    output: str
    truncated: bool
    timed_out: bool

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        return cls(wire["exitCode"], wire["output"], wire["truncated"], wire["timedOut"])
