"""Time that passes when told, and a channel in memory."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from typing import Final

from ..channel import ChannelClosed

_SETTLE_TURNS: Final = 200


class VirtualTiming:
    """Time that passes only in `advance`. Hand it to the card and to its host."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = float(now_ms)
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now_ms(self) -> int:
        return int(self._now_ms)

    def steady_ms(self) -> int:
        return int(self._now_ms)

    async def sleep_ms(self, ms: float) -> None:
        if ms <= 0:
            await asyncio.sleep(0)
            return
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now_ms + ms, next(self._order), waking))
        await waking

    async def advance(self, ms: float) -> None:
        """Let time pass; whoever waits is woken at its moment, in order, and runs before time goes on."""
        until_ms = self._now_ms + ms
        await settle()
        while self._sleepers and self._sleepers[0][0] <= until_ms:
            at_ms, _, waking = heapq.heappop(self._sleepers)
            self._now_ms = max(self._now_ms, at_ms)
            if not waking.done():
                waking.set_result(None)
                await settle()
        self._now_ms = until_ms


async def settle() -> None:
    """Let everything run that can run now, without time passing."""
    for _ in range(_SETTLE_TURNS):
        await asyncio.sleep(0)


class MemoryChannel:
    """One end of a channel in memory; `pair` gives both."""

    def __init__(self, inbox: asyncio.Queue[str | ChannelClosed], outbox: asyncio.Queue[str | ChannelClosed]) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._closed: ChannelClosed | None = None

    @classmethod
    def pair(cls) -> tuple[MemoryChannel, MemoryChannel]:
        """Two joined ends."""
        one: asyncio.Queue[str | ChannelClosed] = asyncio.Queue()
        two: asyncio.Queue[str | ChannelClosed] = asyncio.Queue()
        return cls(one, two), cls(two, one)

    async def send(self, text: str) -> None:
        if self._closed is not None:
            raise self._closed
        self._outbox.put_nowait(text)

    async def receive(self) -> str:
        if self._closed is not None:
            raise self._closed
        got = await self._inbox.get()
        if isinstance(got, ChannelClosed):
            self._closed = got
            raise got
        return got

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close both ends."""
        if self._closed is None:
            self._closed = ChannelClosed(code, reason)
            self._outbox.put_nowait(self._closed)
            self._inbox.put_nowait(self._closed)
