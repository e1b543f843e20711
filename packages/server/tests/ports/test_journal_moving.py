"""Data folders whose journal has a row for each delivery are brought into the present form at the start."""

from __future__ import annotations

import hashlib
from pathlib import Path

import apsw
import pytest

from cardloom.app import running
from cardloom.features.ports.journal_moving import move_first_form
from cardloom.features.ports.journal_reading import Filter
from cardloom.features.ports.store import SCHEMA, PortsStore
from cardloom.host.database import Database
from cardloom.settings import Settings
from cardloom_protocol.ids import WorkspaceId

HOME = WorkspaceId("w_1")
FIRST_FORM = (
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, workspace_id TEXT NOT NULL, kind TEXT NOT NULL,
        via TEXT NOT NULL, from_card TEXT NOT NULL, output TEXT, type TEXT NOT NULL, to_card TEXT, input_id TEXT,
        input_type TEXT, arrow_id TEXT, outcome TEXT NOT NULL, code TEXT, message TEXT, chain TEXT NOT NULL,
        hop INTEGER NOT NULL, cause INTEGER, landed TEXT, body_id INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX journal_workspace ON journal (workspace_id)",
    """CREATE TABLE journal_bodies (
        id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, stored_bytes INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
        sha256 TEXT NOT NULL, mark TEXT NOT NULL, preview TEXT NOT NULL, head TEXT, text TEXT
    ) STRICT""",
)
ENTRIES = (
    # A list tells its state and two cards get it, one of them converted.
    (7, 50, HOME, "delivery", "state", "c_1", "items", "ns:tasks", None, None, None, None, "accepted", None, None,
     "h_1", 0, None, None, 7),
    (8, 50, HOME, "delivery", "emit", "c_1", "items", "ns:tasks", "c_2", "add", "ns:tasks", "a_1", "accepted", None,
     None, "h_1", 0, None, None, 7),
    (9, 50, HOME, "delivery", "emit", "c_1", "items", "ns:tasks", "c_3", "append", "ns:markdown", "a_2", "accepted",
     None, None, "h_1", 0, None, "the mark of a text", 7),
    # A refusal of something too large to be kept, which answers the delivery above.
    (12, 60, HOME, "refusal", "send", "c_2", "out", "ns:text", "c_3", "append", "ns:text", "a_3", "refused",
     "TOO_LARGE", "a note takes less", "h_1", 1, 8, None, 12),
    # By the owner's hand.
    (13, 70, HOME, "delivery", "owner", "owner", None, "ns:text", "c_2", "add", "ns:tasks", None, "accepted", None,
     None, "h_2", 0, None, None, 13),
)  # fmt: skip
BODIES = (
    (7, 50, 500, 2, "sha of 7", "mark of 7", "[]", None, "[]"),
    (12, 60, 500, 90_000, hashlib.sha256(b"12").hexdigest(), "mark of 12", "xxx", '"xxx', None),
    (13, 70, 500, 6, hashlib.sha256(b'"milk"').hexdigest(), "mark of 13", "milk", None, '"milk"'),
)


def write_first_form(path: Path) -> None:
    connection = apsw.Connection(str(path))
    with connection:
        for statement in FIRST_FORM:
            connection.execute(statement)
        connection.executemany(f"INSERT INTO journal VALUES ({', '.join('?' * 20)})", ENTRIES)
        connection.executemany(f"INSERT INTO journal_bodies VALUES ({', '.join('?' * 9)})", BODIES)
    connection.close()


def tables(database: Database) -> set[object]:
    return {row[0] for row in database.reader.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


async def test_every_entry_of_the_first_form_is_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "cardloom.db"
    write_first_form(path)
    database = Database(path, SCHEMA, now_ms=0, upgrades=(move_first_form,))
    assert not {"journal", "journal_bodies"} & tables(database)
    store = PortsStore(database)
    rows = {row[0]: row for row in ENTRIES}
    for entry_id, row in rows.items():
        entry = store.journal.entry(entry_id)
        assert entry is not None
        fields = (
            entry.id, entry.at_ms, entry.workspace_id, entry.kind, entry.via, entry.from_card, entry.output, entry.type,
            entry.to_card, entry.input_id, entry.input_type, entry.arrow_id, entry.outcome, entry.code, entry.message,
            entry.chain, entry.hop, entry.cause, entry.landed,
        )  # fmt: skip
        assert fields == row[:-1]
    assert [listed.entry.id for listed in store.journal.listed(Filter(HOME), 10)] == [13, 12, 9, 8]
    assert [listed.entry.id for listed in store.journal.listed(Filter(HOME, arrow_id="a_2"), 10)] == [9]
    assert [listed.entry.id for listed in store.journal.listed(Filter(HOME, card_id="c_2"), 10)] == [13, 12, 8]
    large, milk = store.journal.body(12), store.journal.body(13)
    assert large is not None
    assert milk is not None
    assert (large.text, large.head, large.size_bytes, large.sha256) == (None, '"xxx', 90_000, BODIES[1][4])
    assert (milk.text, milk.sha256) == ('"milk"', BODIES[2][4])
    assert store.journal.state_before("c_1", 9) == (7, "[]")  # type: ignore[arg-type]
    assert store.next_ids(1) == 14
    database.close()


async def test_a_move_that_fails_leaves_the_first_form_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cardloom.db"
    write_first_form(path)

    def half_way(connection: apsw.Connection) -> None:
        move_first_form(connection)
        raise apsw.FullError("database or disk is full")

    with pytest.raises(OSError, match=r"cardloom\.db cannot be brought into the present form and was left as it is"):
        Database(path, SCHEMA, now_ms=0, upgrades=(half_way,))
    database = Database(path, SCHEMA, now_ms=0, upgrades=(move_first_form,))
    assert PortsStore(database).journal.entry(12) is not None
    database.close()


async def test_a_server_starts_on_a_folder_of_the_first_form_and_moves_it_once(tmp_path: Path) -> None:
    write_first_form(tmp_path / "cardloom.db")
    for _ in range(2):
        async with running(Settings(data_folder=tmp_path, use_keyring=False)) as app:
            assert app.ports_store.journal.entry(9) is not None
            assert "journal_bodies" not in tables(app.database)
