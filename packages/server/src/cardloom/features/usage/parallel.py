"""Reading many logs at once: in this process when there is little to read, else in processes of their own.

While those start, logs are read here. Readings come in no particular order. What a process that failed has left over
is read here. At most some wait for whoever takes them.
"""

from __future__ import annotations

import os
import queue
import selectors
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Final

import msgspec

from .reading import read_lines
from .reading_process import READINGS, Job, read_message, write_message
from .rows import Packed, pack

WORTH_A_PROCESS_BYTES: Final = 64 << 20
_WAITING: Final = 160
"""More than are taken into the index together, so that nobody has to stop reading meanwhile."""
_COPIES: Final = sys.platform != "win32"
"""Whether a process that reads can make copies of itself, which is sooner done than starting more."""


def read_all(jobs: Sequence[Job], processes: int | None = None) -> Iterator[Packed]:
    """Read line logs. `processes` says how many to use; by default as many as there are processors, or none."""
    pending = sum(map(_bytes_left, jobs))
    if processes is None:
        processes = min(os.cpu_count() or 1, 4) if pending > WORTH_A_PROCESS_BYTES else 0
    waiting = sorted(jobs, key=_bytes_left, reverse=True)
    if processes > 0 and len(jobs) > 1 and (started := _started(processes)):
        try:
            while waiting and not all(map(_is_ready, started)):
                yield pack(read_lines(*waiting.pop()))
        except BaseException:
            for reader in started:
                reader.end()
            raise
        done = set()
        for reading in _read_by(started, _shares(waiting, len(started))):
            done.add(reading.log.path)
            yield reading
        waiting = [job for job in waiting if job[0].path not in done]
    for log, cursor in waiting:
        yield pack(read_lines(log, cursor))


@dataclass(frozen=True, slots=True)
class _Reader:
    """A process that reads a share of the logs, and the outputs on which it and its copies give readings."""

    process: subprocess.Popen[bytes]
    outputs: Sequence[IO[bytes]]

    def end(self) -> None:
        """End it before it was asked to read."""
        self.process.kill()
        for output in self.outputs:
            output.close()
        with self.process:
            pass


def _bytes_left(job: Job) -> int:
    return max(job[0].size - job[1].offset, 0)


def _shares(jobs: Sequence[Job], count: int) -> list[list[Job]]:
    """Jobs, of which the largest come first, in shares of about the same size."""
    shares: list[list[Job]] = [[] for _ in range(count)]
    sizes = [0] * count
    for job in jobs:
        smallest = sizes.index(min(sizes))
        shares[smallest].append(job)
        sizes[smallest] += max(_bytes_left(job), 1)
    return shares


def _started(count: int) -> list[_Reader]:
    """So many processes that read, copies among them; fewer when there cannot be as many."""
    found = []
    with suppress(OSError):
        for copies in [count - 1] if _COPIES else [0] * count:
            found.append(_reader(copies))
    return found


def _reader(copies: int) -> _Reader:
    pipes = [os.pipe() for _ in range(copies)]
    inherited: dict[str, Any] = {"pass_fds": [end for _, end in pipes]} if pipes else {}
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cardloom.features.usage.reading_process", *(str(end) for _, end in pipes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **inherited,
        )
    except OSError:
        for begin, _ in pipes:
            os.close(begin)
        raise
    finally:
        for _, end in pipes:
            os.close(end)
    assert process.stdout is not None
    return _Reader(process, [process.stdout, *(open(begin, "rb") for begin, _ in pipes)])


def _is_ready(reader: _Reader) -> bool:
    """Whether a process has started, or failed to; one without copies is as well waited for."""
    if not _COPIES:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(reader.outputs[0], selectors.EVENT_READ)
        return bool(selector.select(0))


def _read_by(readers: Sequence[_Reader], shares: Sequence[Sequence[Job]]) -> Iterator[Packed]:
    """What processes find in their shares, as it comes."""
    taken: queue.Queue[Packed | None] = queue.Queue(_WAITING)
    stopped = threading.Event()
    left = 0
    for reader, share in zip(readers, shares, strict=True):
        for output in reader.outputs:
            asked = (reader.process, share) if output is reader.outputs[0] else None
            threading.Thread(target=_watch, args=(asked, output, taken, stopped), daemon=True).start()
            left += 1
    try:
        while left:
            reading = taken.get()
            if reading is None:
                left -= 1
            else:
                yield reading
    finally:
        stopped.set()


def _watch(
    asked: tuple[subprocess.Popen[bytes], Sequence[Job]] | None,
    output: IO[bytes],
    taken: queue.Queue[Packed | None],
    stopped: threading.Event,
) -> None:
    """Hand on what comes on an output, then None. The process whose output it is, if told, is asked to read first."""
    try:
        with output:
            if asked is not None:
                process, share = asked
                assert process.stdin is not None
                with process.stdin as stdin:
                    if read_message(output) is not None:
                        write_message(stdin, msgspec.msgpack.encode(share))
            while (body := read_message(output)) is not None and _hand_on(READINGS.decode(body), taken, stopped):
                pass
    except (OSError, msgspec.DecodeError):
        pass
    finally:
        if asked is not None:
            if stopped.is_set():
                asked[0].kill()
            asked[0].wait()
        _hand_on(None, taken, stopped)


def _hand_on(reading: Packed | None, taken: queue.Queue[Packed | None], stopped: threading.Event) -> bool:
    while not stopped.is_set():
        try:
            taken.put(reading, timeout=0.2)
            return True
        except queue.Full:
            continue
    return False
