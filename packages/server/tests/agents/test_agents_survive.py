"""What agents keep over a server's end, and how hooks that make no sense are met."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from cardloom.app import running
from cardloom.host.console import Console
from cardloom.settings import Settings

from .conftest import said_in


async def test_a_running_agent_and_its_queue_come_back_with_the_server(
    settings: Settings, clients_of: Any, tmp_path: Path, program_log: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(folder)))["id"]
        card = await page.call("agent.create", workspaceId=home, harness="claude-code", x=0, y=0, prompt="slow first")
        seat = app.agents.seats.seat(card["id"])
        assert await seat.until(lambda: _said(program_log, "prompt") == ["slow first"], 60_000)
        seat.hook("UserPromptSubmit", {"session_id": seat.state.session_id}, seat.life, app.clock.now_ms())
        for text in ("second", "third"):  # without a socket its hooks reach nobody, so it works and nothing ends
            assert await page.call("agents.prompt", agentId=card["id"], text=text) == {"delivered": "queued"}
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        seat = app.agents.seats.seat(card["id"])
        assert await seat.until(lambda: len(_said(program_log, "argv")) == 2, 60_000)
        first, second = _said(program_log, "argv")
        session = first[first.index("--session-id") + 1]
        assert second[second.index("--resume") + 1] == session
        waiting = (await page.call("queue.list", cardId=card["id"]))["prompts"]
        assert [one["text"] for one in waiting] == ["second", "third"]
        assert app.graph.card(card["id"]).content["sessionIds"] == [session]


async def test_an_agent_that_was_stopped_stays_stopped(
    settings: Settings, clients_of: Any, tmp_path: Path, program_log: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(folder)))["id"]
        card = await page.call("agent.create", workspaceId=home, harness="claude-code", x=0, y=0)
        await page.call("agent.stop", cardId=card["id"])
    async with running(settings) as app:
        assert not app.agents.seats.seat(card["id"]).alive
        assert app.graph.card(card["id"]).content["wanted"] is False


async def test_an_agent_whose_program_outlives_the_server_disturbs_nobody_when_it_ends(
    settings: Settings, clients_of: Any, tmp_path: Path, program_log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    folder = tmp_path / "project"
    folder.mkdir()
    kill = Console.kill
    held: list[Console] = []

    async def cannot(console: Console, grace_s: float = 0) -> None:
        held.append(console)  # as if the system did not end the program in time

    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(folder)))["id"]
        card = await page.call("agent.create", workspaceId=home, harness="claude-code", x=0, y=0)
        seat = app.agents.seats.seat(card["id"])
        assert await seat.until(lambda: bool(_said(program_log, "argv")), 60_000)
        monkeypatch.setattr(Console, "kill", cannot)
    assert [console.pid is None for console in held] == [False]
    await kill(held[0], 0)
    assert (held[0].pid, faults) == (None, [])


def _said(log: Path, name: str) -> list[Any]:
    return [entry[name] for entry in said_in(log) if name in entry]


@pytest.fixture
async def hooks(agent: Any, listening: Any) -> tuple[httpx.AsyncClient, str]:
    address = listening.app.agents.hooks.address(listening.url, agent.id)
    return httpx.AsyncClient(timeout=60), address


async def test_a_hook_with_a_wrong_token_or_agent_or_method_finds_nothing(agent: Any, hooks: Any) -> None:
    http, address = hooks
    base, token, agent_id = address.rsplit("/", 2)
    wrong = (
        f"{base}/{'0' * len(token)}/{agent_id}/Stop",
        f"{base}/{token}/c_nobody/Stop",
        f"{base}/{token[:-1]}/{agent_id}/Stop",
    )
    for url in wrong:
        answer = await http.post(url, content=b"{}")
        assert (answer.status_code, answer.content) == (404, b"")
    for method in ("GET", "PUT", "DELETE"):
        answer = await http.request(method, f"{address}/Stop")
        assert (answer.status_code, answer.content) == (404, b"")
    assert (await http.post(f"{address}/Stop", content=b"{}")).status_code == 200


async def test_a_hook_that_makes_no_sense_is_answered_and_means_nothing(agent: Any, hooks: Any) -> None:
    http, address = hooks
    for body in (b"", b"not json", b"[1]", b"\xff\xfe", b"{" * 100_000, b'"text"'):
        answer = await http.post(f"{address}/UserPromptSubmitted", content=body)
        assert (answer.status_code, answer.json()) == (200, {})
    assert agent.runtime["status"] == "idle"


async def test_halves_of_characters_and_megabytes_in_a_hook_are_kept_within_bounds(
    agent: Any, hooks: Any, caplog: pytest.LogCaptureFixture
) -> None:
    http, address = hooks
    own, command = agent.runtime["sessionId"], "x" * (15 << 20)
    for session in ("\\ud800", "\\u0000", "--help", "s" * 2_000):  # no program could be started with most of these
        body = f'{{"session_id": "{session}", "prompt": "\\ud83d"}}'
        assert (await http.post(f"{address}/UserPromptSubmit", content=body)).status_code == 200
    begun = json.dumps({"session_id": own, "prompt": "go"})
    await http.post(f"{address}/UserPromptSubmit", content=begun)
    body = f'{{"session_id": "{own}", "tool_name": "Bash", "tool_input": {{"command": "\\udc00{command}"}}}}'
    assert (await http.post(f"{address}/PermissionRequest", content=body)).status_code == 200
    await agent.is_status("needs-input")
    question = agent.runtime["question"]
    assert question["action"].startswith("?xxx")
    assert question["action"].endswith("x\n… 15678641 more characters are not shown")
    assert len(json.dumps(agent.runtime)) < 100_000
    stored = agent.app.graph.card(agent.id).content["sessionIds"]
    assert set(stored) <= {own, "?"}
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_mark_before_the_json_of_a_hook_is_left_out(agent: Any, hooks: Any) -> None:
    http, address = hooks
    body = b'\xef\xbb\xbf{"session_id": "' + agent.runtime["sessionId"].encode() + b'", "prompt": "hello"}'
    assert (await http.post(f"{address}/UserPromptSubmit", content=body)).status_code == 200
    await agent.is_status("working")


async def test_a_hook_of_more_than_sixteen_mebibytes_is_too_large(agent: Any, hooks: Any) -> None:
    http, address = hooks
    answer = await http.post(f"{address}/Stop", content=b" " * ((16 << 20) + 1))
    assert answer.status_code == 413
    assert agent.runtime["status"] == "idle"


async def test_a_hook_from_a_page_is_refused(agent: Any, hooks: Any) -> None:
    http, address = hooks
    answer = await http.post(f"{address}/Stop", content=b"{}", headers={"Origin": "https://example.com"})
    assert answer.status_code == 403


async def test_what_an_ended_program_posts_late_changes_nothing(agent: Any, hooks: Any) -> None:
    http, address = hooks
    await agent.page.call("agent.stop", cardId=agent.id)
    await agent.is_status("exited")
    assert (await http.post(f"{address}/UserPromptSubmit", content=b'{"prompt": "late"}')).json() == {}
    assert agent.runtime["status"] == "exited"
