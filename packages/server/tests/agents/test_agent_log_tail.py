"""A growing log is read from its end, line by whole line."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from cardloom.features.agents.log_tail import (
    FIRST_LOOK_BYTES,
    HEAD_BYTES,
    MAX_STEP_BYTES,
    LogCursor,
    next_read,
    take,
)
from cardloom.features.agents.seats.log_follower import LogFollower
from cardloom.features.agents.signals import LogView


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


async def test_a_log_is_read_where_no_file_is_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "O_NONBLOCK")
    log = tmp_path / "log.jsonl"
    lines: list[str] = []
    log.write_bytes(b'{"a":1}\r\n')

    def hear(view: LogView, line: str) -> LogView:
        lines.append(line)
        return view

    assert await LogFollower(log, hear).look() is not None
    assert [line.strip() for line in lines] == ['{"a":1}']


async def test_a_folder_in_the_place_of_a_log_stays_open_in_no_one(tmp_path: Path) -> None:
    follower = LogFollower(tmp_path, lambda view, _: view)
    before = os.dup(0)
    os.close(before)
    assert await follower.look() is None
    after = os.dup(0)
    os.close(after)
    assert (follower.failures, after) == (1, before)
