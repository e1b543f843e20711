"""Questions known only by the words of their boxes, for programs that tell of them in no other way."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts import Asked, Fact, Question
from .payloads import one_line


def asked_on_screen(recent: str, marks: Sequence[str]) -> tuple[Fact, ...]:
    """The last line with one of these texts, as a question."""
    for line in reversed(recent.splitlines()):
        if any(mark in line for mark in marks):
            words = line.strip(" │|▌")
            return (Asked(Question("permission", one_line(words), words, can_always=False)),)
    return ()
