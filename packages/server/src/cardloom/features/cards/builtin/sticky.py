"""A sticky: a few words, which are the card's title, and a colour. Content: `{color}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit

from .state import NewId, State, no_input

_LIMIT = "titleChars"
_MAX_CHARS = limit(_LIMIT)


class Sticky:
    """`title` sets the words, `title` tells them."""

    output = "title"

    def receive(self, state: State, input_id: str, data: Any, new_id: NewId) -> State:
        if input_id != "title":
            raise no_input(input_id)
        return titled(state, data)

    def value(self, state: State) -> JsonValue:
        return state.title or ""

    def restored(self, state: State, value: Any) -> State:
        return titled(state, value)


def titled(state: State, text: str | None) -> State:
    """The sticky with other words. TOO_LARGE, and nothing is cut; INVALID_PARAMS for half a character."""
    if text is not None and len(text) > _MAX_CHARS:
        message = f"a sticky holds {_MAX_CHARS} characters ({_LIMIT}); this text has {len(text)}"
        raise CallError(ErrorCode.TOO_LARGE, message)
    if text is not None and any("\ud800" <= char <= "\udfff" for char in text):
        raise CallError(ErrorCode.INVALID_PARAMS, "the text ends or begins inside a character", [])
    return State(state.content, text or None)


def edited(state: State, given: Mapping[str, Any]) -> State:
    """Carry out an edit of words and colour."""
    if "title" in given:
        state = titled(state, given["title"])
    return State({**state.content, "color": given["color"]}, state.title) if "color" in given else state
