"""The database file: what is checked at the start, and what becomes of damage that is met later."""

from __future__ import annotations

import asyncio
from pathlib import Path

import apsw
import pytest

from cardloom.host.database import Database
from cardloom_protocol.errors import CallError, ErrorCode

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS small (id INTEGER PRIMARY KEY, text TEXT)",
    "CREATE TABLE IF NOT EXISTS large (id INTEGER PRIMARY KEY, text TEXT)",
)


def open_file(path: Path, wholly_checked_bytes: int = 1 << 20) -> Database:
    return Database(path, SCHEMA, now_ms=1, bulky=("large",), wholly_checked_bytes=wholly_checked_bytes)


def damage(path: Path, table: str) -> None:
    """Fill a table's pages but its first and a few with noise."""
    connection = apsw.Connection(str(path))
    with connection:
        connection.executemany(f"INSERT INTO {table} (text) VALUES (?)", [("x" * 3000,)] * 200)
    connection.pragma("wal_checkpoint(TRUNCATE)")
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xde\xad" * 2048)


@pytest.mark.parametrize(("table", "set_aside"), [("small", True), ("large", False)])
def test_of_a_large_file_only_the_bulky_tables_are_not_checked(tmp_path: Path, table: str, set_aside: bool) -> None:
    path = tmp_path / "cardloom.db"
    open_file(path).close()
    damage(path, table)
    database = open_file(path, wholly_checked_bytes=4096)
    assert (database.replaced is not None) == set_aside
    database.close()


def test_a_small_file_is_checked_wholly(tmp_path: Path) -> None:
    path = tmp_path / "cardloom.db"
    open_file(path).close()
    damage(path, "large")
    database = open_file(path, wholly_checked_bytes=64 << 20)
    assert database.replaced is not None
    database.close()


async def test_damage_that_is_met_later_is_told_and_the_next_start_sets_the_file_aside(tmp_path: Path) -> None:
    path = tmp_path / "cardloom.db"
    open_file(path).close()
    damage(path, "large")
    database = open_file(path, wholly_checked_bytes=4096)
    assert database.replaced is None
    with pytest.raises(CallError) as refusal:
        await database.write(lambda connection: connection.execute("INSERT INTO large (text) VALUES ('y')"))
    assert refusal.value.code is ErrorCode.UNAVAILABLE
    await database.write(lambda connection: connection.execute("INSERT INTO small (text) VALUES ('z')"))
    database.close()
    again = open_file(path, wholly_checked_bytes=4096)
    assert again.replaced is not None
    assert again.replaced.backup.exists()
    again.close()


@pytest.mark.parametrize("together", [1, 2])
async def test_a_job_that_fails_after_it_ended_the_transaction_fails_alone_and_the_next_one_is_done(
    tmp_path: Path, together: int
) -> None:
    database = open_file(tmp_path / "cardloom.db")

    def failing(connection: apsw.Connection) -> None:
        connection.execute("ROLLBACK")  # as SQLite does by itself when the disk is full
        raise ValueError("our own bug")

    async with asyncio.timeout(60):
        outcomes = await asyncio.gather(*(database.submit(failing) for _ in range(together)), return_exceptions=True)
        assert [type(one) for one in outcomes] == [ValueError] * together
        await database.write(lambda connection: connection.execute("INSERT INTO small (text) VALUES ('x')"))
    assert database.reader.execute("SELECT count(*) FROM small").get == 1
    database.close()
