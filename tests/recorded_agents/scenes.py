"""The scenes every agent is taken through, and the statuses that each has to show. Decisions 22 to 24.

A denial ends the turn wherever the program itself ends it then; pi tells the model instead, and the turn goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cardloom_protocol.agents import AgentStatus

WORKING = AgentStatus.WORKING
NEEDS_INPUT = AgentStatus.NEEDS_INPUT
FINISHED = AgentStatus.FINISHED
IDLE = AgentStatus.IDLE
EXITED = AgentStatus.EXITED

ANSWERED = (WORKING, FINISHED)
APPROVED = (WORKING, NEEDS_INPUT, WORKING, FINISHED)
DENIED = (WORKING, NEEDS_INPUT, IDLE)
INTERRUPTED = (WORKING, IDLE)
FAILED = (WORKING, FINISHED)
KILLED = (WORKING, EXITED)
QUEUED = (*ANSWERED, *ANSWERED, *ANSWERED)


@dataclass(frozen=True)
class Manners:
    """How a program behaves where programs differ.

    `ready` is on its screen once it takes prompts. `refused` is the status of the model that it does not try again.
    `gives_back`: an interrupted prompt returns to its input box, where it has to be deleted first. `hooked`: it tells
    what it asks and replies, not only that it does.
    """

    ready: str
    leave: str
    denied: Sequence[AgentStatus] = DENIED
    escape: Sequence[str] = ("\x1b",)
    refused: int = 400
    gives_back: bool = False
    delegates: bool = False
    hooked: bool = True


MANNERS: Mapping[str, Manners] = {
    "claude-code": Manners("❯", "/exit", refused=500, delegates=True),
    "codex-cli": Manners("Ask Codex", "/quit", refused=500),
    "opencode": Manners("Ask anything", "/exit", escape=("\x1b", "\x1b")),
    "kilo-code": Manners("Ask anything", "/exit", escape=("\x1b", "\x1b")),
    "qwen-code": Manners("Type your message", "/quit", gives_back=True),
    "gemini-cli": Manners("Type your message", "/quit", gives_back=True, hooked=False),
    "pi": Manners("scripted-1", "/quit", denied=APPROVED),
}


def expected_statuses(harness_id: str) -> dict[str, list[AgentStatus]]:
    """What all scenes together show, each with nothing else before the next; the first is the start."""
    manners = MANNERS[harness_id]
    scenes: dict[str, Sequence[AgentStatus]] = {
        "": (),
        "answer": ANSWERED,
        "approve": APPROVED,
        "deny": manners.denied,
        "interrupt": INTERRUPTED,
        "escape": INTERRUPTED,
        "queue": QUEUED,
        "error": FAILED,
        **({"sub-agent": ANSWERED} if manners.delegates else {}),
        "exit": (EXITED,),
        "kill": (IDLE, *KILLED),
    }
    return {name: list(statuses) for name, statuses in scenes.items()}
