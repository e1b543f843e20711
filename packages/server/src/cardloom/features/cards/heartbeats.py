"""Whether connected cards answer: a ping every few seconds, and word when one stays silent too long.

Nothing is ended for silence: a card may be busy, and the owner decides. Spec: cards, lifecycle; decision 8.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit

from ...core.bus import Bus, card_topic
from ...core.clock import Clock


@dataclass(slots=True)
class _Beat:
    seq: int
    answered_ms: int
    unanswered: int = 0
    silent: bool = False


class Heartbeats:
    """Pings every connected card. `tell` hears of each card that falls silent or answers again."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        tell: Callable[[CardId, bool], None],
        *,
        period_ms: int = limit("heartbeatMs"),
        silence_ms: int = limit("unresponsiveMs"),
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._tell = tell
        self._period_ms = period_ms
        self._silence_ms = silence_ms
        # Time alone would blame every card when this process or its machine stood still.
        self._silent_beats = max(silence_ms // period_ms - 1, 1)
        self._beats: dict[CardId, _Beat] = {}

    def connected(self, card_id: CardId) -> None:
        """Watch a card from now on."""
        self._beats[card_id] = _Beat(0, self._clock.steady_ms())

    def disconnected(self, card_id: CardId) -> None:
        self._beats.pop(card_id, None)

    def answered(self, card_id: CardId, seq: int) -> None:
        """A pong came. One for a ping that was never sent says nothing."""
        beat = self._beats.get(card_id)
        if beat is None or not 0 < seq <= beat.seq:
            return
        beat.answered_ms, beat.unanswered = self._clock.steady_ms(), 0
        if beat.silent:
            beat.silent = False
            self._tell(card_id, False)

    def beat(self) -> None:
        """Look at every card and ping it."""
        now_ms = self._clock.steady_ms()
        for card_id, beat in list(self._beats.items()):
            waits = now_ms - beat.answered_ms >= self._silence_ms and beat.unanswered >= self._silent_beats
            if waits and not beat.silent:
                beat.silent = True
                self._tell(card_id, True)
            beat.seq += 1
            beat.unanswered += 1
            self._bus.publish("host.ping", {"seq": beat.seq}, card_topic(card_id))

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            await asyncio.sleep(self._period_ms / 1000)
            self.beat()
