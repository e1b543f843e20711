"""What benchmarks share: medians of repeated runs, and a Markdown table of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence


def median_us(work: Callable[[], object], *, runs: int = 7, seconds: float = 0.2) -> float:
    """The median time of one call in microseconds: of `runs` rounds, each long enough to be measured."""
    work()
    started = time.perf_counter()
    work()
    once = max(time.perf_counter() - started, 1e-7)
    calls = max(1, int(seconds / runs / once))
    rounds = []
    for _ in range(runs):
        started = time.perf_counter()
        for _ in range(calls):
            work()
        rounds.append((time.perf_counter() - started) / calls)
    return statistics.median(rounds) * 1e6


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a Markdown table under a heading."""
    print(f"\n### {title}\n")
    print(f"| {' | '.join(head)} |")
    print(f"|{'|'.join(' --- ' for _ in head)}|")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")
