"""Claude transcripts: what the record holds wrongly, and records of any shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cardloom_protocol.session import BadRequest, NodeInput, NotFound
from cardloom_protocol.session.codecs.claude import append_claude, claude_session, fork_claude, parse_claude


def record(uuid: str, parent: str | None = None, **fields: Any) -> str:
    said = {"role": "user", "content": uuid}
    return json.dumps({"type": "user", "uuid": uuid, "parentUuid": parent, "message": said, **fields})


def appended(text: str, node: NodeInput) -> str:
    return text + append_claude(parse_claude(text), node, "n1", session_id="s", at="t", cwd="/w")[0]


def test_a_line_that_says_null_is_passed_over() -> None:
    file = parse_claude("null\n" + record("u1") + "\n")
    assert [node.id for node in file.nodes] == ["u1"]
    assert file.broken_lines == 0


def test_appending_behind_a_line_without_its_end_ends_that_line_first() -> None:
    text = appended(record("u1"), NodeInput("user", text="x"))
    assert text.startswith(record("u1") + "\n{")
    assert [node.id for node in parse_claude(text).nodes] == ["u1", "n1"]


def test_appending_behind_a_torn_line_loses_neither() -> None:
    text = appended(record("u1") + '\n{"type":"user","uu', NodeInput("user", text="x"))
    file = parse_claude(text)
    assert [(node.id, node.parent) for node in file.nodes] == [("u1", None), ("n1", "u1")]
    assert file.broken_lines == 1


def test_a_fork_ends_even_when_parents_run_in_a_circle() -> None:
    text, count = fork_claude(parse_claude("\n".join([record("a", "b"), record("b", "a")])), "new", "a")
    assert count == 2
    assert [json.loads(line)["uuid"] for line in text.splitlines()] == ["b", "a"]


def test_a_fork_needs_a_message_to_end_with() -> None:
    with pytest.raises(NotFound):
        fork_claude(parse_claude(record("a")), "new", "b")
    with pytest.raises(BadRequest):
        fork_claude(parse_claude("{}\n"), "new", None)


def test_every_part_comes_back_from_beside_the_message() -> None:
    answer = {"type": "tool_result", "data": 5, "meta": {"callId": "c"}}
    parts: list[Any] = [{"type": "hologram", "x": [1, None]}, answer]
    node = NodeInput("narrator", parts=parts, name="N", flags={"visible": False}, meta={"k": 1})
    read = parse_claude(appended("", node)).nodes[0]
    assert (read.role, read.parts, read.name, read.flags) == ("narrator", parts, "N", {"visible": False})
    assert read.meta == {"k": 1, "createdAt": "t"}


def test_data_of_an_answer_without_text_reaches_the_model_as_text() -> None:
    part: Any = {"type": "tool_result", "data": {"a": 1}, "meta": {"callId": "c"}}
    message = json.loads(appended("", NodeInput("tool", parts=[part])))["message"]
    assert message["content"] == [{"type": "tool_result", "tool_use_id": "c", "content": '{"a":1}'}]


@pytest.mark.parametrize(
    "fields",
    [
        {"message": 5},
        {"message": {"content": [None, 5, {}, {"type": "image", "source": 5}, {"type": "tool_use", "input": [1]}]}},
        {"message": {"role": 5, "content": {"x": 1}}, "type": None, "timestamp": 5},
        {"nrsParts": [5], "nrsRole": "user"},
        {"parentUuid": 5},
    ],
)
def test_a_record_of_any_shape_becomes_a_node(fields: dict[str, Any]) -> None:
    session = claude_session(parse_claude(record("a", **fields)), "s")
    assert session.nodes[0].id == "a"
    assert session.nodes[0].role
    assert session.info == {"id": "s", "messageCount": 1}
