"""A key on its way: WebSocket, terminal, the program's echo, event. Beside a pseudo-terminal and nothing else."""

from __future__ import annotations

import asyncio
import os
import pty
import statistics
import subprocess
import time
import tty
from typing import Any, Self

import uvloop

from .processes import Running, cardloom
from .report import Goal, Row, Table
from .sampling import percentile
from .socket_client import Caller

KEYS = 200
PAUSE_S = 0.01  # typed fast, but never two keys in one turn
FRAME_MS = 1000 / 60
GOAL = Goal("≥", 1, "ratio")
TEXT = f"""
{KEYS} keys one after another, each timed from the call until the program's echo arrives as an event, in a terminal that
runs `cat` without the system's own echo and in one with `bash` at its prompt; then once more while another terminal
runs `yes`, shown by a page that does not keep up. Beside it: the same program on a bare pseudo-terminal that the same
client writes and reads, a key here and a key there in turns. With more programs than cores, p99 is mostly the time
that some program waits for a core; what the server itself waited is also taken off, key by key. The goal for that p99
is what the bare terminal takes in the same run and one frame of a 60 Hz screen, which nobody sees.
"""


class Keyboard:
    """A page that shows one terminal of the server and types in it."""

    def __init__(self, page: Caller, card_id: str) -> None:
        self.card_id = card_id
        self.page = page
        self.keeps_up = True
        self._heard = ""
        self._news = asyncio.Event()
        page.on_event = self._listen

    @classmethod
    async def at(cls, server: Running) -> Self:
        """A new terminal, shown, at its prompt."""
        page = await Caller.owner(server.port, server.key)
        (workspace,) = (await page.call("workspace.list"))["workspaces"]
        card = await page.call("canvas.addCard", workspaceId=workspace["id"], kind="terminal", x=0, y=0)
        keyboard = cls(page, card["id"])
        await page.call("terminal.attach", cardId=card["id"])
        await keyboard.hear("$ ")
        return keyboard

    async def press(self, keys: str, awaited: str) -> float:
        """Type, and give the milliseconds until something is printed."""
        self._heard = ""
        started = time.perf_counter()
        self.page.post("terminal.input", cardId=self.card_id, data=keys)
        await self.hear(awaited)
        return (time.perf_counter() - started) * 1000

    async def hear(self, awaited: str) -> None:
        """Wait until something is printed."""
        async with asyncio.timeout(60):
            while awaited not in self._heard:
                self._news.clear()
                await self._news.wait()

    def close(self) -> None:
        self.page.socket.close()

    def _listen(self, event: str, data: Any) -> None:
        if event in ("terminal.output", "terminal.resync") and data["cardId"] == self.card_id:
            self._heard = (self._heard + data["data"])[-4096:]
            if self.keeps_up:
                self.page.post("terminal.ack", cardId=self.card_id, offset=data["offset"])
            self._news.set()


class BareTerminal:
    """The same program on a pseudo-terminal of this process."""

    def __init__(self, *argv: str, raw: bool) -> None:
        self._near, far = pty.openpty()
        if raw:
            tty.setraw(far)
        environment = {**os.environ, "PS1": "$ ", "TERM": "xterm-256color"}
        self._process = subprocess.Popen(
            argv, stdin=far, stdout=far, stderr=far, env=environment, start_new_session=True
        )
        os.close(far)

    def press(self, keys: str, awaited: str) -> float:
        """Type, and give the milliseconds until something is printed."""
        started = time.perf_counter()
        os.write(self._near, keys.encode())
        heard = ""
        while awaited not in heard:
            heard += os.read(self._near, 4096).decode()
        return (time.perf_counter() - started) * 1000

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._near)


def measure() -> Table:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return Table("Echo of a key", TEXT, runner.run(_measure()))


async def _measure() -> list[Row]:
    with cardloom() as server:
        cat, bash, noisy = [await Keyboard.at(server) for _ in range(3)]
        bare_cat, bare_bash = BareTerminal("cat", raw=True), BareTerminal("bash", "--norc", "-i", raw=False)
        await cat.press('stty raw -echo; echo no-"echo"; exec cat\r', "no-echo")
        rows = await _rows("`cat`", server, cat, bare_cat)
        await bash.press("true\r", "$ ")
        bare_bash.press("true\r", "$ ")
        rows += await _rows("`bash`", server, bash, bare_bash)
        await bash.press("\x15echo a'gai'n\r", "again")
        noisy.keeps_up = False
        await noisy.press("yes\r", "y\r\ny\r\n")
        rows += await _rows("`bash` beside `yes`", server, bash, bare_bash)
        for terminal in (cat, bash, noisy, bare_cat, bare_bash):
            terminal.close()
    return rows


async def _rows(what: str, server: Running, ours: Keyboard, bare: BareTerminal) -> list[Row]:
    mine, own, theirs = [], [], []
    for number in range(KEYS):
        key = "abcdefghij"[number % 10]
        waited_ms = server.waited_ms()
        mine.append(await ours.press(key, key))
        own.append(max(mine[-1] - (server.waited_ms() - waited_ms), 0))
        await asyncio.sleep(PAUSE_S)
        theirs.append(bare.press(key, key))
    median, bare_median = statistics.median(mine), statistics.median(theirs)
    p99, own_p99, bare_p99 = (percentile(times, 99) for times in (mine, own, theirs))
    bound_ms = bare_p99 + FRAME_MS
    return [
        Row(f"{what}: median", median, "ms", "bare terminal", bare_median, bare_median / median),
        Row(f"{what}: p99", p99, "ms", "bare terminal", bare_p99, bare_p99 / p99),
        Row(
            f"{what}: p99, not waiting for a core",
            own_p99,
            "ms",
            "that and a frame",
            bound_ms,
            bound_ms / own_p99,
            GOAL,
        ),
    ]
