"""Facts within bounds: what an agent tells is shown, kept and sent to pages, whatever it puts into it. Pure.

Replies stay whole; they are cut where they are shown. Spec: harnesses, facts; agents, bad input.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from .facts import (
    Asked,
    EndsAs,
    Fact,
    ModelSeen,
    Retrying,
    Subagent,
    SubagentsAre,
    SubagentStarted,
    SubagentStopped,
    Titled,
    TurnEnded,
)
from .signals import LogView

MAX_NAME: Final = 200
MAX_WORDS: Final = 2_000
MAX_ACTION: Final = 50_000
MAX_AHEAD_MS: Final = 2_000
_SESSION_ID = re.compile(r"[^\x00-\x20\x7f-\x9f-][^\x00-\x1f\x7f-\x9f]{0,1023}")


def bounded(fact: Fact) -> Fact:
    """The fact with its texts cut; an action that was cut says so, for whoever is asked to allow it."""
    match fact:
        case Asked(question):
            tool, subagent = name(question.tool), name(question.subagent)
            return replace(
                fact, question=replace(question, action=action(question.action), tool=tool, subagent=subagent)
            )
        case EndsAs(reason=reason) | TurnEnded(reason=reason):
            return replace(fact, reason=words(reason))
        case Retrying(message):
            return replace(fact, message=message[:MAX_WORDS])
        case Titled(title):
            return Titled(title[:MAX_NAME])
        case ModelSeen(model):
            return ModelSeen(model[:MAX_NAME])
        case SubagentStarted(subagent):
            return SubagentStarted(_subagent(subagent))
        case SubagentStopped(known):
            return SubagentStopped(known[:MAX_NAME])
        case SubagentsAre(subagents):
            return SubagentsAre(tuple(_subagent(one) for one in subagents))
        case _:
            return fact


def bounded_view(view: LogView, now_ms: int) -> LogView:
    """A log's view with its texts cut, and without times that are still to come: its clock was ahead of ours."""

    def past(at_ms: int | None) -> int | None:
        return None if at_ms is None or at_ms > now_ms + MAX_AHEAD_MS else at_ms

    return replace(
        view,
        title=name(view.title),
        model=name(view.model),
        error=words(view.error),
        phase_at_ms=past(view.phase_at_ms),
        turn_started_at_ms=past(view.turn_started_at_ms),
        assistant_at_ms=past(view.assistant_at_ms),
    )


def is_session_id(session_id: str) -> bool:
    """Whether a program can be started with this id: it becomes one of its arguments."""
    return _SESSION_ID.fullmatch(session_id) is not None


def name(text: str | None) -> str | None:
    return text if text is None else text[:MAX_NAME]


def words(text: str | None) -> str | None:
    return text if text is None else text[:MAX_WORDS]


def action(text: str) -> str:
    """The exact thing that is asked about, as far as anybody could read it."""
    left_out = len(text) - MAX_ACTION
    return text if left_out <= 0 else f"{text[:MAX_ACTION]}\n… {left_out} more characters are not shown"


def _subagent(subagent: Subagent) -> Subagent:
    return Subagent(subagent.id[:MAX_NAME], subagent.name[:MAX_NAME])
