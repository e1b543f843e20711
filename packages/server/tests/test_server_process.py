"""The server as a process: killed, started twice, on a taken port, over damaged files. Real processes, real clients."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

CAP_S = 60.0


class Rows:
    """What was acknowledged: titles by card id, and arrows. `unsure` are cards whose last edit got no answer."""

    def __init__(self) -> None:
        self.titles: dict[str, str | None] = {}
        self.arrows: set[str] = set()
        self.unsure: set[str] = set()
        self._count = 0
        self._more = asyncio.Condition()

    async def acknowledge(self, method: str, result: dict[str, Any]) -> None:
        if method == "canvas.connect":
            self.arrows.add(result["id"])
        else:
            self.titles[result["id"]] = result["title"]
        async with self._more:
            self._count += 1
            self._more.notify_all()

    async def wait_for_more(self, count: int) -> None:
        """Wait for so many more acknowledged edits."""
        until = self._count + count
        async with asyncio.timeout(CAP_S), self._more:
            await self._more.wait_for(lambda: self._count >= until)


@asynccontextmanager
async def owner(server: Any) -> AsyncIterator[ClientConnection]:
    url = f"ws://127.0.0.1:{server.port}/ws"
    header = {"Authorization": f"Bearer {server.key}"}
    async with connect(
        url, additional_headers=header, compression=None, max_size=None, open_timeout=CAP_S
    ) as connection:
        await call(connection, 1, "client.hello", client="sdk", protocol=1)
        yield connection


async def call(connection: ClientConnection, request_id: int, method: str, **params: Any) -> Any:
    envelope = {"ns": "cardloom", "v": 1, "kind": "req", "id": request_id, "method": method, "params": params}
    async with asyncio.timeout(CAP_S):
        await connection.send(json.dumps(envelope))
        while True:
            message = json.loads(await connection.recv())
            if message["kind"] == "res" and message["id"] == request_id:
                assert message["ok"], message
                return message["result"]


async def test_killing_the_process_thirty_times_under_load_loses_nothing_acknowledged(start_server: Any) -> None:
    known = Rows()
    workspace_id = ""
    for turn in range(31):
        server = start_server()
        server.wait_until_open()
        async with owner(server) as connection:
            if turn == 0:
                workspaces = (await call(connection, 2, "workspace.list"))["workspaces"]
                workspace_id = workspaces[0]["id"]
            snapshot = await call(connection, 3, "canvas.snapshot", workspaceId=workspace_id)
            check(known, snapshot)
            if turn == 30:
                break
            chance = random.Random(turn)
            load = asyncio.create_task(edit(connection, workspace_id, known, chance))
            await known.wait_for_more(chance.randint(5, 60))
            server.kill()
            await load
    assert len(known.titles) > 100


async def test_killing_the_process_loses_no_delivery_that_was_acknowledged(start_server: Any) -> None:
    acknowledged: list[str] = []
    note_id = workspace_id = ""
    for turn in range(6):
        server = start_server()
        server.wait_until_open()
        async with owner(server) as connection:
            if turn == 0:
                workspace_id = (await call(connection, 2, "workspace.list"))["workspaces"][0]["id"]
                note = await call(connection, 3, "canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0)
                note_id = note["id"]
            snapshot = await call(connection, 4, "canvas.snapshot", workspaceId=workspace_id)
            written = snapshot["cards"][0]["content"]["text"].split()
            told = await journal_of(connection, workspace_id)
            assert set(acknowledged) <= set(told) <= set(written), "of a value under way the journal may not know yet"
            assert told == [value for value in written if value in set(told)], "the journal tells the order"
            if turn == 5:
                break
            load = asyncio.create_task(deliver(connection, note_id, acknowledged, f"t{turn}"))
            await reached(acknowledged, len(acknowledged) + random.Random(turn).randint(5, 60))
            server.kill()
            await load
    assert len(acknowledged) > 50


async def journal_of(connection: ClientConnection, workspace_id: str) -> list[str]:
    """What the journal tells of every value, oldest first."""
    told: list[str] = []
    before: dict[str, Any] = {}
    while True:
        page = await call(connection, 5, "journal.list", workspaceId=workspace_id, limit=200, **before)
        if not page["entries"]:
            return told[::-1]
        told += [entry["preview"] for entry in page["entries"]]
        before = {"beforeId": page["entries"][-1]["id"]}


async def deliver(connection: ClientConnection, note_id: str, acknowledged: list[str], name: str) -> None:
    """Deliver values as fast as answers come, eight at a time, until the connection breaks."""
    waiting: dict[int, str] = {}
    request_id = 10
    try:
        while True:
            while len(waiting) < 8:
                request_id += 1
                waiting[request_id] = f"{name}-{request_id}"
                params = {"to": note_id, "data": waiting[request_id]}
                envelope = {"ns": "cardloom", "v": 1, "kind": "req", "id": request_id, "method": "ports.deliver"}
                await connection.send(json.dumps({**envelope, "params": params}))
            message = json.loads(await connection.recv())
            if message["kind"] == "res":
                value = waiting.pop(message["id"])
                if message["ok"]:
                    acknowledged.append(value)
    except (ConnectionClosed, ConnectionError):
        return


async def reached(values: list[str], count: int) -> None:
    """Wait until there are so many."""
    async with asyncio.timeout(CAP_S):
        while len(values) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def edit(connection: ClientConnection, workspace_id: str, known: Rows, chance: random.Random) -> None:
    """Edit as fast as answers come, eight edits at a time, until the connection breaks."""
    waiting: dict[int, tuple[str, dict[str, Any]]] = {}
    request_id = 10
    try:
        while True:
            while len(waiting) < 8:
                request_id += 1
                waiting[request_id] = step(workspace_id, known, chance)
                method, params = waiting[request_id]
                envelope = {"ns": "cardloom", "v": 1, "kind": "req", "id": request_id, "method": method}
                await connection.send(json.dumps({**envelope, "params": params}))
            message = json.loads(await connection.recv())
            if message["kind"] == "res":
                method, params = waiting.pop(message["id"])
                if message["ok"]:
                    await known.acknowledge(method, message["result"])
    except (ConnectionClosed, ConnectionError):
        for _, params in waiting.values():
            known.unsure.update(str(params[name]) for name in ("cardId", "a", "b") if name in params)


def step(workspace_id: str, known: Rows, chance: random.Random) -> tuple[str, dict[str, Any]]:
    cards = list(known.titles)
    choice = chance.random()
    if choice < 0.5 or len(cards) < 2:
        return "canvas.addCard", {"workspaceId": workspace_id, "kind": "note", "x": 0, "y": 0, "title": "new"}
    if choice < 0.8:
        return "canvas.updateCard", {"cardId": chance.choice(cards), "title": f"t{chance.random()}"}
    a, b = chance.sample(cards, 2)
    return "canvas.connect", {"a": a, "b": b}


def check(known: Rows, snapshot: dict[str, Any]) -> None:
    """Everything acknowledged is there; what was under way may be there or not."""
    titles = {card["id"]: card["title"] for card in snapshot["cards"]}
    for card_id, title in known.titles.items():
        assert card_id in titles
        if card_id not in known.unsure:
            assert titles[card_id] == title
    assert known.arrows <= {arrow["id"] for arrow in snapshot["arrows"]}
    known.titles = titles
    known.arrows = {arrow["id"] for arrow in snapshot["arrows"]}
    known.unsure.clear()


async def test_a_second_server_on_the_same_data_is_refused_pointing_to_the_first(start_server: Any) -> None:
    first = start_server()
    first.wait_until_open()
    second = start_server()
    said, _ = second.process.communicate(timeout=CAP_S)
    assert second.process.returncode == 1
    assert str(first.process.pid) in said
    assert f":{first.port}" in said
    assert str(first.home) in said
    async with httpx.AsyncClient(timeout=CAP_S) as http:
        assert (await http.get(f"http://127.0.0.1:{first.port}/health")).status_code == 200


async def test_after_a_kill_the_same_data_folder_can_be_used_at_once(start_server: Any) -> None:
    first = start_server()
    first.wait_until_open()
    first.kill()
    second = start_server()
    assert "#code=" in second.wait_until_open()


@pytest.mark.parametrize("kind", ["missing", "file", "loop"])
def test_a_folder_that_is_none_is_said_in_one_line(tmp_path: Path, kind: str) -> None:
    place = tmp_path / kind
    if kind == "file":
        place.write_text("x")
    elif kind == "loop":
        place.symlink_to(place)
    ended = subprocess.run(
        [sys.executable, "-m", "cardloom", "up", str(place), "--no-open"],
        env={**os.environ, "CARDLOOM_HOME": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=CAP_S,
        check=False,
    )
    assert ended.returncode == 1
    assert str(place) in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


async def test_a_workspace_whose_folder_vanished_opens_and_the_console_says_so(
    start_server: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    first = start_server(folder=folder)
    first.wait_until_open()
    first.kill()
    folder.rmdir()
    second = start_server(folder=folder)
    second.wait_until_open()
    assert f"The folder {folder} does not exist. Its workspace 'shop' is opened all the same." in second.said


def test_a_data_folder_that_cannot_be_one_is_said_in_words(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("x")
    for home in (place, place / "below"):
        ended = subprocess.run(
            [sys.executable, "-m", "cardloom", "up", str(tmp_path), "--no-open"],
            env={**os.environ, "CARDLOOM_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=CAP_S,
            check=False,
        )
        assert ended.returncode == 1
        assert ended.stderr.startswith(f"The data folder {home} cannot be used: ")
        assert len(ended.stderr.splitlines()) == 1


async def test_a_port_in_use_gives_way_to_the_next_and_is_named(start_server: Any, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = start_server(port=port)
        url = server.wait_until_open()
    assert server.port > port
    assert f"http://127.0.0.1:{server.port}/" in url
    assert any(f"{port} is in use" in line and str(server.port) in line for line in server.said)


async def test_a_damaged_database_is_set_aside_and_both_files_are_named(start_server: Any, tmp_path: Path) -> None:
    home = tmp_path / "data"
    home.mkdir()
    (home / "cardloom.db").write_bytes(b"SQLite format 3\0" + b"\xde\xad" * 4000)
    server = start_server(home=home)
    server.wait_until_open()
    backups = list(home.glob("cardloom.damaged-*.db"))
    assert [backup.read_bytes()[16:18] for backup in backups] == [b"\xde\xad"]
    told = " ".join(server.said)
    assert str(backups[0]) in told
    assert str(home / "cardloom.db") in told
    async with connect(
        f"ws://127.0.0.1:{server.port}/ws", additional_headers={"Authorization": f"Bearer {server.key}"}
    ) as page:
        hello = {"ns": "cardloom", "v": 1, "kind": "req", "id": 1, "method": "client.hello"}
        await page.send(json.dumps({**hello, "params": {"client": "page", "protocol": 1}}))
        async with asyncio.timeout(CAP_S):
            while (message := json.loads(await page.recv())).get("event") != "ui.toast":
                pass
        assert str(backups[0]) in message["data"]["message"]
        assert (await call(page, 2, "workspace.list"))["workspaces"], "a new database works"


async def test_the_data_folder_is_for_its_owner_alone(start_server: Any) -> None:
    server = start_server()
    server.wait_until_open()
    assert server.home.stat().st_mode & 0o077 == 0
    assert (server.home / "owner.key").stat().st_mode & 0o077 == 0
    assert server.key not in " ".join(server.said)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_the_server_in_order_with_its_pages_and_programs(start_server: Any, number: int) -> None:
    server = start_server()
    server.wait_until_open()
    async with owner(server) as connection:
        workspace_id = (await call(connection, 2, "workspace.list"))["workspaces"][0]["id"]
        terminal = await call(connection, 3, "canvas.addCard", workspaceId=workspace_id, kind="terminal", x=0, y=0)
        await call(connection, 4, "terminal.attach", cardId=terminal["id"])
        snapshot = await call(connection, 5, "canvas.snapshot", workspaceId=workspace_id)
        shell_pid = snapshot["cards"][0]["runtime"]["pid"]
        shell = psutil.Process(shell_pid)
        server.process.send_signal(number)
        names = await events_until_closed(connection)
        assert "server.closing" in names
        assert connection.close_code == 1001
    assert await asyncio.to_thread(server.process.wait, CAP_S) == 0
    await asyncio.to_thread(psutil.wait_procs, [shell], CAP_S)
    assert not shell.is_running()
    assert not (server.home / "server.json").exists()


async def events_until_closed(connection: ClientConnection) -> list[str]:
    names: list[str] = []
    async with asyncio.timeout(CAP_S):
        try:
            while True:
                names.append(json.loads(await connection.recv()).get("event"))
        except ConnectionClosed:
            return names
