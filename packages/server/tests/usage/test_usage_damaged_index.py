"""Damage in the index's own file: single rows, pages that are met at work, and the file as a whole."""

from __future__ import annotations

import logging
import re
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from cardloom.features.usage import index
from cardloom.features.usage.index import DAMAGED, INDEX_NAME, IndexDamagedError
from cardloom.features.usage.roots import roots_of
from cardloom.features.usage.scan import scan
from cardloom.features.usage.store import UsageStore
from cardloom_protocol.errors import CallError, ErrorCode

from .making_logs import NOW_MS, Home, claude_answer
from .reading_desk import Desk
from .test_usage_store import FixedPrices, open_again

BODIES = (b"", b"\xc1", b"\x91\x01", "a text", 5)


def change(path: Path, statement: str, *values: object) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement, values)


def spoil(path: Path, *tables: str) -> None:
    """Write over the first page of some tables."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("wal_checkpoint", "TRUNCATE")
        page_bytes = connection.pragma("page_size")
        pages = [
            connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get for name in tables
        ]
    whole = bytearray(path.read_bytes())
    for page in pages:
        whole[(page - 1) * page_bytes : page * page_bytes] = b"\x5a" * page_bytes
    path.write_bytes(whole)


@pytest.mark.parametrize("body", BODIES)
def test_a_row_that_cannot_be_decoded_is_told_and_the_others_get_their_new_price(
    home: Home, tmp_path: Path, caplog: pytest.LogCaptureFixture, body: object
) -> None:
    log = home.claude("S", claude_answer(1), claude_answer(2, "msg_2"))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    change(path, "UPDATE sightings SET body = ? WHERE key = 'msg_1'", body)
    with caplog.at_level(logging.WARNING), closing(UsageStore(path, FixedPrices("2", 9))) as store:
        assert store.work().cost_pico == 5 + 9
        assert [(one.path, one.reason, one.count) for one in store.skips(NOW_MS)] == [(str(log), DAMAGED, 1)]
        assert [record.key for record in store.records()] == ["msg_2"]
        assert [record.key for record, *_ in store.request("msg")] == ["msg_2"]
    assert [str(log) in line and "msg_1" in line for line in caplog.messages] == [True]
    for prices in (FixedPrices("2", 9), FixedPrices("3", 1)):
        with closing(UsageStore(path, prices)) as store:
            assert [one.count for one in store.skips(NOW_MS)] == [1]


def test_damaged_rows_stop_no_scan(home: Home, tmp_path: Path) -> None:
    log = home.claude("S", claude_answer(1), claude_answer(2, "msg_2"))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    change(path, "UPDATE sightings SET body = x'c1'")
    with log.open("ab") as file:
        file.write(claude_answer(3, "msg_2") + claude_answer(4, "msg_3"))
    home.write(".claude/projects/-home-user-project/copy.jsonl", claude_answer(1))
    with closing(open_again(home, path, FixedPrices("1", 5))) as store:
        assert sorted(record.key for record in store.records()) == ["msg_1", "msg_2", "msg_3"]
        assert store.work().requests == 3


def test_a_damaged_place_in_a_log_has_it_read_from_its_beginning(home: Home, tmp_path: Path) -> None:
    log = home.claude("S", claude_answer(1))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    change(path, "UPDATE logs SET cursor = x'c1'")
    change(path, "UPDATE meta SET value = 'never' WHERE name = 'scanned_at_ms'")
    with log.open("ab") as file:
        file.write(claude_answer(2, "msg_2"))
    with closing(UsageStore(path, FixedPrices("1", 5))) as store:
        assert store.scanned_at_ms is None
        scan(store, roots_of(home.folder, {}), NOW_MS)
        assert [record.key for record in store.records()] == ["msg_1", "msg_2"]


def test_damaged_pages_met_when_prices_change_have_the_file_set_aside_and_filled_anew(
    home: Home, tmp_path: Path
) -> None:
    home.claude("S", claude_answer(1))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    spoil(path, "sightings", "meta")
    damaged = path.read_bytes()
    with closing(open_again(home, path, FixedPrices("2", 9))) as store:
        assert store.work().cost_pico == 9
        assert store.set_aside is not None
        assert store.set_aside.read_bytes() == damaged


def test_damage_met_at_work_is_told_once_and_the_next_question_begins_anew(home: Home, tmp_path: Path) -> None:
    home.claude("S", claude_answer(1))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    spoil(path, "sightings")
    stores = UsageStore(path, FixedPrices("1", 5)), UsageStore(path, FixedPrices("1", 5))
    with closing(stores[0]) as first, closing(stores[1]) as second:
        with pytest.raises(IndexDamagedError, match=r"is kept as .*usage\.damaged-\d+\.db; ask again") as caught:
            first.records()
        assert caught.value.code is ErrorCode.UNAVAILABLE
        scan(first, roots_of(home.folder, {}), NOW_MS)
        with pytest.raises(IndexDamagedError, match="stands aside; ask again"):
            second.work()
        assert (first.set_aside is None, second.set_aside) == (False, None)
        assert first.work().requests == second.work().requests == 1
    assert len(list(tmp_path.glob("usage.damaged-*.db"))) == 1


async def test_a_page_is_told_that_the_index_was_damaged(desk: Desk) -> None:
    path = desk.app.settings.data_folder / INDEX_NAME
    path.write_bytes(b"this is no database " * 300)
    await desk.page.call("usage.scan")
    toast = await desk.page.event("ui.toast")
    assert re.fullmatch(r"The usage index was damaged\. It is kept as .+; the logs are read anew\.", toast["message"])


def test_an_index_that_is_refused_is_not_held_open(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    change(path, "UPDATE meta SET value = '99' WHERE name = 'version'")
    with pytest.raises(CallError, match="has version 99") as refusal:  # which keeps all alive that was there
        UsageStore(path, FixedPrices("1", 5))
    assert [one for one in apsw.connections() if one.filename == str(path)] == []
    assert refusal.value.code is ErrorCode.UNAVAILABLE


def test_a_damaged_index_that_cannot_be_set_aside_now_is_so_later(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude("S", claude_answer(1))
    path = tmp_path / "usage.db"
    open_again(home, path, FixedPrices("1", 5)).close()
    spoil(path, "sightings")

    def held(*_: object) -> None:
        raise PermissionError(13, "another program has it open")

    with closing(UsageStore(path, FixedPrices("1", 5))) as store:
        with monkeypatch.context() as patched:
            patched.setattr(index, "set_aside", held)
            with pytest.raises(CallError, match=r"cannot be set aside: .*another program"):
                store.records()
        with pytest.raises(IndexDamagedError):
            store.records()
        scan(store, roots_of(home.folder, {}), NOW_MS)
        assert store.work().requests == 1
