"""Databases of OpenCode, Kilo and Hermes: rows are requests, and sub-agents' costs are counted once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.usage.readers.hermes import record_of_request
from cardloom.features.usage.readers.opencode import Task, own_costs
from cardloom.features.usage.store import Scope
from cardloom.features.usage.timeline import timeline_requests

from .making_logs import T0_MS, Home

TABLES = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, agent TEXT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, time_updated INTEGER, data TEXT);
"""
HERMES_TABLES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, model TEXT, parent_session_id TEXT, started_at REAL, ended_at REAL,
    end_reason TEXT, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER,
    cache_write_tokens INTEGER, reasoning_tokens INTEGER, billing_provider TEXT, estimated_cost_usd REAL,
    actual_cost_usd REAL);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, timestamp REAL);
"""


class Rows:
    """A database that a program would write."""

    def __init__(self, path: Path, tables: str = TABLES) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path)
        self.connection.executescript(tables)

    def run(self, statement: str, *values: Any) -> None:
        with self.connection:
            self.connection.execute(statement, values)

    def session(self, identifier: str, parent: str | None = None) -> None:
        self.run("INSERT INTO session VALUES (?, ?, '/p', 'explore')", identifier, parent)

    def answer(self, identifier: str, session: str = "s1", *, cost: float = 0, **fields: Any) -> None:
        tokens = {"input": 120, "output": 49, "reasoning": 38, "cache": {"read": 500, "write": 0}}
        data = {
            "role": "assistant",
            "providerID": "anthropic",
            "modelID": "claude-haiku-4-5",
            "cost": cost,
            "time": {"created": T0_MS, "completed": T0_MS + 4000},
            "tokens": tokens,
        } | fields
        self.run("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", identifier, session, 1, 1, json.dumps(data))

    def part(self, message: str, session: str, tool: str, **state: Any) -> None:
        data = {"type": "tool", "tool": tool, "callID": f"c-{message}", "state": state}
        self.run("INSERT INTO part VALUES (?, ?, ?, ?)", f"p-{message}-{tool}", message, session, json.dumps(data))


@pytest.fixture
def opencode(home: Home) -> Iterator[Rows]:
    with closing((rows := Rows(home.folder / ".local/share/opencode/opencode.db")).connection):
        yield rows


@pytest.fixture
def kilo(home: Home) -> Iterator[Rows]:
    with closing((rows := Rows(home.folder / ".local/share/kilo/kilo.db")).connection):
        yield rows


@pytest.fixture
def hermes(home: Home) -> Iterator[Rows]:
    with closing((rows := Rows(home.folder / ".hermes/state.db", HERMES_TABLES)).connection):
        yield rows


def test_reasoning_beside_the_output_is_added_to_it(home: Home, opencode: Rows) -> None:
    opencode.session("s1")
    opencode.answer("m1")
    record = home.only()
    assert (record.output, record.reasoning, record.tokens.total) == (87, 38, 120 + 87 + 500)
    assert (record.begun_ms, record.ended_ms) == (T0_MS, T0_MS + 4000)


def test_a_row_updated_in_the_same_millisecond_and_a_deleted_one_end_as_a_new_reading_does(
    home: Home, opencode: Rows, tmp_path: Path
) -> None:
    opencode.session("s1")
    for identifier in ("m1", "m2", "m3"):
        opencode.answer(identifier)
    assert len(home.records()) == 3
    opencode.answer("m2", tokens={"input": 1, "output": 2})
    opencode.run("DELETE FROM message WHERE id = 'm1'")
    opencode.answer("m4")
    changed = home.records()
    fresh = Home(home.folder)
    assert changed == fresh.records()
    assert [(record.key, record.input) for record in changed] == [("m2", 1), ("m3", 120), ("m4", 120)]
    fresh.store.close()


def test_a_recorded_zero_is_no_cost_and_the_table_is_asked(home: Home, opencode: Rows) -> None:
    opencode.session("s1")
    opencode.answer("m1")
    opencode.answer("m2", providerID="mine", modelID="local")
    opencode.answer("m3", cost=0.25, providerID="mine", modelID="local")
    home.scan()
    work = home.store.work()
    by_table = 120 * 1_000_000 + 500 * 100_000 + 87 * 5_000_000
    assert (work.cost_pico, work.unpriced) == (250_000_000_000 + by_table, 1)


def test_sub_agents_rows_belong_to_the_session_a_person_began(home: Home, opencode: Rows) -> None:
    opencode.session("s1")
    opencode.session("s2", "s1")
    opencode.session("s3", "s2")
    opencode.answer("m1", "s3")
    record = home.only()
    assert (record.session, record.subagent, record.subagent_name) == ("s1", "s3", "explore")


def test_tools_are_looked_up_when_a_timeline_is_looked_at(home: Home, opencode: Rows) -> None:
    opencode.session("s1")
    opencode.answer("m1")
    opencode.part("m1", "s1", "bash", status="completed")
    opencode.run("INSERT INTO part VALUES ('p2', 'm1', 's1', '{\"type\":\"text\"}')")
    home.scan()
    scope = Scope(sessions=frozenset({("opencode", "s1")}))
    (request,) = timeline_requests(home.store, scope)
    assert (request.tools, request.started_at_ms) == (("bash",), T0_MS)


def test_rows_of_version_two_are_read_beside_those_of_version_one(home: Home, opencode: Rows) -> None:
    opencode.run("CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT)")
    opencode.run("INSERT INTO session_v2 VALUES ('s9', NULL)")
    data = {"model": {"id": "claude-haiku-4-5", "providerID": "anthropic"}, "tokens": {"input": 5, "output": 6}}
    for kind in ("assistant", "compaction", "user"):
        text = json.dumps(data | {"time": {"created": T0_MS / 1000}})
        opencode.run("INSERT INTO session_message VALUES (?, 's9', ?, 1, ?)", f"v-{kind}", kind, text)
    records = home.records()
    assert [(record.key, record.at_ms, record.provider) for record in records] == [
        ("v-assistant", T0_MS, "anthropic"),
        ("v-compaction", T0_MS, "anthropic"),
    ]


def test_a_row_with_nothing_but_a_total_has_no_output_and_no_price(home: Home, opencode: Rows) -> None:
    opencode.session("s1")
    opencode.answer("m1", tokens={"total": 900})
    assert (home.only().tokens.total, home.only().output, home.store.work().unpriced) == (900, None, 1)


def test_a_caller_does_not_carry_its_sub_agents_cost(home: Home, kilo: Rows) -> None:
    kilo.session("s1")
    kilo.session("s2", "s1")
    kilo.answer("m1", cost=0.05)
    kilo.answer("m2", "s2", cost=0.02)
    kilo.answer("m3", "s2", cost=0.01)
    kilo.part("m1", "s1", "task", status="completed", metadata={"sessionId": "s2"})
    home.scan()
    assert home.store.work().cost_pico == 50_000_000_000


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([Task("m1", "s2", True)], {"m1": 20}),
        ([Task("m1", "s2", False)], {"m1": None}),
        ([Task("m1", "s2", True), Task("m9", "s2", True)], {"m1": None}),
        ([Task("m1", "s3", True)], {"m1": None}),
        ([Task("m1", "s2", True), Task("m1", "s2", True)], {"m1": 20}),
    ],
    ids=["certain", "still running", "called twice", "dearer than its caller", "told twice"],
)
def test_an_uncertain_share_leaves_the_callers_cost_unknown(tasks: list[Task], expected: dict[str, int | None]) -> None:
    costs = {"m1": ("s1", 50), "m2": ("s2", 30), "m3": ("s3", 80)}
    assert own_costs(costs, tasks) == expected


def hermes_session(rows: Rows, identifier: str, parent: str | None = None, **fields: Any) -> None:
    row = {
        "id": identifier,
        "parent_session_id": parent,
        "model": "claude-haiku-4-5",
        "billing_provider": "anthropic",
        "started_at": T0_MS / 1000,
        "input_tokens": 100,
        "output_tokens": 50,
        "cache_read_tokens": 0,
    } | fields
    names = ", ".join(row)
    rows.run(f"INSERT INTO sessions ({names}) VALUES ({','.join('?' * len(row))})", *row.values())


def test_hermes_sums_of_a_session_are_one_request_at_its_last_message(home: Home, hermes: Rows) -> None:
    hermes_session(hermes, "h1", actual_cost_usd=None, estimated_cost_usd=0.0)
    hermes.run("INSERT INTO messages VALUES (1, 'h1', ?)", T0_MS / 1000 + 60)
    record = home.only()
    assert (record.at_ms, record.input, record.cache_write, record.begun_ms) == (T0_MS + 60_000, 100, None, None)
    assert home.store.work().cost_pico == 100 * 1_000_000 + 50 * 5_000_000


def test_hermes_goes_on_in_another_session_after_compression_and_sub_agents_are_told_apart(
    home: Home, hermes: Rows
) -> None:
    hermes_session(hermes, "h1", end_reason="compression", actual_cost_usd=0.5)
    hermes_session(hermes, "h2", "h1")
    hermes_session(hermes, "h3", "h2")
    assert {record.key: (record.session, record.subagent) for record in home.records()} == {
        "session:h1": ("h1", None),
        "session:h2": ("h1", None),
        "session:h3": ("h1", "h3"),
    }


def test_what_hermes_webhook_told_is_not_counted_again_from_its_sums(home: Home, hermes: Rows) -> None:
    extra = {
        "usage": {"input_tokens": 60, "output_tokens": 20},
        "started_at": T0_MS / 1000,
        "ended_at": T0_MS / 1000 + 2,
        "model": "claude-haiku-4-5",
        "provider": "anthropic",
        "api_request_id": "r1",
    }
    event = {"hook_event_name": "post_api_request", "session_id": "h1", "extra": extra}
    told = record_of_request(event)
    assert told is not None
    assert record_of_request(event | {"hook_event_name": "pre_llm_call"}) is None
    assert record_of_request(event | {"extra": {"usage": {"input_tokens": "many"}}}) is None
    hermes_session(hermes, "h1")
    home.store.intake.told("hermes-agent", [told])
    records = home.records()
    assert [(record.key, record.input, record.begun_ms) for record in records] == [
        ("session:h1", 40, None),
        ("r1", 60, T0_MS),
    ]
