"""Logs that are broken, locked, replaced or absurd: what cannot be counted is told with its reason, the rest counts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cardloom.features.usage import databases, reading
from cardloom.features.usage.reading import Cursor, LogFile, read_lines
from cardloom.features.usage.store import FUTURE_MS

from .making_logs import NOW_MS, T0_MS, Home, claude_answer, claude_input, codex_counts, codex_line, iso, line
from .test_usage_databases import TABLES, Rows


def test_broken_lines_are_counted_and_the_rest_is_read(home: Home) -> None:
    home.claude(
        "S",
        claude_answer(1, "msg_1"),
        b'{"type":"assistant","message":{"id":"msg_lost","us\n',
        b"no json at all\n",
        b'{"type":"assistant","message":{"usage":{"input_tokens":"many","output_tokens":1}},"timestamp":"x"}\n',
        b"[" * 5000 + b'"usage":1\n',
        b"\n\r\n",
        claude_answer(2, "msg_2"),
    )
    assert [record.key for record in home.records()] == ["msg_1", "msg_2"]
    assert home.reasons() == {"malformed": 4}
    (skip,) = home.store.skips(NOW_MS)
    assert skip.offset == len(claude_answer(1, "msg_1"))


@pytest.mark.parametrize("usage", [{"input_tokens": -5}, {"output_tokens": 10**30}, {"output_tokens": 1.5}])
def test_counts_that_make_no_sense_are_told_and_not_summed(home: Home, usage: dict[str, int]) -> None:
    home.claude("S", claude_answer(1, usage=usage))
    assert (home.records(), home.reasons()) == ([], {"malformed": 1})


def test_zero_bytes_and_broken_letters_cost_no_request(home: Home) -> None:
    answer = claude_answer(1).replace(b'"text":"ok"', b'"text":"\xff\xfe\xc3("')
    home.claude("S", b"\0" * 500 + answer, b"\0" * 64 + b"\n", claude_answer(2, "msg_2").replace(b"\n", b"\r\n"))
    assert [record.key for record in home.records()] == ["msg_1", "msg_2"]
    assert home.reasons() == {}


def test_a_log_that_went_through_an_editor_is_read_or_told(home: Home) -> None:
    home.claude("marked", b"\xef\xbb\xbf" + claude_answer(1), b"\xef\xbb\xbf" + claude_input(2))
    home.claude("wide", (claude_answer(3, "msg_3") + claude_input(4)).decode().encode("utf-16"))
    assert [record.key for record in home.records()] == ["msg_1"]
    assert home.reasons() == {"malformed": 1}


def test_a_line_without_a_time_is_told(home: Home) -> None:
    home.claude("S", claude_answer(1).replace(b'"timestamp":"2026', b'"timestamp":"soon'))
    assert (home.records(), home.reasons()) == ([], {"without a time": 1})


def test_a_line_too_long_is_passed_over_without_being_held(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 64)
    long = claude_answer(2, "msg_long", text="x" * 5000)
    path = home.claude("S", claude_answer(1), long, claude_answer(3, "msg_3"))
    log = LogFile("claude-code", str(path), 0, 0, 0)
    found = read_lines(log, Cursor(), longest_line_bytes=2000)
    assert [record.key for record in found.records] == ["msg_1", "msg_3"]
    assert [(skip.reason, skip.count) for skip in found.skips] == [("line too long", 1)]
    assert found.cursor.offset == path.stat().st_size


def test_a_line_too_long_that_still_grows_is_passed_over_once(home: Home) -> None:
    path = home.claude("S", claude_answer(1), b'{"x":"' + b"y" * 5000)
    log = LogFile("claude-code", str(path), 0, 0, 0)
    first = read_lines(log, Cursor(), longest_line_bytes=2000)
    assert first.cursor.skipping
    with path.open("ab") as file:
        file.write(b"y" * 5000 + b'"}\n' + claude_answer(3, "msg_3"))
    then = read_lines(log, first.cursor, longest_line_bytes=2000)
    assert [record.key for record in then.records] == ["msg_3"]
    assert (then.skips, then.restarted, then.cursor.skipping) == ([], False, False)


def test_what_an_old_log_could_not_tell_makes_no_later_day_partial(home: Home) -> None:
    old, young = (home.claude(name, claude_answer(1, name), b"{broken\n") for name in ("old", "young"))
    for path, changed_ms in ((old, T0_MS), (young, T0_MS + 1)):
        os.utime(path, ns=(0, changed_ms * 1_000_000))
    home.scan()
    assert [skip.path for skip in home.store.skips(NOW_MS)] == [str(old), str(young)]
    assert [skip.path for skip in home.store.skips(NOW_MS, T0_MS)] == [str(old), str(young)]
    assert [skip.path for skip in home.store.skips(NOW_MS, T0_MS + 1)] == [str(young)]
    assert home.store.skips(NOW_MS, T0_MS + 2) == []
    old.unlink()
    young.write_bytes(young.read_bytes() + b"{more\n")
    os.utime(young, ns=(0, NOW_MS * 1_000_000))
    home.scan()
    assert [(skip.path, skip.count) for skip in home.store.skips(NOW_MS, NOW_MS)] == [(str(young), 2)]


def test_a_last_line_without_an_end_is_told_until_it_has_one(home: Home) -> None:
    path = home.claude("S", claude_answer(1), claude_answer(2, "msg_2")[:-30])
    assert [record.key for record in home.records()] == ["msg_1"]
    assert home.reasons() == {"last line without an end": 1}
    with path.open("ab") as file:
        file.write(claude_answer(2, "msg_2")[-30:-1])
    home.scan()
    assert home.reasons() == {"last line without an end": 1}
    with path.open("ab") as file:
        file.write(b"\n")
    assert [record.key for record in home.records()] == ["msg_1", "msg_2"]
    assert home.reasons() == {}


def test_a_log_replaced_by_a_shorter_one_counts_as_what_it_is_now(home: Home) -> None:
    home.claude("S", claude_answer(1), claude_answer(2, "msg_2"), claude_answer(3, "msg_3"))
    assert len(home.records()) == 3
    home.claude("S", claude_answer(4, "msg_4"))
    assert [record.key for record in home.records()] == ["msg_4"]


def test_a_log_replaced_by_a_longer_one_with_the_same_beginning_is_noticed(home: Home) -> None:
    home.claude("S", claude_input(0), claude_answer(1))
    assert len(home.records()) == 1
    home.claude("S", claude_input(0), claude_answer(2, "msg_2"), claude_answer(3, "msg_3"))
    assert [record.key for record in home.records()] == ["msg_2", "msg_3"]


def test_a_log_that_was_cut_and_goes_on_is_read_anew(home: Home) -> None:
    path = home.claude("S", claude_answer(1), claude_answer(2, "msg_2"))
    home.scan()
    os.truncate(path, len(claude_answer(1)))
    assert [record.key for record in home.records()] == ["msg_1"]


def test_a_log_that_was_moved_is_counted_once(home: Home) -> None:
    path = home.claude("S", claude_answer(1))
    home.scan()
    path.rename(path.with_name("S.old.jsonl"))
    home.claude("S", claude_answer(2, "msg_2"))
    assert [record.key for record in home.records()] == ["msg_1", "msg_2"]


def test_a_deleted_log_keeps_its_requests(home: Home) -> None:
    path = home.claude("S", claude_answer(1))
    home.scan()
    path.unlink()
    assert [record.key for record in home.records()] == ["msg_1"]
    assert [known.gone for known in home.store.intake.logs()] == [True]


def test_a_log_that_comes_back_is_not_counted_twice(home: Home) -> None:
    path = home.claude("S", claude_answer(1))
    home.scan()
    text = path.read_bytes()
    path.unlink()
    home.scan()
    path.write_bytes(text + claude_answer(2, "msg_2"))
    assert [record.key for record in home.records()] == ["msg_1", "msg_2"]


def test_a_clock_in_the_future_is_told(home: Home) -> None:
    ahead_s = (NOW_MS + FUTURE_MS - T0_MS) / 1000 + 60
    home.claude("S", claude_answer(1), claude_answer(ahead_s, "msg_2"))
    home.scan()
    assert home.reasons() == {"dated in the future": 1}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_logs_and_folders_without_permission_are_told_and_read_once_they_may_be(home: Home) -> None:
    path = home.claude("S", claude_answer(1))
    other = home.write(".claude/projects/-q/T.jsonl", claude_answer(2, "msg_2"))
    path.chmod(0)
    other.parent.chmod(0)
    assert home.records() == []
    assert home.reasons() == {"Permission denied": 2}
    path.chmod(0o600)
    other.parent.chmod(0o700)
    assert len(home.records()) == 2
    assert home.reasons() == {}


def test_what_the_system_refuses_is_told_and_tried_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home.claude("S", claude_answer(1))
    plain = open

    def refusing(name: str, *rest: object, **named: object) -> object:
        if name == str(path):
            raise PermissionError(13, "Permission denied")
        return plain(name, *rest, **named)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(reading, "open", refusing, raising=False)
        assert home.records() == []
        assert home.reasons() == {"Permission denied": 1}
        assert home.scan().failed == 1
    assert len(home.records()) == 1
    assert home.reasons() == {}


def database(home: Home) -> Path:
    return home.folder / ".local/share/opencode/opencode.db"


@contextmanager
def held(path: Path, *statements: str) -> Iterator[None]:
    """Another program that has done this to a database and is in the middle of it."""
    program = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for s in sys.argv[2:]: c.execute(s)\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path), *statements], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield
        process.communicate()


def test_a_locked_database_is_told_and_keeps_what_was_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_BUSY_MS", 50)
    with closing((rows := Rows(database(home))).connection):
        rows.session("s1")
        rows.answer("m1")
        assert len(home.records()) == 1
        rows.answer("m2")
    with held(database(home), "BEGIN EXCLUSIVE"):
        assert [record.key for record in home.records()] == ["m1"]
        assert home.reasons() == {"locked by another program": 1}
    assert [record.key for record in home.records()] == ["m1", "m2"]
    assert home.reasons() == {}


def test_a_program_that_writes_does_not_stop_reading(home: Home) -> None:
    with closing((rows := Rows(database(home))).connection):
        rows.session("s1")
        rows.answer("m1")
    with held(database(home), "PRAGMA journal_mode = WAL", "BEGIN IMMEDIATE", "DELETE FROM message"):
        assert [record.key for record in home.records()] == ["m1"]


@pytest.mark.parametrize(
    "tables",
    ["CREATE TABLE things (id)", TABLES.replace("data TEXT", "body TEXT")],
    ids=["other tables", "other columns"],
)
def test_a_database_of_an_unknown_version_is_told(home: Home, tables: str) -> None:
    Rows(database(home), tables).connection.close()
    assert home.records() == []
    assert home.reasons() == {"tables of an unknown version": 1}


def test_what_is_no_database_is_told(home: Home) -> None:
    home.write(".local/share/opencode/opencode.db", b"not at all" * 500)
    assert home.records() == []
    assert home.reasons() == {"not a database": 1}


def test_a_broken_row_is_told_and_the_others_count(home: Home) -> None:
    with closing((rows := Rows(database(home))).connection):
        rows.session("s1")
        rows.answer("m1")
        rows.run("INSERT INTO message VALUES ('m2', 's1', 1, 1, '{broken')")
        rows.run("INSERT INTO message VALUES ('m3', 's1', 1, 1, ?)", b"\xff\x00")
        assert [record.key for record in home.records()] == ["m1"]
    assert home.reasons() == {"malformed": 2}


def test_a_database_is_only_ever_read(home: Home) -> None:
    with closing((rows := Rows(database(home))).connection):
        rows.session("s1")
        rows.answer("m1")
    before = {path.name: path.read_bytes() for path in database(home).parent.iterdir()}
    home.scan()
    assert {path.name: path.read_bytes() for path in database(home).parent.iterdir()} == before


def test_a_sub_agents_broken_description_leaves_its_name_unknown(home: Home) -> None:
    home.write(".claude/projects/-p/S/subagents/agent-a.meta.json", b"{")
    home.claude("S/subagents/agent-a", claude_answer(1, side=True, agentId="a"))
    assert (home.only().subagent, home.only().subagent_name) == ("a", None)


def test_folders_without_logs_and_links_in_circles_are_nothing(home: Home) -> None:
    folder = home.folder / ".claude/projects/-p"
    folder.mkdir(parents=True)
    (folder / "again").symlink_to(folder)
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    home.write(".claude/projects/-p/notes.txt", line(x=1))
    assert home.records() == []
    assert home.reasons() == {}


def test_a_link_to_itself_is_told_and_its_neighbours_are_read(home: Home) -> None:
    path = home.claude("S", claude_answer(1))
    for name in ("A", "Z"):
        (path.parent / f"{name}.jsonl").symlink_to(path.parent / f"{name}.jsonl")
    assert len(home.records()) == 1
    assert home.reasons() == {"Too many levels of symbolic links": 2}


@pytest.mark.parametrize("time", [1e300, -5, 0, 10**18])
def test_a_row_of_an_impossible_time_is_told(home: Home, time: float) -> None:
    with closing((rows := Rows(database(home))).connection):
        rows.session("s1")
        rows.answer("m1", time={"created": time, "completed": time} if time else {})
        rows.run("UPDATE message SET time_updated = 0")
        assert home.records() == []
    assert home.reasons() == {"without a time": 1}


def test_logs_whose_beginning_is_gone_are_told_apart_by_their_names(home: Home) -> None:
    thread = "01a22af1-f7e2-73c3-87da-719190f8d26"
    for number in (1, 2):
        counts = codex_counts(10 * number, 0, 5)
        total = {"total_token_usage": counts, "last_token_usage": counts}
        home.codex(f"2026-11-30T05-33-50-{thread}{number}", codex_line(1, "event_msg", type="token_count", info=total))
        answer = {"role": "assistant", "timestamp": T0_MS, "usage": {"input": number, "output": 1}}
        said = line(type="message", id="e1", timestamp=iso(T0_MS), message=answer | {"responseId": f"r{number}"})
        home.write(f".pi/agent/sessions/--p--/2026_{thread}{number}.jsonl", said)
    assert sorted((record.session, record.input) for record in home.records()) == [
        (f"{thread}1", 1),
        (f"{thread}1", 10),
        (f"{thread}2", 2),
        (f"{thread}2", 20),
    ]


def test_a_chat_of_gemini_without_its_head_keeps_its_first_message(home: Home) -> None:
    message = line(
        id="g1", sessionId="s", type="gemini", timestamp=iso(T0_MS), model="gemini-2.5-pro", tokens={"input": 3}
    )
    home.write(".gemini/tmp/p/chats/session-1.jsonl", message)
    assert (home.only().key, home.only().session) == ("g1", "s")
