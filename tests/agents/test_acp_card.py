"""A real agent of the Agent Client Protocol, `opencode acp`, as a card on the canvas."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from packages.server.tests import conftest as in_process

from cardloom.app import App, running
from cardloom.serving import Server, bind
from cardloom.settings import Settings
from ensure_clis import PROGRAMS, missing_reason

from ..model_server.serving import serving_models
from .canvas import CAP_MS
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
    monkeypatch.setattr(in_process, "CAP_S", CAP_MS / 1000)
    for name in os.environ:
        if not name.startswith("PYTEST"):
            monkeypatch.delenv(name)
    for name, value in own_home.environment.items():
        monkeypatch.setenv(name, value)
    async with running(Settings(own_home.folder / "data")) as app:
        listening = bind(32_000 + os.getpid() % 4_000)
        app.address.port = listening.getsockname()[1]
        server = Server(app)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        await server.up.wait()
        clients = in_process.Clients(app)
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(own_home.project)))["id"]
        arguments = [*COMMAND, "acp"]
        made = await page.call("agent.create", workspaceId=home, harness="acp", x=0, y=0, arguments=arguments)
        yield app, page, made["id"]
        await clients.close()
        server.should_exit = True
        await serving


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
