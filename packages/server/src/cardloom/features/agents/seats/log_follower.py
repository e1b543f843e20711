"""Reads what was added to an agent's session log, off the event loop. Spec: harnesses, transcript; `log_tail`."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..harnesses.shape import ReadLog
from ..log_tail import HEAD_BYTES, LogCursor, next_read, take
from ..signals import LogView

MAX_FAILURES: Final = 5


@dataclass(slots=True)
class LogFollower:
    """One log from the look it was named on. It gives up after five failures in a row, until a log is named again."""

    path: Path
    read_log: ReadLog
    view: LogView = field(default_factory=LogView)
    cursor: LogCursor | None = None
    failures: int = 0
    _stamp: tuple[int, int] | None = None

    @property
    def given_up(self) -> bool:
        return self.failures >= MAX_FAILURES

    async def look(self) -> LogView | None:
        """Give the view when something was added, else None."""
        try:
            return await asyncio.to_thread(self._look)
        except OSError:  # it may not be there yet, or be locked for a moment
            self.failures += 1
            return None

    def _look(self) -> LogView | None:
        with open(self.path, "rb", opener=_not_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise OSError(f"{self.path} is no file")  # a pipe would hold the thread for ever
            stamp = (status.st_size, status.st_mtime_ns)
            self.failures = 0
            if stamp == self._stamp:
                return None
            self._stamp = stamp
            head = file.read(HEAD_BYTES)
            read = next_read(self.cursor, status.st_size, head)
            if read is None:
                return None
            file.seek(read.offset)
            data = file.read(status.st_size - read.offset)
        view = LogView() if read.anew else self.view
        self.cursor, lines = take(None if read.anew else self.cursor, read, data, head)
        for line in lines:
            view = self.read_log(view, line)
        self.view = view
        return view


def _not_waiting(path: str, flags: int) -> int:
    """Open a log that may turn out to be a pipe; Windows has none among its files."""
    return os.open(path, flags if sys.platform == "win32" else flags | os.O_NONBLOCK)
