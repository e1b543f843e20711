"""The rows of the conformance table that are about one harness, from what it posts to the statuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from cardloom.features.agents.facts import HookContext
from cardloom.features.agents.harnesses.hooking import question_of
from cardloom.features.agents.harnesses.shape import Harness
from cardloom.features.agents.harnesses.table import HARNESSES
from cardloom.features.agents.signals import Keyed, LogRead, LogView, Signal, Source, Spawned, Tick, Told, told
from cardloom.features.agents.state import AgentState, Published
from cardloom.features.agents.status import initial, step, wake_at_ms

BASE_MS = 1_000_000_000


@dataclass(frozen=True)
class Post:
    event: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Print:
    text: str


Act: TypeAlias = Post | Print | Signal
Acts: TypeAlias = Sequence[tuple[float, Act]]
CLAUDE, CODEX, OPENCODE = HARNESSES["claude-code"], HARNESSES["codex-cli"], HARNESSES["opencode"]
HERMES, QWEN = HARNESSES["hermes-agent"], HARNESSES["qwen-code"]


def played(
    harness: Harness, acts: Acts, *, context: HookContext | None = None, end_s: float | None = None
) -> tuple[AgentState, list[str], list[Published]]:
    """The state in the end, and what was told: `status` or, where output or keys spoke, with their name."""
    state, published = step(initial(harness.rules), Spawned(), BASE_MS)
    told_of: list[Published] = list(published)

    def send(signal: Signal, at_ms: int) -> None:
        nonlocal state
        while (wake_ms := wake_at_ms(state)) is not None and wake_ms <= at_ms:
            state, due = step(state, Tick(), wake_ms)
            told_of.extend(due)
        state, moved = step(state, signal, at_ms)
        told_of.extend(moved)

    for at_s, act in acts:
        at_ms = BASE_MS + round(at_s * 1000)
        if isinstance(act, Post):
            for signal in told(harness.read_hook(act.event, act.payload, context or HookContext()), state.life, at_ms):
                send(signal, at_ms)
        elif isinstance(act, Print):
            assert harness.read_output is not None
            for fact in harness.read_output(act.text):
                send(Told(fact, state.life, at_ms, Source.OUTPUT), at_ms)
        else:
            send(act, at_ms)
    send(Tick(), BASE_MS + round((end_s if end_s is not None else acts[-1][0] + 2) * 1000))
    return state, [f"{one.status.value}{'!' * one.error}" for one in told_of], told_of


def statuses(harness: Harness, acts: Acts, *, context: HookContext | None = None) -> list[str]:
    return played(harness, acts, context=context)[1]


BASH = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
PROMPT = Post("UserPromptSubmit", {"session_id": "s1", "transcript_path": "/logs/s1.jsonl", "prompt": "go"})
ASK = Post("PermissionRequest", {"session_id": "s1", **BASH})
DONE = Post("PostToolUse", {"session_id": "s1", **BASH})
STOP = Post("Stop", {"session_id": "s1", "last_assistant_message": "Done."})


def notice(kind: str | None, message: str = "Claude needs your permission") -> Post:
    return Post("Notification", {"message": message, **({"notification_type": kind} if kind else {})})


def test_row_29_dangerous_mode_allows_and_tells_nothing() -> None:
    context = HookContext(dangerous=True)
    assert '"behavior": "allow"' in CLAUDE.read_hook(ASK.event, ASK.payload, context).reply
    acts: Acts = [(1, PROMPT), (2, ASK), (8, notice("permission_prompt"))]
    assert statuses(CLAUDE, acts, context=context) == ["working"]


def test_row_29_a_question_to_the_person_is_asked_in_dangerous_mode_too() -> None:
    question = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Which colour?"}]}}
    context = HookContext(dangerous=True)
    assert CLAUDE.read_hook("PermissionRequest", question, context).reply == "{}"
    acts: Acts = [(1, PROMPT), (2, Post("PermissionRequest", question))]
    state, told_of, _ = played(CLAUDE, acts, context=context)
    assert told_of == ["working", "needs-input"]
    assert state.question is not None
    assert (state.question.kind, state.question.action) == ("question", "Which colour?")


def test_a_late_notice_of_a_known_question_tells_nothing_new() -> None:
    acts: Acts = [(1, PROMPT), (2, ASK), (8, notice("permission_prompt"))]
    state, told_of, _ = played(CLAUDE, acts)
    assert told_of == ["working", "needs-input"]
    assert state.question is not None
    assert state.question.detail == "Bash — make test"


def test_a_late_notice_alone_asks_where_nothing_else_did() -> None:
    assert statuses(CLAUDE, [(1, PROMPT), (8, notice("permission_prompt"))]) == ["working", "needs-input"]


def test_row_30_a_late_notice_after_the_end_is_ignored() -> None:
    ended = LogRead(LogView("ended", BASE_MS + 500))
    assert statuses(CLAUDE, [(1, PROMPT), (2, ended), (8, notice("permission_prompt"))]) == ["working"]


@pytest.mark.parametrize(
    "idle", [notice("idle_prompt"), notice("auth_success"), notice(None, "Claude is waiting for your input")]
)
def test_row_31_notices_that_ask_nothing_are_ignored(idle: Post) -> None:
    assert statuses(CLAUDE, [(1, PROMPT), (2, idle)]) == ["working"]


@pytest.mark.parametrize("kind", ["elicitation_dialog", "worker_permission_prompt"])
def test_row_32_notices_that_ask_are_questions(kind: str) -> None:
    assert statuses(CLAUDE, [(1, PROMPT), (2, notice(kind))]) == ["working", "needs-input"]


def test_row_33_a_sub_agents_question_names_it() -> None:
    asked = Post("PermissionRequest", {**BASH, "agent_id": "a1", "agent_type": "explorer"})
    state, _, _ = played(CLAUDE, [(1, PROMPT), (2, asked)])
    assert state.question is not None
    assert (state.question.detail, state.question.subagent) == ("explorer: Bash — make test", "explorer")


def test_a_rule_that_answers_within_the_hold_keeps_the_question_unseen() -> None:
    assert statuses(CLAUDE, [(1, PROMPT), (2, ASK), (2.4, DONE), (3, STOP)]) == ["working", "finished"]


def test_another_tools_end_answers_no_question() -> None:
    other = Post("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "/a"}})
    assert statuses(CLAUDE, [(1, PROMPT), (2, ASK), (4, other)]) == ["working", "needs-input"]
    assert statuses(CLAUDE, [(1, PROMPT), (2, ASK), (4, other), (5, DONE)]) == ["working", "needs-input", "working"]


def test_row_56_a_failed_turn_says_why() -> None:
    failed = Post("StopFailure", {"error": "rate_limit"})
    state, told_of, _ = played(CLAUDE, [(1, PROMPT), (3, failed)])
    assert (told_of, state.error) == (["working", "finished!"], "rate_limit")


def test_row_60_a_cleared_session_links_the_new_one_and_keeps_the_old() -> None:
    start = Post("SessionStart", {"session_id": "s1", "transcript_path": "/logs/s1.jsonl", "source": "startup"})
    clear = Post("SessionStart", {"session_id": "s2", "transcript_path": "/logs/s2.jsonl", "source": "clear"})
    state, told_of, _ = played(CLAUDE, [(1, start), (2, clear)])
    assert told_of == []
    assert (state.session_id, state.session_ids, state.log_path) == ("s2", ("s1", "s2"), "/logs/s2.jsonl")


def test_a_program_that_only_inherited_our_settings_tells_nothing() -> None:
    start = Post("SessionStart", {"session_id": "s1", "source": "startup"})
    foreign = Post("SessionStart", {"session_id": "s9", "source": "startup"})
    stop = Post("Stop", {"session_id": "s9"})
    state, told_of, _ = played(CLAUDE, [(1, start), (2, PROMPT), (3, foreign), (4, stop)])
    assert (told_of, state.session_ids) == (["working"], ("s1",))


def test_row_72_a_stop_that_leaves_a_sub_agent_out_stopped_it() -> None:
    started = Post("SubagentStart", {"session_id": "s1", "agent_id": "a1", "agent_type": "explorer"})
    running = [{"id": "a2", "type": "subagent", "status": "running"}, {"id": "b", "type": "shell", "status": "running"}]
    stop = Post("Stop", {"session_id": "s1", "background_tasks": running})
    state, told_of, _ = played(CLAUDE, [(1, PROMPT), (2, started), (3, stop)])
    assert told_of == ["working"]
    assert [one.id for one in state.subagents] == ["a2"]


def test_row_73_codex_asks_and_links_its_session() -> None:
    acts: Acts = [(1, PROMPT), (2, ASK), (4, Keyed(b"y")), (5, STOP)]
    state, told_of, published = played(CODEX, acts)
    assert told_of == ["working", "needs-input", "working", "finished"]
    assert published[1].detail == "Bash — make test"
    assert (state.session_id, state.log_path) == ("s1", "/logs/s1.jsonl")


def test_row_74_a_coloured_error_cell_ends_the_turn_of_codex() -> None:
    state, told_of, _ = played(CODEX, [(1, PROMPT), (3, Print("• Working\n■ stream error: reset\n\n› "))])
    assert (told_of, state.error) == (["working", "finished!"], "stream error: reset")


def test_row_75_an_error_cell_without_a_turn_is_only_text() -> None:
    assert statuses(CODEX, [(1, Print("■ stream error"))]) == []
    assert statuses(CODEX, [(1, PROMPT), (2, STOP), (3, Print("■ stream error"))]) == ["working", "finished"]


def test_row_76_requests_that_a_program_reviews_ask_nobody() -> None:
    assert statuses(CODEX, [(1, PROMPT), (2, ASK)], context=HookContext(reviewed=True)) == ["working"]


def test_row_77_codex_asks_its_person() -> None:
    question = {"tool_name": "request_user_input", "tool_input": {"questions": [{"question": "Which branch?"}]}}
    acts: Acts = [(1, PROMPT), (2, Post("PreToolUse", question)), (4, Post("PostToolUse", question))]
    _, told_of, published = played(CODEX, acts)
    assert told_of == ["working", "needs-input", "working"]
    assert published[1].detail == "request_user_input — Which branch?"


def test_row_78_a_sub_agents_prompt_is_no_turn_of_codex() -> None:
    assert statuses(CODEX, [(1, Post("UserPromptSubmit", {"agent_id": "a1", "prompt": "go"}))]) == []


def test_row_44_interruptions_that_are_told_end_in_rest() -> None:
    assert statuses(CODEX, [(1, PROMPT), (2, Post("Interrupt", {"session_id": "s1"}))]) == ["working", "idle"]
    aborted = bus("session.error", error={"name": "MessageAbortedError"})
    assert statuses(OPENCODE, [(1, BUSY), (2, aborted), (2.1, IDLE), (2.2, IDLE)]) == ["working", "idle"]
    ended = webhook("on_session_end", interrupted=True)
    assert statuses(HERMES, [(1, webhook("pre_llm_call")), (2, ended)]) == ["working", "idle"]
    stop = Post("stop", {"status": "aborted"})
    assert statuses(HARNESSES["cursor"], [(1, Post("beforeSubmitPrompt", {})), (2, stop)]) == ["working", "idle"]


def bus(event: str, session: str | None = "ses_root", parent: str | None = None, **properties: Any) -> Post:
    told_of = {"properties": {**({"sessionID": session} if session else {}), **properties}}
    return Post(event, {**told_of, **({"parent": parent, "agent": "explorer"} if parent else {})})


BUSY = bus("session.status", status={"type": "busy"})
IDLE = bus("session.status", status={"type": "idle"})
OC_ASK = bus("permission.asked", id="per_1", permission="bash", metadata={"command": "make test"})


def replied(reply: str) -> Post:
    return bus("permission.replied", requestID="per_1", reply=reply)


def test_row_79_an_ask_answered_at_once_is_unseen() -> None:
    assert statuses(OPENCODE, [(1, BUSY), (2, OC_ASK), (2.3, replied("once")), (4, IDLE)]) == ["working", "finished"]


def test_row_80_an_ask_is_shown_after_its_hold() -> None:
    _, told_of, published = played(OPENCODE, [(1, BUSY), (2, OC_ASK), (4, replied("once")), (5, IDLE)])
    assert told_of == ["working", "needs-input", "working", "finished"]
    assert (published[1].at_ms - BASE_MS, published[1].detail) == (2_700, "bash — make test")


def test_a_refusal_with_the_mouse_ends_in_rest() -> None:
    acts: Acts = [(1, BUSY), (2, OC_ASK), (4, replied("reject")), (4.2, IDLE)]
    assert statuses(OPENCODE, acts) == ["working", "needs-input", "idle"]


def test_row_81_a_childs_work_is_a_sub_agents() -> None:
    child_busy = bus("session.status", "ses_child", "ses_root", status={"type": "busy"})
    child_idle = bus("session.status", "ses_child", "ses_root", status={"type": "idle"})
    state, told_of, _ = played(OPENCODE, [(1, BUSY), (2, child_busy)])
    assert (told_of, [one.name for one in state.subagents]) == (["working"], ["explorer"])
    state, told_of, _ = played(OPENCODE, [(1, BUSY), (2, child_busy), (3, child_idle), (4, IDLE)])
    assert (told_of, state.subagents, state.session_ids) == (["working", "finished"], (), ("ses_root",))


def test_row_82_an_ask_needs_no_session() -> None:
    ask = bus("permission.asked", None, id="per_2", permission="edit", patterns=["a.py"])
    assert statuses(OPENCODE, [(1, BUSY), (2, ask)]) == ["working", "needs-input"]


def test_row_83_a_retry_is_kept_as_a_message() -> None:
    retry = bus("session.status", status={"type": "retry", "attempt": 2, "message": "overloaded"})
    state, told_of, _ = played(OPENCODE, [(1, BUSY), (2, retry)])
    assert (told_of, state.retrying) == (["working"], "overloaded")


def test_row_84_a_superseded_execution_goes_on() -> None:
    superseded = bus("session.execution.interrupted", reason="superseded")
    acts: Acts = [(1, bus("session.execution.started")), (2, superseded), (3, bus("session.execution.started"))]
    assert statuses(OPENCODE, acts) == ["working"]
    aborted = bus("session.execution.interrupted", reason="user")
    assert statuses(OPENCODE, [(1, bus("session.execution.started")), (2, aborted)]) == ["working", "idle"]


def test_an_error_of_opencode_ends_its_turn_with_the_reason() -> None:
    failed = bus("session.error", error={"name": "APIError", "data": {"message": "no credit"}})
    state, told_of, _ = played(OPENCODE, [(1, BUSY), (2, failed), (2.1, IDLE)])
    assert (told_of, state.error) == (["working", "finished!"], "no credit")


def webhook(event: str, delivery: str | None = None, **extra: Any) -> Post:
    numbered = {"delivery_id": delivery} if delivery else {}
    return Post("webhook", {"hook_event_name": event, "session_id": "h1", "extra": extra, **numbered})


HERMES_ASK = webhook("pre_approval_request", command="rm -r build", tool_call_id="c1")


def test_row_85_a_refusal_goes_on_in_hermes() -> None:
    acts: Acts = [
        (1, webhook("pre_llm_call")),
        (2, HERMES_ASK),
        (4, webhook("post_approval_response", choice="deny", tool_call_id="c1")),
        (5, webhook("post_llm_call", assistant_response="Left alone.")),
        (6, webhook("on_session_end", completed=True)),
    ]
    state, told_of, _ = played(HERMES, acts)
    assert told_of == ["working", "needs-input", "working", "finished"]
    assert state.reply is not None
    assert state.reply.text == "Left alone."


def test_row_86_a_delivery_that_comes_twice_counts_once() -> None:
    begin, end = webhook("pre_llm_call", "d1"), webhook("on_session_end", "d2")
    assert statuses(HERMES, [(1, begin), (2, end), (3, begin)]) == ["working", "finished"]
    assert statuses(HERMES, [(1, begin), (2, end), (3, webhook("pre_llm_call", "d3"))])[-1] == "working"


def test_row_87_qwens_control_events_are_questions() -> None:
    asked = Post(
        "control_request",
        {"request_id": "r1", "request": {"subtype": "can_use_tool", "tool_name": "run_shell_command",
                                         "input": {"command": "ls"}}},
    )  # fmt: skip
    given = Post("control_response", {"response": {"request_id": "r1"}})
    assert statuses(QWEN, [(1, PROMPT), (2, asked), (4, given), (5, STOP)]) == [
        "working",
        "needs-input",
        "working",
        "finished",
    ]


def test_row_88_a_tools_result_is_no_second_turn() -> None:
    again = Post("UserPromptSubmit", {"prompt": ""})
    assert statuses(QWEN, [(1, PROMPT), (2, again), (3, STOP)]) == ["working", "finished"]
    assert statuses(QWEN, [(1, PROMPT), (3, STOP), (3.1, again)]) == ["working", "finished"]


def test_qwens_notice_of_rest_proves_an_interruption_but_not_before_the_end() -> None:
    rest = Post("Notification", {"notification_type": "idle_prompt"})
    assert statuses(QWEN, [(1, PROMPT), (2, rest)]) == ["working", "idle"]
    assert statuses(QWEN, [(1, PROMPT), (2, STOP), (2.1, rest)]) == ["working", "finished"]


def test_hooks_that_overtake_each_other_are_put_in_order_by_their_own_times() -> None:
    """Qwen writes when a hook was started; under load a later one may arrive first."""
    stop = Post("Stop", {"timestamp": "1970-01-12T13:46:42.000Z"})
    rest = Post("Notification", {"notification_type": "idle_prompt", "timestamp": "1970-01-12T13:46:42.050Z"})
    assert statuses(QWEN, [(1, PROMPT), (2.1, rest), (2.2, stop)]) == ["working", "finished"]
    late_prompt = Post("UserPromptSubmit", {"prompt": "go", "timestamp": "1970-01-12T13:46:41.000Z"})
    assert statuses(QWEN, [(2.1, late_prompt), (2.2, stop)]) == ["working", "finished"]
    assert statuses(QWEN, [(2.1, stop), (2.2, late_prompt)]) == ["finished"]


def test_pi_that_tries_again_has_one_turn() -> None:
    begin, failed = Post("agent_start", {}), Post("agent_end", {"stop_reason": "error", "error": "503"})
    end = Post("agent_end", {"stop_reason": "stop", "reply": "ok"})
    harness = HARNESSES["pi"]
    assert statuses(harness, [(1, begin), (2, failed), (6, begin), (7, end)]) == ["working", "finished"]
    state, told_of, _ = played(harness, [(1, begin), (2, failed)], end_s=20)
    assert (told_of, state.error) == (["working", "finished!"], "503")


def test_a_question_is_named_alike_in_request_and_result() -> None:
    assert question_of(ASK.payload).about == question_of(DONE.payload).about
