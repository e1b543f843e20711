"""A real agent of the Agent Client Protocol, `opencode acp`, as a card on the canvas."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from ensure_clis import PROGRAMS, missing_reason

from ..model_server.serving import serving_models
from .canvas import CAP_MS, served
from .home import Home, make_home

OPENCODE = next(program for program in PROGRAMS if program.id == "opencode")
COMMAND = tuple(OPENCODE.command)  # before the tests have a home of their own

pytestmark = pytest.mark.skipif(missing_reason(OPENCODE) is not None, reason=missing_reason(OPENCODE) or "")


@pytest.fixture
def own_home(tmp_path: Path) -> Iterator[Home]:
    with serving_models() as models:
        yield make_home(tmp_path / "home", OPENCODE, models.url)


@pytest.fixture
async def card(own_home: Home, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[App, Any, str]]:
    """The agent on a canvas, with the page that made it."""
    async with served(own_home, monkeypatch, first_port=32_000) as canvas:
        wanted = {"harness": "acp", "x": 0, "y": 0, "arguments": [*COMMAND, "acp"]}
        made = await canvas.page.call("agent.create", workspaceId=canvas.workspace_id, **wanted)
        yield canvas.app, canvas.page, made["id"]


async def test_it_answers_asks_and_is_interrupted(card: tuple[App, Any, str]) -> None:
    app, page, card_id = card
    seat = app.agents.seats.seat(card_id)

    async def is_status(status: str) -> None:
        assert await seat.until(lambda: seat.status.value == status, CAP_MS), (seat.status, seat.text(None))

    assert await seat.until(lambda: seat.state.session_id is not None, CAP_MS), seat.text(None)
    assert await page.call("agents.prompt", agentId=card_id, text="[[text]] hello") == {"delivered": "sent"}
    await is_status("finished")
    reply = (await page.call("agents.lastReply", agentId=card_id))["text"]
    assert reply
    assert reply.split()[0] in seat.text(None)
    await page.call("agents.prompt", agentId=card_id, text="[[tool:echo hi]] please")
    await is_status("needs-input")
    assert seat.state.question is not None
    assert "echo hi" in (seat.state.question.action or "")
    await page.call("agent.answer", cardId=card_id, choice="approve")
    await is_status("finished")
    await page.call("agents.prompt", agentId=card_id, text="[[hold]] please")
    await is_status("working")
    await page.call("agent.interrupt", cardId=card_id)
    await is_status("idle")
