"""Lines to a card's log panel: at most 49 a second, the rest counted and told before the next one that passes."""

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

    def admit(self, level: str, message: str, now_ms: int) -> list[tuple[str, str]]:
        """The lines to send for a line, each its level and text; none when it is dropped."""
        if now_ms - self._window_start_ms >= _WINDOW_MS:
            self._window_start_ms = now_ms
            self._lines = 0
        if self._lines >= self._max_lines:
            self._dropped += 1
            return []
        lines = [(level, utf16_cut(message, limit("logLineChars")))]
        if self._dropped:
            text = f"{self._dropped} lines were left out: more than {self._max_lines} in a second."
            lines.insert(0, ("warn", text))
            self._dropped = 0
        self._lines += len(lines)
        return lines
