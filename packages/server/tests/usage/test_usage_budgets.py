"""Budgets: what is spent of them, whom they hold back, and what their owner is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import running
from cardloom.core.clock import VirtualClock
from cardloom.settings import Settings
from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import PackageId, WorkspaceId

from .making_logs import T0_MS, claude_answer
from .reading_desk import DAY_MS, Desk


def told_steps(desk: Desk) -> list[int]:
    """The steps that were told since the last look."""
    changes = [data["crossed"] for name, data in desk.page.events if name == "budget.changed"]
    desk.page.events.clear()
    return [crossed["percent"] for crossed in changes if crossed]


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
        steps += told_steps(desk)
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


async def budgeted(desk: Desk, **budget: Any) -> list[dict[str, Any]]:
    found = await desk.page.call("budget.set", workspaceId=desk.home, budgets=[{"unpriced": "ignore", **budget}])
    return list(found["budgets"])


def answers(count: int) -> list[bytes]:
    """So many requests of 30 tokens each."""
    return [claude_answer(number, f"msg_{number}") for number in range(1, count + 1)]


async def test_two_measures_at_once_tell_a_step_once(desk: Desk) -> None:
    desk.at(60)
    await desk.page.call("canvas.subscribe", workspaceId=desk.home)
    await budgeted(desk, period="total", limitTokens=60)
    told_steps(desk)
    desk.log(*answers(1))
    await desk.app.usage.scan()
    await asyncio.gather(*(desk.app.usage.budgets.measure() for _ in range(4)))
    assert told_steps(desk) == [50]


async def test_a_step_is_told_once_in_its_period_whatever_the_clock_does(desk: Desk) -> None:
    desk.at(60)
    await desk.page.call("canvas.subscribe", workspaceId=desk.home)
    await budgeted(desk, period="day", limitTokens=60)
    desk.log(*answers(1))
    await desk.app.usage.scan()
    assert told_steps(desk) == [50]
    desk.clock.advance(DAY_MS)
    await desk.app.usage.watch_budgets()
    desk.clock.advance(-DAY_MS)
    await desk.app.usage.watch_budgets()
    assert told_steps(desk) == []


async def test_a_step_that_was_told_is_not_told_again_by_the_next_server(
    settings: Settings, clients_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    clock = VirtualClock(T0_MS)
    async with running(settings, clock) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(tmp_path)))["id"]
        desk = Desk(app, clock, page, home, tmp_path)
        await desk.begin()
        await page.call("canvas.subscribe", workspaceId=home)
        await budgeted(desk, period="total", limitTokens=60)
        desk.log(*answers(1))
        desk.at(60)
        await app.usage.scan()
        assert told_steps(desk) == [50]
    async with running(settings, clock) as app, clients_of(app) as clients:
        page = await clients.page()
        await page.call("canvas.subscribe", workspaceId=home)
        desk = Desk(app, clock, page, home, tmp_path)
        await app.usage.budgets.measure()
        assert told_steps(desk) == []
        (told,) = (await page.call("budget.get", workspaceId=home))["budgets"]
        assert told["percent"] == 50


async def test_steps_behind_a_budget_that_is_set_are_not_told_and_later_ones_are(desk: Desk) -> None:
    desk.log(*answers(1))
    desk.at(60)
    await desk.page.call("canvas.subscribe", workspaceId=desk.home)
    (budget,) = await budgeted(desk, period="week", limitTokens=60)
    assert (budget["percent"], told_steps(desk)) == (50, [])
    await budgeted(desk, id=budget["id"], period="week", limitTokens=120)
    desk.log(*answers(2))
    await desk.app.usage.scan()
    assert told_steps(desk) == [50]


async def test_a_budget_that_pauses_for_want_of_a_price_is_told_and_says_so(desk: Desk) -> None:
    desk.at(60)
    await desk.page.call("canvas.subscribe", workspaceId=desk.home)
    await budgeted(desk, period="day", unpriced="pause", limitMicroUsd=1_000_000)
    desk.log(claude_answer(2, model="nobody-knows"))
    await desk.app.usage.scan()
    assert told_steps(desk) == [100]
    with pytest.raises(CallError, match="nobody can tell the price of 1 of its requests"):
        desk.app.usage.budgets.check(desk.agent_id)


async def test_a_budget_of_one_agent_leaves_the_others_alone(desk: Desk) -> None:
    other = await desk.agent("T", title="Other")
    desk.log(*answers(1))
    desk.at(60)
    await budgeted(desk, period="total", limitTokens=30, agentId=desk.agent_id)
    with pytest.raises(CallError, match="BUDGET_PAUSED"):
        desk.app.usage.budgets.check(desk.agent_id)
    desk.app.usage.budgets.check(other)


async def test_a_budget_of_nobodys_agent_is_refused_and_one_of_a_removed_agent_kept(desk: Desk) -> None:
    for nobody in ("c_nobody", desk.card_id):
        error = await desk.page.refused(
            "budget.set",
            workspaceId=desk.home,
            budgets=[{"period": "day", "unpriced": "ignore", "limitTokens": 1, "agentId": nobody}],
        )
        assert (error.code, error.data[0]["path"]) == ("INVALID_PARAMS", "/budgets/0/agentId")
    (budget,) = await budgeted(desk, period="day", limitTokens=30, agentId=desk.agent_id)
    await desk.page.call("canvas.removeCard", cardId=desk.agent_id, force=True)
    (kept,) = await budgeted(desk, id=budget["id"], period="day", limitTokens=60, agentId=desk.agent_id)
    assert kept["agentId"] == desk.agent_id


async def test_a_limit_out_of_range_is_refused_by_its_name_and_what_it_may_be(desk: Desk) -> None:
    budget = {"period": "day", "unpriced": "ignore", "limitTokens": 0}
    error = await desk.page.refused("budget.set", workspaceId=desk.home, budgets=[budget])
    assert error.message == "budget.set/budgets/0/limitTokens: The number must be 1 or more."
    assert (error.code, error.data[0]["keyword"]) == ("INVALID_PARAMS", "minimum")


async def test_a_long_turn_is_measured_before_it_ends(desk: Desk) -> None:
    desk.at(1)
    await budgeted(desk, period="total", limitTokens=30)
    desk.status(AgentStatus.WORKING, 2)
    desk.log(*answers(1))
    desk.at(60)
    desk.app.usage.budgets.check(desk.agent_id)
    await desk.app.usage.watch_budgets()
    with pytest.raises(CallError, match="BUDGET_PAUSED"):
        desk.app.usage.budgets.check(desk.agent_id)


async def test_whoever_waits_for_a_budget_hears_that_it_pauses_no_longer(desk: Desk) -> None:
    heard: list[WorkspaceId] = []
    desk.app.usage.budgets.freed.append(heard.append)
    desk.log(*answers(1))
    desk.at(60)
    (budget,) = await budgeted(desk, period="day", limitTokens=30)
    assert heard == []
    await budgeted(desk, id=budget["id"], period="day", limitTokens=300)
    assert heard == [desk.home]
    await budgeted(desk, period="day", limitTokens=30)
    desk.clock.advance(DAY_MS)
    await desk.app.usage.watch_budgets()
    assert heard == [desk.home, desk.home]


async def test_budgets_that_another_page_changed_meanwhile_are_not_written_over(desk: Desk) -> None:
    desk.at(60)
    rule = {"period": "day", "unpriced": "ignore", "agentId": None, "limitMicroUsd": None}
    (seen,) = await budgeted(desk, **rule, limitTokens=30)
    base = [{**rule, "id": seen["id"], "limitTokens": 30}]
    mine, theirs = [[{**base[0], "limitTokens": tokens}] for tokens in (40, 50)]
    await desk.page.call("budget.set", workspaceId=desk.home, budgets=theirs, base=base)
    refused = await desk.page.call("budget.set", workspaceId=desk.home, budgets=mine, base=base)
    assert [one["limitTokens"] for one in refused["conflict"]["budgets"]] == [50]
    assert [one["limitTokens"] for one in (await desk.page.call("budget.get", workspaceId=desk.home))["budgets"]] == [
        50
    ]
    done = await desk.page.call("budget.set", workspaceId=desk.home, budgets=mine, base=theirs)
    assert [one["limitTokens"] for one in done["budgets"]] == [40]


async def test_of_two_pages_that_set_the_first_budgets_at_once_one_is_told_of_the_other(desk: Desk) -> None:
    desk.at(60)
    both = await asyncio.gather(
        *(
            desk.page.call(
                "budget.set",
                workspaceId=desk.home,
                budgets=[{"period": "day", "unpriced": "ignore", "limitTokens": tokens}],
                base=[],
            )
            for tokens in (40, 50)
        )
    )
    assert [list(one) for one in both] == [["budgets"], ["conflict"]]
