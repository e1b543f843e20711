"""Agents on the canvas behind the session protocol: the contract of backends, and what is theirs alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cardloom.core.call import Cause
from cardloom.core.delivery import Delivery
from cardloom.core.records import Card
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId, ChainId
from cardloom_protocol.session import derived_text, has
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.contract_subject import answer_text, refused, types_of
from cardloom_sdk.testing.session_clients import HostClient

CAPABILITIES = {"sessions": {}, "run": {"ask": True, "activity": True, "cancel": True}}
WORDS = {"text": "hello", "tool": "tool", "permission": "ask me", "hang": "slow work", "fail": "fail"}

# Checks that need no capability, and what an agent's program has no place for.
BEYOND = {
    "every_part_and_flag_comes_back": "an agent takes prompts only",
    "a_greeting_needs_no_run": "an agent takes prompts only",
    "what_cannot_be_stored_is_refused": "an agent takes prompts only",
    "an_id_is_taken_once": "a session is a card and has its id",
}


@dataclass(frozen=True, slots=True)
class Agents(Subject):
    """A subject whose sessions are agents that are put on the canvas."""

    make: Callable[..., Any]
    runs: bool

    async def session(self, **opts: Any) -> str:
        """A new agent."""
        agent = await self.make(start=self.runs)
        return str(agent.id)


@pytest.fixture
def with_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program keeps a log of its session."""
    monkeypatch.setenv("SCRIPTED_TRANSCRIPT", "1")


@pytest.fixture
def canvas(listening: Any) -> HostClient:
    """The backend as the server has it."""
    return HostClient(listening.app.sessions.find("canvas").host)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.check.__name__)
        for row in rows()
        if set(row.words) <= set(WORDS) and row.check.__name__ not in BEYOND
        if all(has(CAPABILITIES, need) for need in row.needs)
    ],
)
@pytest.mark.usefixtures("with_log")
async def test_agents_keep_the_contract(row: Row, canvas: HostClient, make_agent: Callable[..., Any]) -> None:
    told = await canvas.call("capabilities")
    assert {name: told[name] for name in CAPABILITIES} == CAPABILITIES
    runs = bool(row.words) or row.check.__name__.startswith("requests_")
    await row.check(Agents(canvas, WORDS, make_agent, runs))


async def test_an_agent_without_a_log_shows_what_was_seen_of_it(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    events = await subject.whole_run(agent.id, "text")
    assert answer_text(events) == "Done: hello"
    told = next(event for event in events if event["type"] == "message_start")
    await agent.type("typed\r")
    await agent.until(lambda: agent.runtime["reply"]["text"] == "Done: typed")
    stored: list[Any] = []
    while len(stored) < 3:
        stored = await subject.history(agent.id)
    assert [(one["role"], derived_text(one)) for one in stored] == [
        ("user", "hello"),
        ("assistant", "Done: hello"),
        ("assistant", "Done: typed"),
    ]
    assert stored[1]["id"] == told["messageId"]


async def test_a_prompt_for_a_busy_agent_waits_its_turn_and_hears_its_own_reply(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    await agent.prompt("slow first")
    await agent.is_status("working")
    run_id = await subject.run(agent.id, "text")
    await agent.until(lambda: agent.runtime["queued"] == 1)
    await agent.type("\r")
    events = await subject.events(run_id)
    assert answer_text(events) == "Done: hello"
    assert [event.get("done", False) for event in events if event["type"] == "activity"] == [False, True]
    assert agent.prompts() == ["slow first", "hello"]


async def test_cancelling_takes_a_waiting_prompt_out_of_the_queue(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    await agent.prompt("slow first")
    await agent.is_status("working")
    run_id = await subject.run(agent.id, "text")
    await agent.until(lambda: agent.runtime["queued"] == 1)
    await canvas.call("cancel", runId=run_id)
    events: list[Any] = await subject.events(run_id)
    assert events[-1]["status"] == "cancelled"
    assert await agent.queue() == []
    assert agent.runtime["status"] == "working"  # somebody else's turn goes on


async def test_a_prompt_that_the_owner_takes_out_of_the_queue_ends_its_run(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    await agent.prompt("slow first")
    await agent.is_status("working")
    run_id = await subject.run(agent.id, "text")
    await agent.until(lambda: agent.runtime["queued"] == 1)
    (waiting,) = await agent.queue()
    await agent.page.call("queue.cancel", cardId=agent.id, promptId=waiting["id"])
    events: list[Any] = await subject.events(run_id)
    assert events[-1]["error"]["code"] == "agent_prompt_withdrawn"


async def test_a_question_that_is_answered_at_the_terminal_closes_in_the_chat(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    run_id = await subject.run(agent.id, "permission")
    events: list[Any] = []
    async for _, event in canvas.follow(run_id):
        events.append(event)
        if event["type"] == "ask" and "resolved" not in event:
            assert (event["kind"], event["text"]) == ("permission", "rm -rf build")
            kinds = [option["kind"] for option in events[-1]["options"]]
            assert kinds == ["allow_once", "allow_always", "reject_once"]
            await agent.type("1")
    assert [event["resolved"] for event in events if "resolved" in event] == [{"cancelled": True}]
    assert events[-1]["status"] == "done"
    assert [entry["pressed"] for entry in agent.said() if "pressed" in entry] == ["1"]


async def test_a_question_whose_answer_was_lost_is_asked_again(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, {"stone": "ask me, stone"})
    run_id = await subject.run(agent.id, "stone")
    asks: list[str] = []
    async for _, event in canvas.follow(run_id):
        if event["type"] == "ask" and "resolved" not in event:
            asks.append(str(event["askId"]))
            await canvas.call("answer", runId=run_id, askId=event["askId"], optionIds=["approve"])
    assert event["status"] == "done"
    assert len(set(asks)) == 2


async def test_a_refused_permission_ends_the_run_as_interrupted(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    run_id = await subject.run(agent.id, "permission")
    async for _, event in canvas.follow(run_id):
        if event["type"] == "ask" and "resolved" not in event:
            await canvas.call("answer", runId=run_id, askId=event["askId"], optionIds=["deny"])
    assert (event["status"], event["stopReason"]) == ("done", "interrupted")


async def test_a_program_that_ends_in_its_turn_ends_the_run_with_an_error(agent: Any, canvas: HostClient) -> None:
    run = await canvas.call("run", sessionId=agent.id, text="die")
    events: list[Any] = await Subject(canvas, WORDS).events(run["runId"])
    assert events[-1]["error"]["code"] == "agent_ended"


async def test_removing_the_card_ends_its_run(agent: Any, canvas: HostClient) -> None:
    subject = Subject(canvas, WORDS)
    run_id = await subject.run(agent.id, "hang")
    await agent.is_status("working")
    await agent.page.call("canvas.removeCard", cardId=agent.id, force=True)
    events: list[Any] = await subject.events(run_id)
    assert events[-1]["error"]["code"] == "agent_ended"
    await refused("not_found", subject.history(agent.id))


async def test_an_agent_that_does_not_run_refuses_and_nothing_is_kept(
    make_agent: Callable[..., Any], canvas: HostClient
) -> None:
    agent = await make_agent(start=False)
    subject = Subject(canvas, WORDS)
    await refused("agent_unavailable", subject.run(agent.id, "text"))
    image = {"type": "image", "meta": {"url": "data:image/png;base64,AAAA"}}
    await refused("not_supported", canvas.call("run", sessionId=agent.id, parts=[image]))
    await refused("not_supported", canvas.call("run", sessionId=agent.id, swipeOf="m"))
    await refused("bad_request", canvas.call("run", sessionId=agent.id, text="  "))
    assert await subject.history(agent.id) == []
    assert await canvas.call("runs", sessionId=agent.id) == []


async def test_what_only_a_card_can_do_is_not_supported(
    make_agent: Callable[..., Any], canvas: HostClient, workspace_id: str
) -> None:
    agent = await make_agent(start=False)
    await refused("not_supported", canvas.call("create", title="x"))
    await refused("not_supported", canvas.call("delete", sessionId=agent.id))
    await refused("not_supported", canvas.call("append", sessionId=agent.id, text="x"))
    (listed,) = (await canvas.call("list", workspace=workspace_id))["sessions"]
    assert (listed["id"], listed["title"], listed["workspace"]) == (agent.id, agent.info.name, workspace_id)
    assert (await canvas.call("list", workspace="elsewhere"))["sessions"] == []


async def test_a_log_is_the_history_also_when_the_program_does_not_run(
    with_log: None, agent: Any, canvas: HostClient
) -> None:
    subject = Subject(canvas, WORDS)
    events: list[Any] = await subject.whole_run(agent.id, "tool")
    assert "tool_use" in [event["value"]["type"] for event in events if event["type"] == "part_start"]
    assert types_of(events)[-1] == "run_end"
    before = await subject.history(agent.id)
    await agent.page.call("agent.stop", cardId=agent.id)
    await agent.is_status("exited")
    assert await subject.history(agent.id) == before
    assert [one["role"] for one in before] == ["user", "assistant", "assistant", "user", "assistant"]


async def test_another_card_reaches_an_agent_by_its_own_port_only(
    agent: Any, workspace_id: str, listening: Any
) -> None:
    page = agent.page
    place = {"workspaceId": workspace_id, "x": 0, "y": 0}
    chat = await page.call("canvas.addCard", kind="chat", **place, content={"backend": "canvas", "sessionId": agent.id})
    note = await page.call("canvas.addCard", kind="note", **place)
    from_note = delivery(listening.app.graph.card(chat["id"]), note["id"])
    with pytest.raises(CallError) as refusal:
        await listening.app.ports.receivers["chat"](from_note)
    assert refusal.value.code == "PERMISSION_DENIED"
    await listening.app.ports.receivers["chat"](delivery(listening.app.graph.card(chat["id"]), None))
    await agent.until(lambda: agent.prompts() == ["from a card"])
    await agent.is_status("finished")


def delivery(chat: Card, from_card: CardId | None) -> Delivery:
    """A prompt on its way into a chat card; None: the owner's."""
    cause = Cause(ChainId("chain"), 0)
    return Delivery(chat.workspace_id, from_card, "text", chat, "prompt", "ns:text", "ns:text", "from a card", 0, cause)
