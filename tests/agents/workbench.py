"""One real program under its harness, without a server: launched, hooked, read and driven, and all of it on tape.

Whatever reaches the status here reaches it through `Player`, so a tape of this run gives the same statuses again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence

from cardloom.features.agents.harnesses import posting
from cardloom.features.agents.harnesses.shape import ApiCall, Delivery, Harness, LaunchSpec
from cardloom.features.agents.log_tail import HEAD_BYTES, LogCursor, next_read, take
from cardloom.features.agents.signals import Choice
from cardloom.features.agents.spoken import PROGRAM_STATUS_ANSWER, ProgramAsks, scan
from cardloom.features.agents.status import wake_at_ms
from cardloom.host.console import Console
from cardloom.host.environment import for_terminal
from cardloom.host.marks import Mark
from cardloom.host.pty import Launch, Size
from cardloom_protocol.agents import AgentStatus

from ..recorded_agents.player import Player
from ..recorded_agents.tape import Entry, Gone, Hook, Host, Keys, Log, Output, Scene
from .home import Home
from .hook_server import HookServer

CAP_S = 90.0  # as of a seat: a program that is large and new takes its time on a busy machine
SIZE = Size(120, 40)
LOG_POLL_S = 0.3
SUBMIT_PAUSE_S = 0.2
# A person's keys; two Escapes that a busy program reads at once are another key to it.
KEY_PAUSE_S = 0.6
QUIET_S = 1.0
RESTLESS_S = 4.0


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Workbench:
    """One life of one agent. Use `async with`; every wait ends with the screen in its error."""

    def __init__(self, harness: Harness, home: Home, program: str) -> None:
        self.player = Player(harness)
        self.tape: list[Entry] = []
        self.exit_code: int | None = None
        self._harness = harness
        self._home = home
        self._program = program
        self._console = Console(self, SIZE, nonce="none", answer_first=self._answer)
        self._carry = ""
        self._prints = 0
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._log: tuple[str, LogCursor | None] | None = None
        self._hooks = HookServer(self._hooked)

    async def __aenter__(self) -> Workbench:
        url = await self._hooks.start()
        layer = self._home.folder / "layer"
        spec = LaunchSpec(
            agent_id=str(uuid.uuid4()),
            program=self._program,
            cwd=str(self._home.project),
            layer=str(layer),
            new_session_id=str(uuid.uuid4()),
            hook_url=url,
            poster=(sys.executable, "-I", "-S", posting.__file__),
            environment=self._home.environment,
        )
        launch = self._harness.launch(spec)
        for file in launch.files:
            path = layer / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text)
        environment = {**for_terminal(self._home.environment), **launch.environment}
        for name in launch.unset:
            environment.pop(name, None)
        self._take(Host(now_ms(), "spawn"))
        self._console.start(Launch(launch.argv, spec.cwd, environment))
        self._spawn(self._follow_log())
        self._spawn(self._run_timers())
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in list(self._tasks):
            task.cancel()
        await self._console.kill(grace_s=0.2)
        self._console.close()
        await self._hooks.stop()

    # What reaches the agent.

    def printed(self, text: str, pieces: Sequence[bytes | Mark]) -> None:
        self._prints += 1
        self._take(Output(now_ms(), text))

    def _answer(self, text: str) -> str:
        self._carry, said = scan(self._carry, text)
        return PROGRAM_STATUS_ANSWER * sum(isinstance(one, ProgramAsks) for one in said)

    def exited(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self._take(Gone(now_ms(), exit_code))

    def _hooked(self, event: str, payload: dict[str, object]) -> str:
        self._take(Hook(now_ms(), event, payload))
        assert self.player.hooked is not None
        return self.player.hooked.reply

    def _take(self, entry: Entry) -> None:
        self.tape.append(entry)
        self.player.play(entry)
        self._tell()

    # What the test does.

    def scene(self, name: str) -> None:
        self._take(Scene(now_ms(), name))

    async def prompt(self, text: str) -> None:
        """Paste a prompt and send it, as the host does."""
        await self.until(lambda: self._console.bracketed_paste, "to take a paste")
        self._take(Host(now_ms(), "prompt"))
        self._console.write(f"\x1b[200~{text}\x1b[201~")
        await asyncio.sleep(SUBMIT_PAUSE_S)
        self._console.write("\r")

    async def answer(self, choice: Choice) -> None:
        """Answer the open question as the harness says; the question has to be open."""
        question = self.player.state.question
        assert question is not None, "no question is open"
        delivery = self._harness.answer(question, choice)
        assert delivery is not None, f"this harness cannot {choice}"
        self._take(Host(now_ms(), "answer", choice))
        await self._deliver(delivery)

    async def interrupt(self) -> None:
        self._take(Host(now_ms(), "interrupt"))
        await self._deliver(self._harness.interrupt)

    async def type_keys(self, *keys: str) -> None:
        """Keys of the person, each for itself."""
        for key in keys:
            self._take(Keys(now_ms(), key))
            self._console.write(key)
            await asyncio.sleep(KEY_PAUSE_S)

    async def kill(self) -> None:
        """End the program from outside."""
        await self._console.kill(grace_s=0)

    async def _deliver(self, delivery: Delivery) -> None:
        if isinstance(delivery, ApiCall):
            raise AssertionError(f"nobody told us where to send {delivery}")
        for write in delivery:
            await asyncio.sleep(write.pause_ms / 1000)
            self._console.write(write.data.decode())

    # What the test waits for.

    def screen(self) -> str:
        return self._console.text()

    async def statuses(self, *expected: AgentStatus) -> None:
        """Wait until the scene showed exactly these statuses, and the screen is quiet."""

        def seen() -> list[AgentStatus]:
            return self.player.statuses[self.player.scene]

        await self.until(lambda: len(seen()) >= len(expected), f"to become {', '.join(expected)}", seen)
        assert seen() == list(expected), f"{seen()}; {self.player.state}"

    async def until(self, holds: Callable[[], bool], what: str, seen: Callable[[], object] = lambda: "") -> None:
        try:
            async with asyncio.timeout(CAP_S), self._news:
                await self._news.wait_for(holds)
        except TimeoutError as error:
            raise AssertionError(f"waited in vain {what}; {seen()}; {self.player.state}\n{self.screen()}") from error

    async def quiet(self) -> None:
        """Wait until nothing was printed for a moment; a spinner that never stops ends the wait as well."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESTLESS_S):
                while await self._printed_within(QUIET_S):
                    pass

    async def _printed_within(self, seconds: float) -> bool:
        seen = self._prints
        try:
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(lambda: self._prints > seen)
        except TimeoutError:
            return False
        return True

    # What runs beside.

    async def _run_timers(self) -> None:
        while True:
            due_ms = wake_at_ms(self.player.state)
            if due_ms is not None and due_ms <= now_ms():
                self.player.run_timers(now_ms())
                self._tell()
            wait_s = 0.5 if due_ms is None else max(0.01, min(0.5, (due_ms - now_ms()) / 1000))
            await asyncio.sleep(wait_s)

    async def _follow_log(self) -> None:
        while True:
            await asyncio.sleep(LOG_POLL_S)
            path = self.player.state.log_path
            if path is not None and self._harness.read_log is not None:
                self._read_log(path)

    def _read_log(self, path: str) -> None:
        cursor = self._log[1] if self._log is not None and self._log[0] == path else None
        try:
            with open(path, "rb") as file:
                head = file.read(HEAD_BYTES)
                read = next_read(cursor, os.fstat(file.fileno()).st_size, head)
                if read is None:
                    return
                file.seek(read.offset)
                cursor, lines = take(cursor, read, file.read(), head)
        except FileNotFoundError:
            return
        self._log = (path, cursor)
        if lines:
            self._take(Log(now_ms(), lines))

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tell(self) -> None:
        self._spawn(self._notify())

    async def _notify(self) -> None:
        async with self._news:
            self._news.notify_all()
