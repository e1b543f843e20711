"""The queue of an agent when everybody reaches for it at once, and when the server is killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.agents.prompts.store import PromptStore
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client, find_server

# Other processes are waited for, so tests look again and again.


async def _queued(agent: Any, *texts: str) -> list[str]:
    """The ids of prompts that wait behind a turn which lasts until Enter."""
    await agent.prompt("slow one")
    await agent.is_status("working")
    for text in texts:
        assert await agent.prompt(text) == "queued"
    return [one["id"] for one in await agent.queue()]


def _texts(listed: Any) -> list[str]:
    return [one["text"] for one in listed["prompts"]]


async def test_waiting_prompts_are_edited_moved_and_taken_away(agent: Any) -> None:
    page, (second, third, fourth) = agent.page, await _queued(agent, "second", "third", "fourth")
    listed = await page.call("queue.move", cardId=agent.id, promptId=fourth, index=0)
    assert _texts(listed) == ["fourth", "second", "third"]
    listed = await page.call("queue.move", cardId=agent.id, promptId=fourth, index=99)
    assert _texts(listed) == ["second", "third", "fourth"]
    listed = await page.call("queue.edit", cardId=agent.id, promptId=third, text="3rd\x1b[201~\n")
    assert _texts(listed) == ["second", "3rd", "fourth"]
    listed = await page.call("queue.cancel", cardId=agent.id, promptId=second)
    assert _texts(listed) == ["3rd", "fourth"]
    assert (await page.refused("queue.edit", cardId=agent.id, promptId=third, text="\x00")).code == "INVALID_PARAMS"
    await agent.type("\r")
    await agent.until(lambda: agent.prompts() == ["slow one", "3rd", "fourth"])


async def test_what_waits_no_more_is_not_found(agent: Any) -> None:
    for method, more in (("edit", {"text": "x"}), ("move", {"index": 0}), ("cancel", {}), ("send", {})):
        refusal = await agent.page.refused(f"queue.{method}", cardId=agent.id, promptId="gone", **more)
        assert refusal.code == "NOT_FOUND"


async def test_a_prompt_that_is_being_typed_is_out_of_reach_and_goes_out_once(agent: Any) -> None:
    page, (only,) = agent.page, await _queued(agent, "deaf second")
    await agent.type("\r")  # its first Enter is swallowed, so it is typed for a while
    await agent.until(lambda: agent.app.agents.prompts._typed.get(agent.id) == only)
    refusal = await page.refused("queue.edit", cardId=agent.id, promptId=only, text="other")
    assert (refusal.code, refusal.message) == ("BUSY", "this prompt is being typed now")
    assert (await page.refused("queue.cancel", cardId=agent.id, promptId=only)).code == "BUSY"
    assert (await page.refused("queue.send", cardId=agent.id, promptId=only)).code == "NOT_FOUND"  # once it is out
    await agent.is_status("finished")
    assert agent.prompts() == ["slow one", "deaf second"]
    assert await agent.queue() == []


async def test_a_prompt_sent_by_three_at_once_goes_out_once(agent: Any) -> None:
    page, (only, _) = agent.page, await _queued(agent, "second", "third")
    sent = [page.call("queue.send", cardId=agent.id, promptId=only) for _ in range(3)]
    found = await asyncio.gather(*sent, return_exceptions=True)
    assert [one for one in found if isinstance(one, dict)] == [{"delivered": "sent"}]
    assert [one.code for one in found if isinstance(one, CallError)] == [ErrorCode.NOT_FOUND] * 2
    assert [one["text"] for one in await agent.queue()] == ["third"]


async def test_prompts_that_come_at_once_go_out_one_a_turn_in_their_order(agent: Any) -> None:
    texts = [f"number {number}" for number in range(5)]
    delivered = await asyncio.gather(*(agent.prompt(text) for text in texts))
    assert delivered == ["sent", *["queued"] * 4]
    await agent.until(lambda: agent.prompts() == texts)


async def test_a_queue_that_many_change_at_once_is_on_disk_as_it_is_shown(agent: Any, app: Any) -> None:
    ids = await _queued(agent, *(f"number {number}" for number in range(8)))
    chance = random.Random(7)

    async def change(number: int) -> None:
        prompt_id = chance.choice(ids)
        changes: list[tuple[str, dict[str, Any]]] = [
            ("edit", {"text": f"edited {number}"}),
            ("move", {"index": chance.randrange(8)}),
            ("cancel", {}),
        ]
        method, more = chance.choice(changes)
        with contextlib.suppress(CallError):  # taken away meanwhile
            await agent.page.call(f"queue.{method}", cardId=agent.id, promptId=prompt_id, **more)
        if number % 5 == 0:
            await agent.prompt(f"late {number}")

    await asyncio.gather(*(change(number) for number in range(40)))
    shown = [(one.id, one.text) for one in app.agents.prompts.waiting(agent.id)]
    on_disk = (await app.agents.prompts._store.load())[agent.id]
    assert [(one.id, one.text) for one in on_disk] == shown
    assert {f"late {number}" for number in range(0, 40, 5)} <= {text for _, text in shown}


async def test_a_prompt_that_the_disk_refuses_does_not_wait(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    await _queued(agent, "second")

    async def refuse(*_: Any) -> None:
        raise CallError(ErrorCode.UNAVAILABLE, "the disk is full")

    with monkeypatch.context() as full:
        full.setattr(PromptStore, "save", refuse)
        assert (await agent.refused_prompt("third")).message == "the disk is full"
    assert [one["text"] for one in await agent.queue()] == ["second"]


async def test_a_program_that_dies_keeps_what_waits_for_it(agent: Any) -> None:
    await agent.prompt("slow die")
    await agent.until(lambda: agent.runtime["status"] in ("working", "exited"))
    app = agent.app
    if agent.runtime["status"] == "working":
        await agent.prompt("second")
    await agent.is_status("exited")
    waiting = [one.text for one in app.agents.prompts.waiting(agent.id)]
    await agent.page.call("agent.start", cardId=agent.id)
    await agent.is_status("idle")
    assert [one["text"] for one in await agent.queue()] == waiting


async def test_a_workspace_that_is_closed_and_opened_keeps_the_queue(agent: Any, workspace_id: str) -> None:
    await _queued(agent, "second", "third")
    await agent.page.call("workspace.close", workspaceId=workspace_id)
    assert (await agent.page.refused("agents.prompt", agentId=agent.id, text="no")).code in ("UNAVAILABLE", "NOT_FOUND")
    await agent.page.call("workspace.open", workspaceId=workspace_id)
    await agent.until(lambda: sum("argv" in entry for entry in agent.said()) == 2)
    assert [one["text"] for one in await agent.queue()] == ["second", "third"]


async def test_a_killed_server_loses_no_prompt_that_waits(start_server: Any, tmp_path: Path, program_log: Path) -> None:
    server = start_server()
    server.wait_until_open()
    async with Client(lambda: find_server(server.home)) as client:
        home = client.hello["workspaces"][0]["id"]
        made = {"workspaceId": home, "harness": "claude-code", "x": 0, "y": 0, "prompt": "slow first"}
        card = await client.call("agent.create", made)
        canvas = await client.subscribe(home)
        await canvas.wait_for(lambda mirror: mirror.cards[card["id"]]["runtime"].get("status") == "working")
        for text in ("second", "third"):
            asked = {"agentId": card["id"], "text": text}
            assert await client.call("agents.prompt", asked) == {"delivered": "queued"}
    server.kill()
    server = start_server()
    server.wait_until_open()
    async with Client(lambda: find_server(server.home)) as client:
        listed = await client.call("queue.list", {"cardId": card["id"]})
        assert _texts(listed) == ["second", "third"]
        canvas = await client.subscribe(home)
        await canvas.wait_for(lambda mirror: mirror.cards[card["id"]]["runtime"].get("started"))
        sent = {"cardId": card["id"], "promptId": listed["prompts"][0]["id"]}
        assert await client.call("queue.send", sent) == {"delivered": "sent"}
        await canvas.wait_for(lambda mirror: mirror.cards[card["id"]]["runtime"].get("queued") == 0)
    assert _prompts(program_log) == ["slow first", "second", "third"]


def _prompts(log: Path) -> list[str]:
    return [entry["prompt"] for entry in map(json.loads, log.read_text().splitlines()) if "prompt" in entry]
