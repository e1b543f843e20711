"""Values that no program of good will writes: they cost what they stand in at most, never the scan or the index."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.usage.readers.hermes import HARNESS, record_of_request

from .making_logs import NOW_MS, T0_MS, Home, claude_answer, iso, line
from .test_usage_databases import HERMES_TABLES, TABLES, Rows

NO_TEXT = b"\xff\xfe"


@pytest.fixture
def opencode(home: Home) -> Iterator[Rows]:
    with closing((rows := Rows(home.folder / ".local/share/opencode/opencode.db")).connection):
        rows.session("s1")
        rows.answer("m1")
        yield rows


def untyped(tables: str) -> str:
    """The same tables with columns that take values of any type as they are."""
    for kind in (" PRIMARY KEY", " TEXT", " INTEGER", " REAL"):
        tables = tables.replace(kind, "")
    return tables


@pytest.mark.parametrize("value", [b"\xff", 7, 1.5, "", None], ids=repr)
def test_a_session_described_by_values_of_other_types_is_read(home: Home, value: object) -> None:
    path = home.folder / ".local/share/opencode/opencode.db"
    with closing((rows := Rows(path, untyped(TABLES))).connection):
        rows.run("INSERT INTO session VALUES ('s1', NULL, ?, ?)", value, value)
        rows.run("INSERT INTO session VALUES ('s2', 's1', ?, ?)", value, value)
        rows.answer("m1")
        rows.answer("m2", "s2")
        assert [record.session for record in home.records()] == ["s1", "s1"]
    assert home.store.work_by_side()[2] == 1


@pytest.mark.parametrize("column", ["id", "parent_id", "directory", "agent"])
def test_texts_of_a_session_that_are_no_utf8_are_read_as_well_as_they_can_be(
    home: Home, opencode: Rows, column: str
) -> None:
    opencode.session("s2", "s1")
    opencode.run(f"UPDATE session SET {column} = CAST(? AS TEXT) WHERE id = 's2'", NO_TEXT)
    opencode.answer("m2", "s2")
    assert [record.key for record in home.records()] == ["m1", "m2"]


def test_a_message_whose_id_is_no_utf8_counts_and_one_without_id_is_told(home: Home, opencode: Rows) -> None:
    data = json.dumps({"role": "assistant", "time": {"created": T0_MS}, "tokens": {"input": 1, "output": 1}})
    opencode.run("INSERT INTO message VALUES (CAST(? AS TEXT), 's1', 1, 1, ?)", NO_TEXT, data)
    opencode.run("INSERT INTO message VALUES (NULL, NULL, NULL, NULL, ?)", data)
    assert len(home.records()) == 2
    assert home.reasons() == {"malformed": 1}


@pytest.mark.parametrize("updated", ["soon", b"\x00", float("inf"), -5, 10**18], ids=repr)
def test_a_row_whose_only_time_makes_no_sense_is_told(home: Home, opencode: Rows, updated: object) -> None:
    data = json.dumps({"role": "assistant", "tokens": {"input": 1, "output": 1}})
    opencode.run("INSERT INTO message VALUES ('m2', 's1', ?, ?, ?)", updated, updated, data)
    assert [record.key for record in home.records()] == ["m1"]
    assert home.reasons() == {"without a time": 1}
    assert [skip.offset for skip in home.store.skips(NOW_MS)] == [None]


@pytest.mark.parametrize("created", [1e300, -1e300, 10**40])
def test_an_impossible_beginning_is_no_beginning(home: Home, opencode: Rows, created: float) -> None:
    opencode.answer("m2", time={"created": created, "completed": T0_MS})
    message = b'{"type":"message","id":"1","timestamp":"%s","message":{"role":"assistant","timestamp":%d,' % (
        iso(T0_MS).encode(),
        int(created),
    )
    home.write(".pi/agent/sessions/--p--/x.jsonl", message + b'"usage":{"input":1,"output":2}}}\n')
    event = {"event.name": "qwen-code.api_response", "event.timestamp": iso(T0_MS), "response_id": "r"}
    event |= {"duration_ms": created, "input_token_count": 5, "output_token_count": 6}  # type: ignore[dict-item]
    told = {"uuid": "u", "sessionId": "q", "type": "system", "subtype": "ui_telemetry"}
    home.write(".qwen/projects/-p/chats/x.jsonl", line(**told, systemPayload={"uiEvent": event}))
    begun = {record.session: record.begun_ms for record in home.records() if record.key != "m1"}
    assert begun == dict.fromkeys(("s1", "x", "q"))


@pytest.mark.parametrize("value", [b"\xff", "abc", 1e300, float("inf"), None], ids=repr)
def test_sums_of_hermes_of_other_types_are_read_as_far_as_they_make_sense(home: Home, value: object) -> None:
    with closing((rows := Rows(home.folder / ".hermes/state.db", untyped(HERMES_TABLES))).connection):
        names = ("model", "billing_provider", "ended_at", "end_reason", "actual_cost_usd")
        fields: dict[str, Any] = dict.fromkeys(names, value)
        fields |= {"id": "h1", "started_at": T0_MS / 1000, "input_tokens": 5, "output_tokens": 6}
        rows.run(f"INSERT INTO sessions ({', '.join(fields)}) VALUES ({','.join('?' * len(fields))})", *fields.values())
        rows.run("INSERT INTO messages VALUES (1, 'h1', ?)", value)
        record = home.only()
    assert (record.at_ms, record.tokens.total, record.recorded_pico) == (T0_MS, 11, None)


def test_calls_of_sub_agents_that_are_no_text_leave_the_rest_counted(home: Home) -> None:
    with closing((rows := Rows(home.folder / ".local/share/kilo/kilo.db")).connection):
        rows.session("s1")
        rows.session("s2", "s1")
        rows.answer("m1")
        rows.run("INSERT INTO part VALUES ('p1', 'm1', 's1', ?)", NO_TEXT + b' "task"')
        rows.run("INSERT INTO part VALUES (NULL, CAST(? AS TEXT), 's1', '\"task\"')", NO_TEXT)
        assert [record.key for record in home.records()] == ["m1"]


def test_kilos_database_without_parts_is_of_an_unknown_version(home: Home) -> None:
    tables = TABLES.replace("TABLE part", "TABLE pieces")
    with closing((rows := Rows(home.folder / ".local/share/kilo/kilo.db", tables)).connection):
        rows.session("s1")
        rows.answer("m1")
        assert home.records() == []
    assert home.reasons() == {"tables of an unknown version": 1}


def test_logs_and_folders_whose_names_are_no_utf8_are_told(home: Home) -> None:
    home.claude("S", claude_answer(1))
    folder = os.fsencode(home.folder / ".claude/projects")
    (other := Path(os.fsdecode(folder + b"/" + NO_TEXT))).mkdir()
    (other / "T.jsonl").write_bytes(claude_answer(2, "msg_2"))
    for name in (b"U.jsonl", b"notes.txt"):
        Path(os.fsdecode(folder + b"/-p/" + NO_TEXT + name)).write_bytes(claude_answer(3, "msg_3"))
    assert [record.key for record in home.records()] == ["msg_1"]
    assert home.reasons() == {"a name that is no UTF-8": 2}


@pytest.mark.parametrize("text", ["h\ud800", "h\0", "h" * 100_000], ids=["half", "zero", "long"])
def test_what_hermes_tells_with_texts_that_are_none_counts(home: Home, text: str) -> None:
    extra = {"usage": {"input_tokens": 3, "output_tokens": 1}, "ended_at": T0_MS / 1000, "api_request_id": text}
    told = {"hook_event_name": "post_api_request", "session_id": text, "cwd": text}
    record = record_of_request({**told, "extra": {**extra, "model": text, "provider": text}})
    assert record is not None
    home.store.told(HARNESS, [record])
    ((key, work),) = home.store.work_by_session().items()
    assert (key[1][0], work.requests, work.tokens.input) == ("h", 1, 3)


@pytest.mark.parametrize("time", [float("inf"), float("nan"), 10**400, -1, "soon", [], True], ids=repr)
@pytest.mark.parametrize("count", [-1, 10**30, 1.5, float("nan"), "7", None, []], ids=repr)
def test_what_hermes_tells_without_sense_is_no_request(time: object, count: object) -> None:
    extra = {"usage": {"input_tokens": count}, "ended_at": time, "started_at": time, "api_request_id": "r"}
    assert record_of_request({"hook_event_name": "post_api_request", "session_id": "h", "extra": extra}) is None
