"""The chrome setters: one update in flight for each, only the newest waits, too-often is waited out.

Spec: cards behaviour, message flow (chrome calls).
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode

from .host_calls import Call
from .timing import Timing

_DEFAULT_RETRY_MS: Final = 1000
_MARGIN_MS: Final = 25


class Setter:
    """One chrome method. Callers whose values were merged into a newer one settle with it."""

    def __init__(self, method: str, call: Call, timing: Timing) -> None:
        self._method = method
        self._call = call
        self._timing = timing
        self._newest: dict[str, Any] | None = None
        self._callers: list[asyncio.Future[None]] = []
        self._running: asyncio.Task[None] | None = None

    async def set(self, params: dict[str, Any]) -> None:
        """Show a value, or a newer one that comes before its turn. CallError when the host refuses it."""
        self._newest = params
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._callers.append(done)
        if self._running is None:
            self._running = asyncio.create_task(self._work())
        await done

    def cancel(self) -> None:
        """Give up what waits; its callers are cancelled."""
        if self._running is not None:
            self._running.cancel()

    async def _work(self) -> None:
        callers: list[asyncio.Future[None]] = []
        try:
            while self._newest is not None:
                params, self._newest = self._newest, None
                callers, self._callers = [*callers, *self._callers], []
                try:
                    await self._call(self._method, params)
                except CallError as error:
                    if error.code is ErrorCode.RATE_LIMITED:
                        await self._timing.sleep_ms(_retry_ms(error) + _MARGIN_MS)
                        self._newest = self._newest if self._newest is not None else params
                        continue
                    _settle(callers, error)
                else:
                    _settle(callers, None)
                callers = []
        finally:
            self._running = None
            for caller in (*callers, *self._callers):
                caller.cancel()
            self._callers.clear()


def _retry_ms(error: CallError) -> float:
    wait = error.data.get("retryAfterMs") if isinstance(error.data, dict) else None
    return wait if isinstance(wait, int | float) and wait > 0 else _DEFAULT_RETRY_MS


def _settle(callers: list[asyncio.Future[None]], error: CallError | None) -> None:
    for caller in callers:
        if caller.done():
            continue
        if error is None:
            caller.set_result(None)
        else:
            caller.set_exception(error)
