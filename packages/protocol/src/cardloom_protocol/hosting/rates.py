"""How often: sliding windows for calls, a token bucket for requests. Time is passed in, in milliseconds.

Spec: cards, methods (only accepted calls count; `data.retryAfterMs`); message flow (200 requests a second, burst 400).
"""

from __future__ import annotations

from collections import deque
from math import ceil

from ..method_row import MethodRow


class RateWindow:
    """At most `max_calls` in any `window_ms`, and at least `min_interval_ms` after the last accepted one.

    Holds at most `max_calls` times. Refused calls do not count.
    """

    __slots__ = ("_accepted_ms", "_last_ms", "_max_calls", "_min_interval_ms", "_window_ms")

    def __init__(
        self, max_calls: int | None = None, *, window_ms: int = 60_000, min_interval_ms: int | None = None
    ) -> None:
        self._max_calls = max_calls
        self._window_ms = window_ms
        self._min_interval_ms = min_interval_ms
        self._accepted_ms: deque[int] = deque()
        self._last_ms: int | None = None

    @classmethod
    def for_row(cls, row: MethodRow) -> RateWindow | None:
        """The window that a method's row asks for, None when it asks for none."""
        if row.per_minute is None and row.min_interval_ms is None:
            return None
        return cls(row.per_minute, min_interval_ms=row.min_interval_ms)

    def wait_ms(self, now_ms: int) -> int:
        """How long a call would have to wait; 0 when it may pass now."""
        wait = 0
        if self._min_interval_ms is not None and self._last_ms is not None:
            wait = self._last_ms + self._min_interval_ms - now_ms
        if self._max_calls is not None:
            self._forget(now_ms)
            if len(self._accepted_ms) >= self._max_calls:
                oldest_ms = self._accepted_ms[0] if self._accepted_ms else now_ms
                wait = max(wait, oldest_ms + self._window_ms - now_ms)
        return max(wait, 0)

    def take(self, now_ms: int) -> int:
        """Accept a call and give 0, or give the milliseconds to wait and accept nothing."""
        wait = self.wait_ms(now_ms)
        if wait == 0:
            self._last_ms = now_ms
            if self._max_calls is not None:
                self._accepted_ms.append(now_ms)
        return wait

    def _forget(self, now_ms: int) -> None:
        while self._accepted_ms and self._accepted_ms[0] <= now_ms - self._window_ms:
            self._accepted_ms.popleft()


class TokenBucket:
    """`burst` calls at once, refilled by `per_second`."""

    __slots__ = ("_at_ms", "_burst", "_per_second", "_tokens")

    def __init__(self, per_second: int, burst: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._tokens = float(burst)
        self._at_ms: int | None = None

    def take(self, now_ms: int) -> int:
        """Take one token and give 0, or give the milliseconds until there is one."""
        if self._at_ms is not None and now_ms > self._at_ms:
            refill = (now_ms - self._at_ms) * self._per_second / 1000
            self._tokens = min(float(self._burst), self._tokens + refill)
        if self._at_ms is None or now_ms > self._at_ms:
            self._at_ms = now_ms
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        return max(1, ceil((1 - self._tokens) * 1000 / self._per_second))
