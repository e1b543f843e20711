"""Many terminals, and one that prints without end: what they add to the server's memory."""

from __future__ import annotations

import asyncio
import time

import uvloop

from cardloom_protocol.limits import limit

from .keystrokes import Keyboard
from .processes import Running, cardloom
from .report import Goal, Row, Table

TERMINALS = 20
YES_S = 4.0
MEGABYTE = 1e6
TEXT = f"""
How much the resident memory of the server grows, the programs in its terminals left out. {TERMINALS} terminals with
`bash`, each shown on a page; then each with `seq 40000` printed, which fills what is kept of lines that scrolled away.
Then `yes` in one of them for {YES_S:.0f} s: what it printed meanwhile stands beside the growth, which may not be more
than the limits for one viewer and one scrollback allow.
"""


def measure() -> Table:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return Table("Memory of terminals", TEXT, runner.run(_measure()))


async def _measure() -> list[Row]:
    with cardloom() as server:
        await asyncio.sleep(1)
        before = server.memory_mb()
        terminals = [await Keyboard.at(server) for _ in range(TERMINALS)]
        opened = server.memory_mb()
        for terminal in terminals:
            await terminal.press("seq 40000; echo d'on'e\r", "done")
        filled, programs = server.memory_mb(), server.programs_mb()
        growth, printed = await _yes(server, terminals[0])
        for terminal in terminals:
            terminal.close()
    allowed = (limit("terminalScrollbackBytes") + limit("outboxBytes")) / MEGABYTE
    kept = TERMINALS * limit("terminalScrollbackBytes") / MEGABYTE
    goal = Goal("≤", 40)
    return [
        Row(f"{TERMINALS} terminals", opened - before, "MB", "the programs in them", programs, None, goal),
        Row(
            f"{TERMINALS} terminals, their scrollback full", filled - before, "MB", "that scrollback", kept, None, goal
        ),
        Row(
            "`yes`, shown by a page that does not keep up",
            growth,
            "MB",
            "printed meanwhile",
            printed,
            None,
            Goal("≤", round(allowed, 1)),
        ),
    ]


async def _yes(server: Running, terminal: Keyboard) -> tuple[float, float]:
    """The growth and what was printed, in megabytes."""
    before = server.memory_mb()
    start = await terminal.page.call("terminal.attach", cardId=terminal.card_id)
    terminal.keeps_up = False
    await terminal.press("yes\r", "y\r\ny\r\n")
    most, until = before, time.perf_counter() + YES_S
    while time.perf_counter() < until:
        await asyncio.sleep(0.1)
        most = max(most, server.memory_mb())
    end = await terminal.page.call("terminal.attach", cardId=terminal.card_id)
    return max(most - before, 0.0), (end["offset"] - start["offset"]) / MEGABYTE
