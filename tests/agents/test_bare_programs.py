"""The rig itself: each program, alone in a terminal of ours, answers a prompt with the scripted model's words."""

from __future__ import annotations

from ensure_clis import Program

from ..model_server.scenario import PLAIN_TEXT
from ..model_server.serving import ModelServer
from .home import Home
from .seat import Seat

READY = {
    "claude-code": "❯",
    "codex-cli": "Ask Codex",
    "opencode": "Ask anything",
    "qwen-code": "Type your message",
    "gemini-cli": "Type your message",
    "pi": "scripted-1",
}


async def test_a_program_in_our_terminal_answers_a_prompt(program: Program, home: Home, models: ModelServer) -> None:
    seat = Seat()
    seat.start(program.command, home)
    try:
        await seat.see(READY[program.id])
        await seat.settle()
        await seat.prompt("[[text]] hello")
        await seat.see(PLAIN_TEXT.split(". ")[0])
    finally:
        await seat.end()
    assert "text" in [exchange.scenario for exchange in models.record.exchanges()]
