"""What OpenCode kept before it had a database: a file for each message."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.usage import message_folders
from cardloom.features.usage.explaining import SeenRow, explain
from cardloom.features.usage.message_folders import calls_of_parts, list_folder, read_folder
from cardloom.features.usage.reading import LogFile
from cardloom.features.usage.roots import ANY, Root
from cardloom.features.usage.scan import scan
from cardloom.features.usage.store import Scope
from cardloom.features.usage.timeline import timeline_requests

from .making_logs import NOW_MS, T0_MS, Home
from .test_usage_databases import Rows

STORAGE = ".local/share/opencode/storage"


def message(home: Home, key: str, session: str = "ses_1", **fields: Any) -> Path:
    told = {
        "id": key,
        "sessionID": session,
        "role": "assistant",
        "providerID": "anthropic",
        "modelID": "claude-haiku-4-5",
        "cost": 0.25,
        "time": {"created": T0_MS, "completed": T0_MS + 4000},
        "tokens": {"input": 120, "output": 49, "reasoning": 38, "cache": {"read": 500, "write": 0}},
    } | fields
    return home.write(f"{STORAGE}/message/{session}/{key}.json", json.dumps(told, indent=2).encode())


def session(home: Home, key: str, parent: str | None = None) -> None:
    told = {"id": key, "directory": "/p"} | ({} if parent is None else {"parentID": parent})
    home.write(f"{STORAGE}/session/project/{key}.json", json.dumps(told).encode())


def test_each_answer_is_a_request_of_the_session_a_person_began(home: Home) -> None:
    session(home, "ses_1")
    session(home, "ses_2", "ses_1")
    message(home, "msg_1")
    message(home, "msg_2", "ses_2")
    message(home, "msg_3", role="user", tokens=None)
    records = {record.key: record for record in home.records()}
    assert set(records) == {"msg_1", "msg_2"}
    assert (records["msg_1"].output, records["msg_1"].tokens.total, records["msg_1"].cwd) == (87, 707, "/p")
    assert (records["msg_1"].begun_ms, records["msg_1"].ended_ms) == (T0_MS, T0_MS + 4000)
    assert (records["msg_2"].session, records["msg_2"].subagent) == ("ses_1", "ses_2")
    assert home.store.work().cost_micro_usd == 500_000


def test_a_message_that_is_in_the_database_too_counts_once_and_for_the_database(home: Home) -> None:
    message(home, "msg_1")
    home.scan()
    with closing((rows := Rows(home.folder / ".local/share/opencode/opencode.db")).connection):
        rows.session("ses_1")
        rows.answer("msg_1", "ses_1", cost=0.25)
        assert len(home.records()) == 1
    ((_, _, path),) = home.store.records_with_logs()
    assert path.endswith("opencode.db")


def test_a_message_that_is_written_again_counts_as_it_is_now_and_a_new_one_is_read(home: Home) -> None:
    path = message(home, "msg_1", tokens={"input": 1, "output": 0}, time={"created": T0_MS})
    assert home.only().input == 1
    before = path.stat()
    message(home, "msg_1", tokens={"input": 7, "output": 9})
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert (home.only().input, home.only().output) == (7, 9)
    message(home, "msg_2")
    assert len(home.records()) == 2
    assert home.scan().read == 0


def test_broken_and_overlong_messages_are_told_and_the_others_count(home: Home) -> None:
    message(home, "msg_1")
    home.write(f"{STORAGE}/message/ses_1/msg_2.json", b'{"role":"assistant","tok')
    home.write(f"{STORAGE}/message/ses_1/msg_3.json", b"\xff\x00")
    (home.folder / STORAGE / "message/ses_1/msg_4.json").mkdir()
    assert len(home.records()) == 1
    assert home.reasons() == {"malformed": 2}
    folder = home.folder / STORAGE / "message/ses_1"
    found = read_folder(LogFile("opencode", f"{folder}/", 0, 0, 0), most_bytes=100)
    assert [(skip.reason, skip.count) for skip in found.skips] == [("malformed", 2), ("line too long", 1)]


def test_a_deleted_folder_keeps_its_requests(home: Home) -> None:
    path = message(home, "msg_1")
    home.scan()
    path.unlink()
    path.parent.rmdir()
    assert [record.key for record in home.records()] == ["msg_1"]


def test_tools_and_counts_are_looked_up_in_the_files(home: Home) -> None:
    message(home, "msg_1")
    part = {"type": "tool", "tool": "bash", "callID": "c1", "state": {"status": "completed"}}
    home.write(f"{STORAGE}/part/msg_1/prt_1.json", json.dumps(part).encode())
    home.write(f"{STORAGE}/part/msg_1/prt_2.json", b"{broken")
    home.scan()
    (request,) = timeline_requests(home.store, Scope())
    assert request.tools == ("bash",)
    ((row,),) = [seen.lines for seen in explain(home.store, "msg_1")]
    assert isinstance(row, SeenRow)
    assert row.counts["cost"] == 0.25
    (home.folder / STORAGE / "message/ses_1/msg_1.json").unlink()
    ((gone,),) = [seen.lines for seen in explain(home.store, "msg_1")]
    assert gone.counts is None


def test_the_folders_are_found_anywhere(home: Home, tmp_path: Path) -> None:
    message(home, "msg_1")
    session(home, "ses_1")
    scan(home.store, [Root(ANY, home.folder, "*", 12)], NOW_MS)
    assert [record.key for record in home.store.records()] == ["msg_1"]


@pytest.mark.parametrize("parent", ["ses_1", "../../secret", "*"])
def test_a_session_that_names_no_parent_of_sense_is_its_own(home: Home, parent: str) -> None:
    session(home, "ses_1", parent)
    message(home, "msg_1")
    assert home.only().session in ("ses_1", parent)


def test_a_session_folder_whose_name_is_no_utf8_is_told(home: Home) -> None:
    os.makedirs(os.fsencode(home.folder / STORAGE / "message") + b"/ses_\xff")
    assert home.records() == []
    assert home.reasons() == {"a name that is no UTF-8": 1}


@pytest.mark.parametrize("moment", ["listed", "read"])
def test_a_message_that_goes_between_listing_and_reading_costs_none_of_the_others(
    home: Home, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    message(home, "msg_1")
    going = message(home, "msg_2")
    message(home, "msg_3")
    files = message_folders._files
    log = list_folder(str(going.parent))

    def vanishing(folder: str) -> Iterator[os.DirEntry[str]]:
        for entry in files(folder):
            if entry.path == str(going):
                if moment == "read":
                    entry.stat()  # which the entry remembers
                going.unlink()
            yield entry

    monkeypatch.setattr(message_folders, "_files", vanishing)
    reading = read_folder(log)
    assert (reading.error, [record.key for record in reading.records], reading.skips) == (None, ["msg_1", "msg_3"], [])


def test_a_folder_is_a_log_also_while_one_of_its_messages_goes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    going, staying = message(home, "msg_1"), message(home, "msg_2")
    entries = list(message_folders._files(str(going.parent)))
    going.unlink()
    monkeypatch.setattr(message_folders, "_files", lambda _: iter(entries))
    assert list_folder(str(staying.parent)).size == staying.stat().st_size


@pytest.mark.parametrize("key", ["../../elsewhere", "..", "", "/etc", "a/b"])
def test_the_id_of_a_message_leads_to_no_other_folder(home: Home, key: str) -> None:
    part = json.dumps({"type": "tool", "callID": "call_1", "tool": "bash"}).encode()
    for place in ("elsewhere", f"{STORAGE}/part", STORAGE, f"{STORAGE}/part/a/b", f"{STORAGE}/part/msg_1"):
        home.write(f"{place}/prt_1.json", part)
    home.write("elsewhere/prt_1.json", part)
    folder = str(message(home, "msg_1").parent)
    assert calls_of_parts(folder, "msg_1") == (("call_1", "bash"),)
    assert calls_of_parts(folder, key) == ()
