"""Parts: text, tool pairs, guards, and what a request may hold."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.session import (
    PART_TYPES,
    BadRequest,
    NodeInput,
    NodePatch,
    check_parts,
    derived_text,
    is_custom_part,
    is_error_part,
    is_file_part,
    is_image_part,
    is_known_part,
    is_text_part,
    is_thinking_part,
    is_tool_result_part,
    is_tool_use_part,
    match_tool_pair,
    parts_text,
)

GUARDS = (
    is_text_part,
    is_thinking_part,
    is_tool_use_part,
    is_tool_result_part,
    is_file_part,
    is_image_part,
    is_error_part,
    is_custom_part,
)
NO_PARTS: tuple[Any, ...] = (None, [], "x", 5, True, {}, {"type": 5}, {"type": ["text"]}, {"type": None})


def text(value: object) -> dict[str, Any]:
    return {"type": "text", "text": value}


def use(call_id: str, mark: int = 0) -> dict[str, Any]:
    return {"type": "tool_use", "data": mark, "meta": {"callId": call_id, "name": "f"}}


def result(call_id: str, mark: int = 0) -> dict[str, Any]:
    return {"type": "tool_result", "data": mark, "meta": {"callId": call_id}}


def pairs(*parts: object) -> list[tuple[str, Any, Any]]:
    return [
        (pair.call_id, pair.use and pair.use["data"], pair.result and pair.result["data"])
        for pair in match_tool_pair(parts)
    ]


def test_the_text_of_a_message_is_its_text_parts_joined() -> None:
    assert derived_text({"parts": [text("a"), {"type": "thinking", "text": "b"}, text("c")]}) == "ac"


@pytest.mark.parametrize(
    "message",
    [{}, {"parts": []}, {"parts": "text"}, {"parts": [{"type": "image", "meta": {}}]}, {"parts": [{"type": "text"}]}],
)
def test_a_message_without_text_has_the_empty_text(message: dict[str, Any]) -> None:
    assert derived_text(message) == ""


def test_unknown_parts_and_texts_of_other_kinds_do_not_enter_the_text() -> None:
    others = [{"type": "hologram", "text": "x"}, None, 5, text(7), {"type": "error", "text": "e"}]
    assert parts_text([*others, text("y")]) == "y"


def test_a_call_and_its_result_are_one_pair() -> None:
    assert pairs(use("c1", 1), result("c1", 2)) == [("c1", 1, 2)]


def test_a_result_is_paired_wherever_it_stands() -> None:
    assert pairs(result("c1", 2), {"type": "hologram"}, None, use("c1", 1)) == [("c1", 1, 2)]


def test_a_call_without_result_and_a_result_without_call_are_pairs_too() -> None:
    assert pairs(result("lost", 9), use("c1", 1)) == [("c1", 1, None), ("lost", None, 9)]


def test_repeated_ids_are_paired_first_with_first() -> None:
    assert pairs(use("c", 1), use("c", 2), result("c", 3), result("c", 4), result("c", 5)) == [
        ("c", 1, 3),
        ("c", 2, 4),
        ("c", None, 5),
    ]


def test_the_empty_id_matches_only_itself() -> None:
    assert pairs(use("", 1), result("c", 2), result("", 3)) == [("", 1, 3), ("c", None, 2)]


def test_a_pair_on_the_wire_leaves_out_its_missing_half() -> None:
    assert match_tool_pair([use("c", 1)])[0].to_wire() == {"callId": "c", "use": use("c", 1)}
    assert match_tool_pair([result("c", 1)])[0].to_wire() == {"callId": "c", "result": result("c", 1)}


@pytest.mark.parametrize("kind", PART_TYPES)
def test_exactly_one_guard_takes_each_known_kind(kind: str) -> None:
    assert [guard({"type": kind}) for guard in GUARDS].count(True) == 1
    assert GUARDS[PART_TYPES.index(kind)]({"type": kind})
    assert is_known_part({"type": kind})


@pytest.mark.parametrize("value", [*NO_PARTS, {"type": "hologram"}])
def test_no_guard_raises_or_takes_what_is_no_known_part(value: object) -> None:
    assert not is_known_part(value)
    assert not any(guard(value) for guard in GUARDS)


def test_parts_of_a_request_are_kept_as_they_came() -> None:
    given: list[Any] = [{"type": "hologram", "payload": 1}, {"type": "text", "text": "x", "later": True}]
    assert check_parts(given) is given


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ({"type": "text"}, "text"),
        ({"type": "text", "text": 5}, "text"),
        ({"type": "tool_use", "data": 1, "meta": {"callId": "c"}}, "meta.name"),
        ({"type": "tool_use", "meta": {"callId": "c", "name": "f"}}, "data"),
        ({"type": "tool_result"}, "meta"),
        ({"type": "file", "meta": {}}, "meta.name"),
        ({"type": "image"}, "meta"),
        ({"type": "custom", "meta": {"hint": 1}}, "meta.hint"),
        ({"type": ""}, "type"),
        ({}, "type"),
        ("x", "object"),
    ],
)
def test_a_known_part_without_its_fields_is_refused_by_name(part: object, fault: str) -> None:
    with pytest.raises(BadRequest) as caught:
        check_parts([{"type": "hologram"}, part])
    assert "parts[1]" in caught.value.message
    assert fault in caught.value.message


def test_what_is_no_list_is_no_parts() -> None:
    with pytest.raises(BadRequest):
        check_parts({"type": "text", "text": "x"})


def test_parts_win_over_text_in_input_and_patch() -> None:
    node = NodeInput.from_wire({"role": "user", "parts": [], "text": "x"})
    assert node.content() == []
    patch = NodePatch.from_wire({"parts": [{"type": "error", "text": "e"}], "text": "x"})
    assert patch.applied([{"type": "text", "text": "before"}]) == [{"type": "error", "text": "e"}]


@pytest.mark.parametrize("wire", [{}, {"role": 5}, {"role": "user", "parts": {}}, {"role": "user", "parent": 5}])
def test_an_input_of_the_wrong_kind_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        NodeInput.from_wire(wire)


@pytest.mark.parametrize("wire", [{"parts": {}}, {"text": 5}, {"text": "x", "ifHash": 5}])
def test_a_patch_of_the_wrong_kind_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        NodePatch.from_wire(wire)
