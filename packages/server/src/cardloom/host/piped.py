"""Programs that are spoken to line by line over their standard input and output, in process groups of their own.

Standard error is kept in its last lines, for the message that tells why a program ended. Spec: decision 40.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from contextlib import suppress
from typing import Final

from .processes import Command

_MAX_LINE_BYTES: Final = 64 << 20
_LAST_LINES: Final = 20
_CLOSE_S: Final = 5.0
_SETTLE_S: Final = 5.0


def ending(exit_code: int | None) -> str:
    """How a program ended, to go on a sentence with; a signal by its name, also where a shell tells of it."""
    if exit_code is None:
        return ""
    number = -exit_code if exit_code < 0 else exit_code - 128
    try:
        return f" by {signal.Signals(number).name}" if number > 0 else f" with {exit_code}"
    except ValueError:
        return f" with {exit_code}"


class PipedProgram:
    """One running program and its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._last: deque[str] = deque(maxlen=_LAST_LINES)
        self._errors = asyncio.create_task(self._keep_errors())

    @classmethod
    async def start(cls, command: Command) -> PipedProgram:
        """Start a program. OSError when it cannot be."""
        process = await asyncio.create_subprocess_exec(
            *command.argv,
            cwd=command.cwd,
            env=dict(command.environment),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_MAX_LINE_BYTES,
            start_new_session=sys.platform != "win32",
        )
        return cls(process)

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Where it reads from."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        """Where it writes to."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def exit_code(self) -> int | None:
        """How it ended, None while it runs."""
        return self._process.returncode

    @property
    def last_words(self) -> str:
        """The last line that it wrote to standard error and that says something: a closing bracket does not."""
        return next((line for line in reversed(self._last) if any(char.isalnum() for char in line)), "").strip()

    @property
    def ending(self) -> str:
        """How it ended, to go on a sentence with: ` with 3`, ` by SIGKILL`; nothing while that is not known."""
        return ending(self.exit_code)

    async def send(self, line: bytes) -> None:
        """Write one line. A program that is gone takes none, and its end is told by its output."""
        with suppress(ConnectionError, RuntimeError):
            self.stdin.write(line + b"\n")
            await self.stdin.drain()

    async def line(self) -> bytes | None:
        """The next line without its end, None at the end of the output. ValueError for one that is far too long."""
        line = await self.stdout.readline()
        return line.rstrip(b"\r\n") if line else None

    async def wait(self) -> int:
        """Wait for its end."""
        return await self._process.wait()

    async def settle(self) -> None:
        """Wait a moment for the end of a program whose output has ended, so that it can be told how it ended."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE_S):
                await self._process.wait()
                await asyncio.shield(self._errors)

    async def stop(self, patience_s: float = _CLOSE_S) -> None:
        """Close its input, which asks it to end; then end it with everything it started."""
        with suppress(ConnectionError, RuntimeError):
            self.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._process.wait()
        self._signal_group()
        await self._process.wait()
        await asyncio.wait([self._errors], timeout=1)
        self._errors.cancel()
        await asyncio.gather(self._errors, return_exceptions=True)

    def _signal_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _keep_errors(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(16 * 1024):
            self._last.extend(data.decode("utf-8", "replace").splitlines())
