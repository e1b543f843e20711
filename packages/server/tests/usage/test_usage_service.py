"""Usage as cards and the owner see it: sums of agents, times of their turns, who caused what, and budgets."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import running
from cardloom.core.clock import VirtualClock
from cardloom.features.usage import scan as scan_module
from cardloom.features.usage.index import INDEX_NAME
from cardloom.features.usage.intake import Intake
from cardloom.features.usage.prices import Prices
from cardloom.features.usage.roots import roots_of
from cardloom.features.usage.rows import Packed
from cardloom.features.usage.store import UsageStore
from cardloom.settings import Settings
from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId

from .making_logs import T0_MS, claude_answer, iso
from .reading_desk import DAY_MS, Desk
from .test_usage_databases import HERMES_TABLES, Rows


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


async def test_every_agent_of_a_workspace_has_a_line_also_one_whose_logs_are_not_read(desk: Desk) -> None:
    made = await desk.page.call(
        "agent.create", workspaceId=desk.home, harness="amp", x=0, y=0, title="Silent", start=False
    )
    desk.log(claude_answer(2))
    desk.at(60)
    summary = await desk.asked("usage.summary", period="today")
    silent = next(row for row in summary["rows"] if row["agentId"] == made["id"])
    assert (silent["name"], silent["harness"]) == ("Silent", "amp")
    assert silent["inputTokens"] is silent["outputTokens"] is silent["costMicroUsd"] is None
    assert {row["agentId"] for row in summary["rows"]} == {made["id"], desk.agent_id}
    one = await desk.page.call("usage.report", by="agent", agentId=desk.agent_id)
    assert [row["key"] for row in one["rows"]] == [desk.agent_id]


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


async def test_days_come_in_parts_by_whoever_prompted_last_also_on_the_day_before(desk: Desk) -> None:
    day_s = DAY_MS // 1000
    desk.log(*(claude_answer(at_s, f"msg_{at_s}") for at_s in (2, 12, day_s + 2, day_s + 12, day_s + 13)))
    desk.app.usage.prompted(desk.agent_id, desk.card_id, "Inspector", T0_MS + 10_000)
    desk.app.usage.prompted(desk.agent_id, None, None, T0_MS + DAY_MS + 10_000)
    desk.at(day_s + 60)
    report = await desk.page.call("usage.report", by="day", workspaceId=desk.home, period="7d", split="sender")
    parts = [{part["key"]: part["requests"] for part in row["parts"]} for row in report["rows"]]
    assert parts == [{}] * 5 + [{None: 1, desk.card_id: 1}, {desk.card_id: 1, None: 2}]


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
        clock.advance(30_000)
        await ledger.pulse(clock.now_ms())
    clock.advance(DAY_MS)
    async with running(settings, clock) as app:
        changes = await app.usage._ledger.statuses(CardId("c_1"))
        assert [(one.status.value, one.at_ms - T0_MS) for one in changes] == [("working", 0), ("exited", 30_000)]


async def test_a_clock_set_back_does_not_stop_the_reading(desk: Desk) -> None:
    desk.at(1000)
    await desk.app.usage.scan()
    desk.clock.advance(-500_000)
    desk.log(claude_answer(2))
    usage = await desk.asked("agents.usage", agentId=desk.agent_id, since=T0_MS)
    assert usage["requests"] == 1


async def test_a_pulse_still_to_come_ends_nothing_later_than_now(settings: Settings) -> None:
    clock = VirtualClock(T0_MS + DAY_MS)
    async with running(settings, clock) as app:
        app.usage._ledger.status(CardId("c_1"), AgentStatus.WORKING, T0_MS)
        await app.usage._ledger.pulse(clock.now_ms())
    clock.advance(-DAY_MS + 60_000)
    async with running(settings, clock) as app:
        changes = await app.usage._ledger.statuses(CardId("c_1"))
        assert [one.at_ms - T0_MS for one in changes] == [0, 60_000]


async def test_turns_of_a_timeline_count_by_requests_that_it_does_not_show(desk: Desk) -> None:
    desk.log(claude_answer(2), *(claude_answer(100 + number / 100, f"msg_{number}") for number in range(10, 2012)))
    desk.status(AgentStatus.WORKING, 0)
    desk.status(AgentStatus.FINISHED, 3)
    desk.status(AgentStatus.WORKING, 99)
    desk.status(AgentStatus.FINISHED, 130)
    desk.at(200)
    timeline = await desk.asked("agents.timeline", agentId=desk.agent_id, since=T0_MS)
    assert (len(timeline["requests"]), timeline["truncated"]) == (2000, True)
    assert [one["counted"] for one in timeline["turns"]] == [True, True]


async def test_a_turn_that_reaches_into_a_timeline_counts_by_its_requests_before_it(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.status(AgentStatus.WORKING, 0)
    desk.status(AgentStatus.FINISHED, 30)
    desk.at(60)
    timeline = await desk.asked("agents.timeline", agentId=desk.agent_id, since=T0_MS + 20_000)
    usage = await desk.asked("agents.usage", agentId=desk.agent_id, since=T0_MS + 20_000)
    assert ([one["counted"] for one in timeline["turns"]], usage["prompts"]) == ([True], 1)


async def test_a_request_a_little_ahead_of_the_clock_is_no_silent_zero(desk: Desk) -> None:
    desk.log(claude_answer(3_600))
    desk.at(60)
    report = await desk.page.call("usage.report", by="agent", workspaceId=desk.home, period="all")
    assert report["total"]["requests"] == 1


async def test_days_of_all_time_begin_with_the_first_request(desk: Desk) -> None:
    desk.log(claude_answer(2), claude_answer(3, "msg_2"), claude_answer(2 * 86_400, "msg_3"))
    desk.at(2 * 86_400 + 60)
    report = await desk.page.call("usage.report", by="day", workspaceId=desk.home, period="all", split="model")
    assert [row["requests"] for row in report["rows"]] == [2, 0, 1]
    assert [sum(part["requests"] for part in row["parts"]) for row in report["rows"]] == [2, 0, 1]


async def test_days_of_a_log_with_a_wrong_clock_are_those_with_requests(desk: Desk) -> None:
    long_ago = claude_answer(2, "msg_old").replace(b'"timestamp":"2026', b'"timestamp":"1971')
    desk.log(long_ago, claude_answer(3))
    desk.at(60)
    for span in ({"period": "all"}, {"from": 0, "to": 2**53 - 1}):
        report = await desk.page.call("usage.report", by="day", workspaceId=desk.home, split="model", **span)
        assert [row["name"][:4] for row in report["rows"] if row["requests"]] == ["1971", "2026"]
        assert len(report["rows"]) == 2


@pytest.mark.parametrize("by", ["day", "agent", "model", "session", "sender"])
async def test_spans_that_no_calendar_has_are_answered_or_refused(desk: Desk, by: str) -> None:
    last_day = claude_answer(2, "msg_last").replace(iso(T0_MS + 2000).encode(), b"9998-12-31T23:59:59.999Z")
    beyond = claude_answer(3, "msg_beyond").replace(iso(T0_MS + 3000).encode(), b"9999-12-31T23:59:59.999Z")
    desk.log(claude_answer(1), last_day, beyond)
    desk.at(60)
    ever = await desk.page.call("usage.report", by=by, **{"from": 0, "to": 2**53 - 1})
    assert ever["total"]["requests"] == 2
    assert [one["reason"] for one in ever["skips"]] == ["dated in the future", "without a time"]
    never = await desk.page.call("usage.report", by=by, **{"from": 2**53 - 2, "to": 2**53 - 1})
    assert never["total"]["requests"] == 0
    with pytest.raises(CallError, match="ends before it begins"):
        await desk.page.call("usage.report", by=by, **{"from": 5, "to": 4})


def told_by_hermes(key: str, session: str, tokens: int) -> dict[str, Any]:
    extra = {"usage": {"input_tokens": tokens, "output_tokens": 1}, "ended_at": T0_MS / 1000 + 5, "api_request_id": key}
    return {"hook_event_name": "post_api_request", "session_id": session, "extra": extra}


async def test_what_hermes_webhook_tells_counts_for_its_agent_once_and_not_beside_its_sums(desk: Desk) -> None:
    made = await desk.page.call(
        "agent.create", workspaceId=desk.home, harness="hermes-agent", x=0, y=0, title="Hermes", start=False
    )
    database = desk.folder / ".hermes/state.db"
    with closing((rows := Rows(database, HERMES_TABLES)).connection):
        rows.run(
            "INSERT INTO sessions (id, started_at, input_tokens, output_tokens) VALUES ('h1', ?, 100, 2)", T0_MS / 1000
        )
    desk.at(60)
    await desk.app.usage.scan()
    for key, session, tokens in (("r1", "h1", 60), ("r2", "child", 5), ("r1", "h1", 60)):
        desk.app.agents.hooks.heard[0](CardId(made["id"]), told_by_hermes(key, session, tokens))
    desk.app.agents.hooks.heard[0](desk.agent_id, told_by_hermes("r3", "h1", 1000))
    await desk.app.usage._beside.settle()
    desk.at(120)
    report = await desk.page.call("usage.report", by="agent", workspaceId=desk.home)
    row = next(row for row in report["rows"] if row["key"] == made["id"])
    assert (row["requests"], row["inputTokens"]) == (3, 100 + 5)


async def test_sub_agents_are_told_beside_the_main_chain_and_unpriced_requests_leave_the_cost_partial(
    desk: Desk,
) -> None:
    desk.log(
        claude_answer(2),
        claude_answer(3, "msg_side", side=True, agentId="a1"),
        claude_answer(4, "msg_unknown", model="nobody-knows"),
    )
    desk.at(60)
    usage = await desk.asked("agents.usage", agentId=desk.agent_id, since=T0_MS)
    assert (usage["subagents"]["count"], usage["subagents"]["requests"], usage["mainOnly"]["requests"]) == (1, 1, 2)
    assert usage["totalTokens"] == usage["subagents"]["totalTokens"] + usage["mainOnly"]["totalTokens"]
    assert (usage["costPartial"], usage["costMicroUsd"]) == (True, 2 * (10 * 3 + 20 * 15))
    assert usage["scannedAt"] == desk.clock.now_ms()


async def test_a_card_asks_for_a_summary_six_times_a_minute_and_for_an_agent_sixty_times(desk: Desk) -> None:
    desk.at(60)
    for method, params, most in (
        ("usage.summary", {"period": "today"}, 6),
        ("agents.usage", {"agentId": desk.agent_id, "since": T0_MS}, 60),
        ("agents.timeline", {"agentId": desk.agent_id, "since": T0_MS}, 60),
    ):
        for _ in range(most):
            await desk.asked(method, **params)
        assert (await desk.refused(method, **params)).code == "RATE_LIMITED"


async def test_the_end_of_the_server_waits_for_no_long_scan_and_the_next_one_goes_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        desk.log(claude_answer(2, f"msg_{number}", session=str(number)), session=str(number))
    halfway, loop = asyncio.Event(), asyncio.get_running_loop()
    ended = threading.Event()
    fill = Intake.fill

    def slow(self: Intake, *readings: Packed) -> None:
        fill(self, *readings)
        loop.call_soon_threadsafe(halfway.set)
        ended.wait()

    with monkeypatch.context() as patched:
        patched.setattr(scan_module, "_TOGETHER", 1)
        patched.setattr(Intake, "fill", slow)
        scanning = asyncio.create_task(desk.app.usage.scan())
        async with asyncio.timeout(60):
            await halfway.wait()
            leaving = asyncio.create_task(desk.app.usage.close())
            await asyncio.sleep(0)
            ended.set()
            await leaving
            with pytest.raises(CallError, match="the server ends"):
                await scanning
    with closing(UsageStore(desk.app.settings.data_folder / INDEX_NAME, Prices())) as store:
        assert 0 < store.work().requests < 3
        scan_module.scan(store, roots_of(desk.folder, {}), T0_MS)
        assert store.work().requests == 3
