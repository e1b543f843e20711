"""The screen where the emulator is not installed: the newest output as plain text."""

from __future__ import annotations

from collections import deque
from typing import Final

from cardloom_protocol.themes import Scheme

from .plain_text import PlainText, overwritten
from .screen import RESET, last_lines

_PASTE_ON: Final = "\x1b[?2004h"
_PASTE_OFF: Final = "\x1b[?2004l"


class PlainScreen:
    """Keeps the newest output and shows its plain text. It answers no query and knows of modes only bracketed paste."""

    def __init__(self, rows: int, max_chars: int = 256 << 10) -> None:
        self._rows = rows
        self._max_chars = max_chars
        self._pieces: deque[str] = deque()
        self._chars = 0
        self._cut = False
        self._paste = False
        self._before = ""  # in which a mode may begin to change

    def feed(self, text: str, data: bytes | None = None) -> str:
        self._pieces.append(text)
        self._chars += len(text)
        while self._chars > self._max_chars and len(self._pieces) > 1:
            self._chars -= len(self._pieces.popleft())
            self._cut = True
        seen = self._before + text
        self._before = seen[1 - len(_PASTE_ON) :]
        on, off = seen.rfind(_PASTE_ON), seen.rfind(_PASTE_OFF)
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
