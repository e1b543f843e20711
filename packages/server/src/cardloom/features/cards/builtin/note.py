"""A note: one Markdown text. Content: `{text}`."""

from __future__ import annotations

from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue

from .state import NewId, State, no_input

MAX_CHARS = 1_000_000


class Note:
    """`append` adds a paragraph, `replace` replaces all, `text` tells all."""

    output = "text"

    def receive(self, state: State, input_id: str, data: Any, new_id: NewId) -> State:
        match input_id:
            case "append":
                return written(state, appended(text_of(state), data))
            case "replace":
                return written(state, data)
        raise no_input(input_id)

    def value(self, state: State) -> JsonValue:
        return text_of(state)

    def restored(self, state: State, value: Any) -> State:
        return written(state, value)


def text_of(state: State) -> str:
    return str(state.content.get("text", ""))


def written(state: State, text: str) -> State:
    """The note with another text. TOO_LARGE, and nothing is cut."""
    if len(text) > MAX_CHARS:
        raise CallError(ErrorCode.TOO_LARGE, f"the note would be {len(text)} characters long; at most {MAX_CHARS} fit")
    return State({**state.content, "text": text}, state.title)


def appended(text: str, paragraph: str) -> str:
    """The text with a paragraph at its end, one blank line between; a blank paragraph adds nothing."""
    if not paragraph.strip():
        return text
    if not text.strip():
        return paragraph
    return f"{text.rstrip()}\n\n{paragraph.lstrip(chr(10))}"
