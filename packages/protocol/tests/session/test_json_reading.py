"""JSON of programs that we do not control is read whole or not at all, and what was read can be written again."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session import content_hash, parse_run_event, read_json
from cardloom_protocol.session.codecs.pi import parse_pi, serialize_pi
from cardloom_protocol.session.json_text import copy_json, is_too_deep, read_object, read_object_at
from cardloom_protocol.session.limits import session_limit

DEEPEST = session_limit("jsonDepth")


def lists(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("levels", [DEEPEST + 1, 990, 100_000])
def test_what_is_nested_too_deeply_is_not_read(levels: int) -> None:
    with pytest.raises(ValueError, match="too deeply"):
        read_json(lists(levels))
    in_object = f'{{"type":"part_delta","x":{lists(levels - 1)}}}'
    assert read_object(in_object) is None
    assert read_object_at("data: " + in_object, 6) is None
    assert parse_run_event(f"event: part_delta\ndata: {in_object}\n\n") is None


def test_what_was_read_at_its_deepest_can_be_copied_hashed_and_written() -> None:
    value: Any = read_json(lists(DEEPEST))
    assert copy_json(value) == value
    assert compact_json(value) == lists(DEEPEST)
    part = read_object(f'{{"type":"later","x":{lists(DEEPEST - 1)}}}')
    assert part is not None
    assert len(content_hash("user", [part])) == 8


def test_many_brackets_side_by_side_are_not_deep() -> None:
    text = "[" + ",".join(["[]"] * 10_000) + "]"
    assert len(read_json(text)) == 10_000  # type: ignore[arg-type]
    assert not is_too_deep("[" * 1000)
    assert not is_too_deep(1)


def test_a_line_of_a_session_that_is_too_deep_is_kept_as_it_is() -> None:
    header = '{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}'
    deep = f'{{"type":"message","id":"a","parentId":null,"x":{lists(600)}}}'
    shown = '{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":"B"}}'
    file = parse_pi("\n".join((header, deep, shown, "")))
    assert [entry.id for entry in file.entries] == ["b"]
    assert serialize_pi(file) == "\n".join((header, deep, shown, ""))
