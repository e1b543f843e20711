"""What a terminal shows: one small interface, the real emulator behind it, and a plain stand-in where there is none.

Spec: harnesses, screen mirror and output; architecture, dependencies.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import Final, Literal, Protocol

from cardloom_protocol.limits import limit

from .plain_text import PlainText, overwritten

Scheme = Literal["dark", "light"]

SCROLLBACK_BYTES: Final = limit("terminalScrollbackBytes")
REPAINT_CHARS: Final = limit("terminalRepaintChars")

RESET: Final = "\x1bc"
"""What every repaint begins with: the viewer forgets what it showed, lines scrolled away included."""


class Screen(Protocol):
    """The screen of one terminal.

    `feed` takes decoded output, with the same in UTF-8 where that is at hand, and gives what the terminal answers to
    queries in it. `repaint` gives text that, fed to
    an empty terminal of the same size, brings it to the same state: lines scrolled away, both screens, cursor, modes.
    """

    def feed(self, text: str, data: bytes | None = None) -> str: ...

    def resize(self, cols: int, rows: int) -> None: ...

    def set_scheme(self, scheme: Scheme) -> None: ...

    def repaint(self) -> str: ...

    def text(self, lines: int | None = None) -> str:
        """The text on the screen, or the last so many lines with what scrolled away; soft-wrapped rows joined."""
        ...

    @property
    def bracketed_paste(self) -> bool:
        """Whether the program wants pasted text to be marked as such."""
        ...

    def close(self) -> None: ...


def open_screen(cols: int, rows: int) -> Screen:
    """Give the emulator's screen, or the plain one where the emulator is not installed."""
    try:
        from .ghostty_screen import GhosttyScreen
    except (ImportError, OSError):
        return PlainScreen(rows)
    return GhosttyScreen(cols, rows)


@cache
def warm_up() -> None:
    """Load the emulator and let it do everything once: a fifth of a second that belongs into a thread."""
    screen = open_screen(20, 5)
    screen.feed("\x1b[6n\x1b[?1049h")
    screen.text()
    screen.repaint()
    screen.close()


def last_lines(text: str, lines: int) -> str:
    """The last so many lines, each without blanks at its end, and without blank lines at the end of all."""
    kept = [line.rstrip() for line in text.rstrip().split("\n")]
    return "\n".join(kept[-lines:])


class PlainScreen:
    """Keeps the newest output and shows its plain text. It answers no query and knows of modes only bracketed paste."""

    def __init__(self, rows: int, max_chars: int = 256 << 10) -> None:
        self._rows = rows
        self._max_chars = max_chars
        self._pieces: deque[str] = deque()
        self._chars = 0
        self._cut = False
        self._paste = False

    def feed(self, text: str, data: bytes | None = None) -> str:
        self._pieces.append(text)
        self._chars += len(text)
        while self._chars > self._max_chars and len(self._pieces) > 1:
            self._chars -= len(self._pieces.popleft())
            self._cut = True
        on, off = text.rfind("\x1b[?2004h"), text.rfind("\x1b[?2004l")
        if on != off:
            self._paste = on > off
        return ""

    def resize(self, cols: int, rows: int) -> None:
        self._rows = rows

    def set_scheme(self, scheme: Scheme) -> None:
        """Nothing to do: it answers no query for colours."""

    def repaint(self) -> str:
        return RESET + self._newest()

    def text(self, lines: int | None = None) -> str:
        return last_lines(overwritten(PlainText(overwriting=True).feed(self._newest())), lines or self._rows)

    @property
    def bracketed_paste(self) -> bool:
        return self._paste

    def close(self) -> None:
        self._pieces.clear()

    def _newest(self) -> str:
        text = "".join(self._pieces)
        return text[text.find("\n") + 1 :] if self._cut else text
