"""Run events: the known ten and all others."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.session import (
    RUN_EVENT_TYPES,
    is_activity,
    is_ask,
    is_known_run_event,
    is_message_end,
    is_message_start,
    is_part_delta,
    is_part_end,
    is_part_start,
    is_run_end,
    is_run_event,
    is_run_start,
    is_session_update,
    is_workspace_update_event,
    part_skeleton,
    run_status,
)

GUARDS = (
    is_run_start,
    is_message_start,
    is_part_start,
    is_part_delta,
    is_part_end,
    is_message_end,
    is_ask,
    is_activity,
    is_session_update,
    is_run_end,
)


@pytest.mark.parametrize("kind", RUN_EVENT_TYPES)
def test_exactly_one_guard_takes_each_known_event(kind: str) -> None:
    assert [guard({"type": kind}) for guard in GUARDS].count(True) == 1
    assert GUARDS[RUN_EVENT_TYPES.index(kind)]({"type": kind})
    assert is_known_run_event({"type": kind})
    assert is_run_event({"type": kind})


def test_an_unknown_type_is_an_event_but_no_known_one() -> None:
    assert is_run_event({"type": "foo_bar"})
    assert not is_known_run_event({"type": "foo_bar"})


@pytest.mark.parametrize("value", [None, [], "x", 5, {}, {"type": ""}, {"type": 5}, {"type": ["ask"]}])
def test_no_guard_raises_or_takes_what_is_no_event(value: object) -> None:
    assert not is_run_event(value)
    assert not is_known_run_event(value)
    assert not is_workspace_update_event(value)
    assert not any(guard(value) for guard in GUARDS)


def test_a_workspace_event_needs_a_list_of_texts() -> None:
    assert is_workspace_update_event({"type": "workspace_update", "paths": [""]})
    assert is_workspace_update_event({"type": "workspace_update", "paths": []})
    assert not is_workspace_update_event({"type": "workspace_update", "paths": [1]})
    assert not is_workspace_update_event({"type": "workspace_update", "paths": "a"})
    assert not is_workspace_update_event({"type": "workspace_update"})


@pytest.mark.parametrize(
    ("event", "skeleton"),
    [
        ({"value": {"type": "tool_use", "meta": {"callId": "c"}}}, {"type": "tool_use", "meta": {"callId": "c"}}),
        ({"partType": "thinking"}, {"type": "thinking", "text": ""}),
        ({"partType": "tool_use", "meta": {"callId": "c"}}, {"type": "tool_use", "meta": {"callId": "c"}}),
        ({}, {"type": "text", "text": ""}),
    ],
)
def test_a_part_begins_with_what_the_event_says_of_it(event: dict[str, Any], skeleton: dict[str, Any]) -> None:
    assert part_skeleton({"type": "part_start", **event}) == skeleton


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("done", "done"),
        ("completed", "done"),
        ("success", "done"),
        ("cancelled", "cancelled"),
        ("aborted", "cancelled"),
        ("error", "error"),
        ("strange", "error"),
        (None, "error"),
    ],
)
def test_the_words_of_other_engines_are_understood(word: Any, status: str) -> None:
    assert run_status({"type": "run_end", "status": word}) == status
