"""Usage on the wire: None is not reported, money is rounded up once, timelines keep the newest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cardloom_protocol.counts import most, plus
from cardloom_protocol.ids import CardId
from cardloom_protocol.usage import (
    AgentTimeline,
    AgentUsage,
    StatusSegment,
    Subagent,
    SummaryRow,
    TimelineRequest,
    TimelineTurn,
    Tokens,
    UsageSummary,
    Work,
    micro_usd,
    request_times,
    total_work,
)

CARD = CardId("c1")
TOKENS = Tokens(10, 20, 30, None, None, 5)


@pytest.mark.parametrize(
    ("left", "right", "total", "larger"), [(None, None, None, None), (None, 0, 0, 0), (1, None, 1, 1), (1, 2, 3, 2)]
)
def test_what_is_not_reported_adds_nothing_and_is_no_zero(
    left: int | None, right: int | None, total: int | None, larger: int | None
) -> None:
    assert (plus(left, right), most(left, right)) == (total, larger)


def test_a_total_is_of_what_is_reported() -> None:
    assert (TOKENS.total, Tokens().total, (TOKENS + Tokens(cache_write=1)).total) == (60, None, 61)


def test_money_is_rounded_up_to_whole_micro_dollars() -> None:
    assert [micro_usd(pico) for pico in (5_000_000, 5_000_001, 0, None)] == [5, 6, 0, None]


def test_a_sum_knows_what_has_no_price() -> None:
    priced, unpriced = Work.of(TOKENS, 1), Work.of(TOKENS, None)
    assert [work.cost_partial for work in (priced, unpriced, priced + unpriced)] == [False, False, True]
    assert total_work([unpriced, unpriced]).cost_micro_usd is None
    assert total_work([]) == Work()


def test_a_summarys_total_is_exact_and_its_rows_are_what_cards_read() -> None:
    row = SummaryRow(CARD, "Ada", "claude-code", Work.of(TOKENS, 400_000))
    summary = UsageSummary("7d", 0, 9, (row, row))
    wire = summary.to_wire()
    assert (wire["totalCostMicroUsd"], wire["partial"], wire["period"]) == (1, False, "7d")
    assert (
        wire["rows"]
        == [
            {
                "agentId": "c1",
                "name": "Ada",
                "harness": "claude-code",
                "inputTokens": 10,
                "outputTokens": 20,
                "cacheReadTokens": 30,
                "cacheWriteTokens": None,
                "costMicroUsd": 1,
            }
        ]
        * 2
    )
    assert replace(summary, skipped=1).to_wire()["partial"]
    unpriced = replace(summary, rows=(SummaryRow(CARD, "Ada", "codex-cli", Work.of(TOKENS, None)),)).to_wire()
    assert (unpriced["totalCostMicroUsd"], unpriced["partial"]) == (0, True)


USAGE = AgentUsage(
    CARD, "claude-code", 0, 100, "idle", Work.of(TOKENS, 7), 1, 40, 60, 10, 70, True, 99, model="m", provider="p"
)


def test_an_agents_usage_has_every_field() -> None:
    assert USAGE.to_wire() == {
        "agentId": "c1",
        "harness": "claude-code",
        "since": 0,
        "until": 100,
        "status": "idle",
        "usageReadable": True,
        "model": "m",
        "provider": "p",
        "prompts": 1,
        "requests": 1,
        "inputTokens": 10,
        "outputTokens": 20,
        "cacheReadTokens": 30,
        "cacheWriteTokens": None,
        "reasoningTokens": 5,
        "totalTokens": 60,
        "costMicroUsd": 1,
        "costPartial": False,
        "workingMs": 40,
        "elapsedMs": 60,
        "firstPromptAt": 10,
        "lastFinishedAt": 70,
        "timingComplete": True,
        "scannedAt": 99,
    }


def test_an_agent_whose_logs_are_not_read_has_times_and_no_counts() -> None:
    wire = replace(USAGE, work=None).to_wire()
    assert {wire[name] for name in ("requests", "inputTokens", "totalTokens", "costMicroUsd")} == {None}
    assert (wire["usageReadable"], wire["workingMs"], wire["costPartial"]) == (False, 40, False)


def test_sub_agents_are_told_where_they_are_known() -> None:
    part = Work.of(Tokens(1, 1), None)
    wire = replace(USAGE, subagents=part, main_only=part, subagent_count=2).to_wire()
    assert wire["subagents"] == {"count": 2, **part.to_wire()}
    assert wire["mainOnly"] == part.to_wire()
    assert "subagents" not in USAGE.to_wire()


def timeline(*requests: TimelineRequest, most_requests: int = 2000) -> AgentTimeline:
    statuses = (StatusSegment("working", 0, 5),)
    turns = (TimelineTurn(0, 5, True, "finished"), TimelineTurn(6, None, False))
    return AgentTimeline(CARD, "claude-code", 0, 9, requests, statuses, turns, 8, most_requests)


def test_a_timeline_keeps_the_newest_in_order() -> None:
    wire = timeline(*(TimelineRequest(None, at, TOKENS) for at in (3, 1, 2)), most_requests=2).to_wire()
    assert [request["endedAt"] for request in wire["requests"]] == [2, 3]  # type: ignore[index, union-attr, call-overload]
    assert (wire["truncated"], wire["requestTimes"]) == (True, "end")


def test_a_timeline_tells_statuses_and_turns() -> None:
    wire = timeline().to_wire()
    assert wire["statuses"] == [{"status": "working", "from": 0, "to": 5}]
    assert wire["turns"] == [
        {"start": 0, "end": 5, "counted": True, "endedAs": "finished"},
        {"start": 6, "end": None, "counted": False},
    ]
    assert (wire["truncated"], wire["requestTimes"], wire["usageReadable"]) == (False, "end", True)


def test_a_request_is_cut_to_the_sizes_that_are_promised() -> None:
    request = TimelineRequest(1, 2, TOKENS, "m", ("x" * 90,) * 40, Subagent("i" * 200, "n" * 90))
    wire = request.to_wire()
    assert [len(tool) for tool in wire["tools"]] == [64] * 32  # type: ignore[union-attr, arg-type]
    assert wire["subagent"] == {"id": "i" * 128, "name": "n" * 64}
    assert "tools" not in TimelineRequest(1, 2, TOKENS).to_wire()


def test_times_are_whole_only_when_every_request_has_its_beginning() -> None:
    begun, unbegun = TimelineRequest(1, 2, TOKENS), TimelineRequest(None, 2, TOKENS)
    assert request_times([begun, begun]) == "start-end"
    assert request_times([begun, unbegun]) == "end"
    assert request_times(None) == "none"
    assert replace(timeline(), requests=None).to_wire()["requestTimes"] == "none"
