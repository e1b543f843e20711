"""Whose turn it is that an agent tells of, and what its log says. Pure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cardloom.features.sessions.backends.canvas.agents import Gone, Moved, News, Status, WentOut
from cardloom.features.sessions.backends.canvas.log import holds_reply, is_said_by_person, messages_of
from cardloom.features.sessions.backends.canvas.turn import Turn


def moved(at_ms: int, *statuses: Status) -> Moved:
    return Moved("a", tuple((status, at_ms) for status in statuses))


OUT = WentOut("a", "t", 100)


@pytest.mark.parametrize(
    ("news", "ended"),
    [
        ([], None),
        ([moved(10, "finished")], None),
        ([moved(10, "finished"), OUT], None),
        ([moved(110, "working"), OUT], None),
        ([OUT, moved(110, "working"), moved(120, "finished")], "finished"),
        ([moved(110, "working", "finished"), OUT], "finished"),
        ([moved(110, "finished"), OUT], "finished"),
        ([OUT, moved(110, "idle")], None),
        ([OUT, moved(110, "working"), moved(120, "idle")], "idle"),
        ([OUT, moved(110, "working"), moved(120, "needs-input")], None),
        ([WentOut("a", "other", 100), moved(110, "working"), moved(120, "finished")], None),
        ([moved(10, "exited")], "exited"),
        ([Gone("a")], "exited"),
    ],
)
def test_a_turn_is_over_when_its_own_prompt_has_been_answered(news: list[News], ended: str | None) -> None:
    turn = Turn("t")
    for one in news:
        turn = turn.after(one)
    assert turn.ended_as == ended


def record(own: str, parent: str | None, role: str, *content: Any, **more: Any) -> str:
    message = {"role": role, "content": list(content)}
    return json.dumps({"uuid": own, "parentUuid": parent, "type": role, "message": message, **more})


def test_a_log_is_read_without_sub_agents_and_notes_of_the_program() -> None:
    said = {"type": "text", "text": "hi"}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    lines = [
        record("a", None, "user", said),
        json.dumps({"uuid": "n", "parentUuid": "a", "type": "system", "subtype": "turn_duration"}),
        record("b", "n", "assistant", {"type": "tool_use", "id": "c", "name": "Task", "input": {}}),
        record("s", None, "assistant", said, isSidechain=True),
        record("r", "b", "user", result),
        record("s2", "s", "assistant", said, isSidechain=True),
        "half a li",
    ]
    messages = messages_of("claude", "\n".join(lines))
    assert [message["id"] for message in messages] == ["a", "b", "r"]
    assert [is_said_by_person(message) for message in messages] == [True, False, False]


@pytest.mark.parametrize("form", ["claude", "pi"])
def test_a_log_that_is_none_holds_nothing(form: Any) -> None:
    assert messages_of(form, "") == []
    assert messages_of(form, "[1,2]\n\x00garbage\n{}") == []


def test_a_reply_is_found_in_a_log_however_its_lines_are_broken() -> None:
    messages = messages_of("claude", record("a", None, "assistant", {"type": "text", "text": "one\n two"}))
    assert holds_reply(messages, "one two ")
    assert not holds_reply(messages, "three")
