"""Claude Code's transcript, line by line: where its last turn stands, its last reply, its title and model.

Spec: harnesses, transcript and last reply; agents' programs as they are, logs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..signals import LogPhase, LogView
from .payloads import Payload, iso_ms, json_line, table, tables, text

INTERRUPTED: Final = "[Request interrupted by user"
NO_TURN: Final = ("<command-name>", "<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>")
"""What the program logs of its own commands as if a person had said it."""

_END_REASONS: Final = frozenset(("end_turn", "stop_sequence"))
_SETTLED: Final = frozenset(("interrupted", "error"))


def read_log(view: LogView, line: str) -> LogView:
    """Fold one line; a line that is none of ours, or of a sub-agent, changes nothing."""
    entry = json_line(line)
    if entry is None or entry.get("isSidechain") is True:
        return view
    at_ms = iso_ms(entry.get("timestamp"))
    match entry.get("type"):
        case "user":
            return _user(view, entry, at_ms)
        case "assistant":
            return _assistant(view, entry, at_ms)
        case "system" if entry.get("subtype") == "turn_duration" and view.phase not in _SETTLED:
            return _phase(view, "ended", at_ms)
        case "queue-operation":
            more = {"enqueue": 1, "dequeue": -1, "remove": -1}.get(str(entry.get("operation")), 0)
            return replace(view, queued=max(0, view.queued + more))
        case "ai-title" | "custom-title" | "summary":
            return replace(view, title=text(entry, "customTitle", "aiTitle", "summary") or view.title)
        case _:
            return view


def _phase(view: LogView, phase: LogPhase, at_ms: int | None) -> LogView:
    return replace(view, phase=phase, phase_at_ms=at_ms if at_ms is not None else view.phase_at_ms)


def _user(view: LogView, entry: Payload, at_ms: int | None) -> LogView:
    if entry.get("isMeta") is True or entry.get("isCompactSummary") is True:
        return view
    message = table(entry, "message")
    said = message.get("content")
    parts = tables(message, "content")
    words = said if isinstance(said, str) else " ".join(text(one, "text") or "" for one in parts).strip()
    results = [one for one in parts if one.get("type") == "tool_result"]
    if words.startswith(INTERRUPTED) or any(str(one.get("content")).startswith(INTERRUPTED) for one in results):
        return _phase(view, "interrupted", at_ms)
    if results:
        return _phase(view, "busy", at_ms)
    if not words or words.startswith(NO_TURN) or (words.startswith("/") and " " not in words and "\n" not in words):
        return view
    return replace(_phase(view, "busy", at_ms), turn_started_at_ms=at_ms, error=None)


def _assistant(view: LogView, entry: Payload, at_ms: int | None) -> LogView:
    message = table(entry, "message")
    view = replace(view, assistant_at_ms=at_ms if at_ms is not None else view.assistant_at_ms)
    if entry.get("isApiErrorMessage") is True:
        error = text(entry, "error") or str(entry.get("apiErrorStatus") or "the model failed")
        return replace(_phase(view, "error", at_ms), error=error)
    model = text(message, "model")
    if model is not None and not model.startswith("<"):
        view = replace(view, model=model)
    parts = tables(message, "content")
    view = _replied(
        view, message, "".join(text(one, "text") or "" for one in parts if one.get("type") == "text"), at_ms
    )
    uses_tool = any(one.get("type") == "tool_use" for one in parts)
    over = not uses_tool and message.get("stop_reason") in _END_REASONS
    return _phase(view, "answered" if over else "busy", at_ms)


def _replied(view: LogView, message: Payload, words: str, at_ms: int | None) -> LogView:
    """Add the text of one line to the reply; one message is written as one line a block."""
    if not words:
        return view
    key = text(message, "id")
    begun = view.reply if key is not None and key == view.reply_key else None
    return replace(view, reply=(begun or "") + words, reply_at_ms=at_ms, reply_key=key)
