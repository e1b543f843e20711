"""What waits to be sent to one peer: answers, which are never dropped, and events, which are bounded.

Overflow rule: an owner's events give way to a single gap mark, after which the page takes a new picture; a card that
does not keep up is closed, since a card cannot take its messages again. Answers are bounded from the other side:
while too many are unread, `room` keeps the reader from taking more calls. Spec: architecture, invariants.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from cardloom_protocol.limits import limit


def _not_now(_text: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class _Waiting:
    text: str
    is_event: bool


class Outbox:
    """One queue in the order of sending. `gap_text` replaces events that had to go; without one, overflow ends it.

    While nothing waits, `post` may take a text at once; it tells whether it did.
    """

    def __init__(
        self,
        gap_text: str | None,
        on_overflow: Callable[[], None],
        *,
        max_events: int = limit("outboxEvents"),
        max_event_chars: int = limit("outboxBytes"),
        max_reply_chars: int = limit("outboxReplyBytes"),
    ) -> None:
        self._gap_text = gap_text
        self._on_overflow = on_overflow
        self._max_events = max_events
        self._max_event_chars = max_event_chars
        self._max_reply_chars = max_reply_chars
        self.post: Callable[[str], bool] = _not_now
        self._waiting: deque[_Waiting] = deque()
        self._events = 0
        self._event_chars = 0
        self._reply_chars = 0
        self._closed = False
        self._something = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    @property
    def unread_event_chars(self) -> int:
        """How many characters of events wait."""
        return self._event_chars

    def reply(self, text: str) -> None:
        """Send an answer, or queue it."""
        if not self._waiting and self.post(text):
            return
        self._waiting.append(_Waiting(text, is_event=False))
        self._reply_chars += len(text)
        if self._reply_chars > self._max_reply_chars:
            self._room.clear()
        self._something.set()

    def event(self, text: str) -> None:
        """Send an event, or queue it; one alone may be of any size."""
        if self._closed or (not self._waiting and self.post(text)):
            return
        full = self._events >= self._max_events or self._event_chars + len(text) > self._max_event_chars
        if full and self._events:
            self._overflow()
            return
        self._push_event(text)

    def close(self) -> None:
        """Take no more events; what waits may still be sent."""
        self._closed = True
        self._something.set()
        self._room.set()

    async def room(self) -> None:
        """Wait until the peer has read enough of its answers."""
        await self._room.wait()

    async def next(self) -> str | None:
        """Wait for the next text to send; None when closed and empty."""
        while not self._waiting:
            if self._closed:
                return None
            self._something.clear()
            await self._something.wait()
        return self.take()

    def take(self) -> str | None:
        """The next text to send, None when nothing waits."""
        if not self._waiting:
            return None
        waiting = self._waiting.popleft()
        if waiting.is_event:
            self._events -= 1
            self._event_chars -= len(waiting.text)
        else:
            self._reply_chars -= len(waiting.text)
            if self._reply_chars <= self._max_reply_chars:
                self._room.set()
        return waiting.text

    def _push_event(self, text: str) -> None:
        self._waiting.append(_Waiting(text, is_event=True))
        self._events += 1
        self._event_chars += len(text)
        self._something.set()

    def _overflow(self) -> None:
        self._waiting = deque(waiting for waiting in self._waiting if not waiting.is_event)
        self._events = self._event_chars = 0
        if self._gap_text is not None:
            self._push_event(self._gap_text)
        self._on_overflow()
