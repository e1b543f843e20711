"""A growing log is read from its end, line by whole line."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from cardloom.features.agents.log_tail import (
    FIRST_LOOK_BYTES,
    HEAD_BYTES,
    MAX_STEP_BYTES,
    LogCursor,
    next_read,
    take,
)
from cardloom.features.agents.seats.log_follower import LogFollower


def look(cursor: LogCursor | None, file: bytes) -> tuple[LogCursor | None, tuple[str, ...], bool]:
    head = file[:HEAD_BYTES]
    read = next_read(cursor, len(file), head)
    if read is None:
        return cursor, (), False
    after, lines = take(cursor, read, file[read.offset :], head)
    return after, lines, read.anew


def test_only_whole_lines_are_given_and_each_once() -> None:
    cursor, lines, _ = look(None, b'{"a":1}\n{"b"')
    assert lines == ('{"a":1}',)
    cursor, lines, anew = look(cursor, b'{"a":1}\n{"b":2}\n')
    assert (lines, anew) == (('{"b":2}',), False)
    assert look(cursor, b'{"a":1}\n{"b":2}\n')[1] == ()


def test_a_character_cut_by_a_read_is_whole_in_the_end() -> None:
    line = "{“é”}\n".encode()
    cursor: LogCursor | None = None
    lines: tuple[str, ...] = ()
    for end in range(1, len(line) + 1):
        cursor, more, _ = look(cursor, line[:end])
        lines += more
    assert lines == ("{“é”}",)


def test_a_shorter_file_and_one_that_begins_otherwise_are_read_anew() -> None:
    cursor, _, _ = look(None, b"one\ntwo\n")
    assert look(cursor, b"uno\n")[1:] == (("uno",), True)
    assert look(cursor, b"uno\ndos\ntres\n")[1:] == (("uno", "dos", "tres"), True)


def test_a_log_shorter_than_its_head_grows_without_beginning_anew() -> None:
    cursor, _, _ = look(None, b"a\n")
    assert look(cursor, b"a\nb\n")[1:] == (("b",), False)


def test_the_first_look_and_a_great_jump_take_the_end_alone() -> None:
    first = b"x" * (FIRST_LOOK_BYTES * 2) + b"\nlast\n"
    cursor, lines, _ = look(None, first)
    assert lines[-1] == "last"
    assert len(lines[0]) < FIRST_LOOK_BYTES
    grown = first + b"y" * (MAX_STEP_BYTES + 1) + b"\nnewest\n"
    _, lines, anew = look(cursor, grown)
    assert (lines[-1], len(lines), anew) == ("newest", 2, False)


async def test_a_pipe_in_the_place_of_a_log_holds_nobody_up(tmp_path: Path) -> None:
    pipe = tmp_path / "log.jsonl"
    os.mkfifo(pipe)
    follower = LogFollower(pipe, lambda view, _: view)
    async with asyncio.timeout(60):
        assert await follower.look() is None
    assert follower.failures == 1
