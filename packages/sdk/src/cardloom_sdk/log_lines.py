"""Lines to a card's log panel: at most 49 a second, the rest counted and told with the next one."""

from __future__ import annotations

from typing import Final

from cardloom_protocol.jstext import utf16_cut
from cardloom_protocol.limits import limit

_WINDOW_MS: Final = 1000
_MAX_LINES: Final = limit("logLinesPerSecond") - 1


class LogLines:
    """Decides which lines go out now. `now_ms` is any clock that never goes back."""

    def __init__(self, max_lines: int = _MAX_LINES) -> None:
        self._max_lines = max_lines
        self._window_start_ms = -_WINDOW_MS
        self._lines = 0
        self._dropped = 0

    def admit(self, message: str, now_ms: int) -> str | None:
        """The text to send for a line, None when it is dropped."""
        if now_ms - self._window_start_ms >= _WINDOW_MS:
            self._window_start_ms = now_ms
            self._lines = 0
        if self._lines >= self._max_lines:
            self._dropped += 1
            return None
        self._lines += 1
        if self._dropped:
            message = f"[{self._dropped} lines were left out] {message}"
            self._dropped = 0
        return utf16_cut(message, limit("logLineChars"))
