"""Usage as cards and the owner see it: sums of agents, times of their turns, who caused what, and budgets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App, running
from cardloom.core.clock import VirtualClock
from cardloom.core.ids import new_connection_id
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, touched
from cardloom.settings import Settings
from cardloom_protocol.agents import AgentStatus, advance
from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import ArrowId, CardId, PackageId, WorkspaceId

from .making_logs import T0_MS, claude_answer

DAY_MS = 24 * 3_600_000


class Desk:
    """A server whose clock stands, with one agent that used session S, and a card that may read its usage."""

    def __init__(self, app: App, clock: VirtualClock, page: Any, home: str, folder: Path) -> None:
        self.app = app
        self.clock = clock
        self.page = page
        self.home = WorkspaceId(home)
        self.folder = folder
        self.agent_id = CardId("")
        self.card_id = CardId("c_reader")

    async def begin(self) -> None:
        self.agent_id = await self.agent("S")
        reader = Card(self.card_id, self.home, "custom", 0, 0, 10, 10, 1, 0)
        arrow = Arrow(ArrowId("a_1"), self.home, self.card_id, self.agent_id, "forward", DrawnBy(), 0, 1)
        await self.app.canvas.commit(self.home, lambda _: [PutCard(reader), PutArrow(arrow)])
        self.app.grants.bind(self.card_id, self.home, PackageId("dev:reader"))
        self.app.grants.set(self.home, PackageId("dev:reader"), ("usage.read",))

    async def agent(self, *sessions: str, title: str = "Builder") -> CardId:
        made = await self.page.call(
            "agent.create", workspaceId=self.home, harness="claude-code", x=0, y=0, title=title, start=False
        )
        card = self.app.graph.card(made["id"])
        content = {**card.content, "sessionIds": list(sessions)}
        await self.app.canvas.commit(self.home, lambda _: [touched(card, content=content)])
        return card.id

    def log(self, *lines: bytes, session: str = "S") -> None:
        path = self.folder / f".claude/projects/-p/{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(lines))

    def at(self, seconds: float) -> None:
        self.clock.set(int(T0_MS + seconds * 1000))

    def status(self, status: AgentStatus, seconds: float) -> None:
        self.at(seconds)
        info = self.app.directory.get(self.agent_id)
        self.app.directory.put(self.home, self.agent_id, advance(info, status, self.clock.now_ms())[0])

    async def asked(self, method: str, **params: Any) -> Any:
        caller = Caller(CallerKind.CARD, new_connection_id(), self.card_id, self.home)
        return await self.app.dispatcher.dispatch(method, params, caller)

    async def refused(self, method: str, **params: Any) -> CallError:
        with pytest.raises(CallError) as refusal:
            await self.asked(method, **params)
        return refusal.value


@pytest.fixture
async def desk(
    settings: Settings, clients_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Desk]:
    folder, project = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    project.mkdir()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    clock = VirtualClock(T0_MS - 60_000)
    async with running(settings, clock) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(project)))["id"]
        made = Desk(app, clock, page, home, folder)
        await made.begin()
        yield made


async def test_a_card_reads_the_sums_of_its_agent_with_the_times_of_its_turns(desk: Desk) -> None:
    desk.log(claude_answer(2), claude_answer(5, "msg_2", usage={"output_tokens": 30}))
    desk.status(AgentStatus.WORKING, 0)
    desk.status(AgentStatus.NEEDS_INPUT, 3)
    desk.status(AgentStatus.WORKING, 4)
    desk.status(AgentStatus.FINISHED, 6)
    desk.at(60)
    usage = await desk.asked("agents.usage", agentId=desk.agent_id, since=T0_MS)
    assert (usage["requests"], usage["inputTokens"], usage["outputTokens"]) == (2, 20, 50)
    assert usage["cacheReadTokens"] is None
    assert (usage["prompts"], usage["workingMs"], usage["elapsedMs"]) == (1, 5_000, 6_000)
    assert (usage["firstPromptAt"], usage["lastFinishedAt"]) == (T0_MS, T0_MS + 6_000)
    assert usage["usageReadable"] is True
    assert usage["timingComplete"] is True
    assert usage["status"] == "finished"


async def test_times_before_the_history_of_an_agent_are_not_complete(desk: Desk) -> None:
    usage = await desk.asked("agents.usage", agentId=desk.agent_id, since=T0_MS - DAY_MS)
    assert usage["timingComplete"] is False


async def test_a_timeline_has_requests_statuses_and_turns(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.status(AgentStatus.WORKING, 0)
    desk.status(AgentStatus.FINISHED, 3)
    desk.status(AgentStatus.WORKING, 100)
    desk.status(AgentStatus.IDLE, 101)
    desk.at(200)
    timeline = await desk.asked("agents.timeline", agentId=desk.agent_id, since=T0_MS, until=T0_MS + 150_000)
    assert len(timeline["requests"]) == 1
    assert [one["status"] for one in timeline["statuses"]] == ["working", "finished", "working", "idle"]
    assert [one["counted"] for one in timeline["turns"]] == [True, False]
    assert timeline["truncated"] is False


async def test_the_owner_scans_and_sees_a_timeline_too(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.at(60)
    done = await desk.page.call("usage.scan")
    assert (done["logs"], done["read"], done["failed"]) == (1, 1, 0)
    timeline = await desk.page.call("usage.timeline", agentId=desk.agent_id)
    assert [one["outputTokens"] for one in timeline["requests"]] == [20]


async def test_usage_of_a_terminal_or_without_an_arrow_is_refused(desk: Desk) -> None:
    shell = await desk.page.call("canvas.addCard", workspaceId=desk.home, kind="terminal", x=0, y=0)
    await desk.page.call("canvas.connect", a=desk.card_id, b=shell["id"])
    other = await desk.agent("T")
    for method in ("agents.usage", "agents.timeline"):
        assert (await desk.refused(method, agentId=shell["id"], since=0)).code == "INVALID_PARAMS"
        assert (await desk.refused(method, agentId=other, since=0)).code == "NOT_CONNECTED"
        assert (await desk.refused(method, agentId=desk.agent_id, since=10, until=5)).code == "INVALID_PARAMS"


async def test_the_summary_of_a_card_and_the_report_of_the_owner_show_the_same_numbers(desk: Desk) -> None:
    second = await desk.agent("T", title="Second")
    desk.log(claude_answer(2), claude_answer(3, "msg_2", model="nobody-knows"))
    desk.log(claude_answer(4, "msg_3", session="T"), session="T")
    desk.log(claude_answer(4, "msg_4", session="elsewhere"), session="elsewhere")
    desk.at(60)
    summary = await desk.asked("usage.summary", period="7d")
    report = await desk.page.call("usage.report", by="agent", workspaceId=desk.home, period="7d")
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "costMicroUsd")
    assert {row["agentId"]: [row[name] for name in names] for row in summary["rows"]} == {
        row["key"]: [row[name] for name in names] for row in report["rows"]
    }
    assert {row["agentId"] for row in summary["rows"]} == {desk.agent_id, second}
    assert summary["totalCostMicroUsd"] == report["total"]["costMicroUsd"]
    assert (summary["from"], summary["to"]) == (report["from"], report["to"])
    assert summary["partial"] is report["partial"] is True
    everything = await desk.page.call("usage.report", by="agent")
    assert everything["total"]["requests"] == report["total"]["requests"] + 1


async def test_each_request_counts_for_whoever_prompted_last_before_it(desk: Desk) -> None:
    desk.log(claude_answer(2), claude_answer(12, "msg_2"), claude_answer(22, "msg_3"), claude_answer(23, "msg_4"))
    for sender_id, name, at_s in ((None, None, 0), (desk.card_id, "Inspector", 10), (CardId("c_gone"), "Gone", 20)):
        desk.app.usage.prompted(desk.agent_id, sender_id, name, int(T0_MS + at_s * 1000))
    desk.at(60)
    report = await desk.page.call("usage.report", by="sender", workspaceId=desk.home)
    found = {row["key"]: (row["name"], row["requests"], row["gone"]) for row in report["rows"]}
    assert found == {
        None: ("person", 1, False),
        desk.card_id: (desk.app.graph.card(desk.card_id).name, 1, False),
        "c_gone": ("Gone", 2, True),
    }


async def test_days_without_work_have_a_line_too(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.at(60)
    report = await desk.page.call("usage.report", by="day", workspaceId=desk.home, period="7d")
    assert len(report["rows"]) == 7
    assert [row["requests"] for row in report["rows"]] == [0] * 6 + [1]
    assert report["rows"][0]["costMicroUsd"] is None


async def test_days_come_in_parts_that_sum_up_to_them(desk: Desk) -> None:
    second = await desk.agent("T", title="Second")
    desk.log(claude_answer(2), claude_answer(3, "msg_2", model="nobody-knows"))
    desk.log(claude_answer(4, "msg_3", session="T"), session="T")
    desk.at(60)
    report = await desk.page.call("usage.report", by="day", workspaceId=desk.home, period="7d", split="agent")
    assert [row["parts"] for row in report["rows"][:-1]] == [[]] * 6
    today = report["rows"][-1]
    assert {part["key"]: part["requests"] for part in today["parts"]} == {desk.agent_id: 2, second: 1}
    assert sum(part["totalTokens"] for part in today["parts"]) == today["totalTokens"]
    models = await desk.page.call("usage.report", by="day", workspaceId=desk.home, period="today", split="model")
    assert {part["key"]: part["requests"] for part in models["rows"][0]["parts"]}["nobody-knows"] == 1
    whole = await desk.page.call("usage.report", by="day", workspaceId=desk.home, period="today")
    assert "parts" not in whole["rows"][0]


async def test_a_report_tells_why_something_could_not_be_read(desk: Desk) -> None:
    desk.log(claude_answer(2), b"{broken\n", b"{broken too\n")
    desk.at(60)
    report = await desk.page.call("usage.report", by="agent", workspaceId=desk.home)
    (skip,) = report["skips"]
    assert (skip["harness"], skip["count"], report["skipped"], report["partial"]) == ("claude-code", 2, 2, True)
    assert skip["reason"]


async def test_what_an_agent_spent_stays_when_its_card_is_removed(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.at(60)
    await desk.page.call("canvas.removeCard", cardId=desk.agent_id, force=True)
    report = await desk.page.call("usage.report", by="agent", workspaceId=desk.home)
    (row,) = report["rows"]
    assert (row["key"], row["name"], row["gone"], row["requests"]) == (desk.agent_id, "Builder", True, 1)


async def test_a_spent_budget_pauses_cards_and_never_a_person(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.at(60)
    budget = {"period": "day", "unpriced": "ignore", "limitTokens": 30}
    (told,) = (await desk.page.call("budget.set", workspaceId=desk.home, budgets=[budget]))["budgets"]
    (told,) = (await desk.page.call("budget.get", workspaceId=desk.home))["budgets"]
    assert (told["spentTokens"], told["percent"], told["paused"]) == (30, 100, True)
    desk.app.grants.set(desk.home, PackageId("dev:reader"), ("agents.prompt",))
    assert (await desk.refused("agents.prompt", agentId=desk.agent_id, text="go")).code == "UNAVAILABLE"
    with pytest.raises(CallError, match="BUDGET_PAUSED"):
        desk.app.usage.budgets.check(desk.agent_id)
    await desk.page.call("budget.set", workspaceId=desk.home, budgets=[])
    desk.app.usage.budgets.check(desk.agent_id)


async def test_a_budget_of_a_day_begins_anew_with_the_next_one(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.at(60)
    budget = {"period": "day", "unpriced": "ignore", "limitTokens": 30}
    await desk.page.call("budget.set", workspaceId=desk.home, budgets=[budget])
    with pytest.raises(CallError, match="BUDGET_PAUSED"):
        desk.app.usage.budgets.check(desk.agent_id)
    desk.at(24 * 3_600)
    await desk.app.usage.budgets.turn_over()
    desk.app.usage.budgets.check(desk.agent_id)


async def test_crossing_a_step_of_a_budget_is_told_once(desk: Desk) -> None:
    desk.at(60)
    await desk.page.call("canvas.subscribe", workspaceId=desk.home)
    budget = {"id": "b1", "period": "total", "unpriced": "ignore", "agentId": desk.agent_id, "limitTokens": 100}
    await desk.page.call("budget.set", workspaceId=desk.home, budgets=[budget])
    steps = []
    for number in (1, 2, 3, 4):
        desk.log(*(claude_answer(one, f"msg_{one}") for one in range(1, number + 1)))
        await desk.app.usage.scan()
        steps += [
            data["crossed"]["percent"]
            for name, data in desk.page.events
            if name == "budget.changed" and data["crossed"]
        ]
        desk.page.events.clear()
    assert steps == [50, 80, 100]


async def test_a_budget_in_money_pauses_for_requests_without_a_price_where_its_rule_says_so(desk: Desk) -> None:
    desk.log(claude_answer(2, model="nobody-knows"))
    desk.at(60)
    for rule, paused in (("ignore", False), ("pause", True)):
        budget = {"period": "month", "unpriced": rule, "limitMicroUsd": 1_000_000}
        await desk.page.call("budget.set", workspaceId=desk.home, budgets=[budget])
        (told,) = (await desk.page.call("budget.get", workspaceId=desk.home))["budgets"]
        assert (told["paused"], told["unpricedRequests"]) == (paused, 1)


async def test_a_budget_needs_a_limit(desk: Desk) -> None:
    error = await desk.page.refused(
        "budget.set", workspaceId=desk.home, budgets=[{"period": "day", "unpriced": "ignore"}]
    )
    assert error.code == "INVALID_PARAMS"
    assert "budgets/0" in error.message


async def test_an_estimate_is_the_median_of_the_last_turns(desk: Desk) -> None:
    assert (await desk.page.call("usage.agent", agentId=desk.agent_id))["estimate"] is None
    lines = []
    for turn, output in enumerate((10, 20, 1000)):
        lines.append(claude_answer(turn * 100 + 2, f"msg_{turn}", usage={"output_tokens": output}))
        desk.status(AgentStatus.WORKING, turn * 100)
        desk.status(AgentStatus.FINISHED, turn * 100 + 5)
    desk.log(*lines)
    desk.at(1000)
    await desk.app.usage.scan()
    estimate = (await desk.page.call("usage.agent", agentId=desk.agent_id))["estimate"]
    assert (estimate["turns"], estimate["totalTokens"]) == (3, 30)


async def test_an_agent_whose_logs_are_not_read_says_so_and_keeps_its_times(desk: Desk) -> None:
    desk.status(AgentStatus.WORKING, 0)
    desk.status(AgentStatus.FINISHED, 3)
    info = desk.app.directory.get(desk.agent_id)
    desk.app.directory.put(desk.home, desk.agent_id, replace(info, harness="amp"))
    usage = await desk.asked("agents.usage", agentId=desk.agent_id, since=T0_MS)
    assert usage["usageReadable"] is False
    assert usage["inputTokens"] is usage["costMicroUsd"] is None
    assert (usage["prompts"], usage["workingMs"]) == (1, 3_000)
    timeline = await desk.asked("agents.timeline", agentId=desk.agent_id, since=T0_MS)
    assert timeline["requestTimes"] == "none"


async def test_a_killed_servers_agents_ended_when_it_was_last_seen(settings: Settings, tmp_path: Path) -> None:
    clock = VirtualClock(T0_MS)
    async with running(settings, clock) as app:
        ledger = app.usage._ledger
        ledger.status(CardId("c_1"), AgentStatus.WORKING, T0_MS)
        await ledger.pulse(T0_MS + 30_000)
    clock.advance(DAY_MS)
    async with running(settings, clock) as app:
        changes = await app.usage._ledger.statuses(CardId("c_1"))
        assert [(one.status.value, one.at_ms - T0_MS) for one in changes] == [("working", 0), ("exited", 30_000)]
