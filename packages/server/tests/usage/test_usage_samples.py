"""Logs of real agents: their sums are those of the server that answered, each request has its times and tools.

Inputs and cache reads are equal; a log's output is the server's output and reasoning; cache writes are compared where
the agent's protocol has them. Requests for titles are not logged, nor are those that were stopped, except Claude's
that had begun.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.usage.records import UsageRecord
from cardloom.features.usage.store import Scope
from cardloom.features.usage.timeline import timeline_requests

from .making_logs import Home

SAMPLES = Path(__file__).parent / "samples"
CLAUDE = ("claude", "claude197", "c-claude", "sub-claude")
DATABASES = {"opencode": ".local/share/opencode/opencode.db", "kilo": ".local/share/kilo/kilo.db"}
ALL = (*CLAUDE, "codex", "qwen", "gemini", "pi", *DATABASES)
WITH_START = {*CLAUDE, "codex", "qwen", "pi", *DATABASES}
SLACK_MS = {"qwen": 1000, "gemini": 1000, "opencode": 2500, "kilo": 2500}
"""How far these logs are from the server at most; a row of OpenCode also waits for its tools."""
TOOLS = {
    "claude": ["Bash", "Bash", "Bash", "Bash"],
    "claude197": ["Bash", "Bash", "Bash", "Bash"],
    "c-claude": ["Write"],
    "sub-claude": ["Agent"],
    "codex": ["exec_command"] * 4,
    "qwen": ["run_shell_command"] * 4,
    "gemini": ["run_shell_command"] * 4,
    "pi": ["bash"] * 4,
    "opencode": ["bash"] * 4,
    "kilo": ["bash"] * 4,
}


def read(home: Home, name: str) -> list[UsageRecord]:
    """Put a sample into the home and read it."""
    if name not in DATABASES:
        shutil.copytree(SAMPLES / name / "home", home.folder, dirs_exist_ok=True)
    else:
        path = home.folder / DATABASES[name]
        path.parent.mkdir(parents=True)
        with sqlite3.connect(path) as connection:
            connection.executescript((SAMPLES / name / f"{name}.sql").read_text())
        connection.close()
    return home.records()


def answered(name: str) -> list[dict[str, Any]]:
    """The requests of the server that a log can have, with the log's way of counting."""
    lines = [json.loads(text) for text in (SAMPLES / name / "oracle.jsonl").read_text().splitlines()]
    kept = [entry for entry in lines if not entry["aux"] and (not entry["aborted"] or name == "claude")]
    return kept[:2] if name == "c-claude" else kept  # the requests of a compaction are not logged


@pytest.mark.parametrize("name", ALL)
def test_every_request_has_the_counts_that_the_server_gave(home: Home, name: str) -> None:
    records = read(home, name)
    server = answered(name)
    assert [record.input for record in records] == [entry["usage"]["uncached"] for entry in server]
    assert [record.cache_read for record in records] == [entry["usage"]["cache_read"] for entry in server]
    outputs = [1 if entry["aborted"] else entry["usage"]["output"] + entry["usage"]["reasoning"] for entry in server]
    assert [record.output for record in records] == outputs
    if name in CLAUDE:
        assert [record.cache_write for record in records] == [entry["usage"]["cache_write"] for entry in server]
    assert home.store.skips(records[-1].at_ms) == []


@pytest.mark.parametrize("name", ["codex", "qwen", "gemini", "opencode", "kilo"])
def test_reasoning_is_told_where_it_is_logged(home: Home, name: str) -> None:
    records = read(home, name)
    assert [record.reasoning for record in records] == [entry["usage"]["reasoning"] for entry in answered(name)]


def test_what_an_agent_does_not_log_is_none(home: Home) -> None:
    assert {record.cache_write for record in read(home, "qwen")} == {None}


@pytest.mark.parametrize("name", ALL)
def test_every_request_has_its_times(home: Home, name: str) -> None:
    """A log's times enclose the server's, give or take the time to write and send."""
    slack_ms = SLACK_MS.get(name, 500)
    for record, entry in zip(read(home, name), answered(name), strict=True):
        assert abs(record.ended_ms - entry["ended"] * 1000) < slack_ms
        if name in WITH_START:
            assert record.begun_ms is not None
            assert record.begun_ms - 200 <= entry["at"] * 1000
            assert entry["at"] * 1000 - record.begun_ms < slack_ms
        else:
            assert record.begun_ms is None


@pytest.mark.parametrize("name", ALL)
def test_every_tool_call_is_named_once_at_its_request(home: Home, name: str) -> None:
    read(home, name)
    requests = timeline_requests(home.store, Scope())
    assert [tool for request in requests for tool in request.tools] == TOOLS[name]
    if name not in ("c-claude", "sub-claude"):
        assert [len(request.tools) for request in requests if request.tools] == [1, 1, 2]


def test_a_sub_agent_is_told_apart_and_belongs_to_its_session(home: Home) -> None:
    records = read(home, "sub-claude")
    assert len({record.session for record in records}) == 1
    side = [record for record in records if record.subagent]
    assert [(record.subagent, record.subagent_name) for record in side] == [("a1c1892752e6a5dac", "general-purpose")]
    main, subs, count = home.store.work_by_side()
    assert (main.requests, subs.requests, count) == (4, 1, 1)


def test_costs_that_the_agent_wrote_down_are_kept_to_the_pico(home: Home) -> None:
    read(home, "kilo")
    assert home.store.work().cost_pico == 20_467_600_000
