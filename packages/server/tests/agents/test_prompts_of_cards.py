"""Prompts that cards send: limits, what is checked again before they go out, dangerous agents."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.call import Cause
from cardloom.core.delivery import Delivery
from cardloom.core.ids import new_card_id, new_connection_id
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, RemoveArrow
from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, ChainId, PackageId, WorkspaceId

PACKAGE = PackageId("dev:prompter")


class Prompter:
    """A custom card with an arrow to an agent."""

    def __init__(self, app: App, workspace_id: str, agent_id: str) -> None:
        self.app = app
        self.home = WorkspaceId(workspace_id)
        self.id = new_card_id()
        self.agent_id = agent_id
        self.arrow = Arrow(ArrowId(f"a_{self.id}"), self.home, self.id, CardId(agent_id), "forward", DrawnBy(), 0, 1)
        self.caller = Caller(CallerKind.CARD, new_connection_id(), self.id, self.home)

    async def begin(self) -> None:
        card = Card(self.id, self.home, "custom", 0, 0, 10, 10, 1, 0, title="Prompter")
        await self.app.canvas.commit(self.home, lambda _: [PutCard(card), PutArrow(self.arrow)])
        self.app.grants.bind(self.id, self.home, PACKAGE)
        self.app.grants.set(self.home, PACKAGE, ("agents.prompt",))

    async def call(self, method: str, **params: Any) -> Any:
        return await self.app.dispatcher.dispatch(method, params, self.caller)

    async def prompt(self, text: str, **more: Any) -> str:
        return str((await self.call("agents.prompt", agentId=self.agent_id, text=text, **more))["delivered"])

    async def refused(self, text: str, **more: Any) -> CallError:
        with pytest.raises(CallError) as refusal:
            await self.prompt(text, **more)
        return refusal.value

    async def cut(self) -> None:
        await self.app.canvas.commit(self.home, lambda _: [RemoveArrow(self.arrow.id)])


@pytest.fixture
async def prompter(agent: Any, workspace_id: str) -> Prompter:
    made = Prompter(agent.app, workspace_id, agent.id)
    await made.begin()
    return made


async def test_a_card_prompts_a_joined_agent_and_the_journal_names_it(agent: Any, prompter: Prompter) -> None:
    assert await prompter.prompt("from a card") == "sent"
    await agent.is_status("finished")
    entries = (await agent.page.call("journal.list", workspaceId=prompter.home))["entries"]
    (entry,) = [one for one in entries if one["kind"] == "prompt"]
    assert (entry["from"], entry["to"], entry["preview"]) == (prompter.id, agent.id, "from a card")
    assert entry["arrowId"] == prompter.arrow.id


async def test_inserting_puts_the_text_into_the_input_box_alone(agent: Any, prompter: Prompter) -> None:
    assert await prompter.prompt("look first", submit=False) == "inserted"
    await agent.until(lambda: "look first" in agent.app.agents.seats.seat(agent.id).text(None))
    assert agent.prompts() == []
    assert agent.runtime["status"] == "idle"


async def test_a_busy_agent_queues_sends_or_refuses_as_the_card_wants(agent: Any, prompter: Prompter) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    assert (await prompter.refused("no", whenBusy="fail")).code == "BUSY"
    assert await prompter.prompt("later", whenBusy="queue") == "queued"
    assert await prompter.prompt("now", whenBusy="send") == "sent"
    (waiting,) = await agent.queue()
    assert (waiting["text"], waiting["from"], waiting["fromName"]) == ("later", prompter.id, "Prompter")


async def test_what_waits_is_dropped_when_its_arrow_goes(agent: Any, prompter: Prompter) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    await prompter.prompt("later")
    await prompter.cut()
    await agent.until(lambda: not agent.app.agents.prompts.waiting(agent.id))
    await agent.type("\r")
    await agent.is_status("finished")
    assert agent.prompts() == ["slow one"]
    entries = (await agent.page.call("journal.list", workspaceId=prompter.home))["entries"]
    assert any(one["code"] == "NOT_CONNECTED" and one["preview"] == "later" for one in entries)


async def test_what_waits_is_dropped_when_its_permission_goes(agent: Any, prompter: Prompter) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    await prompter.prompt("later")
    agent.app.grants.set(prompter.home, PACKAGE, ())
    await agent.until(lambda: not agent.app.agents.prompts.waiting(agent.id))


async def test_what_waits_is_dropped_when_the_agent_turns_dangerous(agent: Any, prompter: Prompter) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    await prompter.prompt("later")
    await agent.prompt("mine")
    await agent.page.call("agent.configure", cardId=agent.id, dangerous=True)
    await agent.until(lambda: [one.text for one in agent.app.agents.prompts.waiting(agent.id)] == ["mine"])


@pytest.mark.usefixtures("standing_clock")
async def test_a_card_sends_six_prompts_a_minute_whether_by_call_or_by_port(agent: Any, prompter: Prompter) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    for number in range(6):
        assert await prompter.prompt(f"number {number}") == "queued"
    refusal = await prompter.refused("number 7")
    assert refusal.code == "RATE_LIMITED"
    assert isinstance(refusal.data, dict)
    assert refusal.data["retryAfterMs"]
    with pytest.raises(CallError, match="RATE_LIMITED"):
        await agent.app.ports.receivers["agent"](_delivery(agent, prompter, "by port"))


def _delivery(agent: Any, prompter: Prompter, text: str) -> Any:
    return Delivery(
        prompter.home,
        prompter.id,
        "out",
        agent.app.graph.card(agent.id),
        "prompt",
        "ns:text",
        "ns:text",
        text,
        0,
        Cause(ChainId("k_1"), 1),
    )


async def test_the_eleventh_prompt_of_cards_is_refused_while_a_persons_is_not(
    agent: Any, workspace_id: str, prompter: Prompter
) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    second = Prompter(agent.app, workspace_id, agent.id)
    await second.begin()
    for number in range(5):
        await prompter.prompt(f"a {number}")
        await second.prompt(f"b {number}")
    assert (await prompter.refused("one more")).code == "QUOTA_EXCEEDED"
    assert await agent.prompt("mine") == "queued"
    assert len(await agent.queue()) == 11


async def test_a_prompt_has_at_most_twenty_thousand_characters(agent: Any, prompter: Prompter) -> None:
    assert (await prompter.refused("x" * 20_001)).code == "INVALID_PARAMS"
    assert (await prompter.refused("\x1b\x00\n")).code == "INVALID_PARAMS"


async def test_a_card_without_an_arrow_is_not_connected(agent: Any, prompter: Prompter) -> None:
    await prompter.cut()
    assert (await prompter.refused("hello")).code == "NOT_CONNECTED"


async def test_a_prompt_to_a_terminal_finds_no_agent(agent: Any, prompter: Prompter) -> None:
    shell = await agent.page.call("canvas.addCard", workspaceId=prompter.home, kind="terminal", x=0, y=0)
    arrow = await agent.page.call("canvas.connect", a=prompter.id, b=shell["id"])
    assert arrow["id"]
    with pytest.raises(CallError, match="NOT_FOUND"):
        await prompter.call("agents.prompt", agentId=shell["id"], text="hello")


@pytest.fixture
async def dangerous(make_agent: Callable[..., Any], workspace_id: str) -> tuple[Any, Prompter]:
    agent = await make_agent(dangerous=True)
    await agent.until(agent.said)
    prompter = Prompter(agent.app, workspace_id, agent.id)
    await prompter.begin()
    return agent, prompter


async def test_a_dangerous_agent_gets_no_prompt_of_a_card_that_no_page_shows(dangerous: tuple[Any, Prompter]) -> None:
    _, prompter = dangerous
    assert (await prompter.refused("rm everything")).code == "NOT_VISIBLE"


async def in_front_of(clients: Any, prompter: Prompter) -> Any:
    """Somebody whose page shows the prompting card."""
    viewer = await clients.page("p1")
    await viewer.call("canvas.subscribe", workspaceId=prompter.home)
    await viewer.call(
        "client.presence",
        workspaceId=prompter.home,
        active=True,
        cards=[{"cardId": prompter.id, "visibility": "visible"}],
    )
    return viewer


@pytest.mark.parametrize("accept", [True, False])
async def test_a_dangerous_agents_prompt_is_shown_with_where_it_came_from(
    dangerous: tuple[Any, Prompter], clients: Any, accept: bool
) -> None:
    agent, prompter = dangerous
    viewer = await in_front_of(clients, prompter)
    sending = asyncio.create_task(prompter.prompt("rm everything"))
    dialog = (await viewer.event("dialog.opened"))["dialog"]
    assert dialog["kind"] == "prompt"
    assert (dialog["data"]["text"], dialog["data"]["from"]) == ("rm everything", "Prompter")
    assert agent.prompts() == []
    await viewer.call("dialog.answer", dialogId=dialog["id"], accepted=accept)
    if accept:
        assert await sending == "sent"
    else:
        with pytest.raises(CallError, match="USER_CANCELLED"):
            await sending
        assert agent.prompts() == []


async def test_silence_refuses_a_prompt_for_a_dangerous_agent(
    dangerous: tuple[Any, Prompter], clients: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, prompter = dangerous
    viewer = await in_front_of(clients, prompter)
    monkeypatch.setattr(agent.app.dialogs, "_timeout_ms", 1)
    with pytest.raises(CallError, match="USER_CANCELLED"):
        await prompter.prompt("rm everything")
    opened = await viewer.event("dialog.opened")
    assert (await viewer.event("dialog.closed"))["dialogId"] == opened["dialog"]["id"]
    assert agent.prompts() == []


async def test_a_note_is_a_prompt_and_the_reply_lands_in_a_note(agent: Any, workspace_id: str) -> None:
    page = agent.page
    place = {"workspaceId": workspace_id, "x": 0, "y": 0}
    note = await page.call("canvas.addCard", kind="sticky", **place)
    answers = await page.call("canvas.addCard", kind="note", **place)
    await page.call("canvas.connect", a=note["id"], b=agent.id)
    await page.call("canvas.connect", a=agent.id, b=answers["id"])
    await page.call("canvas.updateCard", cardId=note["id"], title="say something")
    await page.call("sticky.edit", cardId=note["id"], color="blue")
    await agent.until(lambda: agent.prompts() or agent.app.graph.card(answers["id"]).content["text"])
    await agent.until(lambda: "Done: " in agent.app.graph.card(answers["id"]).content["text"])


@pytest.fixture
def spent(agent: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Says whether a budget holds the agent's cards back."""
    held = False

    def check(agent_id: CardId) -> None:
        if held:
            raise CallError(ErrorCode.BUDGET_PAUSED, "today's budget is spent")

    def say(now: bool) -> None:
        nonlocal held
        held = now
        if not held:
            for listen in agent.app.usage.budgets.freed:
                listen(WorkspaceId("w_any"))

    prompts = agent.app.agents.prompts
    hooks = dataclasses.replace(prompts._hooks, check_budget=check)
    monkeypatch.setattr(prompts._admission, "_hooks", hooks)
    return say


async def test_a_spent_budget_refuses_a_cards_prompt_and_never_a_persons(
    agent: Any, prompter: Prompter, spent: Callable[[bool], None]
) -> None:
    spent(True)
    refusal = await prompter.refused("from a card")
    assert (refusal.code, "budget is spent" in refusal.message) == ("BUDGET_PAUSED", True)
    assert await agent.prompt("from a person") == "sent"
    await agent.until(lambda: agent.prompts() == ["from a person"])


async def test_people_do_not_wait_behind_prompts_that_a_budget_holds_back(
    agent: Any, prompter: Prompter, spent: Callable[[bool], None]
) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    assert await prompter.prompt("from a card") == "queued"
    assert await agent.prompt("from a person") == "queued"
    spent(True)
    await agent.type("\r")
    await agent.until(lambda: agent.prompts() == ["slow one", "from a person"])
    await agent.until(lambda: len(agent.app.agents.prompts.waiting(agent.id)) == 1)
    await agent.is_status("finished")
    (waiting,) = await agent.queue()
    assert (waiting["text"], waiting["problem"]) == ("from a card", "today's budget is spent")
    assert await agent.prompt("another of a person") == "sent"
    await agent.until(lambda: agent.prompts()[-1] == "another of a person")
    await agent.is_status("finished")
    spent(False)
    await agent.until(lambda: agent.prompts()[-1] == "from a card")
