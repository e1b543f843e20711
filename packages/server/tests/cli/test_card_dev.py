"""`cardloom card dev`: a card on a canvas that follows its folder, as its author runs it."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

import pytest

from cardloom.cli import card_dev
from cardloom.cli.authoring import new_card
from cardloom.cli.card_dev import dev_card
from cardloom.cli.card_folder import is_part_of_card, watch_command
from cardloom.cli.console import UsageError
from cardloom.cli.output import OutputError
from cardloom_sdk import Client

CAP_S = 60.0
ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="ended by Ctrl-C")


class Dev:
    """The command while it runs."""

    def __init__(self, folder: Path, home: Path, *more: str) -> None:
        self.environment = {**os.environ, "CARDLOOM_HOME": str(home), "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
        self.said: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardloom", "card", "dev", str(folder), *more],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line.rstrip())

    def says(self, text: str) -> str:
        """Wait for a line that holds a text."""
        while True:
            try:
                line = self._lines.get(timeout=CAP_S)
            except queue.Empty:
                raise AssertionError(f"{text!r} was not said: {self.said}") from None
            self.said.append(line)
            if text in line:
                return line

    def call(self, method: str, **params: Any) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "cardloom", "call", method, json.dumps(params)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=CAP_S,
            check=True,
        )
        return json.loads(done.stdout)

    def cards(self) -> list[dict[str, Any]]:
        (workspace,) = self.call("workspace.list")["workspaces"]
        found: list[dict[str, Any]] = self.call("canvas.snapshot", workspaceId=workspace["id"])["cards"]
        return found

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=CAP_S)


@pytest.fixture
def begin(tmp_path: Path, start_server: Callable[[], Any]) -> Iterator[Callable[..., Dev]]:
    """Starts the command beside a running server with one open workspace."""
    start_server().wait_until_open()
    begun: list[Dev] = []

    def begin(folder: Path, *more: str) -> Dev:
        begun.append(Dev(folder, tmp_path / "data", *more))
        return begun[-1]

    yield begin
    for dev in begun:
        if dev.process.poll() is None:
            dev.process.kill()
            dev.process.wait()


def change_manifest(folder: Path, **fields: Any) -> None:
    path = next(folder.glob("*-card.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@ON_POSIX
def test_a_page_is_put_on_the_canvas_unasked_and_follows_its_folder(tmp_path: Path, begin: Callable[..., Dev]) -> None:
    new_card("tide-clock", tmp_path, "html")
    folder = tmp_path / "tide-clock"
    change_manifest(folder, permissions=["cards.connected", {"id": "fs.read", "optional": True}])
    dev = begin(folder)
    placed = dev.says("Tide clock is on")
    assert "It may: cards.connected." in placed
    (card,) = dev.cards()
    assert card["id"] in placed
    (folder / "index.html").write_text("<!doctype html><title>Other</title>")
    dev.says("loaded anew")
    change_manifest(folder, version="one")
    dev.says("/manifest/version")
    change_manifest(folder, version="0.2.0", permissions=["cards.connected", "canvas.spawn"])
    dev.says("loaded anew")
    assert [(one["id"], one["content"]["version"]) for one in dev.cards()] == [(card["id"], "0.2.0")]
    granted = {
        row["permission"]
        for row in dev.call("grant.list", workspaceId=card["workspaceId"])["grants"]
        if row["packageId"] == card["content"]["packageId"] and row["granted"]
    }
    assert granted == {"cards.connected", "canvas.spawn"}
    assert dev.end() == 130
    again = begin(folder)
    assert card["id"] in again.says("Tide clock is on"), "the card that is there goes on"


@ON_POSIX
def test_a_program_is_started_anew_at_every_change_as_the_same_card(tmp_path: Path, begin: Callable[..., Dev]) -> None:
    new_card("word-count", tmp_path, "python")
    program = tmp_path / "word-count" / "card.py"
    text = program.read_text()

    def say_at_start(words: str) -> None:
        more = f"    print({words!r}, flush=True)\n    card.on_ready(lambda: card.log('logged: {words}'))\n"
        program.write_text(text.replace("    return card\n", f"{more}    return card\n"))

    say_at_start("up for the first time")
    dev = begin(tmp_path / "word-count")
    placed = dev.says("word-count runs on")
    dev.says("up for the first time")
    assert dev.says("logged: up for the first time").split()[1] == "info"
    say_at_start("up again")
    dev.says("started anew")
    dev.says("up again")
    (card,) = dev.cards()
    assert card["id"] in placed
    program.write_text("raise SystemExit(7)\n")
    dev.says("ended with code 7")
    say_at_start("well again")
    dev.says("well again")
    assert dev.end() == 130


class PackagesOf:
    """A server that knows one linked package."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.tree = "first"
        self.installed = False

    async def call(self, method: str, _params: object) -> dict[str, Any]:
        self.calls.append(method)
        if method == "package.inspect":
            installed: dict[str, Any] | None = {} if self.installed else None
            return {"packageId": "p", "treeHash": self.tree, "installed": installed, "permissions": []}
        self.installed = True
        return {"packageId": "p", "dev": True}


async def test_a_folder_that_holds_what_it_held_loads_nothing_anew(tmp_path: Path) -> None:
    server = PackagesOf()
    dev = card_dev._Dev(cast(Client, server), {}, tmp_path, None, as_json=False)
    assert await card_dev._link(dev) is not None
    assert await card_dev._link(dev) is None
    server.tree = "second"
    assert await card_dev._link(dev) is not None
    server.installed = False  # somebody removed it
    assert await card_dev._link(dev) is not None
    assert [call for call in server.calls if call != "package.inspect"] == [
        "package.install",
        "package.update",
        "package.install",
    ]


class LoggingServer:
    """A server whose one card logs at once."""

    def on(self, _event: str, listener: Callable[[Any], None]) -> None:
        listener({"cardId": "card", "lines": [{"text": "hello"}]})


async def test_following_ends_when_nobody_takes_what_the_card_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    dev = card_dev._Dev(cast(Client, LoggingServer()), {}, Path(), None, as_json=True, shown="card")

    async def follow(_: card_dev._Dev) -> None:
        await asyncio.Event().wait()

    def closed(*_: object, **__: object) -> None:
        raise OutputError

    monkeypatch.setattr(card_dev, "print", closed, raising=False)
    with pytest.raises(OutputError):
        await asyncio.wait_for(card_dev._printing_logs(dev, follow), CAP_S)


def test_a_folder_without_a_card_is_a_wrong_argument(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no card"):
        _ = dev_card(tmp_path, None, None, as_json=False)


@pytest.mark.parametrize(
    ("path", "entry", "matters"),
    [
        ("index.html", "index.html", True),
        ("pictures/a.png", "index.html", True),
        ("node_modules/react/index.js", "index.html", False),
        (".git/HEAD", "index.html", False),
        ("dist/assets/a.js", "dist/index.html", True),
        ("src/App.tsx", "dist/index.html", False),
        ("neurosquad-card.json", "dist/index.html", True),
        ("../elsewhere/a.js", "index.html", False),
    ],
)
def test_what_a_card_does_not_show_does_not_load_it_anew(path: str, entry: str, matters: bool) -> None:
    root = Path("/home/me/card") if sys.platform != "win32" else Path("C:/home/me/card")
    assert is_part_of_card(os.path.normpath(root / path), root, entry) is matters


def test_a_page_that_is_built_is_built_anew_by_its_own_script(tmp_path: Path) -> None:
    assert watch_command(tmp_path) is None
    (tmp_path / "package.json").write_text('{"scripts": {"build": "vite build"}}')
    assert watch_command(tmp_path) is None
    (tmp_path / "package.json").write_text('{"scripts": {"watch": "vite build --watch"}}')
    with pytest.raises(UsageError, match="npm install"):
        watch_command(tmp_path)
    (tmp_path / "node_modules").mkdir()
    assert watch_command(tmp_path) == ["npm", "run", "--silent", "watch"]
