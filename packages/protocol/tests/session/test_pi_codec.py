"""pi session files: what no recorded case holds, and what the record holds wrongly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cardloom_protocol.session import BadRequest, CodecError, NodeInput, NodePatch, NotFound, to_history
from cardloom_protocol.session.codecs.pi import PiFile, entry_node, parse_pi, pi_session, serialize_pi
from cardloom_protocol.session.codecs.pi_edit import (
    append_pi,
    delete_pi,
    edit_pi,
    fork_pi,
    hide_pi,
    move_pi_to_end,
)
from cardloom_protocol.session.json_text import object_of

HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-07-01T00:00:00.000Z","cwd":"/w"}'


def line(node_id: str, parent: str | None, **message: Any) -> str:
    said = {"role": "user", "content": node_id, **message}
    return json.dumps({"type": "message", "id": node_id, "parentId": parent, "timestamp": "t", "message": said})


def file_of(*lines: str) -> PiFile:
    return parse_pi("\n".join([HEADER, *lines]) + "\n")


def lines_of(file: PiFile) -> list[str]:
    return serialize_pi(file).split("\n")[1:-1]


def test_every_line_that_an_edit_does_not_touch_keeps_its_bytes() -> None:
    lines = [
        "not json at all }{",
        '{ "type" : "message", "id":"a", "parentId":null, "message":{"role":"user","content":"\\u0061", "n": 1.0e2} }',
        '{"no":"type"}\r',
        line("b", "a"),
        "[1,2",
        line("c", "b") + "\r",
        '{"type":"session","id":"other"}',
    ]
    after = lines_of(edit_pi(file_of(*lines), "b", NodePatch(text="new"))[0])
    assert [at for at, (before, now) in enumerate(zip(lines, after, strict=True)) if before != now] == [3]
    assert json.loads(after[3])["message"] == {"role": "user", "content": [{"type": "text", "text": "new"}]}


def test_what_changes_nothing_gives_the_same_file() -> None:
    file = file_of(line("a", None), line("b", "a"))
    assert hide_pi(file, "a", False) is file
    assert move_pi_to_end(file, "b") is file


def test_a_fork_ends_even_when_parents_run_in_a_circle() -> None:
    file = file_of(line("a", "c"), line("b", "a"), line("c", "b"))
    forked = fork_pi(file, "new", "2026-01-01T00:00:00.000Z", "/x", "b")
    assert [entry.id for entry in forked.entries] == ["c", "a", "b"]


def test_a_fork_copies_lines_as_they_are_and_leaves_foreign_ones_behind() -> None:
    odd = '{"type": "message", "id": "a",  "parentId": null, "message": {"role": "user", "content": "A"}}'
    file = file_of("junk", odd, "more junk", line("b", "a"), line("x", "a"))
    forked = fork_pi(file, "new", "t", "/x", "b")
    assert lines_of(forked) == [odd, line("b", "a")]
    assert forked.header == {
        "type": "session",
        "version": 3,
        "id": "new",
        "timestamp": "t",
        "cwd": "/w",
        "parentSession": "s1",
    }
    with pytest.raises(NotFound):
        fork_pi(file, "new", "t", "/x", "nope")
    with pytest.raises(BadRequest):
        fork_pi(file_of(), "new", "t", "/x", None)


def test_deleting_the_last_line_makes_its_parent_the_active_leaf() -> None:
    file = file_of(line("a", None), line("b", "a"), line("x", "a"), line("y", "b"))
    after = delete_pi(file, "y")
    assert after.leaf_id == "b"
    assert [message["id"] for message in to_history(pi_session(after))] == ["a", "b"]


def test_foreign_lines_of_the_only_entry_survive_its_deletion() -> None:
    assert lines_of(delete_pi(file_of("one", line("a", None), "two"), "a")) == ["one", "two"]


def test_the_old_flag_is_written_as_given_and_read_as_the_new_one() -> None:
    file, node = append_pi(file_of(), NodeInput("user", text="x", flags={"hidden": True}), "a", "t")
    assert node.flags == {"hidden": True}
    assert entry_node(file.entries[0]).flags == {"disabled": True}
    assert entry_node(hide_pi(file, "a", False).entries[0]).flags is None


def test_hiding_updates_the_node_beside_the_message() -> None:
    file, _ = append_pi(file_of(), NodeInput("user", text="x", flags={"frozen": True}), "a", "t")
    hidden = hide_pi(file, "a", True)
    assert hidden.entries[0].data["nrsFlags"] == {"frozen": True, "disabled": True}
    assert entry_node(hidden.entries[0]).flags == {"frozen": True, "disabled": True}
    shown = hide_pi(hidden, "a", False)
    assert shown.entries[0].data["nrsFlags"] == {"frozen": True}
    assert entry_node(shown.entries[0]).flags == {"frozen": True}


def test_editing_updates_the_node_beside_the_message() -> None:
    file, _ = append_pi(file_of(), NodeInput("assistant", parts=[{"type": "hologram", "x": 1}]), "a", "t")
    edited, node = edit_pi(file, "a", NodePatch(text="new"))
    assert node.parts == [{"type": "hologram", "x": 1}, {"type": "text", "text": "new"}]
    assert edited.entries[0].data["message"] == {"role": "assistant", "content": [{"type": "text", "text": "new"}]}


def test_an_answer_written_for_pi_has_the_counts_that_pi_adds_up() -> None:
    node = NodeInput("assistant", text="x", meta={"model": "m", "usage": {"input": 3, "output": 4}})
    file, stored = append_pi(file_of(), node, "a", "t", for_pi=True)
    message = object_of(file.entries[0].data["message"])
    usage = object_of(message["usage"])
    assert (message["model"], usage["input"], usage["output"], usage["totalTokens"]) == ("m", 3, 4, 7)
    assert object_of(usage["cost"])["total"] == 0
    assert entry_node(file.entries[0]) == stored
    assert stored.meta == {"model": "m", "usage": {"input": 3, "output": 4}, "createdAt": "t"}


def test_an_answer_without_counts_is_written_for_pi_with_none_and_read_back_without() -> None:
    file, stored = append_pi(file_of(), NodeInput("assistant", text="x"), "a", "t", for_pi=True)
    message = object_of(file.entries[0].data["message"])
    assert object_of(message["usage"])["input"] == 0
    assert {"api", "provider", "model", "stopReason", "timestamp"} <= message.keys()
    assert entry_node(file.entries[0]) == stored
    asked, _ = append_pi(file, NodeInput("user", text="y"), "b", "t", for_pi=True)
    assert asked.entries[1].data["message"] == {"role": "user", "content": [{"type": "text", "text": "y"}]}


def test_the_parent_that_pi_records_as_a_path_is_read_as_an_id() -> None:
    header = '{"type":"session","id":"b","parentSession":"/home/u/.pi/s/2026-01-01T00-00-00-000Z_abc-1.jsonl"}'
    assert pi_session(parse_pi(header)).info["parentSessionId"] == "abc-1"
    assert pi_session(parse_pi('{"type":"session","id":"b","parentSession":"s1"}')).info["parentSessionId"] == "s1"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": 5},
        {"role": "user", "content": [None, 5, "x", {"type": 5}, {}]},
        {"role": "assistant", "content": [{"type": "image"}, {"type": "toolCall", "id": 1}], "usage": [1]},
        {"role": "toolResult", "content": None, "toolCallId": None, "isError": "no"},
    ],
)
def test_a_message_of_any_shape_becomes_a_node(message: dict[str, Any]) -> None:
    node = entry_node(file_of(line("a", None, **message)).entries[0])
    assert node.id == "a"
    assert all(isinstance(part.get("type"), str) for part in node.parts)


@pytest.mark.parametrize("fields", [{}, {"message": 5}, {"message": {}}])
def test_an_entry_without_a_message_is_shown_as_it_is(fields: dict[str, Any]) -> None:
    entry = file_of(json.dumps({"type": "message", **fields, "id": "a", "parentId": None})).entries[0]
    assert entry_node(entry).parts[0]["meta"] == {"hint": "pi.message"}


def test_a_file_without_header_is_none_of_pi() -> None:
    with pytest.raises(CodecError):
        parse_pi(line("a", None))


def test_a_wide_file_is_read_in_one_pass() -> None:
    file = file_of(*[line(str(number), None) for number in range(3000)], *["junk"] * 3000)
    assert len(file.entries) == 3000
    assert len(file.entries[-1].foreign) == 3000
