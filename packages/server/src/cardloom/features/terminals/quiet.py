"""Shells that tell nothing of their prompts: when to look whether one is ready for a command, or done with one.

Spec: harnesses, shell integration.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MARKS_WAIT_S: Final = 3.0
QUIET_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class Times:
    """How long a shell may stay silent before it counts as one without marks, and what quiet ends its commands."""

    marks_wait_s: float = MARKS_WAIT_S
    quiet_s: float = QUIET_S


DEFAULT_TIMES: Final = Times()


class Watch:
    """Calls `look` after a while, once; a new wait takes the place of the last."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._timer: asyncio.TimerHandle | None = None

    def wait(self, wait_s: float) -> None:
        """Look after so many seconds."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._ring)

    def stop(self) -> None:
        """Do not look any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        self._look()
