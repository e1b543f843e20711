"""The rig itself: each program, alone in a terminal of ours, answers a prompt with the scripted model's words."""

from __future__ import annotations

from ensure_clis import Program

from ..model_server.scenario import PLAIN_TEXT
from ..model_server.serving import ModelServer
from ..recorded_agents.scenes import MANNERS
from .home import Home
from .seat import Seat


async def test_a_program_in_our_terminal_answers_a_prompt(program: Program, home: Home, models: ModelServer) -> None:
    seat = Seat()
    seat.start(program.command, home)
    try:
        await seat.see(MANNERS[program.id].ready)
        await seat.settle()
        await seat.prompt("[[text]] hello")
        await seat.see(PLAIN_TEXT.split(". ")[0])
    finally:
        await seat.end()
    assert "text" in [exchange.scenario for exchange in models.record.exchanges()]
