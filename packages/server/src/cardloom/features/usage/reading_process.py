"""A process that reads logs for another one: `python -m cardloom.features.usage.reading_process`.

It takes a list of logs with their cursors on standard input and gives a reading for each on standard output, every
message behind its length in four bytes. It never writes to a log.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import BinaryIO

import msgspec

from .reading import Cursor, LogFile, read_lines
from .rows import Packed, pack

Job = tuple[LogFile, Cursor]
_LENGTH_BYTES = 4
_BEHIND = 4
"""So much nicer is a process that reads: what it has found is stored sooner than it finds more, and nobody waits."""


def write_message(stream: BinaryIO, body: bytes) -> None:
    stream.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)
    stream.flush()


def read_message(stream: BinaryIO) -> bytes | None:
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
    jobs = msgspec.msgpack.decode(read_message(sys.stdin.buffer) or b"\x90", type=list[Job])
    encoder = msgspec.msgpack.Encoder()
    for log, cursor in jobs:
        write_message(sys.stdout.buffer, encoder.encode(pack(read_lines(log, cursor))))


READINGS = msgspec.msgpack.Decoder(Packed)

if __name__ == "__main__":
    main()
    os._exit(0)  # everything is written, and nobody needs the memory in order
