"""A terminal's output as plain text for the cards that read it.

Gathered for 100 ms or 64 KiB. Overflow rule: a card that does not read loses whole chunks, and the next one it gets
begins with a line saying how many bytes were left out. Spec: agents, output; decisions 20, 45.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit

from ...core.bus import Bus, card_topic
from ...core.clock import Clock
from ...core.subscriptions import OUTPUT, Subscriptions
from ...host.plain_text import PlainText

UNREAD_CHARS: Final = limit("outputUnreadChars")
BLOCK_BYTES: Final = 16 << 10


class OutputFeed:
    """The plain text of one terminal. `max_unread` is what may wait for a card before it loses chunks."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        subscriptions: Subscriptions,
        agent_id: CardId,
        *,
        gather_ms: int = limit("outputFlushMs"),
        max_units: int = limit("outputFlushBytes"),
        max_unread: int = UNREAD_CHARS,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._subscriptions = subscriptions
        self._agent_id = agent_id
        self._gather_s = gather_ms / 1000
        self._max_units = max_units
        self._max_unread = max_unread
        self._plain: PlainText | None = None
        self._raw: list[bytes] = []
        self._raw_bytes = 0
        self._pieces: list[str] = []
        self._gathered_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._left_out: dict[CardId, int] = {}

    def add(self, data: bytes) -> None:
        """Take in output in UTF-8, not cut within a character."""
        if not self._subscriptions.is_read(self._agent_id):
            self._raw.clear()
            self._raw_bytes = 0
            self._plain = None
            return
        for piece in _cut(data, self._max_units):
            self._gather(piece)

    def _gather(self, data: bytes) -> None:
        # Output has at most as many units as bytes, and more than its plain text: counting bytes does.
        if self._gathered_bytes + len(data) > self._max_units:
            self.flush()
        self._raw.append(data)
        self._raw_bytes += len(data)
        self._gathered_bytes += len(data)
        if self._raw_bytes >= BLOCK_BYTES:
            self._strip()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._gather_s, self.flush)

    def flush(self) -> None:
        """Send what was gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._strip()
        self._gathered_bytes = 0
        if self._pieces:
            self._send_to_all("".join(self._pieces))
            self._pieces.clear()

    def _strip(self) -> None:
        """Make plain text of what came: a block at once costs less than each small piece alone."""
        if self._plain is None:
            self._plain = PlainText()
        text = self._plain.feed_utf8(b"".join(self._raw))
        self._raw.clear()
        self._raw_bytes = 0
        if text:
            self._pieces.append(text)

    def _send_to_all(self, text: str) -> None:
        at_ms = self._clock.now_ms()
        for card_id in self._subscriptions.readers(self._agent_id):
            self._send(card_id, text, at_ms)

    def _send(self, card_id: CardId, text: str, at_ms: int) -> None:
        topic = card_topic(card_id)
        if self._bus.waiting(topic) > self._max_unread:
            self._left_out[card_id] = self._left_out.get(card_id, 0) + len(text.encode("utf-8", "replace"))
            return
        left_out = self._left_out.pop(card_id, 0)
        if left_out:
            text = f"[{left_out} bytes left out]\n{text}"
        self._bus.publish(OUTPUT, {"agentId": self._agent_id, "text": text, "at": at_ms}, topic)


def _cut(data: bytes, max_bytes: int) -> Iterator[bytes]:
    """UTF-8 in pieces of at most so many bytes, none of them cut within a character."""
    begin = 0
    while len(data) - begin > max_bytes:
        end = begin + max_bytes
        while data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[begin:end]
        begin = end
    yield data[begin:] if begin else data
