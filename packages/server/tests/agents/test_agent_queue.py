"""The queue of an agent when everybody reaches for it at once, and when the server is killed."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any

import apsw
import pytest

from cardloom.features.agents.prompts.store import SCHEMA, PromptStore, add_begun
from cardloom.host.database import Database
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId
from cardloom_sdk import Client, find_server

from .conftest import said_in

# Other processes are waited for, so tests look again and again.
# ruff: noqa: ASYNC110


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
    await agent.until(lambda: agent.app.agents.prompts.waiting(agent.id)[0].state == "typing")
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
    on_disk = (await app.agents.prompts.queues._store.load())[agent.id]
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


async def test_a_prompt_that_may_have_been_delivered_waits_for_a_person_and_holds_the_queue(agent: Any) -> None:
    page, prompts, (second, third) = agent.page, agent.app.agents.prompts, await _queued(agent, "second", "third")
    await prompts.queues.begin(agent.id, second)
    await prompts.load()  # as the next server would after a crash
    assert [one["state"] for one in await agent.queue()] == ["unsure", "waiting"]
    await agent.type("\r")
    await agent.is_status("finished")
    await prompts._beside.settle()
    assert agent.prompts() == ["slow one"]
    await page.call("queue.move", cardId=agent.id, promptId=third, index=0)
    assert await agent.prompt("new") == "queued"  # a queue that may go on comes first
    await agent.until(lambda: agent.prompts() == ["slow one", "third"])
    assert await page.call("queue.send", cardId=agent.id, promptId=second) == {"delivered": "sent"}
    await agent.until(lambda: agent.prompts() == ["slow one", "third", "second", "new"])


async def test_a_prompt_that_may_have_been_delivered_is_one_like_others_once_it_is_edited(agent: Any) -> None:
    (only,) = await _queued(agent, "second")
    await agent.app.agents.prompts.queues.begin(agent.id, only)
    await agent.app.agents.prompts.load()
    listed = await agent.page.call("queue.edit", cardId=agent.id, promptId=only, text="once more")
    assert [one["state"] for one in listed["prompts"]] == ["waiting"]
    await agent.type("\r")
    await agent.until(lambda: agent.prompts() == ["slow one", "once more"])


async def test_a_change_that_the_disk_refuses_is_not_shown(agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (second, _) = await _queued(agent, "second", "third")

    async def refuse(*_: Any) -> None:
        raise CallError(ErrorCode.UNAVAILABLE, "the disk is full")

    with monkeypatch.context() as full:
        full.setattr(PromptStore, "save", refuse)
        for method, more in (("cancel", {}), ("edit", {"text": "x"}), ("move", {"index": 1})):
            refusal = await agent.page.refused(f"queue.{method}", cardId=agent.id, promptId=second, **more)
            assert refusal.code == "UNAVAILABLE"
    assert [one["text"] for one in await agent.queue()] == ["second", "third"]


def test_a_queue_of_an_older_server_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cardloom.db"
    connection = apsw.Connection(str(path))
    connection.execute(
        "CREATE TABLE agent_prompts (agent TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,"
        " text TEXT NOT NULL, sender TEXT, sender_name TEXT, at_ms INTEGER NOT NULL, problem TEXT,"
        " PRIMARY KEY (agent, place)) STRICT, WITHOUT ROWID;"
        "INSERT INTO agent_prompts VALUES ('a', 0, 'p', 'kept', NULL, NULL, 1, NULL)"
    )
    connection.close()

    async def read() -> list[tuple[str, str]]:
        database = Database(path, SCHEMA, now_ms=1, upgrades=(add_begun, add_begun))
        try:
            return [(one.text, one.state) for one in (await PromptStore(database).load())[CardId("a")]]
        finally:
            database.close()

    assert asyncio.run(read()) == [("kept", "waiting")]


async def test_a_killed_server_loses_no_prompt_that_waits_and_sends_none_twice(
    start_server: Any, program_log: Path
) -> None:
    server = start_server()
    server.wait_until_open()
    async with Client(lambda: find_server(server.home)) as client:
        home = client.hello["workspaces"][0]["id"]
        made = {"workspaceId": home, "harness": "claude-code", "x": 0, "y": 0, "prompt": "slow first"}
        card = await client.call("agent.create", made)
        canvas = await client.subscribe(home)
        await canvas.wait_for(
            lambda mirror: mirror.cards[card["id"]]["runtime"].get("status") == "working", timeout_ms=60_000
        )
        for text in ("deaf second", "third"):
            asked = {"agentId": card["id"], "text": text}
            assert await client.call("agents.prompt", asked) == {"delivered": "queued"}
        await client.call("terminal.input", {"cardId": card["id"], "data": "\r"})
        while not await _is_typed(client, card["id"]):  # it swallows its first Enter, so it is typed for seconds
            await asyncio.sleep(0.02)
    server.kill()
    server = start_server()
    server.wait_until_open()
    async with Client(lambda: find_server(server.home)) as client:
        listed = await client.call("queue.list", {"cardId": card["id"]})
        assert [(one["text"], one["state"]) for one in listed["prompts"]] == [
            ("deaf second", "unsure"),
            ("third", "waiting"),
        ]
        canvas = await client.subscribe(home)
        await canvas.wait_for(lambda mirror: mirror.cards[card["id"]]["runtime"].get("started"), timeout_ms=60_000)
        await client.call("queue.cancel", {"cardId": card["id"], "promptId": listed["prompts"][0]["id"]})
        sent = {"cardId": card["id"], "promptId": listed["prompts"][1]["id"]}
        assert await client.call("queue.send", sent) == {"delivered": "sent"}
        await canvas.wait_for(lambda mirror: mirror.cards[card["id"]]["runtime"].get("queued") == 0, timeout_ms=60_000)
    assert _prompts(program_log) == ["slow first", "third"]


async def _is_typed(client: Client, card_id: str) -> bool:
    (first, *_) = (await client.call("queue.list", {"cardId": card_id}))["prompts"]
    return bool(first["state"] == "typing")


def _prompts(log: Path) -> list[str]:
    return [entry["prompt"] for entry in said_in(log) if "prompt" in entry]
