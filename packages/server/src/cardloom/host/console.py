"""A program on a terminal as the features see it: its output in characters, its screen, its marks, and keys to it.

The console outlives its viewers. Queries of the program (what terminal is this, where is the cursor) are answered here
and by nobody else, so that they are answered once, with or without viewers. Spec: harnesses, screen mirror and output;
decision 40.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from typing import Protocol

from cardloom_protocol.themes import Scheme

from .marks import Mark, MarkScanner
from .opening_screens import open_screen
from .pty import GRACE_S, READ_BYTES_PER_S, Launch, Pty, Size
from .screen import Screen


class ConsoleListener(Protocol):
    """What a console tells, in order; none of it may wait. `exited` comes last."""

    def printed(self, text: str, pieces: Sequence[bytes | Mark]) -> None:
        """Output as it came, and the same in UTF-8 split at the shell's marks (without what may become a mark)."""
        ...

    def exited(self, exit_code: int) -> None: ...


class Console:
    """One life of one program. `offset` counts the characters it printed so far.

    `answer_first` is given all output and gives what to answer to queries that the screen does not know. Its answers
    leave before the screen's: programs put a query that every terminal answers behind one that few do, and take its
    answer for the end of waiting.
    """

    def __init__(
        self,
        listener: ConsoleListener,
        size: Size,
        nonce: str,
        scheme: Scheme = "dark",
        *,
        read_bytes_per_s: int = READ_BYTES_PER_S,
        answer_first: Callable[[str], str] | None = None,
    ) -> None:
        self.size = size
        self.offset = 0
        self._listener = listener
        self._read_bytes_per_s = read_bytes_per_s
        self._answer_first = answer_first
        self._begun = b""  # of a character whose rest has not come
        self._marks = MarkScanner(nonce)
        self._screen: Screen = open_screen(size.cols, size.rows)
        self._screen.set_scheme(scheme)
        self._pty: Pty | None = None
        self._closed = False

    def start(self, launch: Launch) -> None:
        """Start the program. UNAVAILABLE with the reason when that fails."""
        self._pty = Pty.spawn(launch, self.size, self._take, self._end, read_bytes_per_s=self._read_bytes_per_s)

    @property
    def pid(self) -> int | None:
        return None if self._pty is None else self._pty.pid

    @property
    def bracketed_paste(self) -> bool:
        """Whether the program wants pasted text to be marked as such."""
        return self._screen.bracketed_paste

    def at_rest(self) -> bool:
        """Whether the program has its terminal for itself, that is, runs no other in the foreground."""
        return self._pty is not None and self._pty.in_foreground()

    def edits_lines(self) -> bool:
        """Whether a line editor reads the keys, as shells have one at their prompts."""
        return self._pty is not None and self._pty.edits_lines()

    def write(self, text: str) -> None:
        """Send keys. UNAVAILABLE when the program ended, BUSY when it reads nothing."""
        if self._pty is not None:
            self._pty.write(text.encode("utf-8", "replace"))

    def resize(self, size: Size) -> None:
        self.size = size
        self._screen.resize(size.cols, size.rows)
        if self._pty is not None:
            self._pty.resize(size)

    def set_scheme(self, scheme: Scheme) -> None:
        """Answer queries for colours as this scheme has them."""
        self._screen.set_scheme(scheme)

    def repaint(self) -> str:
        """Text that shows an empty viewer what there is to see, as of `offset`."""
        return self._screen.repaint()

    def text(self, lines: int | None = None) -> str:
        """The visible screen, or so many of the last lines."""
        return self._screen.text(lines)

    async def kill(self, grace_s: float = GRACE_S) -> None:
        """End the program; `exited` has been told when this returns, unless the system cannot end it."""
        if self._pty is not None:
            await self._pty.kill(grace_s)

    def close(self) -> None:
        """Let go of the screen. Of a program that the system has not ended yet, nothing more is told."""
        self._closed = True
        self._screen.close()

    def _take(self, data: bytes) -> None:
        data = self._begun + data
        text, used = codecs.utf_8_decode(data, "replace", False)
        self._begun = data[used:]
        self._print(text, text.encode() if "\ufffd" in text else data[:used])

    def _end(self, exit_code: int) -> None:
        text = self._begun.decode(errors="replace")
        self._print(text, text.encode())
        self._pty = None
        if not self._closed:
            self._listener.exited(exit_code)

    def _print(self, text: str, data: bytes) -> None:
        """Pass on output, in characters and the same in UTF-8."""
        if not text or self._closed:
            return
        first = "" if self._answer_first is None else self._answer_first(text)
        answer = first + self._screen.feed(text, data)
        if answer and self._pty is not None:
            self._pty.answer(answer.encode())
        self.offset += len(text)
        self._listener.printed(text, self._marks.feed(data))
