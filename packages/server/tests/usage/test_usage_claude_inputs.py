"""Where Claude Code's lines say when a person or a tool wrote them, whatever else is in them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardloom.features.usage.readers.lines import ms_of

from .making_logs import T0_MS, Home, claude_answer, iso

WRONG = iso(T0_MS + 1000)
RIGHT = iso(T0_MS + 2000)
NESTED = {"uuid": "n", "timestamp": WRONG}
BRACES: list[dict[str, Any]] = [{"text": {}} for _ in range(20)]


def user(before: dict[str, Any] | None = None, behind: dict[str, Any] | None = None, content: object = "go") -> bytes:
    """An input of the right time as Claude Code writes it, with something before its message and behind its time."""
    fields = {
        "parentUuid": "p",
        "isSidechain": False,
        **(before or {}),
        "type": "user",
        "message": {"role": "user", "content": content},
        "uuid": "u",
        "timestamp": RIGHT,
        **(behind or {}),
    }
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        user(),
        user(content=BRACES),
        user(content=json.dumps(BRACES)),
        user(behind={"toolUseResult": {"message": {"content": []}, **NESTED}}),
        user(content=[NESTED["timestamp"], json.dumps(NESTED)]),
        user(before={"origin": {"kind": "human"}}),
        user(before={"uuid": "u", "timestamp": RIGHT}, behind={"toolUseResult": {"message": {}, **NESTED}}),
        user(before={"cwd": "/" + "x" * 500}),
        user().replace(b'"uuid":"u","timestamp"', b'"rowSource":"recorded","uuid":"u","timestamp"'),
        user().replace(b'"uuid":"u","timestamp"', b'"uuid":"u","slug":"s","timestamp"'),
        user().replace(b'":', b'": '),
        b"\0\0" + user(),
    ],
    ids=[
        "usual",
        "braces",
        "braces in a text",
        "another time behind it",
        "another time in the message",
        "an object before the message",
        "its time before the message",
        "a long beginning",
        "a field before its id",
        "a field before its time",
        "spaces",
        "zero bytes",
    ],
)
def test_a_request_begins_when_the_input_before_it_was_written(home: Home, line: bytes) -> None:
    home.claude("S", line, claude_answer(9))
    assert home.only().begun_ms == T0_MS + 2000


def test_a_line_that_tells_of_a_sub_agents_progress_is_no_input(home: Home) -> None:
    told = {"message": {"type": "user", "message": {"role": "user", "content": "go"}, **NESTED}}
    progress = json.dumps({"type": "progress", "data": told, "uuid": "u", "timestamp": WRONG}, separators=(",", ":"))
    home.claude("S", user(), progress.encode() + b"\n", claude_answer(9))
    assert home.only().begun_ms == T0_MS + 2000


def test_an_input_without_a_sensible_time_leaves_the_one_before(home: Home) -> None:
    home.claude("S", user(), user().replace(RIGHT.encode(), b"yesterday, at noon"), claude_answer(9))
    assert home.only().begun_ms == T0_MS + 2000


@given(st.datetimes(datetime(1971, 1, 1), datetime(2999, 12, 31)), st.sampled_from(["", "Z", "+00:00", "+05:30"]))
def test_a_time_is_the_same_by_its_parts_and_as_a_whole(at: datetime, zone: str) -> None:
    for text in (at.isoformat(timespec="milliseconds"), at.isoformat(), at.isoformat(timespec="seconds")):
        expected = round(datetime.fromisoformat(text + zone).timestamp() * 1000)
        assert (ms_of(text + zone), ms_of(text + zone)) == (expected, expected)


@pytest.mark.parametrize("text", ["2026-11-30T05:61:00.000Z", "2026-13-30T05:20:00.000Z", "T05:20:00.000Z", "soon", ""])
def test_what_is_no_time_is_none_beside_times_of_the_same_hour(text: str) -> None:
    assert ms_of("2026-11-30T05:20:00.001Z") == datetime(2026, 11, 30, 5, 20, 0, 1000, UTC).timestamp() * 1000
    assert ms_of(text) is None
