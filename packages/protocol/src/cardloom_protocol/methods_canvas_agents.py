"""The owner's methods for agents and for the prompts that wait for them. Spec: decisions 36, 39; agents, prompts."""

from __future__ import annotations

from typing import Final

from .agents import HARNESSES
from .limits import limit
from .method_row import MethodRow
from .param_shapes import Shape, boolean, ident, integer, items, one_of, or_null, place, record, size, text

AGENT_HARNESSES: Final = tuple(harness.id for harness in HARNESSES.values() if harness.kind == "ai")

_CARD = {"cardId": ident()}
_PROMPT = {**_CARD, "promptId": ident()}
_PROMPT_TEXT = text(1, limit("promptChars"))
_SETTINGS: Final = {
    "model": or_null(text(1, 200)),
    "folder": or_null(text(1, 4096)),
    "dangerous": boolean(),
    "arguments": items(text(0, 4096), max_items=64),
}


def _row(name: str, params: Shape, doc: str, result: str = "nothing") -> MethodRow:
    return MethodRow(name, params, "agents", doc, result, ns="cardloom", built=True)


AGENT_ROWS: Final = (
    _row(
        "agent.token",
        record(_CARD),
        "Makes the token with which the program in a terminal may use the tools for agents; an earlier one ends.",
        "{url, token}",
    ),
    _row(
        "agent.harnesses",
        record({}, {"again": boolean()}),
        "Tells which coding agents are installed here; `again` looks anew.",
        "{harnesses: [{id, name, found, program, version, problem, command, minVersion, install, abilities}]}",
    ),
    _row(
        "agent.create",
        record(
            {"workspaceId": ident(), "harness": one_of(AGENT_HARNESSES), **place()},
            {
                **size(),
                "title": or_null(text(0, 120)),
                **_SETTINGS,
                "worktree": or_null(record({"branch": text(1, 200)})),
                "prompt": or_null(_PROMPT_TEXT),
                "start": boolean(),
            },
        ),
        "Puts an agent on the canvas and starts it, in a folder of its own where a worktree is asked for.",
        "Card",
    ),
    _row("agent.configure", record(_CARD, _SETTINGS), "Changes what the agent's next start depends on.", "Card"),
    _row(
        "agent.start",
        record(_CARD, {"prompt": or_null(_PROMPT_TEXT), "fresh": boolean()}),
        "Starts an agent that does not run, in its last session unless a fresh one is asked for.",
        "Card",
    ),
    _row("agent.stop", record(_CARD), "Ends an agent's program."),
    _row("agent.interrupt", record(_CARD), "Interrupts an agent's turn."),
    _row(
        "agent.answer",
        record({**_CARD, "choice": one_of(("approve", "always", "deny"))}, {"questionId": ident()}),
        "Answers the question that an agent asks; one that is not open any more is refused.",
    ),
    _row(
        "agent.diff",
        record(_CARD),
        "Sums up what an agent changed in its folder.",
        "{branch, files, added, removed}|null",
    ),
    _row("queue.list", record(_CARD), "Lists the prompts that wait for an agent.", "{prompts: [QueuedPrompt]}"),
    _row(
        "queue.edit",
        record({**_PROMPT, "text": _PROMPT_TEXT}),
        "Changes a waiting prompt.",
        "{prompts: [QueuedPrompt]}",
    ),
    _row(
        "queue.move",
        record({**_PROMPT, "index": integer(0, 10_000)}),
        "Moves a waiting prompt.",
        "{prompts: [QueuedPrompt]}",
    ),
    _row("queue.cancel", record(_PROMPT), "Takes a waiting prompt away.", "{prompts: [QueuedPrompt]}"),
    _row("queue.send", record(_PROMPT), "Sends a waiting prompt now.", "{delivered: sent|queued}"),
)
