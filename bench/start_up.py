"""How long it takes until a server answers, what it holds in memory then, and how long the command line takes."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

from .processes import cardloom, hello
from .report import Goal, Row, Table
from .sampling import Pairs

ROUNDS = 5
HELP_ROUNDS = 9
TEXT = """
From the start of the process until `/health` answers, with a fresh data folder and one workspace, and the resident
memory a moment later. Beside it: uvicorn with an application that can say hello and nothing else. `cardloom --help` is
timed as a process, beside a Python that does nothing. The goals are on the time by the clock.
"""


def measure() -> Table:
    ours: list[tuple[float, float, float]] = []
    peers: list[tuple[float, float, float]] = []
    for _ in range(ROUNDS):
        for start, samples in ((cardloom, ours), (hello, peers)):
            with start() as server:
                time.sleep(0.5)
                samples.append((server.started_ms, server.own_start_ms, server.memory_mb()))
    whole, own, memory = (
        Pairs([sample[at] for sample in ours], [sample[at] for sample in peers], less_is_better=True) for at in range(3)
    )
    command = Path(sys.executable).with_name("cardloom")
    shown, own_shown = _help(str(command))
    rows: list[Row] = [
        whole.row("until /health answers", "ms", "bare uvicorn", Goal("≤", 1000)),
        own.row("until /health answers, not waiting for a core", "ms", "bare uvicorn"),
        memory.row("resident memory", "MB", "bare uvicorn", Goal("≤", 90)),
        shown.row("`cardloom --help`", "ms", "python -c pass", Goal("≤", 300)),
        own_shown.row("`cardloom --help`, processor time", "ms", "python -c pass"),
    ]
    return Table("Start", TEXT, rows)


def _help(command: str) -> tuple[Pairs, Pairs]:
    """Time and processor time of the help, in milliseconds."""
    ours, peers = [], []
    for _ in range(HELP_ROUNDS):
        ours.append(_timed(command, "--help"))
        peers.append(_timed(sys.executable, "-c", "pass"))
    whole, own = (
        Pairs([sample[at] for sample in ours], [sample[at] for sample in peers], less_is_better=True) for at in range(2)
    )
    return whole, own


def _timed(*command: str) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    own_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds * 1000, own_s * 1000
