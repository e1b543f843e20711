"""What a terminal shows: the interface of every screen, and what screens have in common.

Spec: harnesses, screen mirror and output.
"""

from __future__ import annotations

from typing import Final, Protocol

from cardloom_protocol.limits import limit
from cardloom_protocol.themes import Scheme

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


def last_lines(text: str, lines: int) -> str:
    """The last so many lines, each without blanks at its end, and without blank lines at the end of all."""
    kept = [line.rstrip() for line in text.rstrip().split("\n")]
    return "\n".join(kept[-lines:])
