"""The time, handed in, so that a test can make it pass: clocks in milliseconds and a way to wait."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Timing(Protocol):
    """What the SDK asks for the time. `now_ms` is epoch time; `steady_ms` never goes back."""

    def now_ms(self) -> int: ...

    def steady_ms(self) -> int: ...

    async def sleep_ms(self, ms: float) -> None: ...


class SystemTiming:
    """The machine's own clocks and the event loop's timers."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def steady_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    async def sleep_ms(self, ms: float) -> None:
        await asyncio.sleep(ms / 1000)
