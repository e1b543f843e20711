"""Reading many logs at once: in this process when there is little to read, else in processes of its own.

Readings come in no particular order. What a process that failed has left over is read here. At most some wait for
whoever takes them.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from .reading import read_lines
from .reading_process import READINGS, Job, read_message, write_message
from .rows import Packed, pack

WORTH_A_PROCESS_BYTES: Final = 24 << 20
_WAITING: Final = 160
"""More than are taken into the index together, so that nobody has to stop reading meanwhile."""


def read_all(jobs: Sequence[Job], processes: int | None = None) -> Iterator[Packed]:
    """Read line logs. `processes` says how many to use; by default as many as there are processors, or none."""
    pending = sum(max(log.size - cursor.offset, 0) for log, cursor in jobs)
    if processes is None:
        processes = min(os.cpu_count() or 1, 4) if pending > WORTH_A_PROCESS_BYTES else 0
    if processes == 0 or len(jobs) < 2:
        for log, cursor in jobs:
            yield pack(read_lines(log, cursor))
        return
    shares = _shares(jobs, processes)
    taken: queue.Queue[Packed | None] = queue.Queue(_WAITING)
    stopped = threading.Event()
    threads = [
        threading.Thread(target=_watch, args=(_started(), share, taken, stopped), daemon=True) for share in shares
    ]
    for thread in threads:
        thread.start()
    try:
        left, done = len(threads), set()
        while left:
            reading = taken.get()
            if reading is None:
                left -= 1
            else:
                done.add(reading.log.path)
                yield reading
    finally:
        stopped.set()
    for log, cursor in jobs:
        if log.path not in done:
            yield pack(read_lines(log, cursor))


def _shares(jobs: Sequence[Job], count: int) -> list[list[Job]]:
    """The jobs in shares of about the same size, the largest logs first."""
    shares: list[list[Job]] = [[] for _ in range(count)]
    sizes = [0] * count
    for job in sorted(jobs, key=lambda job: job[1].offset - job[0].size):
        smallest = sizes.index(min(sizes))
        shares[smallest].append(job)
        sizes[smallest] += max(job[0].size - job[1].offset, 1)
    return [share for share in shares if share]


def _started() -> subprocess.Popen[bytes] | None:
    """A process that reads; None when there cannot be one."""
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "cardloom.features.usage.reading_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


def _watch(
    process: subprocess.Popen[bytes] | None,
    share: list[Job],
    taken: queue.Queue[Packed | None],
    stopped: threading.Event,
) -> None:
    """Let a process read a share and hand on what it gives, then None."""
    try:
        if process is None:
            return
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            write_message(process.stdin, msgspec.msgpack.encode(share))  # type: ignore[arg-type]
            process.stdin.close()
            while (body := read_message(process.stdout)) is not None:  # type: ignore[arg-type]
                if not _hand_on(READINGS.decode(body), taken, stopped):
                    process.kill()
                    return
    except (OSError, msgspec.DecodeError):
        pass
    finally:
        _hand_on(None, taken, stopped)


def _hand_on(reading: Packed | None, taken: queue.Queue[Packed | None], stopped: threading.Event) -> bool:
    while not stopped.is_set():
        try:
            taken.put(reading, timeout=0.2)
            return True
        except queue.Full:
            continue
    return False
