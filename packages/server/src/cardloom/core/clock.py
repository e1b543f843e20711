"""The time, handed in: a wall clock for records and a steady clock for windows and deadlines, both in milliseconds."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What every part asks for the time. `now_ms` is epoch time; `steady_ms` never goes back."""

    def now_ms(self) -> int: ...

    def steady_ms(self) -> int: ...


class SystemClock:
    """The machine's own clocks."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def steady_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


class VirtualClock:
    """A clock that moves only when told: for replays and tests."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def steady_ms(self) -> int:
        return self._now_ms

    def advance(self, ms: int) -> None:
        """Move on by so many milliseconds."""
        self._now_ms += ms

    def set(self, now_ms: int) -> None:
        """Jump to a moment; never backwards."""
        self._now_ms = max(self._now_ms, now_ms)
