"""Thirty agents at once: their cost while they print, how soon a status is told, what an idle one takes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from cardloom.features.agents.harnesses.hooking import POST_FILE
from cardloom.features.agents.harnesses.posting import posted
from cardloom.features.agents.harnesses.table import HARNESSES

from .processes import ROOT, Running, cardloom
from .report import Goal, Row, Table
from .sampling import percentile, waited_s
from .socket_client import Caller

# Programs are waited for that are no tasks of this loop.
# ruff: noqa: ASYNC110

AGENTS = 30
LIVE_S = 20.0
PIECES_A_SECOND = 10
CALL_EVERY_S = 0.02
HOLD_MS = HARNESSES["claude-code"].rules.ask_hold_ms
TAPES = ROOT / "packages" / "server" / "tests" / "agents" / "samples"
TEXT = f"""
{AGENTS} agent cards, the program of each a player of what Claude Code and Codex printed while they were recorded, less
the titles and statuses in it: the next writes of the program {PIECES_A_SECOND} times a second, as often as their
spinners draw. A page shows all of them and acknowledges. For {LIVE_S:.0f} s another page makes a call every
{CALL_EVERY_S * 1000:.0f} ms; how long its answer takes, less what server and client waited for a core, is an upper
bound of what the event loop lags. Meanwhile the hook of one agent after the other tells that a turn began, then that
the agent asks for a permission, and then that its turn ended; the time runs from before the hook is posted until a page
hears of the new status. A question is told when {HOLD_MS} ms have passed without an answer by rule, and these are taken
off. Memory is what an agent that waits for a prompt adds to the server, its program left out.
"""
_SAID: dict[str, dict[str, Any]] = {
    "UserPromptSubmit": {"prompt": "x"},
    "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t"},
}
"""What a hook tells besides the session."""
PLAYER = """#!{python} -IS
import gzip, os, re, sys, time, tty
if sys.argv[1:] == ["--version"]:
    print("2.1.332 (Claude Code)")
    sys.exit()
tty.setraw(0)
tape = gzip.open("{tapes}/" + ("claude", "codex")[os.getpid() % 2] + ".pty.gz").read()
tape = re.sub(rb"\\x1b\\][^\\x07\\x1b]*(\\x07|\\x1b\\\\)", b"", tape)
pieces = [b"\\x1b" + piece for piece in tape.split(b"\\x1b")[1:]]
writes = [b"".join(pieces[at : at + 12]) for at in range(0, len(pieces), 12)]
os.write(1, b"\\x1b[?2004hready> ")
os.read(0, 1)
due = time.monotonic()
while True:
    for write in writes:
        os.write(1, write)
        due += 1 / {rate}
        time.sleep(max(0.0, due - time.monotonic()))
"""


def measure() -> Table:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner, _players():
        return Table("Agents", TEXT, runner.run(_measure()))


@contextmanager
def _players() -> Iterator[None]:
    """Put the player in the place of Claude Code."""
    before = os.environ["PATH"]
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        path = Path(folder) / "claude"
        path.write_text(PLAYER.format(python=os.path.realpath(sys.executable), tapes=TAPES, rate=PIECES_A_SECOND))
        path.chmod(0o755)
        os.environ["PATH"] = f"{folder}{os.pathsep}{before}"
        try:
            yield
        finally:
            os.environ["PATH"] = before


async def _measure() -> list[Row]:
    with cardloom() as server:
        page, other = await Caller.owner(server.port, server.key), await Caller.owner(server.port, server.key)
        (workspace,) = (await page.call("workspace.list"))["workspaces"]
        first = await _agent(page, workspace["id"])
        await asyncio.sleep(3)
        before = server.memory_mb()
        cards = [first, *[await _agent(page, workspace["id"]) for _ in range(AGENTS - 1)]]
        await asyncio.sleep(3)
        idle_mb = (server.memory_mb() - before) / (AGENTS - 1)
        heard = Heard(page)
        await page.call("canvas.subscribe", workspaceId=workspace["id"])
        for card in cards:
            await page.call("terminal.attach", cardId=card)
            await page.call("terminal.input", cardId=card, data="g")
        cpu_s, began = server.cpu_s(), time.perf_counter()
        calls, (told, asked) = await asyncio.gather(
            _calls(server, other), _tells(server, page, heard, workspace["id"], cards)
        )
        took_s = time.perf_counter() - began
        cpu_percent = (server.cpu_s() - cpu_s) / took_s * 100
        printed = heard.chars / took_s / 1000
    return [
        Row(f"{AGENTS} agents that print: processor time of one core", cpu_percent, "%", goal=Goal("≤", 50)),
        Row("  what they print, as a page gets it", printed, "kB/s"),
        Row("  a call meanwhile, p99", percentile(calls, 99), "ms", goal=Goal("≤", 50)),
        Row("  a status from its hook to a page, median", percentile(told, 50), "ms"),
        Row("  a status from its hook to a page, p95", percentile(told, 95), "ms", goal=Goal("≤", 150)),
        Row("  a question from its hook to a page, less the hold, median", percentile(asked, 50), "ms"),
        Row(
            "  a question from its hook to a page, less the hold, p95", percentile(asked, 95), "ms", goal=Goal("≤", 150)
        ),
        Row("memory of an agent that waits", idle_mb, "MB", goal=Goal("≤", 2)),
    ]


async def _agent(page: Caller, workspace_id: str) -> str:
    """A new agent, once its program shows something."""
    card: str = (await page.call("agent.create", workspaceId=workspace_id, harness="claude-code", x=0, y=0))["id"]
    async with asyncio.timeout(60):
        while "ready>" not in (await page.call("terminal.attach", cardId=card))["data"]:
            await asyncio.sleep(0.05)
    await page.call("terminal.detach", cardId=card)
    return card


class Heard:
    """What a page that shows all agents hears, and when."""

    def __init__(self, page: Caller) -> None:
        self.chars = 0
        self.statuses: dict[str, str] = {}
        self._page = page
        self._news = asyncio.Event()
        page.on_event = self._listen

    async def until(self, card_id: str, status: str) -> None:
        async with asyncio.timeout(30):
            while self.statuses.get(card_id) != status:
                self._news.clear()
                await self._news.wait()

    def _listen(self, event: str, data: Any) -> None:
        if event == "terminal.output":
            self.chars += len(data["data"])
            self._page.post("terminal.ack", cardId=data["cardId"], offset=data["offset"])
        elif event == "canvas.changed":
            for change in data["changes"]:
                runtime = (change.get("fields") or change.get("card") or {}).get("runtime")
                if runtime:
                    self.statuses[change.get("cardId") or change["card"]["id"]] = runtime["status"]
                    self._news.set()


async def _calls(server: Running, page: Caller) -> list[float]:
    """Milliseconds of calls made one after another all the time."""
    took, until = [], time.perf_counter() + LIVE_S
    while time.perf_counter() < until:
        waited = server.waited_ms() + waited_s(os.getpid()) * 1000
        began = time.perf_counter()
        await page.call("workspace.list")
        spent_ms = (time.perf_counter() - began) * 1000
        took.append(max(spent_ms - (server.waited_ms() + waited_s(os.getpid()) * 1000 - waited), 0.0))
        await asyncio.sleep(CALL_EVERY_S)
    return took


async def _tells(
    server: Running, page: Caller, heard: Heard, workspace_id: str, cards: list[str]
) -> tuple[list[float], list[float]]:
    """Milliseconds from a hook to the status that a page hears: of turns, and of questions after their hold."""
    shown = {card["id"]: card for card in (await page.call("canvas.snapshot", workspaceId=workspace_id))["cards"]}

    async def tell(event: str, status: str) -> list[float]:
        took = []
        for card in cards:
            url = json.loads((server.data / "agents" / card / POST_FILE).read_text())["url"]
            session_id = shown[card]["runtime"]["sessionId"]
            payload = json.dumps({"session_id": session_id, **_SAID.get(event, {})}).encode()
            began = time.perf_counter()
            await asyncio.gather(asyncio.to_thread(posted, url, event, payload), heard.until(card, status))
            took.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(LIVE_S / (4 * len(cards)))
        return took

    began = await tell("UserPromptSubmit", "working")
    asked = await tell("PermissionRequest", "needs-input")
    ended = await tell("Stop", "finished")
    return began + ended, [took - HOLD_MS for took in asked]
