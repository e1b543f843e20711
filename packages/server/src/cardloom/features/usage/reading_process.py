"""A process that reads logs for another one: `python -m cardloom.features.usage.reading_process [DESCRIPTOR…]`.

It says that it is ready, takes logs with their cursors on standard input, and makes a copy of itself for each
descriptor that was named. Whoever of them is free reads the next log and gives the reading, the first one on standard
output, the copies on those descriptors; every message stands behind its length in four bytes. It never writes to a log.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import IO

import msgspec

from .reading import BLOCK_BYTES, Cursor, LogFile, read_lines
from .rows import Packed, pack

Job = tuple[LogFile, Cursor]
_LENGTH_BYTES = 4
_READY = b""
_MOST_TURNS = 2000
"""So many fit into a pipe everywhere, at once."""
_BEHIND = 10
"""So much nicer is a process that reads: what it has found is stored sooner than it finds more, and nobody waits."""


def write_message(stream: IO[bytes], body: bytes) -> None:
    stream.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """The next message, None at the end or when it is cut off."""
    length = stream.read(_LENGTH_BYTES)
    if len(length) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(length, "big")
    body = stream.read(size)
    return body if len(body) == size else None


def main() -> None:
    """Read what is asked for, and end. Nothing here makes cycles, so nobody has to look for them."""
    gc.disable()
    if sys.platform != "win32":
        os.nice(_BEHIND)
    write_message(sys.stdout.buffer, _READY)
    jobs = msgspec.msgpack.decode(read_message(sys.stdin.buffer) or b"\x90", type=list[Job])
    turns = _turns(jobs)
    outputs = [int(text) for text in sys.argv[1:]]
    for at, output in enumerate(outputs):
        if sys.platform != "win32" and os.fork() == 0:
            for other in (sys.stdout.fileno(), *outputs[at + 1 :]):
                os.close(other)
            with open(output, "wb") as stream:
                _read(jobs, turns, stream)
            return
        os.close(output)
    _read(jobs, turns, sys.stdout.buffer)
    sys.stdout.close()
    for _ in outputs:
        os.wait()


def _turns(jobs: Sequence[Job]) -> int:
    """A pipe from which each process takes what it reads next: numbers of two bytes, each once."""
    begin, end = os.pipe()
    os.write(end, b"".join(turn.to_bytes(2, "big") for turn in range(min(len(jobs), _MOST_TURNS))))
    os.close(end)
    return begin


def _read(jobs: Sequence[Job], turns: int, stream: IO[bytes]) -> None:
    """Read logs while it is one's turn, in each all that are so many apart."""
    encoder, memory = msgspec.msgpack.Encoder(), bytearray(BLOCK_BYTES)
    while turn := os.read(turns, 2):
        for log, cursor in jobs[int.from_bytes(turn, "big") :: _MOST_TURNS]:
            write_message(stream, encoder.encode(pack(read_lines(log, cursor, memory=memory))))


READINGS = msgspec.msgpack.Decoder(Packed)

if __name__ == "__main__":
    main()
    os._exit(0)  # everything is written, and nobody needs the memory in order
