"""Agents and terminals as cards see them: status words, harnesses, one record each, and when a turn begins and ends.

Spec: agents, the list and its events; decisions 22, 28d.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from .ids import CardId
from .jstext import JsonValue

AgentKind = Literal["ai", "shell"]
TurnPhase = Literal["start", "end"]
TurnEnd = Literal["finished", "needs-input"]


class AgentStatus(StrEnum):
    """What an agent or terminal is doing.

    WORKING is inside a turn; NEEDS_INPUT waits for the user's answer; FINISHED ended a turn nobody has looked at;
    IDLE waits for work; EXITED has no process.
    """

    WORKING = "working"
    NEEDS_INPUT = "needs-input"
    FINISHED = "finished"
    IDLE = "idle"
    EXITED = "exited"


@dataclass(frozen=True, slots=True)
class Harness:
    """One kind of program a terminal card can run. `name` is a product name and never translated."""

    id: str
    name: str
    kind: AgentKind


_HARNESSES = (
    Harness("claude-code", "Claude Code", "ai"),
    Harness("codex-cli", "Codex CLI", "ai"),
    Harness("opencode", "OpenCode", "ai"),
    Harness("kilo-code", "Kilo Code", "ai"),
    Harness("qwen-code", "Qwen Code", "ai"),
    Harness("hermes-agent", "Hermes Agent", "ai"),
    Harness("amp", "Amp", "ai"),
    Harness("cursor", "Cursor", "ai"),
    Harness("gemini-cli", "Gemini CLI", "ai"),
    Harness("pi", "Pi", "ai"),
    Harness("acp", "ACP agent", "ai"),
    Harness("command", "Command", "ai"),
    Harness("shell-bash", "Bash", "shell"),
    Harness("shell-zsh", "Zsh", "shell"),
    Harness("shell-powershell", "PowerShell", "shell"),
    Harness("shell-cmd", "Command Prompt", "shell"),
)

HARNESSES: Mapping[str, Harness] = MappingProxyType({harness.id: harness for harness in _HARNESSES})
"""Every harness by its id; the ids are what `AgentInfo.harness` and `PeerInfo.type` say."""


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last turn that came to an end of its own. Times are epoch milliseconds; `started_at_ms` may be unknown."""

    started_at_ms: int | None
    ended_at_ms: int
    ended_as: TurnEnd

    def to_wire(self) -> dict[str, JsonValue]:
        """The turn as cards read it."""
        return {"startedAt": self.started_at_ms, "endedAt": self.ended_at_ms, "endedAs": self.ended_as}


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """One agent or terminal of a workspace; `id` is its card's id. Whether it is joined depends on who asks."""

    id: CardId
    name: str
    harness: str
    kind: AgentKind
    status: AgentStatus
    session_title: str | None = None
    turn_started_at_ms: int | None = None
    last_turn: LastTurn | None = None
    model: str | None = None

    def to_wire(self, *, connected: bool) -> dict[str, JsonValue]:
        """The record as a card reads it; `connected` tells whether an arrow joins that card to the agent."""
        wire: dict[str, JsonValue] = {
            "id": self.id,
            "name": self.name,
            "harness": self.harness,
            "kind": self.kind,
            "status": self.status.value,
            "connected": connected,
        }
        if self.session_title is not None:
            wire["sessionTitle"] = self.session_title
        if self.turn_started_at_ms is not None:
            wire["turnStartedAt"] = self.turn_started_at_ms
        if self.last_turn is not None:
            wire["lastTurn"] = self.last_turn.to_wire()
        if self.model is not None:
            wire["model"] = self.model
        return wire


def turn_phase(before: AgentStatus, after: AgentStatus) -> TurnPhase | None:
    """Whether a change of status begins or ends a turn: entering `working` does, and leaving it."""
    if before == after:
        return None
    if after is AgentStatus.WORKING:
        return "start"
    return "end" if before is AgentStatus.WORKING else None


def advance(info: AgentInfo, status: AgentStatus, at_ms: int) -> tuple[AgentInfo, TurnPhase | None]:
    """The record after a change of status, and the turn event to send after the status event.

    A turn that ends in `idle` or `exited` (interrupted, process gone) leaves `last_turn` as it was.
    """
    phase = turn_phase(info.status, status)
    if phase == "start":
        return replace(info, status=status, turn_started_at_ms=at_ms), phase
    if phase is None:
        return replace(info, status=status), phase
    last_turn = info.last_turn
    if status is AgentStatus.FINISHED:
        last_turn = LastTurn(info.turn_started_at_ms, at_ms, "finished")
    elif status is AgentStatus.NEEDS_INPUT:
        last_turn = LastTurn(info.turn_started_at_ms, at_ms, "needs-input")
    return replace(info, status=status, turn_started_at_ms=None, last_turn=last_turn), phase
