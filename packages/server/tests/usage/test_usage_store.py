"""The index: what is kept, what is summed, and what happens when prices, versions or the file itself change."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import apsw
import pytest

from cardloom.features.usage import index
from cardloom.features.usage.prices import Prices
from cardloom.features.usage.reading import Cursor, read_lines
from cardloom.features.usage.records import Rates, UsageRecord
from cardloom.features.usage.roots import list_logs, roots_of
from cardloom.features.usage.rows import pack
from cardloom.features.usage.scan import scan
from cardloom.features.usage.store import Scope, UsageStore
from cardloom.features.usage.timeline import timeline_requests
from cardloom_protocol.errors import CallError, ErrorCode

from .making_logs import NOW_MS, T0_MS, Home, claude_answer
from .test_usage_other_logs import QWEN, qwen_answer


class FixedPrices:
    """A table of one price."""

    def __init__(self, version: str, pico: int) -> None:
        self.version = version
        self.pico = pico

    def cost_pico(self, record: UsageRecord) -> int | None:
        return self.pico

    def rates(self, provider: str | None, model: str | None, at_ms: int) -> Rates | None:
        return None


def open_again(home: Home, path: Path, prices: FixedPrices | Prices) -> UsageStore:
    store = UsageStore(path, prices)
    scan(store, roots_of(home.folder, {}), NOW_MS)
    return store


def test_the_index_outlives_the_logs_and_the_program(home: Home, tmp_path: Path) -> None:
    log = home.claude("S", claude_answer(1), claude_answer(2, "msg_2"))
    open_again(home, tmp_path / "usage.db", Prices()).close()
    log.unlink()
    store = open_again(home, tmp_path / "usage.db", Prices())
    assert [record.key for record in store.records()] == ["msg_1", "msg_2"]
    assert store.scanned_at_ms == NOW_MS
    store.close()


def test_another_price_table_changes_what_was_read_before(home: Home, tmp_path: Path) -> None:
    home.claude("S", claude_answer(1))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    for prices, expected in ((FixedPrices("1", 9), 5), (FixedPrices("2", 9), 9)):
        store = UsageStore(path, prices)
        assert (store.work().cost_pico, store.price_version) == (expected, prices.version)
        store.close()


def test_an_index_of_an_older_meaning_reads_the_logs_anew_and_keeps_those_that_are_gone(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = home.claude("gone", claude_answer(1, "msg_gone"))
    home.claude("here", claude_answer(2, "msg_here"))
    path = tmp_path / "usage.db"
    open_again(home, path, Prices()).close()
    gone.unlink()
    home.claude("here", claude_answer(3, "msg_new"))
    monkeypatch.setattr(index, "VERSION", 2)
    store = open_again(home, path, Prices())
    assert [record.key for record in store.records()] == ["msg_gone", "msg_new"]
    store.close()
    monkeypatch.setattr(index, "VERSION", 1)
    with pytest.raises(CallError, match="has version 2, this Cardloom knows 1") as caught:
        UsageStore(path, Prices())
    assert caught.value.code is ErrorCode.UNAVAILABLE


def test_a_damaged_index_is_set_aside_and_the_logs_are_read_anew(home: Home, tmp_path: Path) -> None:
    home.claude("S", claude_answer(1))
    path = tmp_path / "usage.db"
    path.write_bytes(b"this is no database " * 300)
    store = open_again(home, path, Prices())
    assert store.work().requests == 1
    assert [kept.read_bytes()[:7] for kept in tmp_path.glob("usage.damaged-*.db")] == [b"this is"]
    store.close()


def test_an_index_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "usage.db").mkdir()
    with pytest.raises(CallError, match=r"the usage index .*usage\.db cannot be opened"):
        UsageStore(tmp_path / "usage.db", Prices())


def test_not_reported_stays_so_in_sums_and_a_reported_zero_stays_zero(home: Home) -> None:
    home.write(QWEN, qwen_answer(1))
    home.claude("S", claude_answer(1, usage={"cache_creation_input_tokens": 0}))
    home.scan()
    sums = home.store.work_by("harness")
    assert (sums["qwen-code"].tokens.cache_write, sums["claude-code"].tokens.cache_write) == (None, 0)
    assert home.store.work().tokens.cache_write == 0
    assert sums["qwen-code"].to_wire()["cacheWriteTokens"] is None


def test_a_model_without_a_price_leaves_a_partial_cost_and_alone_none(home: Home) -> None:
    home.claude("S", claude_answer(1), claude_answer(2, "msg_2", model="claude-of-tomorrow"))
    home.scan()
    work = home.store.work()
    assert (work.cost_pico, work.cost_partial, work.unpriced) == (10 * 3_000_000 + 20 * 15_000_000, True, 1)
    alone = home.store.work_by("model")["claude-of-tomorrow"]
    assert (alone.cost_pico, alone.cost_partial) == (None, False)


def test_sums_of_sessions_and_windows_are_those_of_their_requests(home: Home) -> None:
    home.claude("one", *(claude_answer(at, f"msg_{at}", session="one") for at in range(5)))
    home.claude("two", *(claude_answer(at, f"msg_{at}", session="two") for at in range(10, 13)))
    home.scan()
    assert {key: work.requests for key, work in home.store.work_by_session().items()} == {
        ("claude-code", "one"): 5,
        ("claude-code", "two"): 3,
    }
    scope = Scope(T0_MS + 3000, T0_MS + 11_000, frozenset({("claude-code", "one"), ("claude-code", "two")}))
    assert home.store.work(scope).requests == 3
    assert home.store.work(Scope(sessions=frozenset({("codex-cli", "one")}))).requests == 0
    assert home.store.span() == (T0_MS, T0_MS + 12_000)
    latest = home.store.latest(Scope(sessions=frozenset({("claude-code", "one")})))
    assert latest is not None
    assert (latest.key, latest.cwd) == ("msg_4", "/home/user/project")


def test_the_newest_requests_of_a_timeline_are_given_and_one_more(home: Home) -> None:
    home.claude("S", *(claude_answer(at, f"msg_{at}") for at in range(2005)))
    home.scan()
    requests = timeline_requests(home.store, Scope())
    assert (len(requests), requests[0].ended_at_ms) == (2001, T0_MS + 4000)


def test_a_reading_that_fails_in_the_middle_changes_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    log = home.claude("S", claude_answer(1))
    home.scan()
    with log.open("ab") as file:
        file.write(claude_answer(2, "msg_2"))

    def broken(*_: object) -> None:
        raise apsw.FullError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(home.store.intake, "_add_skips", broken)
        with pytest.raises(CallError, match="could not be read or written: disk full"):
            home.scan()
    assert home.store.work().requests == 1
    assert len(home.records()) == 2


def test_two_programs_that_read_the_same_piece_count_it_once(home: Home, tmp_path: Path) -> None:
    log = home.claude("S", claude_answer(1), b"broken\n")
    first = open_again(home, tmp_path / "usage.db", Prices())
    (known,) = first.intake.logs()
    with log.open("ab") as file:
        file.write(claude_answer(2, "msg_2") + b"broken\n")
    piece = read_lines(known.log, known.cursor)
    second = UsageStore(tmp_path / "usage.db", Prices())
    for store in (first, second):
        store.intake.apply(piece)
    assert [(skip.reason, skip.count) for skip in second.skips(NOW_MS)] == [("malformed", 2)]
    assert first.work().requests == 2
    first.close()
    second.close()


def test_a_program_waits_while_another_one_writes_into_the_index(tmp_path: Path) -> None:
    first, second = (UsageStore(tmp_path / "usage.db", Prices()) for _ in range(2))
    other = Thread(target=second.intake.scanned, args=(NOW_MS + 1,))
    with first._index.writing():
        assert first.scanned_at_ms is None
        other.start()
        other.join(0.3)  # it would have written by then if nothing kept it from that
        first._index.run("INSERT INTO meta VALUES ('scanned_at_ms', ?)", (str(NOW_MS),))
    other.join(30)
    assert not other.is_alive()
    assert first.scanned_at_ms == NOW_MS + 1
    first.close()
    second.close()


def test_a_first_scan_that_was_cut_off_has_counted_nothing_twice_when_the_index_is_opened_again(
    home: Home, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        home.claude(name, claude_answer(1, session=name), claude_answer(2, f"msg_{name}", session=name))
    store = UsageStore(tmp_path / "usage.db", Prices())
    for log in list_logs(roots_of(home.folder, {})).logs:
        store.intake.fill(pack(read_lines(log, Cursor())))
    store.close()
    again = open_again(home, tmp_path / "usage.db", Prices())
    assert again.records() == home.records()
    assert [record.key for record in again.records()] == ["msg_1", "msg_a", "msg_b"]
    again.close()


def test_sums_of_absurd_costs_stay_exact(home: Home) -> None:
    home.claude("S", *(claude_answer(at, f"msg_{at}", usage={"output_tokens": 10**9}) for at in range(1000)))
    home.scan()
    assert home.store.work().cost_pico == 1000 * (10**9 * 15_000_000 + 10 * 3_000_000)
