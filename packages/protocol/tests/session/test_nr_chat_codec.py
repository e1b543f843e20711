"""nr-chat texts: parts that come back, bytes that stay, fences that must not swallow their neighbours."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from cardloom_protocol.session import (
    BadRequest,
    CodecError,
    Conflict,
    NodeInput,
    NodePatch,
    NotFound,
    active_leaf,
    to_history,
    tree_of,
)
from cardloom_protocol.session.codecs.nr_chat import ChatMessage, parse_chat, write_chat
from cardloom_protocol.session.codecs.nr_chat_edit import (
    append_nr_chat,
    delete_nr_chat,
    edit_nr_chat,
    fork_nr_chat,
    hide_nr_chat,
    set_header_nr_chat,
    set_leaf_nr_chat,
    set_meta_nr_chat,
)
from cardloom_protocol.session.codecs.nr_chat_session import nr_chat_meta, nr_chat_session, parse_nr_chat

THREE = "%meta {id: 's'}\n%user {id: 'a'}\nA\n%assistant {id: 'b'}\nB\n%user {id: 'c'}\nC\n"


def ids() -> Any:
    numbers = itertools.count()
    return lambda: f"new{next(numbers)}"


def append(text: str, node: NodeInput, node_id: str = "n") -> str:
    return append_nr_chat(parse_nr_chat(text), node, node_id, ids())[0]


def tree(text: str) -> list[tuple[str, str | None]]:
    return [(node.id, node.parent) for node in parse_nr_chat(text).nodes]


def leaf(text: str) -> str:
    session = nr_chat_session(parse_nr_chat(text))
    at = active_leaf(tree_of(session.nodes), session.meta)
    assert at is not None
    return session.nodes[at].id


def bodies(text: str) -> list[str]:
    return [message.body for message in parse_chat(text)]


# The recorded defect


def test_a_new_root_is_a_root_even_when_an_older_branch_is_active() -> None:
    text = append(set_leaf_nr_chat(parse_nr_chat(THREE), "a", "s"), NodeInput("user", text="R", parent=None))
    assert tree(text)[-1] == ("n", None)
    assert leaf(text) == "n"


def test_an_append_goes_below_the_active_leaf_and_becomes_it() -> None:
    text = append(set_leaf_nr_chat(parse_nr_chat(THREE), "a", "s"), NodeInput("user", text="N"))
    assert tree(text)[-1] == ("n", "a")
    assert leaf(text) == "n"
    assert "currNode" not in text


# Parts

PARTS: list[list[Any]] = [
    [],
    [{"type": "text", "text": ""}],
    [{"type": "text", "text": ""}, {"type": "thinking", "text": ""}],
    [{"type": "text", "text": "a\n\n%x\n\\%y\n````\n%z\n````\n"}],
    [{"type": "text", "text": "\n"}, {"type": "text", "text": "\n\n"}],
    [{"type": "thinking", "text": "x\ry"}],
    [{"type": "text", "text": "x", "later": {"deep": [1]}}],
    [{"type": "hologram", "payload": {"text": "%user\n````"}}],
    [{"type": "thinking", "text": "t", "meta": {"signature": "it's"}}],
    [{"type": "tool_use", "data": {"q": "%x\n\u2028"}, "meta": {"callId": "c", "name": "f"}}],
    [{"type": "tool_use", "data": None, "meta": {"callId": "c", "name": "f"}}],
    [{"type": "tool_use", "data": "text", "meta": {"callId": "c", "name": "f", "later": 1}}],
    [{"type": "tool_result", "data": [1], "text": "x", "meta": {"callId": "c", "error": True}}],
    [{"type": "tool_result", "text": "%user\nx", "meta": {"callId": "c", "name": "n", "error": False}}],
    [{"type": "tool_result", "text": "x", "meta": {"callId": "c", "format": "odd"}}],
    [{"type": "file", "meta": {"name": " spaced "}}],
    [{"type": "file", "meta": {"name": "a{b}.png", "mime": "image/png"}, "text": "x"}],
    [{"type": "file", "meta": {"name": "two\nlines", "url": "u", "ref": "r", "tokens": 5, "later": 1}}],
    [{"type": "image", "meta": {"url": "https://x"}}],
    [{"type": "image", "meta": {"mime": "image/png", "alt": "\\{", "url": "data:,"}, "text": "ocr"}],
    [{"type": "error", "text": "boom"}],
    [{"type": "error", "text": "", "meta": {"code": "E"}}],
    [{"type": "custom", "meta": {"hint": "poll", "format": "x", "text": 5}, "data": 1}],
    [{"type": "custom", "meta": {"hint": "poll", "k": 1}, "data": {"a": None}, "text": "t"}],
    [{"type": "custom", "meta": {"hint": "cardloom.part"}, "data": {"type": "text"}}],
    [{"type": "custom", "meta": {"hint": ""}, "text": "x"}],
]


@pytest.mark.parametrize("parts", PARTS)
def test_every_part_comes_back_from_the_file(parts: list[Any]) -> None:
    node = NodeInput("assistant", parts=parts, name="Bot {x}\\", flags={"frozen": True}, meta={"k": [1]})
    text, stored = append_nr_chat(parse_nr_chat(THREE), node, "n", ids())
    read = nr_chat_session(parse_nr_chat(append(text, NodeInput("user", text="after"), "z"))).nodes[3]
    assert read == stored
    assert read.parts == parts
    assert (read.name, read.flags, read.meta) == ("Bot {x}\\", {"frozen": True}, {"k": [1]})


def test_lines_that_end_with_crlf_come_back_with_lf() -> None:
    parts: list[Any] = [{"type": "text", "text": "a\r\nb\r"}, {"type": "text", "text": "c\r\n"}]
    _, node = append_nr_chat(parse_nr_chat(""), NodeInput("user", parts=parts), "n", ids())
    assert [part["text"] for part in node.parts] == ["a\nb", "c\n"]


def test_an_answer_without_any_content_reads_back_with_an_empty_text() -> None:
    part: Any = {"type": "tool_result", "meta": {"callId": "c"}}
    text, node = append_nr_chat(parse_nr_chat(""), NodeInput("tool", parts=[part]), "n", ids())
    assert "%%tool_result {callId: 'c'}\n" in text
    assert node.parts == [{**part, "text": ""}]


@pytest.mark.parametrize("role", ["", "a b", "%thinking", "a\n%b"])
def test_a_role_that_would_break_the_marker_is_refused(role: str) -> None:
    with pytest.raises(BadRequest):
        append("", NodeInput(role, text="x"))


def test_a_name_cannot_begin_a_message() -> None:
    text = append("", NodeInput("user", text="x", name="A\n%system B"))
    assert [(message.role, message.name) for message in parse_chat(text)] == [("user", "A %system B")]


def test_meta_cannot_forge_the_place_of_a_message() -> None:
    text = append(THREE, NodeInput("user", text="x", meta={"id": "a", "parent": "a", "disabled": True, "ok": 1}))
    node = nr_chat_session(parse_nr_chat(text)).nodes[-1]
    assert (node.id, node.parent, node.flags, node.meta) == ("n", "c", None, {"ok": 1})


def test_any_body_comes_back_through_writing_and_reading() -> None:
    source = random.Random(5)
    pieces = ["%", "\\", "`", "````", "\n", "x", " ", "%user {a: 1}", "\u2028", "{"]
    for _ in range(500):
        given = [ChatMessage("user", "".join(source.choices(pieces, k=source.randrange(12)))) for _ in range(3)]
        text = ""
        for number, message in enumerate(given):
            text = append(text, NodeInput("user", text=message.body), f"m{number}")
        read = nr_chat_session(parse_nr_chat(text)).nodes
        assert [node.id for node in read] == ["m0", "m1", "m2"]
        for node, message in zip(read, given, strict=True):
            assert str(node.parts[0]["text"]).startswith(message.body), (text, message.body)


# Fences


def test_a_fence_left_open_is_closed_before_a_later_one_could_close_it() -> None:
    text = append("", NodeInput("user", text="look:\n````\n%not a marker"), "a")
    text = append(text, NodeInput("user", text="b"), "b")
    text = append(text, NodeInput("user", text="````\ncode\n````"), "c")
    assert [node for node, _ in tree(text)] == ["a", "b", "c"]
    assert bodies(text) == ["look:\n````\n%not a marker\n````", "b", "````\ncode\n````"]


def test_an_edit_that_leaves_a_fence_open_keeps_the_messages_below() -> None:
    text = append(THREE, NodeInput("user", text="````\nx\n````"), "d")
    text, _ = edit_nr_chat(parse_nr_chat(text), "b", NodePatch(text="`````"))
    text, _ = edit_nr_chat(parse_nr_chat(text), "b", NodePatch(text="````"))
    assert [node for node, _ in tree(text)] == ["a", "b", "c", "d"]
    assert nr_chat_session(parse_nr_chat(text)).nodes[1].parts == [{"type": "text", "text": "````\n````"}]


def test_a_fence_open_before_the_first_message_swallows_nothing() -> None:
    text = append("notes\n````\n%user\nA\n", NodeInput("user", text="````\nx\n````"))
    assert len(tree(text)) == 2


def test_parts_of_one_message_cannot_swallow_each_other() -> None:
    parts: list[Any] = [{"type": "text", "text": "````"}, {"type": "text", "text": "````\nx\n````"}]
    _, node = append_nr_chat(parse_nr_chat(""), NodeInput("user", parts=parts), "n", ids())
    assert [part["text"] for part in node.parts] == ["````\n````", "````\nx\n````"]


def test_a_text_full_of_open_fences_is_read_in_one_pass() -> None:
    text = "".join(f"{'`' * (4 + number)}\n" for number in range(3000, 0, -1))
    assert parse_chat("%user\n" + text)[0].body == text.removesuffix("\n")


# Bytes


def test_an_edit_keeps_the_bytes_of_all_other_messages() -> None:
    text = '# notes\r\n%meta {"id":"s"}\r\n%user   {id:"a"}\r\nA\r\n\r\n%assistant {id:"b"}\r\nB\r\n%user {id:"c"}\r\nC'
    edited, _ = edit_nr_chat(parse_nr_chat(text), "b", NodePatch(text="new"))
    assert edited == text.replace('%assistant {id:"b"}\r\nB', "%assistant {id: 'b'}\nnew")


def test_an_edit_at_the_end_of_the_file_keeps_its_last_empty_lines() -> None:
    for body in ("x\n", "\n", "x\n\n", "x"):
        text, node = edit_nr_chat(parse_nr_chat("%user\nA"), "pos:0", NodePatch(text=body))
        assert node.parts == nr_chat_session(parse_nr_chat(text)).nodes[0].parts == [{"type": "text", "text": body}]


def test_what_changes_nothing_keeps_the_text() -> None:
    text = "%user  {id:'a',disabled:true}\nA"
    assert hide_nr_chat(parse_nr_chat(text), "a", True) == text


def test_a_header_is_made_behind_what_stands_before_the_first_message() -> None:
    text = set_header_nr_chat(parse_nr_chat("notes\n%%orphan\nx\n%user\nA"), {"title": "T"}, "s")
    assert text == "notes\n%%orphan\nx\n%meta {id: 's', title: 'T'}\n%user\nA"
    assert set_header_nr_chat(parse_nr_chat("notes"), {"title": "T"}, "s") == "notes\n%meta {id: 's', title: 'T'}\n"


def test_a_whole_document_replaces_sub_messages_of_the_header_too() -> None:
    text = "%meta {id: 's', sessionMeta: {a: 1}}\n%%notes\nN\n%%state\nS\n%user\nA\n"
    after = set_meta_nr_chat(parse_nr_chat(text), {"state": 2}, "s")
    assert nr_chat_meta(parse_nr_chat(after)) == {"state": 2}
    assert bodies(after)[-1] == "A"
    assert nr_chat_meta(parse_nr_chat(set_meta_nr_chat(parse_nr_chat(after), {}, "s"))) == {}


# The tree


def test_a_branch_from_a_message_without_id_gives_it_one() -> None:
    text = append("%user\nA\n%assistant\nB\n", NodeInput("assistant", text="B2", parent="pos:0"))
    assert text == "%user {id: 'new0'}\nA\n%assistant\nB\n%assistant {id: 'n', parent: 'new0'}\nB2\n"
    assert tree(text) == [("new0", None), ("pos:1", "new0"), ("n", "new0")]


def test_ids_that_are_taken_are_not_given_again() -> None:
    with pytest.raises(Conflict):
        append(THREE, NodeInput("user", text="x"), "b")
    with pytest.raises(NotFound):
        append(THREE, NodeInput("user", text="x", parent="nope"))
    made = iter(["b", "s", "fresh"])
    text = "%meta {id: 's'}\n%user\nA\n%user {id: 'b'}\nB\n"
    after, _ = append_nr_chat(parse_nr_chat(text), NodeInput("user", text="x", parent="pos:0"), "n", lambda: next(made))
    assert "parent: 'fresh'" in after


def test_deleting_the_active_leaf_makes_its_parent_active() -> None:
    text = append(THREE, NodeInput("assistant", text="B2", parent="a"), "b2")
    after = delete_nr_chat(parse_nr_chat(text), "b2", ids())
    assert leaf(after) == "a"
    assert tree(after) == [("a", None), ("b", "a"), ("c", "b")]


def test_deleting_elsewhere_keeps_an_active_leaf_that_is_known_by_its_position() -> None:
    text = "%meta {currNode: 'pos:1'}\n%user\nA\n%user\nB\n%user\nC\n%user {parent: null}\nD\n"
    after = delete_nr_chat(parse_nr_chat(text), "pos:0", ids())
    session = nr_chat_session(parse_nr_chat(after))
    assert [message["parts"][0]["text"] for message in to_history(session)] == ["B"]


def test_a_message_with_a_branch_point_as_parent_is_moved_up_when_that_goes() -> None:
    text = append(THREE, NodeInput("user", text="C2", parent="b"), "c2")
    assert tree(delete_nr_chat(parse_nr_chat(text), "b", ids())) == [("a", None), ("c", "a"), ("c2", "a")]


def test_a_fork_follows_the_branch_and_its_assets() -> None:
    text = "%meta {id: 's', title: 'T', currNode: 'c'}\n%%notes\nN\n%user {id: 'a'}\nfile:s.assets/x.png\n"
    text += "%user {id: 'b'}\nB\n"
    text = append(text, NodeInput("user", text="C", parent="a"), "c")
    forked = fork_nr_chat(parse_nr_chat(text), "f", "s", "2026-01-01T00:00:00.000Z", None)
    session = nr_chat_session(parse_nr_chat(forked))
    assert [(node.id, node.parent) for node in session.nodes] == [("a", None), ("c", "a")]
    assert session.nodes[0].parts == [{"type": "text", "text": "file:f.assets/x.png"}]
    assert session.info == {
        "id": "f",
        "title": "T",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "parentSessionId": "s",
        "messageCount": 2,
    }
    assert nr_chat_meta(parse_nr_chat(forked)) == {"notes": "N"}


def test_a_fork_ends_even_when_parents_run_in_a_circle() -> None:
    text = "%user {id: 'a', parent: 'b'}\nA\n%user {id: 'b', parent: 'a'}\nB\n"
    forked = fork_nr_chat(parse_nr_chat(text), "f", "s", "t", "a")
    assert [node.id for node in parse_nr_chat(forked).nodes] == ["b", "a"]
    with pytest.raises(NotFound):
        fork_nr_chat(parse_nr_chat(text), "f", "s", "t", "x")
    with pytest.raises(BadRequest):
        fork_nr_chat(parse_nr_chat(""), "f", "s", "t", None)


def test_a_broken_meta_is_named_by_its_line() -> None:
    with pytest.raises(CodecError) as caught:
        parse_nr_chat("notes\n%user\nx\n%user {oops\ny\n")
    assert caught.value.line == 4


def test_the_file_is_written_as_it_is_read() -> None:
    text = '%user\n\n\n%user Bob \\{\\} {"a":1,  }\nx\n'
    assert write_chat(parse_chat(text)) == text
