"""A key on its way: WebSocket, terminal, the program's echo, event. Beside a pseudo-terminal and nothing else."""

from __future__ import annotations

import asyncio
import os
import pty
import statistics
import subprocess
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import uvloop

from .processes import Running, cardloom
from .report import Goal, Row, Table
from .sampling import percentile, waited_s
from .socket_client import Caller

KEYS = 250
PAUSE_S = 0.01  # typed fast, but never two keys in one turn
FRAME_MS = 1000 / 60
GOAL = Goal("≥", 1, "ratio")
TEXT = f"""
{KEYS} keys one after another, each timed from the call until the program's echo arrives as an event, in a terminal that
runs `cat` without the system's own echo and in one with `bash` at its prompt; then once more while another terminal
runs `yes`, shown by a page that does not keep up. Beside it: the same program on a bare pseudo-terminal that the same
client writes and reads, a key here and a key there in turns. With more programs than cores, p99 is mostly the time
that some program waits for a core; in the last row of each what the server, the shell and the client waited is taken
off, key by key and on both sides. The goal there is what the bare terminal takes and one frame of a 60 Hz screen,
which nobody sees.
"""


class Keyboard:
    """A page that shows one terminal of the server and types in it."""

    def __init__(self, page: Caller, card_id: str) -> None:
        self.card_id = card_id
        self.programs: list[int] = []
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
        cards = (await page.call("canvas.snapshot", workspaceId=workspace["id"]))["cards"]
        shell = next(one["runtime"]["pid"] for one in cards if one["id"] == card["id"])
        keyboard.programs = [server.process.pid, shell, os.getpid()]
        return keyboard

    async def press(self, keys: str, awaited: str) -> None:
        """Type, and wait until something is printed."""
        self._heard = ""
        self.page.post("terminal.input", cardId=self.card_id, data=keys)
        await self.hear(awaited)

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
        self.programs = [self._process.pid, os.getpid()]

    def press(self, keys: str, awaited: str) -> None:
        """Type, and wait until something is printed."""
        os.write(self._near, keys.encode())
        heard = ""
        while awaited not in heard:
            heard += os.read(self._near, 4096).decode()

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
        rows = await _rows("`cat`", cat, bare_cat)
        await bash.press("true\r", "$ ")
        bare_bash.press("true\r", "$ ")
        rows += await _rows("`bash`", bash, bare_bash)
        await bash.press("\x15echo a'gai'n\r", "again")
        noisy.keeps_up = False
        await noisy.press("yes\r", "y\r\ny\r\n")
        rows += await _rows("`bash` beside `yes`", bash, bare_bash)
        for terminal in (cat, bash, noisy, bare_cat, bare_bash):
            terminal.close()
    return rows


async def _rows(what: str, ours: Keyboard, bare: BareTerminal) -> list[Row]:
    mine, theirs = _Times(ours.programs), _Times(bare.programs)
    for number in range(KEYS):
        key = "abcdefghij"[number % 10]
        with mine.next():
            await ours.press(key, key)
        await asyncio.sleep(PAUSE_S)
        with theirs.next():
            bare.press(key, key)
    median, bare_median = statistics.median(mine.whole_ms), statistics.median(theirs.whole_ms)
    p99, bare_p99 = percentile(mine.whole_ms, 99), percentile(theirs.whole_ms, 99)
    own, bound = percentile(mine.own_ms, 99), percentile(theirs.own_ms, 99) + FRAME_MS
    return [
        Row(f"{what}: median", median, "ms", "bare terminal", bare_median, bare_median / median),
        Row(f"{what}: p99", p99, "ms", "bare terminal", bare_p99, bare_p99 / p99),
        Row(f"{what}: p99, not waiting for a core", own, "ms", "bare, and a frame", bound, bound / own, GOAL),
    ]


class _Times:
    """Milliseconds of one key after another: whole, and less what the programs on its way waited for a core."""

    def __init__(self, programs: Sequence[int]) -> None:
        self.whole_ms: list[float] = []
        self.own_ms: list[float] = []
        self._programs = programs

    @contextmanager
    def next(self) -> Iterator[None]:
        waited_before_s, started = self._waited_s(), time.perf_counter()
        yield
        whole_s = time.perf_counter() - started
        self.whole_ms.append(whole_s * 1000)
        self.own_ms.append(max(whole_s - (self._waited_s() - waited_before_s), 0.0) * 1000)

    def _waited_s(self) -> float:
        return sum(waited_s(program) for program in self._programs)
