"""What a wire gets to write, and the pieces it writes.

Every wire is two pure functions: `stream(answer)` yields what goes out and when, `whole(answer)` is one JSON object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..scenario import Hold, Reply, Text
from ..usage import Usage

SIGNATURE = "c2NyaXB0ZWQ="
ARGUMENT_CHUNK = 24


@dataclass(frozen=True)
class Frame:
    """One event; text goes out as it is, anything else as JSON."""

    data: Mapping[str, object] | str
    event: str | None = None

    def encoded(self) -> bytes:
        text = self.data if isinstance(self.data, str) else json.dumps(self.data)
        name = f"event: {self.event}\n" if self.event else ""
        return f"{name}data: {text}\n\n".encode()


@dataclass(frozen=True)
class Pause:
    """Time that passes before the next frame."""

    pause_ms: int


Outgoing = Frame | Pause | Hold


@dataclass(frozen=True)
class Answer:
    """A reply with its numbers. `tag` is unique, so ids made from it are."""

    reply: Reply
    usage: Usage
    model: str
    tag: str
    at_s: int

    def id(self, prefix: str, index: int = 0) -> str:
        return f"{prefix}{self.tag}{index:02d}"


def words(step: Text) -> Iterator[str | Pause]:
    """The words of a text with the white space after each, and its pauses."""
    for word in re.findall(r"\S+\s*", step.text):
        yield word
        if step.pause_ms:
            yield Pause(step.pause_ms)


def slices(text: str) -> Iterator[str]:
    """A tool's arguments in the pieces they are streamed in."""
    for start in range(0, len(text), ARGUMENT_CHUNK):
        yield text[start : start + ARGUMENT_CHUNK]
