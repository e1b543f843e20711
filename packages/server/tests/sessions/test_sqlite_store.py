"""The SQLite store keeps the contract of stores, and a session outlives the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cardloom.features.sessions.store import SqliteStore
from cardloom.features.sessions.store_rows import SCHEMA
from cardloom.host.database import Database
from cardloom_protocol.session import NodeInput, to_history
from cardloom_sdk.stores import MemoryStore
from cardloom_sdk.testing.store_contract import Check, checks_for

CHECKS = checks_for(MemoryStore())


def opened(path: Path) -> tuple[Database, SqliteStore]:
    """A store in a file."""
    database = Database(path, SCHEMA, now_ms=0)
    return database, SqliteStore(database)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    database, store = opened(tmp_path / "s.db")
    yield store
    await store.close()
    database.close()


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__ for check in CHECKS])
async def test_the_store_keeps_the_contract(check: Check, store: SqliteStore) -> None:
    assert checks_for(store) == CHECKS
    await check(store)


async def test_a_session_outlives_the_server(tmp_path: Path) -> None:
    database, store = opened(tmp_path / "s.db")
    await store.create(session_id="s", info={"title": "T", "botName": "B"})
    await store.append_node("s", NodeInput("user", id="a", text="hello \ud800 \0 é"))
    await store.close()
    database.close()
    database, store = opened(tmp_path / "s.db")
    session = await store.load("s")
    assert (session.info["title"], session.info["botName"], session.info["messageCount"]) == ("T", "B", 1)
    assert session.nodes[0].parts == [{"type": "text", "text": "hello \ud800 \0 é"}]
    await store.close()
    database.close()


async def test_history_message_and_count_are_those_of_the_whole_session(store: SqliteStore) -> None:
    await store.create(session_id="s")
    for number, parent in enumerate([None, "0", "1", "1", None, "4", "3"]):
        await store.append_node("s", NodeInput("user", id=str(number), text=f"m{number}", parent=parent))
    for leaf in "0123456":
        await store.set_active_leaf("s", leaf)
        whole = to_history(await store.load("s"))
        assert await store.history("s") == whole
        assert (await store.info("s"))["messageCount"] == len(whole)
        for message in whole:
            assert await store.message("s", message["id"]) == message
    await store.set_active_leaf("s", "6")
    await store.delete_node("s", "1")
    assert (await store.info("s"))["messageCount"] == len(await store.history("s")) == 3


async def test_what_is_refused_leaves_no_trace(store: SqliteStore) -> None:
    await store.create(session_id="s")
    await store.append_node("s", NodeInput("user", id="a", text="x"))
    before = await store.load("s")
    for parent in ("ghost", "a"):
        with pytest.raises(Exception, match=r"no message|already"):
            await store.append_node("s", NodeInput("user", id="a", text="y", parent=parent))
    assert await store.load("s") == before


async def test_a_fork_keeps_references_to_files(store: SqliteStore) -> None:
    await store.create(session_id="s")
    await store.append_node("s", NodeInput("user", text="x"))
    ref = await store.put_asset("s", "a.bin", b"1")
    fork = await store.fork_copy("s")
    assert await store.get_asset(fork["id"], ref) == b"1"
    await store.delete("s")
    assert await store.get_asset(fork["id"], ref) == b"1"
