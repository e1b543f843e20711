"""Opens screens: the real emulator behind one small interface, and a plain stand-in where there is none.

Spec: harnesses, screen mirror and output; architecture, dependencies.
"""

from __future__ import annotations

from functools import cache

from .plain_screen import PlainScreen
from .screen import Screen


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
