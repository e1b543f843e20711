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

    def __init__(self, process: asyncio.subprocess.Process, stdin: int, readers: Sequence[asyncio.Task[None]]) -> None:
        self._process = process
        self._stdin = stdin
        self._readers = readers

    @classmethod
    async def start(cls, command: Command, heard: Callable[[bytes, bool], None]) -> Program:
        """Start a program. OSError when it cannot be."""
        # The pipes are ours and not the event loop's, which would take a program for running as long as anybody,
        # say a child of it, holds one of them.
        (theirs, stdin), (out, out_theirs), (err, err_theirs) = os.pipe(), os.pipe(), os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command.argv,
                cwd=command.cwd,
                env=dict(command.environment),
                stdin=theirs,
                stdout=out_theirs,
                stderr=err_theirs,
                start_new_session=sys.platform != "win32",
            )
        except BaseException:
            for descriptor in (stdin, out, err):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (theirs, out_theirs, err_theirs):
                os.close(descriptor)
        readers = [
            asyncio.create_task(_read(out, heard, errors=False)),
            asyncio.create_task(_read(err, heard, errors=True)),
        ]
        return cls(process, stdin, readers)

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
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.killpg(self._process.pid, number)


async def _read(descriptor: int, heard: Callable[[bytes, bool], None], *, errors: bool) -> None:
    """Hear a pipe until its other end is closed by all who hold it."""
    stream = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(descriptor, "rb", buffering=0)
    )
    try:
        while data := await stream.read(_CHUNK_BYTES):
            heard(data, errors)
    finally:
        transport.close()
