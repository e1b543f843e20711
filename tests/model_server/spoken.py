"""Which path speaks which wire."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import asked
from .asked import Asked, JsonObject
from .wires import chat, gemini, messages, responses
from .wires.answer import Answer, Outgoing

GEMINI_PATH = re.compile(r"/models/([^/:]+):(\w+)$")


@dataclass(frozen=True)
class Wire:
    """One vendor's way to ask and to answer."""

    name: str
    read: Callable[[JsonObject], Asked]
    stream: Callable[[Answer], Iterator[Outgoing]]
    whole: Callable[[Answer], dict[str, object]]


CHAT = Wire("chat", asked.asked_of_chat, chat.stream, chat.whole)
RESPONSES = Wire("responses", asked.asked_of_responses, responses.stream, responses.whole)
MESSAGES = Wire("messages", asked.asked_of_messages, messages.stream, messages.whole)
GEMINI = Wire("gemini", asked.asked_of_gemini, gemini.stream, gemini.whole)
BY_END = (("/chat/completions", CHAT), ("/responses", RESPONSES), ("/messages", MESSAGES))


@dataclass(frozen=True)
class Spoken:
    """The wire of a path, and what the path itself says of model and streaming."""

    wire: Wire
    model: str | None = None
    streams: bool | None = None


def spoken_at(path: str) -> Spoken | None:
    """The wire that a path without its query speaks; None for another path."""
    if match := GEMINI_PATH.search(path):
        model, verb = match.groups()
        spoken = Spoken(GEMINI, model, verb == "streamGenerateContent")
        return spoken if verb in ("streamGenerateContent", "generateContent") else None
    return next((Spoken(wire) for end, wire in BY_END if path.endswith(end)), None)


def counted_tokens(path: str) -> JsonObject | None:
    """The answer to a request that only counts tokens; None for another path."""
    if path.endswith("/messages/count_tokens"):
        return {"input_tokens": 1000}
    return {"totalTokens": 1000} if path.endswith(":countTokens") else None
