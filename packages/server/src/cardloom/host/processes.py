"""Programs in process groups of their own: started, listened to, ended with everything they started.

Their standard input is a pipe that nobody writes to: it ends when this process ends, however it ends, so a program that
watches it outlives nobody. Spec: decision 44; architecture (a process belongs to the host).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_CHUNK_BYTES: Final = 16 * 1024
_DRAIN_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Command:
    """What to start and where. `environment` is the whole environment; secrets belong there, never in `argv`."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]


class Program:
    """One running program. `heard` gets what it prints, in pieces, with whether that was on standard error."""

    def __init__(self, process: asyncio.subprocess.Process, heard: Callable[[bytes, bool], None]) -> None:
        self._process = process
        self._readers = [
            asyncio.create_task(self._read(process.stdout, heard, errors=False)),
            asyncio.create_task(self._read(process.stderr, heard, errors=True)),
        ]

    @classmethod
    async def start(cls, command: Command, heard: Callable[[bytes, bool], None]) -> Program:
        """Start a program. OSError when it cannot be."""
        process = await asyncio.create_subprocess_exec(
            *command.argv,
            cwd=command.cwd,
            env=dict(command.environment),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=sys.platform != "win32",
        )
        return cls(process, heard)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def wait(self) -> int:
        """Wait for its end and give its exit code (negative: the signal that ended it); its children end with it."""
        code = await self._process.wait()
        self._signal_group(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        await self._drain()
        return code

    async def stop(self, patience_ms: int) -> int:
        """Ask it to end, then end it; gives its exit code."""
        if self._process.returncode is None:
            self._signal_group(signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_ms / 1000):
                    await self._process.wait()
        if self._process.returncode is None:
            self.kill()
        return await self.wait()

    def kill(self) -> None:
        """End it and its children at once."""
        self._signal_group(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)

    async def _drain(self) -> None:
        """Hear what it printed last; whoever else holds the pipe is not waited for long."""
        _, late = await asyncio.wait(self._readers, timeout=_DRAIN_S)
        for reader in late:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)

    @staticmethod
    async def _read(stream: asyncio.StreamReader | None, heard: Callable[[bytes, bool], None], *, errors: bool) -> None:
        while stream is not None and (data := await stream.read(_CHUNK_BYTES)):
            heard(data, errors)
