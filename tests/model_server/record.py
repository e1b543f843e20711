"""What was asked and answered: the oracle that tests hold a program's own log against."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

from .usage import Usage


@dataclass(frozen=True)
class Exchange:
    """One request to a model. `usage` is None for a refused one; `ended_at_ms` for one that still runs."""

    number: int
    wire: str
    model: str
    scenario: str
    prompt: str
    status: int
    aside: bool
    usage: Usage | None
    at_ms: int
    ended_at_ms: int | None = None
    aborted: bool = False

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass
class Record:
    """All exchanges in their order, and the gate that holds are kept behind. Used from several threads."""

    _exchanges: list[Exchange] = field(default_factory=list)
    _failures: Counter[str] = field(default_factory=Counter)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _released: int = 0

    def failures_of(self, prompt: str) -> int:
        with self._changed:
            return self._failures[prompt]

    def begin(self, made: Callable[[int], Exchange]) -> Exchange:
        """Note the exchange that `made` gives for the next number, from 1."""
        with self._changed:
            exchange = made(len(self._exchanges) + 1)
            self._exchanges.append(exchange)
            if exchange.status != 200:
                self._failures[exchange.prompt] += 1
            self._changed.notify_all()
            return exchange

    def end(self, number: int, *, aborted: bool) -> None:
        with self._changed:
            ended = replace(self._exchanges[number - 1], ended_at_ms=now_ms(), aborted=aborted)
            self._exchanges[number - 1] = ended
            self._changed.notify_all()

    def exchanges(self) -> list[Exchange]:
        with self._changed:
            return list(self._exchanges)

    def release(self) -> None:
        """Let every request that holds go on."""
        with self._changed:
            self._released += 1
            self._changed.notify_all()

    def releases(self) -> int:
        with self._changed:
            return self._released

    def wait_for_release(self, seen: int, timeout_s: float) -> bool:
        """Whether the gate opened since `seen` of `releases`, within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._released > seen, timeout_s)


def now_ms() -> int:
    return time.time_ns() // 1_000_000
