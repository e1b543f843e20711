"""A seat in front of a program's terminal: what is on the screen, and keys to it. The terminal is Cardloom's own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from cardloom.host.console import Console
from cardloom.host.environment import for_terminal
from cardloom.host.marks import Mark
from cardloom.host.pty import Launch, Size

from .home import Home

CAP_S = 90.0  # a program that is large and new takes its time on a busy machine
SIZE = Size(120, 40)
# Between a paste and the key that sends it: sooner, some programs take the key for a part of the paste.
SUBMIT_PAUSE_S = 0.15
QUIET_S = 1.0


class Seat:
    """One program on one terminal, from its start to its end."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self._prints = 0
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._console = Console(self, SIZE, nonce="none")

    def start(self, command: Sequence[str], home: Home) -> None:
        self._console.start(Launch(command, str(home.project), for_terminal(home.environment)))

    def printed(self, text: str, pieces: Sequence[bytes | Mark]) -> None:
        self._tell()

    def exited(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self._tell()

    def screen(self) -> str:
        return self._console.text()

    async def see(self, pattern: str) -> None:
        """Wait until the screen shows it; the screen is in the error when it does not."""
        await self._until(lambda: re.search(pattern, self.screen()) is not None, f"to see {pattern!r}")

    async def settle(self) -> None:
        """Wait until nothing was printed for a moment; a spinner that never stops ends the wait as well."""
        try:
            async with asyncio.timeout(CAP_S / 4):
                while await self._printed_within(QUIET_S):
                    pass
        except TimeoutError:
            return

    async def prompt(self, text: str) -> None:
        """Paste a prompt and send it."""
        await self._until(lambda: self._console.bracketed_paste, "to take a paste")
        self._console.write(f"\x1b[200~{text}\x1b[201~")
        await asyncio.sleep(SUBMIT_PAUSE_S)
        self._console.write("\r")

    async def end(self) -> None:
        await self._console.kill(grace_s=0.2)
        self._console.close()

    async def _until(self, holds: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(CAP_S), self._news:
                await self._news.wait_for(lambda: holds() or self.exit_code is not None)
        except TimeoutError as error:
            raise AssertionError(f"waited in vain {what} on\n{self.screen()}") from error
        assert holds(), f"it ended with {self.exit_code} before there was {what} on\n{self.screen()}"

    async def _printed_within(self, seconds: float) -> bool:
        seen = self._prints
        try:
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(lambda: self._prints > seen or self.exit_code is not None)
        except TimeoutError:
            return False
        return self.exit_code is None

    def _tell(self) -> None:
        """Wake whoever waits; a program tells from inside the loop, where nothing may wait for a lock."""
        self._prints += 1
        self._tasks.add(task := asyncio.get_running_loop().create_task(self._notify()))
        task.add_done_callback(self._tasks.discard)

    async def _notify(self) -> None:
        async with self._news:
            self._news.notify_all()
