"""A process that reads logs for another one: `python -m cardloom.features.usage.reading_process [DESCRIPTOR…]`.

It says that it is ready, takes shares of logs with their cursors on standard input, and reads the first; for each other
one it makes a copy of itself. A reading of each log comes on standard output, those of copies on the descriptors that
were named, every message behind its length in four bytes. It never writes to a log.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from typing import IO

import msgspec

from .reading import BLOCK_BYTES, Cursor, LogFile, read_lines
from .rows import Packed, pack

Job = tuple[LogFile, Cursor]
_LENGTH_BYTES = 4
_READY = b""
_BEHIND = 4
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
    shares = msgspec.msgpack.decode(read_message(sys.stdin.buffer) or b"\x90", type=list[list[Job]])
    others = list(map(int, sys.argv[1:]))
    for share in shares[1:]:
        output = others.pop()
        if sys.platform != "win32" and os.fork() == 0:
            for other in (sys.stdout.fileno(), *others):
                os.close(other)
            with open(output, "wb") as stream:
                _read(share, stream)
            return
        os.close(output)
    _read(shares[0] if shares else [], sys.stdout.buffer)
    sys.stdout.close()
    for _ in shares[1:]:
        os.wait()


def _read(share: Iterable[Job], stream: IO[bytes]) -> None:
    encoder, memory = msgspec.msgpack.Encoder(), bytearray(BLOCK_BYTES)
    for log, cursor in share:
        write_message(stream, encoder.encode(pack(read_lines(log, cursor, memory=memory))))


READINGS = msgspec.msgpack.Decoder(Packed)

if __name__ == "__main__":
    main()
    os._exit(0)  # everything is written, and nobody needs the memory in order
