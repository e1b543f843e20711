"""A program that outlived a killed server: it is ended before the same agent starts again, which would be two of it.

A program is known again by its number and the moment it began, as Linux tells them; elsewhere nothing is remembered.
Spec: agents, restart of the server.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Final

_FILE: Final = "program"
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_STARTED: Final = 19
"""Which field behind the program's name in `/proc/PID/stat` tells when it began."""


def remember(layer: Path, pid: int) -> None:
    """Note which program runs for the agent of this folder. OSError."""
    mark = _mark(pid)
    if mark is not None:
        with open(os.open(layer / _FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(mark)


def end(layer: Path) -> None:
    """End the group of the noted program if that one still runs."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        mark = (layer / _FILE).read_text()
        pid = int(mark.split()[0])
        if mark == _mark(pid) and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)


def _mark(pid: int) -> str | None:
    with contextlib.suppress(OSError, IndexError):
        behind_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return f"{pid} {behind_name[_STARTED]} {_BOOT.read_text().strip()}"
    return None
