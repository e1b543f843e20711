"""Samples taken in turns: ours, the peer's, ours again, so that a busy moment of the machine hits both.

The ratio is the median of the rounds' own ratios, which a slow drift of the machine does not touch. It is above 1 where
ours is better, whether more (a rate) or less (a time, an amount of memory) is better.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from .report import Goal, Row

Sample: TypeAlias = Callable[[], float]
AsyncSample: TypeAlias = Callable[[], Awaitable[float]]


@dataclass(frozen=True, slots=True)
class Pairs:
    """What rounds of two samples gave. `less_is_better` for times and sizes."""

    ours: Sequence[float]
    peers: Sequence[float]
    less_is_better: bool = False

    @property
    def value(self) -> float:
        return statistics.median(self.ours)

    @property
    def beside(self) -> float:
        return statistics.median(self.peers)

    @property
    def ratio(self) -> float:
        pairs = zip(self.ours, self.peers, strict=True)
        return statistics.median(peer / ours if self.less_is_better else ours / peer for ours, peer in pairs)

    def __add__(self, more: Pairs) -> Pairs:
        """The rounds of both; what is better is the same in both, or there are none yet."""
        return Pairs([*self.ours, *more.ours], [*self.peers, *more.peers], more.less_is_better)

    def row(self, what: str, unit: str, beside: str, goal: Goal | None = None) -> Row:
        return Row(what, self.value, unit, beside, self.beside, self.ratio, goal)


def in_turns(ours: Sample, peer: Sample, rounds: int, *, less_is_better: bool = False) -> Pairs:
    """Take samples of both, `rounds` times, after one of each that does not count."""
    ours(), peer()
    pairs = [(ours(), peer()) if number % 2 else (peer(), ours())[::-1] for number in range(rounds)]
    return _pairs(pairs, less_is_better)


async def in_turns_async(ours: AsyncSample, peer: AsyncSample, rounds: int, *, less_is_better: bool = False) -> Pairs:
    """The same for samples that wait."""
    await ours()
    await peer()
    pairs = []
    for number in range(rounds):
        if number % 2:
            mine = await ours()
            pairs.append((mine, await peer()))
        else:
            theirs = await peer()
            pairs.append((await ours(), theirs))
    return _pairs(pairs, less_is_better)


def _pairs(pairs: Sequence[tuple[float, float]], less_is_better: bool) -> Pairs:
    return Pairs([ours for ours, _ in pairs], [peers for _, peers in pairs], less_is_better)


def us_a_call(work: Callable[[], object], seconds: float = 0.03) -> Sample:
    """A sample that calls something for so long and gives the microseconds of processor time of one call."""
    work()
    started = time.thread_time()
    work()
    calls = max(1, int(seconds / max(time.thread_time() - started, 1e-7)))

    def sample() -> float:
        started = time.thread_time()
        for _ in range(calls):
            work()
        return (time.thread_time() - started) / calls * 1e6

    return sample


class Stopwatch:
    """The seconds since it was made, less those in which its thread was ready to run and had no core."""

    def __init__(self) -> None:
        self._task = threading.get_native_id()
        self._waited_s = waited_s(self._task)
        self._started = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self._started - self.waited_s()

    def waited_s(self) -> float:
        """How long its thread waited for a core so far."""
        return waited_s(self._task) - self._waited_s


def waited_s(task: int) -> float:
    """How long a thread, or a process's main thread, waited for a core so far; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{task}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def percentile(samples: Sequence[float], percent: float) -> float:
    """The value that so many percent of the samples do not exceed."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
