"""Terminals as pages use them, through the whole server: viewers, life, size, environment, limits of growth."""

from __future__ import annotations

import asyncio
import importlib
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from cardloom.app import App
from cardloom.features.terminals.viewers import UNACKNOWLEDGED_CHARS
from cardloom_protocol.errors import ErrorCode

from .conftest import until

NewShell = Callable[..., Awaitable[Any]]

pytest.importorskip("pyghostty")
GhosttyScreen: Any = importlib.import_module("cardloom.host.ghostty_screen").GhosttyScreen


class Viewer:
    """An emulator that shows what a page is told of one terminal."""

    def __init__(self, page: Any, shell: Any, picture: dict[str, Any]) -> None:
        self.page = page
        self.shell = shell
        self.resyncs = 0
        self.chars = 0
        self.screen: Any = None
        self._repaint(picture)

    def _repaint(self, picture: dict[str, Any]) -> None:
        self.screen = GhosttyScreen(picture["cols"], picture["rows"])
        self.screen.feed(picture["data"])
        self.generation, self.offset = picture["generation"], picture["offset"]

    async def catch_up(self, *, acknowledge: bool = True) -> None:
        """Draw what came; every piece must begin where the last one ended."""
        events, self.page.events[:] = list(self.page.events), []
        for name, data in events:
            if data.get("cardId") != self.shell.id:
                continue
            if name == "terminal.resync":
                self.resyncs += 1
                self._repaint(data)
            elif name == "terminal.output":
                assert data["offset"] - len(data["data"]) == self.offset
                assert data["generation"] == self.generation
                self.screen.feed(data["data"])
                self.offset = data["offset"]
                self.chars += len(data["data"])
        if acknowledge:
            await self.page.call("terminal.ack", cardId=self.shell.id, offset=self.offset)

    async def until_shows(self, text: str) -> None:
        async with asyncio.timeout(60):
            while text not in self.screen.text(500):
                await self.catch_up()
                await asyncio.sleep(0.005)


async def _settled(shell: Any, viewer: Viewer, last: str) -> None:
    await viewer.until_shows(last)
    await until(lambda: shell.runtime["status"] == "finished")
    await shell.until_screen(lambda text: text.split("\n")[-1].endswith(("$", "#")))
    async with asyncio.timeout(60):
        while viewer.screen.text(500) != await shell.screen(lines=500):
            await viewer.catch_up()
            await asyncio.sleep(0.005)


async def test_pages_that_join_at_different_times_show_the_same(clients: Any, shell: Any) -> None:
    pages = [await clients.page(), await clients.page()]
    first = Viewer(pages[0], shell, await pages[0].call("terminal.attach", cardId=shell.id))
    await shell.run("printf '\\033[32mgreen\\033[0m %s\\n' {1..60}")
    second = Viewer(pages[1], shell, await pages[1].call("terminal.attach", cardId=shell.id))
    await shell.run("printf 'wide 漢字 %s\\n' {1..20}; echo the last line")
    for viewer in (first, second):
        await _settled(shell, viewer, "the last line")
    assert first.screen.text(500) == second.screen.text(500)
    assert "green 1\n" in second.screen.text(500)


async def test_a_viewer_that_lags_is_skipped_and_then_shows_what_the_terminal_shows(clients: Any, shell: Any) -> None:
    page = await clients.page()
    viewer = Viewer(page, shell, await page.call("terminal.attach", cardId=shell.id))
    result = await shell.run("for i in {1..40000}; do echo line number $i of a long log; done")
    assert result["exitCode"] == 0
    await viewer.catch_up(acknowledge=False)
    assert UNACKNOWLEDGED_CHARS < viewer.chars < UNACKNOWLEDGED_CHARS + 200_000
    assert viewer.resyncs == 0
    await viewer.catch_up()
    await _settled(shell, viewer, "line number 40000")
    assert viewer.resyncs == 1


async def test_a_viewer_that_detached_is_told_nothing_more(shell: Any, page: Any) -> None:
    await shell.attach()
    await shell.run("echo one")
    await page.event("terminal.output", lambda data: "one" in data["data"])
    await page.call("terminal.detach", cardId=shell.id)
    page.events.clear()
    await shell.run("echo two")
    assert not [data for name, data in page.events if name.startswith("terminal.")]


async def test_a_terminal_outlives_its_pages_and_comes_back_with_what_scrolled_away(clients: Any, shell: Any) -> None:
    page = await clients.page()
    await page.call("terminal.attach", cardId=shell.id)
    await page.call(
        "terminal.input", cardId=shell.id, data="echo kept {1..100} | tr ' ' '\\n'; sleep 0.2; echo later\r"
    )
    await page.close()
    await shell.until_screen(lambda text: "\nlater\n" in text)
    other = await clients.page()
    viewer = Viewer(other, shell, await other.call("terminal.attach", cardId=shell.id))
    text = viewer.screen.text(500)
    assert "\n1\n2\n3\n" in text
    assert "\nlater\n" in text


async def test_a_full_screen_programs_screen_is_read_and_repainted(shell: Any, clients: Any, tmp_path: Path) -> None:
    if shutil.which("less") is None:
        pytest.skip("less is not installed")
    (tmp_path / "project" / "long.txt").write_text("\n".join(f"row {n} {'x' * 150}" for n in range(200)))
    await shell.run("echo behind it")
    await shell.type("less long.txt\r")
    text = await shell.until_screen(lambda text: text.startswith("row 0") and text.endswith("long.txt"))
    assert text.startswith(f"row 0 {'x' * 150}\nrow 1 {'x' * 150}\n")
    assert "behind it" not in text
    page = await clients.page()
    viewer = Viewer(page, shell, await page.call("terminal.attach", cardId=shell.id))
    assert viewer.screen.text() == text
    await shell.type("q")
    await viewer.until_shows("behind it")


async def test_the_screen_of_what_does_not_run_is_unavailable(shell: Any, page: Any) -> None:
    assert (await page.refused("agents.readScreen", agentId=shell.id)).code is ErrorCode.UNAVAILABLE
    await shell.run("exit 0")
    assert (await page.refused("agents.readScreen", agentId=shell.id)).code is ErrorCode.UNAVAILABLE
    assert (await page.refused("terminal.input", cardId=shell.id, data="x")).code is ErrorCode.UNAVAILABLE


async def test_an_ended_shell_keeps_its_screen_until_it_starts_anew(clients: Any, shell: Any) -> None:
    page = await clients.page()
    viewer = Viewer(page, shell, await page.call("terminal.attach", cardId=shell.id))
    await shell.run("echo last words; exit 3")
    late = await page.call("terminal.attach", cardId=shell.id)
    assert "last words" in late["data"]
    assert shell.runtime["exitCode"] == 3
    card = await page.call("terminal.start", cardId=shell.id)
    assert card["runtime"]["status"] == "starting"
    assert card["runtime"]["generation"] == 2
    await until(lambda: shell.runtime["status"] == "idle")
    await viewer.catch_up()
    assert viewer.generation == 2
    assert "last words" not in viewer.screen.text(500)
    assert (await shell.run("echo anew"))["output"] == "anew\n"


async def test_sizes_are_kept_within_their_limits_and_told_to_the_program(shell: Any, page: Any) -> None:
    await shell.run("true")
    assert (shell.runtime["cols"], shell.runtime["rows"]) == (120, 32)
    for asked, given in [((100, 40), (100, 40)), ((1, 1), (20, 5)), ((100_000, 100_000), (1000, 500))]:
        await page.call("terminal.resize", cardId=shell.id, cols=asked[0], rows=asked[1])
        assert (await shell.run("stty size"))["output"] == f"{given[1]} {given[0]}\n"
    assert (shell.runtime["cols"], shell.runtime["rows"]) == (1000, 500)


async def test_a_shell_starts_in_the_workspaces_folder_or_the_cards(new_shell: NewShell, tmp_path: Path) -> None:
    assert (await (await new_shell()).run("pwd"))["output"] == f"{tmp_path / 'project'}\n"
    assert (await (await new_shell(cwd=str(tmp_path))).run("pwd"))["output"] == f"{tmp_path}\n"


async def test_a_folder_that_vanished_is_named_and_nothing_is_lost(shell: Any, page: Any, tmp_path: Path) -> None:
    (tmp_path / "project").rmdir()
    error = await page.refused("terminal.attach", cardId=shell.id)
    assert error.code is ErrorCode.FS_ERROR
    assert str(tmp_path / "project") in error.message
    (tmp_path / "project").mkdir()
    assert (await shell.run("echo here"))["output"] == "here\n"


async def test_a_shell_that_is_not_installed_is_named(
    new_shell: NewShell, page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shell = await new_shell("shell-cmd")
    error = await page.refused("terminal.attach", cardId=shell.id)
    assert error.code is ErrorCode.UNAVAILABLE
    assert "cmd.exe is not installed" in error.message


async def test_a_program_gets_a_clean_environment_and_its_own_terminal(
    new_shell: NewShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CARDLOOM_CARD_TOKEN", "secret")
    monkeypatch.setenv("TMUX", "x")
    monkeypatch.setenv("MY_OWN", "kept")
    shell = await new_shell()
    told = await shell.run(
        "env | grep -c 'CLAUDECODE\\|CARD_TOKEN\\|TMUX'; echo $TERM $COLORTERM $MY_OWN; tty; ps -o tty= $$"
    )
    lines = told["output"].split("\n")
    assert lines[:2] == ["0", "xterm-256color truecolor kept"]
    assert lines[2] == f"/dev/{lines[3].strip()}"


async def test_queries_of_programs_are_answered_once_with_and_without_viewers(shell: Any, clients: Any) -> None:
    ask = "IFS= read -rs -d R -p $'\\033[6n' answer; printf '%q\\n' \"$answer\""
    assert (await shell.run(ask))["output"].endswith(";1'\n")
    page = await clients.page()
    await page.call("terminal.attach", cardId=shell.id)
    await shell.type("cat -v\r")
    await until(lambda: shell.runtime["status"] == "working")
    await shell.type("\x1b[24;80R\x1b[?1;2ctyped\r")
    text = await shell.until_screen(lambda text: text.count("typed") == 2)
    assert "^[" not in text.split("cat -v")[1]
    await shell.type("\x04")


async def test_removing_a_running_terminal_asks_and_then_ends_everything_in_it(shell: Any, page: Any) -> None:
    await shell.attach()
    await shell.type("sleep 1000\r")
    await until(lambda: shell.runtime.get("status") == "working")
    bash = psutil.Process(shell.runtime["pid"])
    (sleep,) = await until(lambda: [child for child in bash.children() if child.name() == "sleep"])
    assert (await page.refused("canvas.removeCard", cardId=shell.id)).code is ErrorCode.BUSY
    await page.call("canvas.removeCard", cardId=shell.id, force=True)
    await until(lambda: not bash.is_running() and not sleep.is_running())
    assert await page.call("agents.list") == []


async def test_closing_a_workspace_ends_its_shells_and_opening_it_starts_them_anew_when_needed(
    shell: Any, page: Any, workspace_id: str
) -> None:
    await shell.run("true")
    pid = shell.runtime["pid"]
    await page.call("workspace.close", workspaceId=workspace_id)
    assert not psutil.pid_exists(pid)
    assert (await page.refused("terminal.attach", cardId=shell.id)).code is ErrorCode.UNAVAILABLE
    assert await page.call("agents.list") == []
    await page.call("workspace.open", workspaceId=workspace_id)
    assert [agent["status"] for agent in await page.call("agents.list")] == ["idle"]
    assert (await shell.run("echo $$"))["output"] != f"{pid}\n"


async def test_a_restored_terminal_starts_anew(shell: Any, page: Any, workspace_id: str) -> None:
    await shell.run("KEEP=1")
    await page.call("canvas.removeCard", cardId=shell.id, force=True)
    restored = await page.call("canvas.restore", workspaceId=workspace_id, cardIds=[shell.id], arrowIds=[])
    assert restored["restarted"] == [shell.id]
    assert (await shell.run("echo ${KEEP-anew}"))["output"] == "anew\n"


async def test_a_program_that_prints_without_end_holds_up_nobody(new_shell: NewShell, clients: Any) -> None:
    loud, calm = await new_shell(), await new_shell()
    page = await clients.page()
    viewer = Viewer(page, loud, await page.call("terminal.attach", cardId=loud.id))
    await calm.run("true")
    await loud.type("yes\r")
    await until(lambda: loud.runtime["status"] == "working")
    process = psutil.Process()
    for _ in range(20):
        await calm.run("true")
    before = process.memory_info().rss
    for turn in range(60):
        result = await calm.run(f"echo {turn}")
        assert result["output"] == f"{turn}\n"
        if turn % 10 == 0:
            await viewer.catch_up()
    page.events.clear()
    assert process.memory_info().rss - before < 20 << 20
    await loud.type("\x03")
    await until(lambda: loud.runtime["status"] == "finished")


async def test_a_program_that_reads_nothing_makes_typing_busy_and_not_the_server_big(shell: Any, page: Any) -> None:
    await shell.run("true")
    await shell.type("stty raw -echo; sleep 1000\r")
    await until(lambda: shell.runtime["status"] == "working")
    piece = "x" * 500_000
    refusals = 0
    for _ in range(4):
        try:
            await shell.type(piece)
        except Exception as error:  # noqa: BLE001 - the code is looked at below
            refusals += getattr(error, "code", None) is ErrorCode.BUSY
    assert refusals >= 1


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="counts memory as Linux does")
async def test_twenty_terminals_full_of_output_grow_the_server_by_less_than_40_mb(new_shell: NewShell) -> None:
    process = psutil.Process()
    before = process.memory_full_info().uss
    shells = [await new_shell() for _ in range(20)]
    for shell in shells:
        result = await shell.run("for i in {1..3000}; do echo $i the quick brown fox jumps over the lazy dog; done")
        assert result["exitCode"] == 0
    grown = process.memory_full_info().uss - before
    assert grown < 40 << 20, f"{grown / (1 << 20):.1f} MiB"


async def test_shells_end_with_the_server(app: App, shell: Any) -> None:
    await shell.run("true")
    bash = psutil.Process(shell.runtime["pid"])
    await app.terminals.close()
    assert not bash.is_running()
