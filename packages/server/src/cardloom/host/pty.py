"""One program on a pseudo-terminal: spawned as leader of its own session, read in bounded turns, ended with its group.

The program gets its terminal by opening it through `/bin/sh`, which makes it the controlling one without running
Python between fork and exec. Reading stops for a moment whenever more than a terminal may print came, so a program that
prints without end costs neither memory (the kernel's buffer fills and the program waits) nor other terminals' turns.
Spec: harnesses, screen mirror and output.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit

READ_BYTES = 4 << 10  # what the system gives at once
READS_A_TURN = 2  # a turn with more keeps a neighbour's key waiting
READ_BYTES_PER_S = limit("terminalReadBytesPerSecond")
WRITE_BYTES = limit("terminalInputBytes")
GRACE_S = limit("terminalEndGraceMs") / 1000
KILL_WAIT_S = 0.5

_DRAIN_BYTES = 1 << 20
_BEHIND_S = 0.004  # shorter pauses than this are not worth a timer
_HANG_UPS = 15
_IUTF8 = 0x4000  # Linux's and macOS's flag; the standard library does not name it
_TAKE_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start and where. `env` is the whole environment."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Size:
    """A terminal's size in cells, always within the limits."""

    cols: int = 120
    rows: int = 32

    @staticmethod
    def clamped(cols: int, rows: int) -> Size:
        """The nearest size that is allowed."""
        return Size(
            min(max(cols, limit("terminalColumnsMin")), limit("terminalColumnsMax")),
            min(max(rows, limit("terminalRowsMin")), limit("terminalRowsMax")),
        )


class Pty:
    """A running program and the near end of its terminal. `on_data` and `on_exit` must not wait; `on_exit` comes last.

    The exit code is the program's, or 128 + the signal that ended it.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        master: int,
        on_data: Callable[[bytes], None],
        on_exit: Callable[[int], None],
        read_bytes_per_s: int,
    ) -> None:
        self.pid = process.pid
        self._process = process
        self._master = master
        self._on_data = on_data
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._waiting = bytearray()
        self._read_bytes_per_s = read_bytes_per_s
        self._due_s = 0.0
        self._resume: asyncio.TimerHandle | None = None
        self._open = True
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(master, self._readable)
        self._watch()

    @staticmethod
    def spawn(
        launch: Launch,
        size: Size,
        on_data: Callable[[bytes], None],
        on_exit: Callable[[int], None],
        *,
        read_bytes_per_s: int = READ_BYTES_PER_S,
    ) -> Pty:
        """Start a program. UNAVAILABLE with the reason when the system refuses."""
        master, slave = pty.openpty()
        try:
            os.set_blocking(master, False)
            termios.tcsetwinsize(slave, (size.rows, size.cols))
            _erase_whole_characters(slave)
            process = subprocess.Popen(
                ("/bin/sh", "-c", _TAKE_TERMINAL, os.ttyname(slave), *launch.argv),
                stdin=slave,
                stdout=slave,
                stderr=slave,
                cwd=launch.cwd,
                env=launch.env,
                start_new_session=True,
            )
        except OSError as error:
            os.close(master)
            raise CallError(ErrorCode.UNAVAILABLE, f"{launch.argv[0]} did not start: {error.strerror}") from error
        finally:
            os.close(slave)
        return Pty(process, master, on_data, on_exit, read_bytes_per_s)

    def write(self, data: bytes) -> None:
        """Send bytes to the program, in order, as fast as it reads them.

        BUSY when it has not read a megabyte that was sent before; UNAVAILABLE when it ended.
        """
        if not self._open:
            raise CallError(ErrorCode.UNAVAILABLE, "the program in this terminal has ended")
        if len(self._waiting) + len(data) > WRITE_BYTES:
            raise CallError(ErrorCode.BUSY, "the program in this terminal does not read what was typed before")
        idle = not self._waiting
        self._waiting += data
        if idle:
            self._writable()

    def answer(self, data: bytes) -> None:
        """Send what the terminal itself answers; it is lost where the program does not listen."""
        if self._open and len(self._waiting) + len(data) <= WRITE_BYTES:
            self.write(data)

    def resize(self, size: Size) -> None:
        """Tell the program its new size; nothing happens when it is ending."""
        if self._open:
            with contextlib.suppress(OSError):
                termios.tcsetwinsize(self._master, (size.rows, size.cols))

    def in_foreground(self) -> bool:
        """Whether the program itself, not one it started, owns the terminal now."""
        try:
            return self._open and os.tcgetpgrp(self._master) == self.pid
        except OSError:
            return False

    def edits_lines(self) -> bool:
        """Whether a line editor reads the keys: it takes them one by one and echoes them itself."""
        if not self._open:
            return False
        try:
            local_modes: int = termios.tcgetattr(self._master)[3]
        except (OSError, termios.error):
            return False
        return not local_modes & (termios.ICANON | termios.ECHO)

    async def kill(self, grace_s: float = GRACE_S) -> None:
        """End the program and what it runs in the foreground: hang up and terminate, then kill what is left."""
        groups = self._groups()
        for _ in range(_HANG_UPS):  # bash forgets a hang-up that comes while it prepares to read a line
            _signal(groups | self._groups(), signal.SIGHUP, signal.SIGCONT, signal.SIGTERM)
            if await self._ended(grace_s / _HANG_UPS):
                return
        _signal(groups | self._groups(), signal.SIGKILL)
        await self._ended(KILL_WAIT_S)

    async def _ended(self, timeout_s: float) -> bool:
        done, _ = await asyncio.wait([self._gone], timeout=timeout_s)
        return bool(done)

    def _groups(self) -> set[int]:
        groups = set() if self._process.returncode is not None else {self.pid}
        if self._open:
            with contextlib.suppress(OSError):
                groups.add(os.tcgetpgrp(self._master))
        return {group for group in groups if group > 1}

    def _watch(self) -> None:
        """Learn of the program's end: from the system where it tells, else from a thread that waits."""
        try:
            handle = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            threading.Thread(target=self._wait, name=f"pty {self.pid}", daemon=True).start()
        else:
            self._loop.add_reader(handle, self._ends, handle)

    def _wait(self) -> None:
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know
            self._loop.call_soon_threadsafe(self._ends, None)

    def _ends(self, handle: int | None) -> None:
        if handle is not None:
            self._loop.remove_reader(handle)
            os.close(handle)
        code = self._process.wait()
        self._close()
        self._on_exit(code if code >= 0 else 128 - code)
        if not self._gone.done():
            self._gone.set_result(None)

    def _close(self) -> None:
        """Take what the program left in the terminal and let go of it."""
        if not self._open:
            return
        self._stop_reading()
        left = self._read(_DRAIN_BYTES)
        self._open = False
        if self._waiting:
            self._loop.remove_writer(self._master)
            self._waiting.clear()
        os.close(self._master)
        if left:
            self._on_data(left)

    def _stop_reading(self) -> None:
        if self._resume is not None:
            self._resume.cancel()
            self._resume = None
        self._loop.remove_reader(self._master)

    def _readable(self) -> None:
        """Take in what is there, read by read: asking for the next piece at once would wait until it has been moved."""
        for _ in range(READS_A_TURN):
            try:
                data = os.read(self._master, READ_BYTES)
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno not in (errno.EIO, errno.EBADF):
                    raise
                data = b""
            if not data:
                self._stop_reading()  # the other end is closed; the watcher tells when the program is gone too
                return
            now_s = self._loop.time()
            self._due_s = max(self._due_s, now_s) + len(data) / self._read_bytes_per_s
            behind = self._due_s - now_s > _BEHIND_S
            if behind:
                self._loop.remove_reader(self._master)
                self._resume = self._loop.call_at(self._due_s, self._read_on)
            self._on_data(data)
            if behind or not self._open:
                return

    def _read_on(self) -> None:
        self._resume = None
        self._loop.add_reader(self._master, self._readable)

    def _read(self, max_bytes: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while size < max_bytes:
            try:
                piece = os.read(self._master, max_bytes - size)
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno not in (errno.EIO, errno.EBADF):
                    raise
                break
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces)

    def _writable(self) -> None:
        try:
            sent = os.write(self._master, self._waiting)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = len(self._waiting)  # nobody will read it any more; the watcher tells why
        waited = len(self._waiting)
        del self._waiting[:sent]
        if self._waiting:
            self._loop.add_writer(self._master, self._writable)
        elif waited:
            self._loop.remove_writer(self._master)


def _signal(groups: set[int], *signals: signal.Signals) -> None:
    for group in groups:
        for number in signals:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)


def _erase_whole_characters(terminal: int) -> None:
    """Let backspace delete a character and not a byte where a program leaves line editing to the system."""
    if sys.platform in ("linux", "darwin"):
        attributes = termios.tcgetattr(terminal)
        attributes[0] |= _IUTF8
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
