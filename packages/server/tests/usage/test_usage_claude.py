"""Claude Code's logs: one request is counted once, wherever and however often its lines were written."""

from __future__ import annotations

import json

import pytest

from .making_logs import T0_MS, Home, claude_answer, claude_input, iso, line


def test_two_lines_of_one_message_far_apart_are_one_request_with_the_last_output(home: Home) -> None:
    home.claude(
        "S",
        claude_input(0),
        claude_answer(1, usage={"output_tokens": 5}),
        claude_input(2),
        claude_answer(3, "msg_2"),
        claude_answer(4, usage={"output_tokens": 42}),
    )
    assert [(record.key, record.output) for record in home.records()] == [("msg_1", 42), ("msg_2", 20)]


def test_a_fork_whose_counts_are_in_its_iterations_belongs_to_the_original(home: Home) -> None:
    home.claude("z-original", claude_input(0), claude_answer(1, session="first", usage={"cache_read_input_tokens": 7}))
    zeros = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0}
    counts = {"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 7}
    home.claude("a-fork", claude_answer(1, session="second", usage={**zeros, "iterations": [counts]}))
    record = home.only()
    assert (record.session, record.tokens.total) == ("first", 37)


def test_a_message_in_a_sub_agents_log_and_in_its_parents_is_counted_once_for_the_parent(home: Home) -> None:
    home.claude("S", claude_input(0), claude_answer(2, session="S", side=True, agentId="a1"))
    home.claude("S/subagents/agent-a1", claude_answer(2, session="S", side=True, agentId="a1"))
    record = home.only()
    assert (record.session, record.subagent, record.input) == ("S", "a1", 10)
    assert home.store.work_by_side()[1].requests == 1


def test_a_replay_beside_the_conversation_leaves_the_main_numbers(home: Home) -> None:
    home.claude(
        "S",
        claude_answer(1, requestId="req_1", usage={"cache_read_input_tokens": 100}),
        claude_answer(9, requestId="req_2", side=True, usage={"cache_read_input_tokens": 9000, "output_tokens": 77}),
    )
    record = home.only()
    assert (record.cache_read, record.output, record.side) == (100, 20, False)


def test_without_ids_of_requests_copies_are_still_one(home: Home) -> None:
    for name in ("a", "b", "c"):
        home.claude(name, claude_answer(1, session=name))
    assert home.only().session == "a"


def test_one_id_in_several_sessions_is_counted_once(home: Home) -> None:
    home.claude("one", claude_answer(1, session="one"), claude_answer(2, "msg_2", session="one"))
    home.claude("two", claude_answer(1, session="two"), claude_answer(3, "msg_3", session="two"))
    assert [record.key for record in home.records()] == ["msg_1", "msg_2", "msg_3"]


def test_a_request_spans_from_the_input_to_its_last_line(home: Home) -> None:
    home.claude(
        "S",
        claude_input(0),
        claude_answer(2, tool=("t1", "Bash")),
        claude_answer(3, tool=("t2", "Read")),
        claude_input(3.5, text="result"),
        claude_answer(4, tool=("t3", "Edit")),
        claude_answer(4, tool=("t2", "Read")),
    )
    record = home.only()
    assert (record.begun_ms, record.ended_ms, record.at_ms) == (T0_MS, T0_MS + 4000, T0_MS + 2000)
    assert record.tools == ("Bash", "Read", "Edit")


@pytest.mark.parametrize(("minutes", "known"), [(29, True), (59, False)])
def test_a_prompt_long_before_is_not_the_beginning(home: Home, minutes: int, known: bool) -> None:
    home.claude("S", claude_input(0), claude_answer(minutes * 60))
    assert (home.only().begun_ms is not None) == known


def test_the_recorded_beginning_is_taken_before_a_guess(home: Home) -> None:
    sent = line(type="api-request", sessionId="S", id="r1", timestamp=iso(T0_MS + 1700))
    home.claude("S", claude_input(0), sent, claude_answer(2, requestRef="r1"))
    assert home.only().begun_ms == T0_MS + 1700


def test_a_sub_agents_request_begins_with_its_own_chains_input(home: Home) -> None:
    home.claude(
        "S",
        claude_input(1, side=True),
        claude_input(2),
        claude_answer(3, "msg_side", side=True, agentId="a"),
        claude_answer(4, "msg_main"),
    )
    assert {record.key: record.begun_ms for record in home.records()} == {
        "msg_side": T0_MS + 1000,
        "msg_main": T0_MS + 2000,
    }


def test_a_long_result_of_a_tool_is_an_input_as_well(home: Home) -> None:
    home.claude("S", claude_input(0), claude_input(5, text="x" * 100_000), claude_answer(6))
    assert home.only().begun_ms == T0_MS + 5000


@pytest.mark.parametrize(
    ("flat", "minutes", "hour", "expected"),
    [(900, 0, 0, (900, 0)), (0, 100, 60, (160, 60)), (160, 100, 60, (160, 60)), (200, 0, 200, (200, 200))],
)
def test_cache_writes_are_the_larger_of_the_sum_and_its_parts(
    home: Home, flat: int, minutes: int, hour: int, expected: tuple[int, int]
) -> None:
    parts = {"ephemeral_5m_input_tokens": minutes, "ephemeral_1h_input_tokens": hour}
    home.claude("S", claude_answer(1, usage={"cache_creation_input_tokens": flat, "cache_creation": parts}))
    record = home.only()
    assert (record.cache_write, record.cache_write_1h) == expected


def test_thinking_is_inside_the_output_and_unknown_where_it_is_not_told(home: Home) -> None:
    home.claude(
        "S",
        claude_answer(1, usage={"output_tokens_details": {"thinking_tokens": 12}}),
        claude_answer(2, "msg_2"),
    )
    first, second = home.records()
    assert (first.output, first.reasoning, second.reasoning) == (20, 12, None)


def test_an_error_that_stands_for_an_answer_is_no_request(home: Home) -> None:
    zeros = {"input_tokens": 0, "output_tokens": 0}
    home.claude("S", claude_answer(1, "x", model="<synthetic>", usage=zeros, isApiErrorMessage=True))
    assert home.records() == []


def test_only_claude_models_under_the_vendors_own_ids_have_a_provider(home: Home) -> None:
    home.claude(
        "S",
        claude_answer(1),
        claude_answer(2, "msg_bdrk_1"),
        claude_answer(3, "msg_3", model="glm-4.6"),
    )
    assert [record.provider for record in home.records()] == ["anthropic", None, None]


def test_a_line_of_many_bytes_to_a_letter_is_read_across_blocks(home: Home) -> None:
    text = "漢字€" * 250_000
    path = home.claude("S", claude_input(0, text=text), claude_answer(1, text=text), claude_answer(2, "msg_2"))
    assert path.stat().st_size > 4 << 20
    assert [record.key for record in home.records()] == ["msg_1", "msg_2"]
    assert home.reasons() == {}


def test_a_line_that_tells_of_a_sub_agents_progress_is_neither_an_input_nor_a_request(home: Home) -> None:
    inner = {"type": "user", "message": {"role": "user", "content": "x"}, "uuid": "u", "timestamp": iso(T0_MS + 5000)}
    done = json.loads(claude_answer(6, "msg_inner"))
    home.claude(
        "S",
        claude_input(0),
        line(isSidechain=False, type="progress", data={"message": inner}, uuid="p", timestamp=iso(T0_MS + 5000)),
        line(isSidechain=False, type="progress", data={"message": done}, uuid="q", timestamp=iso(T0_MS + 6000)),
        claude_answer(7),
    )
    record = home.only()
    assert (record.key, record.begun_ms) == ("msg_1", T0_MS)
