"""The hands that type to agents: one pair an agent, one prompt at a time."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from cardloom_protocol.ids import CardId

from ....core.clock import Clock
from ..seats.seat import Seat
from .typist import Typist


class Hands:
    """Who types to which agent. Whoever calls `type` or `insert` holds the lock of that seat."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._typists: dict[CardId, Typist] = {}
        self._locks: WeakValueDictionary[CardId, asyncio.Lock] = WeakValueDictionary()
        self._typing: set[CardId] = set()

    def lock(self, seat: Seat) -> asyncio.Lock:
        """Who holds it types to this agent; what was checked before must be checked again under it."""
        return self._locks.setdefault(seat.card_id, asyncio.Lock())

    def are_typing(self, seat: Seat) -> bool:
        """Whether a prompt is being submitted now."""
        return seat.card_id in self._typing

    async def type(self, seat: Seat, text: str) -> int:
        """Submit a prompt and give when its typing began, in epoch ms. The errors of `Typist.submit`."""
        typed_at_ms = self._clock.now_ms()
        self._typing.add(seat.card_id)
        try:
            await self.typist(seat).submit(text)
        finally:
            self._typing.discard(seat.card_id)
        return typed_at_ms

    async def insert(self, seat: Seat, text: str) -> None:
        """Put a text into the input box and leave it there. The errors of `Typist.insert`."""
        await self.typist(seat).insert(text)

    def typist(self, seat: Seat) -> Typist:
        """Who types at a seat."""
        typist = self._typists.get(seat.card_id)
        if typist is None or typist.seat is not seat:
            typist = self._typists[seat.card_id] = Typist(seat, self._clock)
        return typist

    def forget(self, card_id: CardId) -> None:
        """A card is gone."""
        self._typists.pop(card_id, None)
