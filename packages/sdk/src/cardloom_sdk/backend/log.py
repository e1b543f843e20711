"""The events of one run, numbered and kept for a while, for any number of readers who each go at their own pace.

An event is written out once, however many read it. Readers who fall behind are told the same in fewer events; those who
fall out of what is kept are told the state instead. Nobody waits for a reader. Spec: session protocol, reconnect and
back-pressure.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from cardloom_protocol.session.events import AnyRunEvent
from cardloom_protocol.session.run_state import RunState, coalesced
from cardloom_protocol.session.sse import serialize_run_event


class Numbered(NamedTuple):
    """An event with its place in the run; None for all but the last event of a state."""

    number: int | None
    event: AnyRunEvent
    frame: bytes


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How much of a run is kept, and from how many waiting events on deltas are joined."""

    events: int
    bytes: int
    lag: int


class RunLog:
    """What happened in a run so far. `state` is the sum of it all."""

    def __init__(self, run_id: str, limits: LogLimits) -> None:
        self.run_id = run_id
        self.state = RunState()
        self.last = 0
        """The number of the last event; the first one has 1."""
        self.size = 0
        """How many bytes all events had, those that are not kept any more included."""
        self._limits = limits
        self._kept: deque[Numbered] = deque()
        self._bytes = 0
        self._is_void = False
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._shared: tuple[tuple[int, int], list[Numbered]] = ((0, 0), [])
        self._joined: tuple[tuple[int, int], bytes] = ((0, 0), b"")

    @property
    def first(self) -> int:
        """The number of the oldest event that is kept."""
        return self.last - len(self._kept) + 1

    @property
    def waiting(self) -> int:
        """How many wait for the next event."""
        return len(self._waiting)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._is_void or self.state.end is not None

    def give_up(self) -> None:
        """The run never began: whoever waits for its events is let go."""
        self._is_void = True
        self._wake()

    def append(self, event: AnyRunEvent) -> None:
        """Adds an event and wakes those who wait."""
        frame = self._frame(event, self.last + 1)  # first, as it fails for what is no JSON
        self.last += 1
        self.state.apply(event)
        self._kept.append(Numbered(self.last, event, frame))
        self._bytes += len(frame)
        self.size += len(frame)
        while len(self._kept) > self._limits.events or (self._bytes > self._limits.bytes and len(self._kept) > 1):
            self._bytes -= len(self._kept.popleft().frame)
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in waiting:
            _resolve(future)

    def reader(self, after: str | None = None) -> Reader:
        """A reader that goes on behind the event with this id; without one, at the beginning."""
        return Reader(self, self._number_of(after))

    def next_event(self) -> asyncio.Future[None]:
        """Is done when another event has come."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[future] = None
        return future

    def forget(self, future: asyncio.Future[None]) -> None:
        """Whoever has this future does not wait any more."""
        self._waiting.pop(future, None)

    async def more(self) -> None:
        """Returns when another event has come, or when none will."""
        await self.next_event()

    def between(self, after: int, last: int) -> list[Numbered]:
        """The kept events behind `after` up to `last`; rows of deltas are joined when there are many."""
        if self._shared[0] == (after, last):
            return self._shared[1]
        start = after + 1 - self.first
        found = list(islice(self._kept, start, start + last - after))
        if len(found) > self._limits.lag:
            found = self._coalesced(found)
        self._shared = ((after, last), found)
        return found

    def bytes_between(self, after: int, last: int) -> bytes:
        """The frames of `between`, one behind the other."""
        if self._joined[0] != (after, last):
            self._joined = ((after, last), b"".join(one.frame for one in self.between(after, last)))
        return self._joined[1]

    def last_within(self, after: int, max_bytes: int) -> int:
        """The number of the last event whose frame still fits when those behind `after` are sent; one at least."""
        if self._bytes <= max_bytes:
            return self.last
        room, last = max_bytes, after
        for one in islice(self._kept, after + 1 - self.first, None):
            room -= len(one.frame)
            if room < 0 and last > after:
                break
            last += 1
        return last

    def whole_state(self) -> list[Numbered]:
        """The events that bring anybody to the present state; only the last one can be gone on behind."""
        events = self.state.replay()
        return [
            self._numbered(event, self.last if place == len(events) else None)
            for place, event in enumerate(events, start=1)
        ]

    def _coalesced(self, found: Sequence[Numbered]) -> list[Numbered]:
        joined: list[Numbered] = []
        at = 0
        for event, size in coalesced(one.event for one in found):
            at += size
            joined.append(found[at - 1] if size == 1 else self._numbered(event, found[at - 1].number))
        return joined

    def _numbered(self, event: AnyRunEvent, number: int | None) -> Numbered:
        return Numbered(number, event, self._frame(event, number))

    def _frame(self, event: AnyRunEvent, number: int | None) -> bytes:
        name = None if number is None else f"{self.run_id}:{number}"
        return serialize_run_event(event, id=name).encode("utf-8")

    def _number_of(self, after: str | None) -> int | None:
        """The number in an id; 0 for no id, None for one that is not of this run or not kept."""
        if after is None:
            return 0
        run_id, _, digits = after.rpartition(":")
        if run_id != self.run_id or not (digits.isascii() and digits.isdigit()) or len(digits) > 12:
            return None
        return int(digits) if int(digits) <= self.last else None


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Reader:
    """One reader of a run. `take` gives what is new; empty means: `wait`, or the run is over."""

    def __init__(self, log: RunLog, after: int | None) -> None:
        self._log = log
        self._after = after
        self._next: asyncio.Future[None] | None = None
        self._left = False

    @property
    def has_left(self) -> bool:
        """Whether `leave` was called."""
        return self._left

    @property
    def is_done(self) -> bool:
        """Whether the run is over and everything was taken."""
        return self._log.ended and self._after == self._log.last

    def take(self) -> list[Numbered]:
        """All events that are new."""
        after, self._after = self._after, self._log.last
        if self._fell_out(after):
            return self._log.whole_state()
        return self._log.between(after or 0, self._log.last) if after != self._log.last else []

    def take_bytes(self, max_bytes: int) -> bytes:
        """The frames of the events that are new, about `max_bytes` at a time; a state is given whole."""
        after = self._after
        if self._fell_out(after):
            self._after = self._log.last
            return b"".join(one.frame for one in self._log.whole_state())
        if after is None or after == self._log.last:
            return b""
        self._after = self._log.last_within(after, max_bytes)
        return self._log.bytes_between(after, self._after)

    async def wait(self, timeout_ms: int | None = None) -> bool:
        """Returns when there is more, or at once when there is; False after the time or `leave`."""
        if self._after != self._log.last or self._log.ended:
            return True
        if self._left:
            return False
        self._next = self._log.next_event()
        timer = None
        if timeout_ms is not None:
            timer = asyncio.get_running_loop().call_later(timeout_ms / 1000, _resolve, self._next)
        try:
            await self._next
        finally:
            self._log.forget(self._next)
            if timer is not None:
                timer.cancel()
        return self._after != self._log.last

    def nudge(self) -> None:
        """Ends the present wait as if its time were over."""
        if self._next is not None:
            _resolve(self._next)

    def leave(self) -> None:
        """Ends a wait: the reader does not want more."""
        self._left = True
        if self._next is not None:
            _resolve(self._next)

    def _fell_out(self, after: int | None) -> bool:
        return after is None or after + 1 < self._log.first
