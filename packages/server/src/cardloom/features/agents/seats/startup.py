"""The first two minutes of a launch: dialogs that stand in the way, and a session that is not there. Pure.

A terminal program draws only the cells that change and wraps where it likes, so texts are compared without any spaces.
Spec: harnesses, start-up chores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..harnesses.shape import Harness, StartDialog

WATCHED_MS: Final = 120_000
_KEPT_CHARS: Final = 4_096


@dataclass(slots=True)
class StartWatch:
    """What one launch printed lately. `resumed`: it continues a session that may be missing."""

    harness: Harness
    started_at_ms: int
    resumed: bool
    _seen: str = ""
    _answered: set[str] = field(default_factory=set)

    @property
    def kept_chars(self) -> int:
        return len(self._seen)

    def is_over(self, now_ms: int) -> bool:
        return now_ms - self.started_at_ms > WATCHED_MS

    def take(self, plain: str) -> StartDialog | bool:
        """Take in plain output: a dialog to answer now, True when the session is missing, else False."""
        self._seen = (self._seen + "".join(plain.split()))[-_KEPT_CHARS:]
        if self.resumed and any(text in self._seen for text in self.harness.missing):
            self.resumed = False
            return True
        for dialog in self.harness.dialogs:
            if dialog.marker not in self._answered and dialog.marker in self._seen:
                self._answered.add(dialog.marker)
                return dialog
        return False
