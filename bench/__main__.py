"""`python -m bench [NAME…]`: measures, prints Markdown, and on request writes JSON or the page of results."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from .machine import describe, load
from .report import Table, markdown, missed, table_from_json

NAMES = (
    "ports_routing",
    "validation",
    "fan_out",
    "commits",
    "terminal_stream",
    "keystrokes",
    "terminals",
    "agents",
    "start_up",
    "snapshot",
    "files",
    "canvas_frames",
    "frame_messages",
    "session_streams",
    "session_reading",
    "usage",
)
RESULTS = Path(__file__).with_name("results.json")
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
Results: TypeAlias = dict[str, Any]
"""The machine's lines and the tables by name, as JSON has them."""

_INTRODUCTION = """\
# Benchmarks

Every row is measured beside a peer, a bare program that does the least that could be done instead, or beside a
physical limit. Samples of both are taken in turns in one run. A ratio is the median of the rounds; above 1, ours is
better than what stands beside it, whether that means more or less. Programs of others ran at the same time (the load
tells how many tasks wanted a core), so ratios say more than times. Times of single functions are processor time, and
rates inside one process leave out what it waited for a core. Where the specification names no goal it is ours, and the
text says what it comes from. Run it with `make bench`; `python -m bench --write` makes this page anew.
"""


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments ask for; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure; all by default: {', '.join(NAMES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--write", action="store_true", help="keep the results and write docs/benchmarks.md from them")
    parser.add_argument("--page", type=Path, metavar="FILE", help="measure nothing: print the page of a JSON file")
    asked = parser.parse_args(arguments)
    if asked.page is not None:
        print(page(json.loads(asked.page.read_text())), end="")
        return 0
    unknown = [name for name in asked.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(NAMES)}")
    tables = {}
    for name in asked.names or NAMES:
        tables[name] = _measure(name)
        print(markdown(tables[name]), flush=True)
    for line in missed(list(tables.values())):
        print(f"Missed: {line}")
    results: Results = {"machine": describe(), "tables": {name: table.to_json() for name, table in tables.items()}}
    if asked.json is not None:
        asked.json.write_text(_json_text(results))
    if asked.write:
        _keep(results)
    return 0


def _measure(name: str) -> Table:
    print(f"… {name}", file=sys.stderr, flush=True)
    at, started = datetime.now(UTC), time.perf_counter()
    table: Table = import_module(f".{name}", __package__).measure()
    return replace(table, at=f"{at:%Y-%m-%d}", seconds=time.perf_counter() - started, load=load())


def _keep(results: Results) -> None:
    """Put new tables in the place of the old ones and write the page from all of them."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"tables": {}}
    merged = {**kept["tables"], **results["tables"]}
    results = {**results, "tables": {name: merged[name] for name in NAMES if name in merged}}
    RESULTS.write_text(_json_text(results))
    PAGE.write_text(page(results))


def page(results: Results) -> str:
    """The page of results as Markdown."""
    tables = [table_from_json(table) for table in results["tables"].values()]
    lines = missed(tables)
    verdict = (
        ["Every goal was met."] if not lines else ["Goals that were missed:", "", *(f"* {line}" for line in lines)]
    )
    machine = [f"* {line}" for line in results["machine"]]
    return (
        "\n".join((_INTRODUCTION, *machine, "", *verdict, "", *(markdown(table) for table in tables))).rstrip() + "\n"
    )


def _json_text(results: Results) -> str:
    return json.dumps(results, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
