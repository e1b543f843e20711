"""Logs of Codex, Qwen, Gemini and Pi: what is one request, whose it is, and how its counts are meant."""

from __future__ import annotations

from typing import Any

import pytest

from .making_logs import T0_MS, Home, codex_counts, codex_line, iso, line

PARENT = "01a22af1-0000-7000-8000-000000000001"
CHILD = "01a22af9-0000-7000-8000-000000000002"
OLD_TURN = "01a22af2-0000-7000-8000-000000000003"
NEW_TURN = "01a22afa-0000-7000-8000-000000000004"


def header(at_s: float, identifier: str = PARENT, **fields: Any) -> bytes:
    return codex_line(
        at_s, "session_meta", id=identifier, cwd="/home/user/project", model_provider="openai", source="cli", **fields
    )


def totals(at_s: float, total: dict[str, int], last: dict[str, int] | None = None) -> bytes:
    info = {"total_token_usage": total} | ({} if last is None else {"last_token_usage": last})
    return codex_line(at_s, "event_msg", type="token_count", info=info)


def used(at_s: float, response: str, usage: dict[str, int], **fields: Any) -> bytes:
    return codex_line(at_s, "token_usage_record", response_id=response, usage=usage, **fields)


def test_a_response_is_one_request_however_often_the_totals_are_told(home: Home) -> None:
    one, two = codex_counts(300, 700, 50, 20), codex_counts(100, 900, 10)
    home.codex(
        "a",
        header(0),
        codex_line(0, "turn_context", model="gpt-5.4"),
        used(1, "resp_1", one, turn_token_usage=one),
        totals(1, one, one),
        totals(2, one, one),
        used(3, "resp_2", two, turn_token_usage=codex_counts(400, 1600, 60)),
        totals(3, codex_counts(400, 1600, 60), two),
    )
    first, second = home.records()
    assert (first.input, first.cache_read, first.output, first.reasoning) == (300, 700, 50, 20)
    assert (first.model, first.provider, second.key, second.input) == ("gpt-5.4", "openai", "resp_2", 100)


def test_without_records_a_request_is_a_change_of_the_totals(home: Home) -> None:
    one, both = codex_counts(300, 700, 50), codex_counts(500, 1400, 80)
    home.codex(
        "a",
        header(0),
        totals(1, one, one),
        totals(2, one, one),
        totals(3, one, one),
        codex_line(3, "event_msg", type="token_count", info=None),
        totals(4, both, codex_counts(200, 700, 30)),
    )
    assert [(record.input, record.cache_read) for record in home.records()] == [(300, 700), (200, 700)]


def test_totals_alone_are_told_apart_by_their_difference(home: Home) -> None:
    home.codex("a", header(0), totals(1, codex_counts(300, 700, 50)), totals(2, codex_counts(500, 1400, 80)))
    assert [record.tokens.total for record in home.records()] == [1050, 930]


def test_totals_are_forgotten_once_a_log_turns_out_to_have_records(home: Home) -> None:
    one = codex_counts(300, 700, 50)
    log = home.codex("a", header(0), totals(1, one, one))
    assert [record.key for record in home.records()] == [f"{PARENT}#0"]
    with log.open("ab") as file:
        file.write(used(2, "resp_1", one))
    assert [record.key for record in home.records()] == ["resp_1"]


@pytest.mark.parametrize(
    "end",
    [
        codex_line(6, "event_msg", type="thread_settings_applied"),
        codex_line(6, "event_msg", type="task_started", turn_id=NEW_TURN),
        codex_line(6, "turn_context", turn_id=NEW_TURN, model="gpt-5.4"),
    ],
    ids=["settings", "turn", "context"],
)
def test_a_forked_log_counts_only_what_it_did_itself(home: Home, end: bytes) -> None:
    one, own = codex_counts(300, 700, 50), codex_counts(40, 0, 9)
    home.codex("parent", header(0, session_id=PARENT), totals(1, one, one))
    home.codex(
        "child",
        header(5, CHILD, session_id=PARENT, forked_from_id=PARENT, agent_role="review"),
        header(5, PARENT),
        codex_line(5, "event_msg", type="task_started", turn_id=OLD_TURN),
        totals(5, one, one),
        end,
        totals(7, codex_counts(340, 700, 59), own),
    )
    records = home.records()
    assert [(record.session, record.tokens.total, record.subagent_name) for record in records] == [
        (PARENT, 1050, None),
        (PARENT, 49, "review"),
    ]
    assert home.reasons() == {}, "a copy that ends is as it should be"


def test_a_copied_history_that_ends_later_is_told_until_then(home: Home) -> None:
    one = codex_counts(300, 700, 50)
    log = home.codex("child", header(5, CHILD, forked_from_id=PARENT), header(5, PARENT), totals(5, one, one))
    assert home.records() == []
    assert home.reasons() == {"copied history without an end": 1}
    with log.open("ab") as file:
        file.write(totals(5, codex_counts(400, 800, 60)))
    assert home.records() == []
    assert home.reasons() == {"copied history without an end": 2}
    with log.open("ab") as file:
        file.write(used(6, "resp_1", codex_counts(40, 0, 9)))
    assert [record.key for record in home.records()] == ["resp_1"]
    assert home.reasons() == {}


def copied_past() -> list[bytes]:
    """What a fork's log begins with: a prompt of its parent, a tool's call and what that cost."""
    one = codex_counts(300, 700, 50)
    return [
        header(5, CHILD, forked_from_id=PARENT),
        header(5, PARENT),
        codex_line(5, "response_item", type="message", role="user"),
        codex_line(5, "response_item", type="function_call", name="shell", call_id="c1"),
        totals(5, one, one),
    ]


def test_what_the_parent_did_is_no_part_of_a_forks_first_request(home: Home) -> None:
    home.codex(
        "child",
        *copied_past(),
        codex_line(5, "response_item", type="function_call", name="apply_patch", call_id="c2"),
        codex_line(6, "event_msg", type="thread_settings_applied"),
        codex_line(7, "response_item", type="message", role="user"),
        codex_line(8, "response_item", type="function_call", name="read", call_id="c3"),
        totals(9, codex_counts(340, 700, 59), codex_counts(40, 0, 9)),
    )
    record = home.only()
    assert (record.tools, record.begun_ms, record.ended_ms) == (("read",), T0_MS + 7000, T0_MS + 9000)


def test_a_fork_that_ends_its_copy_by_its_first_record_has_no_tools_of_its_parent(home: Home) -> None:
    home.codex(
        "child",
        *copied_past(),
        codex_line(7, "response_item", type="message", role="user"),
        codex_line(8, "response_item", type="function_call", name="read", call_id="c3"),
        used(9, "resp_1", codex_counts(40, 0, 9)),
    )
    record = home.only()
    assert (record.tools, record.begun_ms) == (("read",), T0_MS + 7000)


def test_totals_that_a_fork_counts_from_zero_are_its_own(home: Home) -> None:
    home.codex(
        "child",
        header(5, CHILD, forked_from_id=PARENT),
        header(5, PARENT),
        totals(5, codex_counts(300, 700, 50)),
        codex_line(6, "event_msg", type="thread_settings_applied"),
        totals(7, codex_counts(40, 10, 9)),
        totals(8, codex_counts(50, 30, 11)),
    )
    assert [record.tokens.total for record in home.records()] == [59, 32]


def test_a_session_that_is_taken_up_again_copies_nothing(home: Home) -> None:
    one, both = codex_counts(300, 700, 50), codex_counts(500, 1400, 80)
    home.codex("a", header(0), totals(1, one, one), header(2), totals(3, both))
    assert [record.tokens.total for record in home.records()] == [1050, 930]


def test_a_copied_history_that_never_ends_is_told_and_not_counted(home: Home) -> None:
    one = codex_counts(300, 700, 50)
    home.codex("child", header(5, CHILD, forked_from_id=PARENT), header(5, PARENT), totals(5, one, one))
    assert home.records() == []
    assert home.reasons() == {"copied history without an end": 1}


def test_a_log_that_was_archived_is_counted_once(home: Home) -> None:
    lines = header(0), totals(1, codex_counts(300, 700, 50))
    home.codex("a", *lines)
    home.write(".codex/archived_sessions/rollout-a.jsonl", *lines)
    assert home.only().tokens.total == 1050


def test_a_response_spans_from_the_last_input_to_its_usage_and_names_its_tools(home: Home) -> None:
    home.codex(
        "a",
        header(0),
        codex_line(1, "response_item", type="message", role="user"),
        codex_line(2, "response_item", type="reasoning"),
        codex_line(3, "response_item", type="function_call", name="shell", call_id="c1"),
        codex_line(3, "response_item", type="custom_tool_call", name="apply_patch", call_id="c2"),
        codex_line(3.5, "response_item", type="function_call_output", call_id="c1"),
        used(4, "resp_1", codex_counts(1, 0, 1)),
        codex_line(5, "response_item", type="message", role="assistant"),
        used(6, "resp_2", codex_counts(1, 0, 1)),
    )
    first, second = home.records()
    assert (first.begun_ms, first.ended_ms, first.tools) == (T0_MS + 1000, T0_MS + 4000, ("shell", "apply_patch"))
    assert (second.begun_ms, second.tools) == (T0_MS + 3500, ())


def qwen_answer(at_s: float, uuid: str = "a1", **fields: Any) -> bytes:
    usage = {"promptTokenCount": 900, "cachedContentTokenCount": 600, "candidatesTokenCount": 30}
    parts = [{"text": "ok"}, {"functionCall": {"id": "c1", "name": "read_file", "args": {}}}]
    return line(
        uuid=uuid,
        sessionId=fields.pop("session", "q1"),
        timestamp=iso(T0_MS + at_s * 1000),
        type="assistant",
        model="qwen-x",
        message={"role": "model", "parts": parts},
        usageMetadata=usage | fields.pop("usage", {}),
        **fields,
    )


def qwen_telemetry(at_s: float, duration_ms: int) -> bytes:
    event = {
        "event.name": "qwen-code.api_response",
        "event.timestamp": iso(T0_MS + at_s * 1000),
        "response_id": "chatcmpl-1",
        "model": "qwen-x",
        "duration_ms": duration_ms,
        "input_token_count": 900,
        "cached_content_token_count": 600,
        "output_token_count": 30,
    }
    return line(uuid="t1", sessionId="q1", type="system", subtype="ui_telemetry", systemPayload={"uiEvent": event})


QWEN = ".qwen/projects/-p/chats/q1.jsonl"


def test_qwens_prompt_contains_what_the_cache_gave_and_writes_are_not_reported(home: Home) -> None:
    home.write(QWEN, qwen_answer(1))
    record = home.only()
    assert (record.input, record.cache_read, record.cache_write, record.output) == (300, 600, None, 30)
    assert (record.tools, record.begun_ms) == (("read_file",), None)


@pytest.mark.parametrize(("total", "output"), [(942, 42), (930, 30)])
def test_qwens_thoughts_are_beside_the_answer_unless_the_total_says_otherwise(
    home: Home, total: int, output: int
) -> None:
    home.write(QWEN, qwen_answer(1, usage={"thoughtsTokenCount": 12, "totalTokenCount": total}))
    assert (home.only().output, home.only().reasoning) == (output, 12)


def test_qwens_telemetry_and_answer_are_one_request_with_a_beginning(home: Home) -> None:
    log = home.write(QWEN, qwen_telemetry(5, 3000))
    assert home.only().key == "chatcmpl-1"
    with log.open("ab") as file:
        file.write(qwen_answer(5.01))
    record = home.only()
    assert (record.key, record.begun_ms, record.ended_ms) == ("a1", T0_MS + 2000, T0_MS + 5000)
    assert (record.tools, record.input) == (("read_file",), 300)


def test_qwens_branch_counts_what_it_copied_once(home: Home) -> None:
    home.write(QWEN, qwen_answer(1))
    forked = {"sessionId": "q1", "messageUuid": "a1"}
    home.write(".qwen/projects/-p/chats/q2.jsonl", qwen_answer(1, "b1", session="q2", forkedFrom=forked))
    assert home.only().session == "q1"


def gemini(identifier: str, tokens: dict[str, int] | None, **fields: Any) -> bytes:
    stamp = iso(T0_MS + 1000)
    return line(id=identifier, timestamp=stamp, type="gemini", tokens=tokens, model="gemini-2.5-pro", **fields)


GEMINI = ".gemini/tmp/p/chats/session-1.jsonl"
GEMINI_HEADER = line(sessionId="g1", projectHash="h", kind="main")


def test_geminis_last_writing_of_a_message_counts_and_messages_without_counts_do_not(home: Home) -> None:
    counts = {"input": 900, "output": 30, "cached": 600, "thoughts": 12, "tool": 0, "total": 942}
    home.write(
        GEMINI,
        GEMINI_HEADER,
        gemini("m1", counts),
        gemini("m1", counts, toolCalls=[{"id": "c1", "name": "run_shell_command"}]),
        gemini("m2", None),
        line(**{"$set": {"messages": [{"id": "m3", "type": "gemini", "tokens": counts}]}}),
    )
    record = home.only()
    assert (record.key, record.session, record.tools) == ("m1", "g1", ("run_shell_command",))
    assert (record.input, record.cache_read, record.output, record.reasoning) == (300, 600, 42, 12)


def test_geminis_input_is_taken_as_it_is_when_the_total_holds_the_cache_beside_it(home: Home) -> None:
    counts = {"input": 300, "output": 30, "cached": 600, "thoughts": 0, "tool": 0, "total": 930}
    home.write(GEMINI, GEMINI_HEADER, gemini("m1", counts))
    assert home.only().input == 300


def test_geminis_older_logs_of_one_document_are_read_as_well(home: Home) -> None:
    message = {"id": "m1", "timestamp": iso(T0_MS), "type": "gemini", "model": "gemini-2.5-pro"}
    tokens = {"input": 10, "output": 5, "cached": 0, "total": 15}
    home.write(".gemini/tmp/p/chats/session-1.json", line(sessionId="g1", messages=[message | {"tokens": tokens}]))
    assert (home.only().session, home.only().input) == ("g1", 10)


def pi_answer(identifier: str, response: str | None, **usage: Any) -> bytes:
    message = {"role": "assistant", "provider": "anthropic", "model": "claude-haiku-4-5", "timestamp": T0_MS + 500}
    counts = {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0} | usage
    return line(
        type="message",
        id=identifier,
        timestamp=iso(T0_MS + 1000),
        message=message | {"usage": counts, "content": []} | ({} if response is None else {"responseId": response}),
    )


def pi_header(session: str) -> bytes:
    return line(type="session", version=3, id=session, cwd="/home/user/project")


def test_pis_branches_share_requests_and_short_ids_of_others_do_not_clash(home: Home) -> None:
    home.write(".pi/agent/sessions/p/1.jsonl", pi_header("one"), pi_answer("aa", "r1"), pi_answer("ab", None))
    home.write(".pi/agent/sessions/p/2.jsonl", pi_header("two"), pi_answer("aa", "r1"), pi_answer("aa", "r2"))
    assert sorted(record.key for record in home.records()) == [f"ab@{T0_MS + 500}", "r1", "r2"]


def test_pis_recorded_cost_counts_and_its_zero_does_not(home: Home) -> None:
    home.write(
        ".pi/agent/sessions/p/1.jsonl",
        pi_header("one"),
        pi_answer("aa", "r1", cost={"total": 0.07932750000000001}),
        pi_answer("ab", "r2", cost={"total": 0}),
    )
    assert [record.recorded_pico for record in home.records()] == [79_327_500_000, 0]
    assert home.store.work().cost_pico == 79_327_500_000 + 10 * 1_000_000 + 5 * 5_000_000
