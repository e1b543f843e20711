"""How long to wait before trying again: doubling from the first wait to the longest, spread by chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

FIRST_RETRY_MS = 250
LAST_RETRY_MS = 10_000


@dataclass(slots=True)
class BackOff:
    """The waits of one row of attempts. `chance` gives 0 to 1; the wait lies within a quarter of its nominal value."""

    first_ms: int = FIRST_RETRY_MS
    last_ms: int = LAST_RETRY_MS
    chance: Callable[[], float] = random.random
    attempts: int = field(default=0, init=False)

    def next_ms(self) -> float:
        """The wait before the next attempt."""
        nominal: float = min(self.last_ms, self.first_ms * 2.0 ** min(self.attempts, 32))
        self.attempts += 1
        return nominal * (0.75 + self.chance() / 2)

    def reset(self) -> None:
        """Begin again, after an attempt that worked."""
        self.attempts = 0
