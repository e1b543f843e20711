"""A gigabyte of made-up logs: the first scan, the next one, memory; beside ccusage and beside reading alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from cardloom.features.usage.prices import Prices
from cardloom.features.usage.roots import roots_of
from cardloom.features.usage.scan import scan
from cardloom.features.usage.store import Scope, UsageStore
from cardloom_protocol.usage import Work

from . import ccusage
from .report import Goal, Row, Table
from .sampling import in_turns
from .usage_cases import CASES, Case
from .usage_logs import make_tree

GIB = 1 << 30
ROUNDS = 3
WARM_ROUNDS = 21
NOW_MS = 1_796_100_000_000
COLD_GOAL = Goal("≤", 0.9)
WARM_GOAL = Goal("≤", 20)
MEMORY_GOAL = Goal("≤", 150)
_SCAN = """
import re, resource, sys, time
from pathlib import Path
from cardloom.features.usage.prices import Prices
from cardloom.features.usage.roots import roots_of
from cardloom.features.usage.scan import scan
from cardloom.features.usage.store import UsageStore
used = resource.getrusage(resource.RUSAGE_SELF)
begun, before = time.perf_counter(), used.ru_utime + used.ru_stime
store = UsageStore(Path(sys.argv[2]), Prices())
scan(store, roots_of(Path(sys.argv[1]), {}), int(sys.argv[3]))
store.work()
spent = time.perf_counter() - begun
uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
status = Path("/proc/self/status")  # the system counts whoever started a program into what that used the most
peak = re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1] if status.exists() else uses[0].ru_maxrss
print(spent, peak, uses[1].ru_maxrss, sum(use.ru_utime + use.ru_stime for use in uses) - before)
"""
_READ = """
import sys, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
def read(path):
    with open(path, 'rb', buffering=0) as file:
        while file.read(1 << 18): pass
if __name__ == '__main__':
    paths = [str(path) for path in Path(sys.argv[1]).rglob('*.jsonl')]
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(read, paths[:2]))
        begun = time.perf_counter()
        list(pool.map(read, paths, chunksize=20))
        print(time.perf_counter() - begun)
"""


def measure() -> Table:
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        home = Path(folder) / "home"
        gigabytes = make_tree(home / ".claude", GIB) / 1e9
        rows, note = _cold(home, Path(folder), gigabytes)
        rows += _warm(home, Path(folder))
        cases = note if note else _differences(Path(folder))
        return Table("Usage from the agents' logs", _text(gigabytes, cases), rows)


def _cold(home: Path, folder: Path, gigabytes: float) -> tuple[list[Row], str]:
    memory: list[float] = []
    worked: list[float] = []

    def ours() -> float:
        for stale in folder.glob("usage.db*"):
            stale.unlink()
        found = _python(_SCAN, str(home), str(folder / "usage.db"), str(NOW_MS))
        memory.append((float(found[1]) + 2 * float(found[2])) / 1024)
        worked.append(float(found[3]) / gigabytes)
        return float(found[0]) / gigabytes

    def floor() -> float:
        return float(_python(_READ, str(home))[0]) / gigabytes

    rows = [
        in_turns(ours, floor, ROUNDS, less_is_better=True).row(
            "first scan, a gigabyte", "s", "reading alone, two processes", COLD_GOAL
        )
    ]
    note = ""
    try:
        started = ccusage.command()
    except (ccusage.Missing, subprocess.TimeoutExpired) as reason:
        note = f"ccusage is not beside it here: {reason}."
    else:

        def peer() -> float:
            begun = time.perf_counter()
            ccusage.totals(started, home, "claude")
            return (time.perf_counter() - begun) / gigabytes

        pairs = in_turns(ours, peer, ROUNDS, less_is_better=True)
        rows.append(pairs.row("the same", "s", f"ccusage {ccusage.VERSION}, a native program"))
    rows.append(Row("processor time of all three processes, a gigabyte", median(worked), "s"))
    rows.append(Row("memory of all three processes, the most", max(memory), "MiB", goal=MEMORY_GOAL))
    return rows, note


def _warm(home: Path, folder: Path) -> list[Row]:
    store = UsageStore(folder / "usage.db", Prices())
    roots = roots_of(home, {})

    def ours() -> float:
        begun = time.perf_counter()
        scan(store, roots, NOW_MS)
        return (time.perf_counter() - begun) * 1000

    def listing() -> float:
        begun = time.perf_counter()
        for path, _, names in os.walk(home):
            for name in names:
                os.stat(os.path.join(path, name))
        return (time.perf_counter() - begun) * 1000

    def week() -> float:
        begun = time.perf_counter()
        store.work_by_session(Scope(span[1] - 7 * 86_400_000, span[1]))
        return (time.perf_counter() - begun) * 1000

    span = store.span() or (0, 0)
    again = in_turns(ours, listing, WARM_ROUNDS, less_is_better=True)
    asked = in_turns(week, listing, WARM_ROUNDS, less_is_better=True)
    store.close()
    return [
        again.row("next scan, nothing new", "ms", "looking at every file", WARM_GOAL),
        asked.row("sums of a week by session", "ms", "looking at every file"),
    ]


def _differences(folder: Path) -> str:
    """A table of what ours and ccusage say of the same small logs."""
    started = ccusage.command()
    lines = [
        "| logs | tokens | ccusage | cost | ccusage | why ours |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for number, case in enumerate(CASES):
        home = folder / f"case-{number}"
        case.write(home)
        ours, theirs = _ours(home, case), ccusage.totals(started, home, case.agent)
        tokens = int(theirs.get("totalTokens") or 0)
        dollars = float(theirs.get("totalCost", theirs.get("costUSD")) or 0)
        cells = (
            case.what,
            f"{ours.tokens.total or 0:,}",
            "the same" if tokens == ours.tokens.total else f"{tokens:,}",
            _money(ours),
            "the same" if _same_money(ours, dollars) else f"${dollars:.6f}",
            case.why,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _ours(home: Path, case: Case) -> Work:
    store = UsageStore(None, Prices())
    scan(store, roots_of(home, {}), NOW_MS)
    found = store.work_by("harness").get(case.harness, Work())
    store.close()
    return found


def _money(work: Work) -> str:
    return "no price" if work.cost_pico is None else f"${work.cost_pico / 10**12:.6f}"


def _same_money(work: Work, dollars: float) -> bool:
    return work.cost_pico is not None and abs(work.cost_pico / 10**12 - dollars) < 5e-7


def _python(program: str, *arguments: str) -> Sequence[str]:
    with TemporaryDirectory() as folder:
        script = Path(folder) / "program.py"
        script.write_text(program)
        done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split()


def _text(gigabytes: float, differences: str) -> str:
    return f"""
{gigabytes:.2f} GB as Claude Code writes it, mostly results of tools, one request about every 12 KB; one session in ten
is a copy. The first scan reads, drops copies, prices and writes an index; ccusage keeps nothing and reads all of it
each time, and its numbers for these logs are ours to the cent. Two processes read and a third writes the index; most
keys are sorted and copies looked for while they read the last third. Where others are at work as well, the processor
time says more than the time. Where numbers differ, on small logs:

{differences}
"""
