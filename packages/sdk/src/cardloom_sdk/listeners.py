"""Who hears which event of a card: listeners in order, one value at a time each, and values that wait for the first.

Spec: cards behaviour, message flow (100 events of `ports.message` wait for a listener); decision 44.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from cardloom_protocol.limits import limit
from cardloom_protocol.methods_card import CARD_EVENTS

Stop: TypeAlias = Callable[[], None]
"""Ends what was begun; called again it does nothing."""

Report: TypeAlias = Callable[[str, Exception], None]
"""Told where a handler failed and how."""

MAX_WAITING: Final = 1000
"""Values that may wait for a slow listener; beyond, its oldest are dropped."""


def once(end: Callable[[], None]) -> Stop:
    """A `Stop` that ends something the first time it is called."""
    pending = [end]

    def stop() -> None:
        if pending:
            pending.pop()()

    return stop


def adapt(handler: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Give a handler as one that waits and may be called with more arguments than it takes; it gets the first ones."""
    parameters = inspect.signature(handler).parameters.values()
    many = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    places = sum(
        parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters
    )

    async def call(*arguments: Any) -> Any:
        result = handler(*(arguments if many else arguments[:places]))
        return await result if inspect.isawaitable(result) else result

    return call


class Listener:
    """One function that hears an event. Values reach it in order, the next when it is done with the last.

    When more than `max_waiting` wait, the oldest is dropped, and the number of the dropped is reported.
    """

    def __init__(self, name: str, handler: Callable[..., Any], report: Report, max_waiting: int = MAX_WAITING) -> None:
        self._name = name
        self._call = adapt(handler)
        self._report = report
        self._max_waiting = max_waiting
        self._waiting: deque[tuple[Any, ...]] = deque()
        self._running: asyncio.Task[None] | None = None
        self._dropped = 0

    def put(self, *arguments: Any) -> None:
        """Hand over one value."""
        if len(self._waiting) >= self._max_waiting:
            self._waiting.popleft()
            self._dropped += 1
        self._waiting.append(arguments)
        if self._running is None:
            self._running = asyncio.create_task(self._work())

    def cancel(self) -> None:
        """Drop what waits and stop what runs."""
        self._waiting.clear()
        if self._running is not None:
            self._running.cancel()

    @property
    def busy(self) -> bool:
        """Whether it has something to do."""
        return self._running is not None

    async def _work(self) -> None:
        try:
            while self._waiting:
                try:
                    await self._call(*self._waiting.popleft())
                except Exception as error:  # noqa: BLE001 - a card author's code: its fault is told and must not end the card
                    self._report(self._name, error)
            if self._dropped:
                dropped, self._dropped = self._dropped, 0
                self._report(self._name, BufferError(f"the handler is too slow: {dropped} values were dropped"))
        finally:
            self._running = None


Filter: TypeAlias = Callable[[Any], bool]
Convert: TypeAlias = Callable[[Any], tuple[Any, ...]]


class Listeners:
    """The listeners of one card by event name, with what waits for the first one of an event that may wait."""

    def __init__(self, report: Report, max_buffered: int = limit("bufferedMessages")) -> None:
        self._report = report
        self._max_buffered = max_buffered
        self._by_event: dict[str, list[tuple[Filter, Convert, Listener]]] = {}
        self._buffers: dict[str, list[Any]] = {}

    def add(self, event: str, handler: Callable[..., Any], *, wants: Filter, convert: Convert) -> Stop:
        """Add a listener, give it what waited for the event, and give how to take it away again."""
        entry = (wants, convert, Listener(event, handler, self._report))
        self._by_event.setdefault(event, []).append(entry)
        for data in self._buffers.pop(event, ()):
            self._offer(entry, data)

        def stop() -> None:
            if entry in self._by_event[event]:
                self._by_event[event].remove(entry)
                entry[2].cancel()

        return stop

    def count(self, event: str) -> int:
        """How many listen."""
        return len(self._by_event.get(event, ()))

    def dispatch(self, event: str, data: Any) -> None:
        """Hand an event to all who listen. Of a buffered one nobody listens to, the first hundred are kept."""
        entries = self._by_event.get(event)
        if entries:
            for entry in list(entries):
                self._offer(entry, data)
        elif event in CARD_EVENTS and CARD_EVENTS[event].buffered:
            kept = self._buffers.setdefault(event, [])
            if len(kept) < self._max_buffered:
                kept.append(data)

    def cancel(self) -> None:
        """Stop every handler that runs."""
        for entries in self._by_event.values():
            for entry in entries:
                entry[2].cancel()

    @property
    def busy(self) -> bool:
        """Whether any handler runs."""
        return any(entry[2].busy for entries in self._by_event.values() for entry in entries)

    @staticmethod
    def _offer(entry: tuple[Filter, Convert, Listener], data: Any) -> None:
        wants, convert, listener = entry
        if wants(data):
            listener.put(*convert(data))
