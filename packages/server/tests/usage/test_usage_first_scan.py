"""A first scan takes requests in another way than later ones, as columns and sorted at the end: to the same index."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from cardloom.features.usage.prices import Prices
from cardloom.features.usage.reading import Cursor, LogFile, Reading, read_lines
from cardloom.features.usage.records import UsageRecord
from cardloom.features.usage.roots import list_logs, roots_of
from cardloom.features.usage.rows import pack, unpack
from cardloom.features.usage.store import UsageStore

from .making_logs import NOW_MS, T0_MS, Home, claude_answer

MODELS = ("claude-sonnet-4-5", "claude-opus-4-1", "claude-of-tomorrow", None)


def request(dice: random.Random, key: str) -> UsageRecord:
    """A request with everything that a price may depend on, or not reported."""
    return UsageRecord(
        key,
        dice.choice(("one", "two")),
        T0_MS + dice.randrange(3 * 86_400_000),
        T0_MS + 4 * 86_400_000,
        dice.choice(("anthropic", "anthropic", "openai", None)),
        dice.choice(MODELS),
        dice.choice((None, 0, 100, 250_000)),
        dice.choice((None, 0, 2000)),
        dice.choice((None, 0, 150_000)),
        dice.choice((None, 0, 5000)),
        dice.choice((None, 0, 3000)),
        web_searches=dice.choice((None, None, 0, 3)),
        speed=dice.choice((None, None, "standard", "fast")),
        geo=dice.choice((None, None, "us")),
        recorded_pico=dice.choice((None, None, 0, 77)),
        offsets=(dice.randrange(10**6),),
    )


@given(seed=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_requests_travel_as_columns_and_cost_what_they_cost_alone(seed: int) -> None:
    dice = random.Random(seed)
    records = [request(dice, f"msg_{number}") for number in range(dice.randrange(40))]
    reading = Reading(LogFile("claude-code", "/a.jsonl", 9, 0, 1), Cursor(9), records=records, from_offset=0)
    assert unpack(pack(reading)) == reading
    filled, applied = UsageStore(None, Prices()), UsageStore(None, Prices())
    filled.intake.fill(pack(reading))
    filled.intake.scanned(NOW_MS)
    applied.intake.apply(reading)
    assert filled.records_with_logs() == applied.records_with_logs()
    assert filled.work_by("model") == applied.work_by("model")
    assert filled.intake.logs() == applied.intake.logs()
    filled.close()
    applied.close()


@given(seed=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_copies_are_settled_alike_in_the_middle_of_a_first_scan_and_at_its_end(seed: int) -> None:
    dice = random.Random(seed)
    readings = [
        Reading(
            LogFile("claude-code", f"/{name}.jsonl", 9, 0, number),
            Cursor(9),
            records=[request(dice, key) for key in dice.sample(("msg_1", "msg_2", "msg_3", "msg_4"), 2)],
            from_offset=0,
        )
        for number, name in enumerate("abcde")
    ]
    filled, applied = UsageStore(None, Prices()), UsageStore(None, Prices())
    for reading in readings:
        filled.intake.fill(pack(reading))
        if dice.random() < 0.4:
            filled.intake.settle()
    filled.intake.scanned(NOW_MS)
    applied.intake.apply(*readings)
    assert filled.records_with_logs() == applied.records_with_logs()
    assert filled.work_by("model") == applied.work_by("model")
    for key in ("msg_1", "msg_2", "msg_3", "msg_4"):
        assert sorted(filled.request(key), key=repr) == sorted(applied.request(key), key=repr)
    filled.close()
    applied.close()


def test_a_copy_that_adds_nothing_leaves_the_request_to_its_log_and_one_that_does_is_merged(home: Home) -> None:
    home.claude("a", claude_answer(1, session="a"), claude_answer(2, "msg_2", session="a"))
    home.claude("b", claude_answer(1, session="b"), claude_answer(2, "msg_2", session="b", usage={"output_tokens": 9}))
    home.claude("c", claude_answer(1, session="c"))
    assert [(record.key, record.session, record.output) for record in home.records()] == [
        ("msg_1", "a", 20),
        ("msg_2", "a", 20),
    ]
    alike = [(record.session, counted) for record, _, _, counted in home.store.request("msg_1")]
    assert alike == [("a", True), ("b", False), ("c", False)]
    assert [counted for _, _, _, counted in home.store.request("msg_2")].count(True) == 1


def test_the_owner_of_copies_may_go_on_and_may_lose_the_request(home: Home) -> None:
    home.claude("a", claude_answer(1, session="a"))
    home.claude("b", claude_answer(1, session="b"), claude_answer(5, "msg_2", session="b"))
    assert [record.session for record in home.records()] == ["a", "b"]
    home.claude("b", claude_answer(1, session="b", usage={"output_tokens": 900}))
    assert [(record.session, record.output) for record in home.records()] == [("b", 900)]
    home.claude("b", claude_answer(6, "msg_3", session="b"))
    assert [(record.key, record.session) for record in home.records()] == [("msg_1", "a"), ("msg_3", "b")]
    work = home.store.work()
    assert (work.requests, work.cost_pico) == (2, 2 * (10 * 3_000_000 + 20 * 15_000_000))


def test_requests_are_sorted_by_key_log_and_time_when_a_first_scan_is_over(home: Home, tmp_path: Path) -> None:
    home.claude("a", claude_answer(1))
    whole, cut = UsageStore(tmp_path / "usage.db", Prices()), UsageStore(tmp_path / "cut.db", Prices())
    every = sorted_by(tmp_path / "usage.db")
    [log] = list_logs(roots_of(home.folder, {})).logs
    for store in (whole, cut):
        store.intake.fill(pack(read_lines(log, Cursor())))
    assert len(every) > len(sorted_by(tmp_path / "usage.db"))
    whole.intake.scanned(NOW_MS)
    cut.close()
    UsageStore(tmp_path / "cut.db", Prices()).close()
    assert every == sorted_by(tmp_path / "usage.db") == sorted_by(tmp_path / "cut.db")
    whole.close()


def sorted_by(path: Path) -> set[str]:
    """By what an index sorts its requests."""
    connection = apsw.Connection(str(path))
    rows = list(connection.execute("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
    connection.close()
    return {sql for (sql,) in rows}


def test_what_an_agent_tells_in_the_middle_of_a_first_scan_is_counted_once(home: Home, tmp_path: Path) -> None:
    for name in ("a", "b"):
        home.claude(name, claude_answer(1, session=name))
    store = UsageStore(tmp_path / "usage.db", Prices())
    told = UsageRecord("t1", "S", T0_MS, T0_MS, input=1, output=2)
    first, second = list_logs(roots_of(home.folder, {})).logs
    store.intake.fill(pack(read_lines(first, Cursor())))
    store.intake.told("hermes-agent", [told])
    store.intake.fill(pack(read_lines(second, Cursor())))
    store.intake.told("hermes-agent", [told])
    store.intake.scanned(NOW_MS)
    assert sorted(record.key for record in store.records()) == ["msg_1", "t1"]
    store.close()
