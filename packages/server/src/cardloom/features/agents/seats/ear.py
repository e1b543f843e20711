"""What one life of a program tells by its output: titles, status records, dialogs at its start, words on its screen.

Spec: harnesses, program status, titles and start-up chores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....host.plain_text import PlainText
from ..harnesses.shape import Harness, StartDialog
from ..signals import ResumeMissed, Signal, Source, Told
from ..spoken import PROGRAM_STATUS_ANSWER, ProgramAsks, Spoken, TitleText, scan
from .startup import StartWatch

_OUTPUT_TAIL_CHARS: Final = 1_500


class Ear:
    """Listens to one program after another. What it keeps of their output is bounded."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._watch: StartWatch | None = None
        self._carry = ""
        self._said: tuple[Spoken, ...] = ()
        self._plain = PlainText()
        self._tail = ""

    @property
    def kept_chars(self) -> int:
        """How much of the output it keeps now."""
        return len(self._tail) + len(self._carry) + (0 if self._watch is None else self._watch.kept_chars)

    def begin(self, now_ms: int, *, resumed: bool) -> None:
        """Listen to a new life, which may continue a session that is missing."""
        self._carry, self._said, self._plain, self._tail = "", (), PlainText(), ""
        self._watch = StartWatch(self._harness, now_ms, resumed)

    def answer(self, text: str) -> str:
        """Take in output before it is shown; gives what the terminal answers to it at once."""
        self._carry, said = scan(self._carry, text)
        self._said += said
        return PROGRAM_STATUS_ANSWER * sum(isinstance(one, ProgramAsks) for one in said)

    def hear(self, text: str, life: int, now_ms: int) -> Iterator[Signal | StartDialog]:
        """What the output tells, in order; each is to be taken before the next is asked for."""
        said, self._said = self._said, ()
        for one in said:
            if isinstance(one, TitleText):
                if self._harness.read_title is not None:
                    yield self._harness.read_title(one.text)
            elif not isinstance(one, ProgramAsks):
                yield one
        yield from self._look_at(text, life, now_ms)

    def moved(self) -> None:
        """The status moved: what stands on the screen by now is about what was before."""
        self._tail = ""

    def _look_at(self, text: str, life: int, now_ms: int) -> Iterator[Signal | StartDialog]:
        watch = self._watch
        if watch is not None and watch.is_over(now_ms):
            self._watch = watch = None
        read_output = self._harness.read_output
        if watch is None and read_output is None:
            return
        plain = self._plain.feed(text)
        if watch is not None:
            found = watch.take(plain)
            if isinstance(found, StartDialog):
                yield found
            elif found:
                yield ResumeMissed(relaunch=True)
        if read_output is not None and plain:
            self._tail = (self._tail + plain)[-_OUTPUT_TAIL_CHARS:]
            for fact in read_output(self._tail):
                yield Told(fact, life, now_ms, Source.OUTPUT)
