"""Changes of one canvas, each acknowledged once it is on disk; beside SQLite with one commit a change."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import uvloop

from cardloom.app import App, running
from cardloom.settings import Settings
from cardloom_protocol.limits import limit

from .report import Goal, Row, Table
from .sampling import Stopwatch, in_turns_async

CHANGES = 600
ROUNDS = 7
CONNECTIONS = 50
GOAL = Goal("≥", CONNECTIONS * limit("requestsPerSecond"))
TEXT = f"""
{CHANGES} moves of a card, in one process and without sockets: decided, committed, applied, announced, acknowledged, by
so many callers at once, who share commits. The goal is what {CONNECTIONS} connections may ask for in a second. Beside
it: apsw with the same settings (write-ahead log, no sync at a commit), the same UPDATE and a commit for each, and
nothing else.
"""


def measure() -> Table:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return Table("Acknowledged changes", TEXT, runner.run(_measure()))


async def _measure() -> list[Row]:
    rows = []
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        raw = _raw_database(Path(folder) / "raw.db")
        async with running(Settings(Path(folder) / "data", package_folders=())) as app:
            workspace = await app.canvas.workspaces.at(folder, "Bench")
            card = await app.canvas.add_card(workspace.id, "note", {"x": 0, "y": 0})

            async def bare() -> float:
                watch = Stopwatch()
                for number in range(CHANGES):
                    with raw:
                        raw.execute("UPDATE cards SET x = ? WHERE id = ?", (number, "c_1"))
                return CHANGES / watch.seconds()

            for callers, goal in ((1, None), (8, None), (64, GOAL)):
                pairs = await in_turns_async(lambda n=callers: _moves(app, card.id, n), bare, ROUNDS)  # type: ignore[misc]
                what = "one caller" if callers == 1 else f"{callers} callers at once"
                rows.append(pairs.row(what, "changes/s", "apsw, a commit each", goal))
        raw.close()
    return rows


async def _moves(app: App, card_id: str, callers: int) -> float:
    numbers = iter(range(CHANGES))

    async def caller() -> None:
        for number in numbers:
            await app.canvas.update_card(card_id, {"x": number % 997 + 0.5, "y": number})

    watch = Stopwatch()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return CHANGES / watch.seconds()


def _raw_database(path: Path) -> apsw.Connection:
    raw = apsw.Connection(str(path))
    raw.pragma("journal_mode", "wal")
    raw.pragma("synchronous", 1)
    raw.execute("CREATE TABLE cards (id TEXT PRIMARY KEY, x REAL)")
    raw.execute("INSERT INTO cards VALUES ('c_1', 0)")
    return raw
