"""Turns: a permission in between does not end one, a blink of the status is none."""

from __future__ import annotations

import pytest

from cardloom.features.usage.turns import StatusChange, Timing, segments, timing, turns
from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.usage import StatusSegment, TimelineRequest, TimelineTurn, Tokens

S = AgentStatus


def changes(*pairs: tuple[int, AgentStatus]) -> list[StatusChange]:
    return [StatusChange(at * 1000, status) for at, status in pairs]


def request(begin_s: float, end_s: float) -> TimelineRequest:
    return TimelineRequest(round(begin_s * 1000), round(end_s * 1000), Tokens(1, 1))


ONE = changes((0, S.IDLE), (10, S.WORKING), (20, S.NEEDS_INPUT), (50, S.WORKING), (60, S.FINISHED))


def test_an_answer_to_a_question_goes_on_with_the_same_turn() -> None:
    found = turns(ONE, [request(11, 12)], 0, 100_000)
    assert found == (TimelineTurn(10_000, 60_000, True, "finished"),)
    assert timing(ONE, found, 0, 100_000, 0) == Timing(1, 20_000, 50_000, 10_000, 60_000, True)


def test_a_blink_without_a_request_is_no_prompt() -> None:
    both = [*ONE, *changes((70, S.WORKING), (71, S.IDLE))]
    found = turns(both, [request(11, 12)], 0, 100_000)
    assert [turn.counted for turn in found] == [True, False]
    assert timing(both, found, 0, 100_000, 0).prompts == 1


@pytest.mark.parametrize(
    ("begin_s", "end_s", "counted"),
    [(5, 9.5, True), (5, 8, False), (64, 70, True), (66, 70, False), (0, 100, True)],
)
def test_a_request_belongs_to_a_turn_that_it_touches_or_almost(begin_s: float, end_s: float, counted: bool) -> None:
    assert turns(ONE, [request(begin_s, end_s)], 0, 100_000)[0].counted == counted


def test_a_turn_that_runs_counts_and_its_time_goes_on_until_now() -> None:
    running = changes((10, S.WORKING))
    found = turns(running, [], 0, 30_000)
    assert found == (TimelineTurn(10_000, None, True),)
    assert timing(running, found, 0, 30_000, 0) == Timing(1, 20_000, 20_000, 10_000, None, True)


def test_without_readable_logs_every_turn_counts() -> None:
    assert [turn.counted for turn in turns(ONE, None, 0, 100_000)] == [True]


def test_a_history_that_begins_within_the_window_is_incomplete() -> None:
    assert not timing(ONE, (), 5_000, 100_000, 6_000).complete
    assert timing(ONE, (), 5_000, 100_000, 5_000).complete
    assert not timing([], (), 0, 1, None).complete


def test_statuses_are_cut_to_the_window_and_equal_ones_joined() -> None:
    twice = changes((0, S.IDLE), (10, S.WORKING), (15, S.WORKING), (20, S.FINISHED))
    assert segments(twice, 5_000, 30_000) == (
        StatusSegment("idle", 5_000, 10_000),
        StatusSegment("working", 10_000, 20_000),
        StatusSegment("finished", 20_000, 30_000),
    )
    assert segments(twice, 12_000, 13_000) == (StatusSegment("working", 12_000, 13_000),)


def test_a_turn_outside_the_window_is_left_out_and_one_that_reaches_into_it_is_cut() -> None:
    assert turns(ONE, None, 61_000, 100_000) == ()
    found = turns(ONE, None, 55_000, 100_000)
    assert timing(ONE, found, 55_000, 100_000, 0) == Timing(1, 5_000, 5_000, 10_000, 60_000, True)


@pytest.mark.parametrize("end", [S.FINISHED, S.IDLE, S.EXITED])
def test_rest_of_any_kind_ends_a_turn(end: AgentStatus) -> None:
    assert turns(changes((1, S.WORKING), (2, end)), None, 0, 9_000)[0].ended_as == end.value
