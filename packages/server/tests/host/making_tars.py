"""Makes archives byte by byte, so that a test can make those that no proper program would."""

from __future__ import annotations

import gzip
from pathlib import Path

BLOCK = 512
END = bytes(2 * BLOCK)


def header(
    name: bytes | str,
    size: int = 0,
    kind: bytes = b"0",
    *,
    link: bytes = b"",
    magic: bytes = b"ustar\0" + b"00",
    prefix: bytes = b"",
    raw_size: bytes | None = None,
    checksum: int | None = None,
) -> bytes:
    """One header block."""
    named = name.encode() if isinstance(name, str) else name
    made = bytearray(BLOCK)
    made[0 : len(named[:100])] = named[:100]
    made[100:108] = b"0000644\0"
    made[108:124] = b"0000000\0" * 2
    made[124:136] = raw_size if raw_size is not None else b"%011o\0" % size
    made[136:148] = b"00000000000\0"
    made[148:156] = b" " * 8
    made[156:157] = kind
    made[157 : 157 + len(link)] = link
    made[257 : 257 + len(magic)] = magic
    made[345 : 345 + len(prefix)] = prefix
    total = sum(made) if checksum is None else checksum
    made[148:156] = b"%06o\0 " % total
    return bytes(made)


def padded(data: bytes) -> bytes:
    """Data filled up to whole blocks."""
    return data + bytes(-len(data) % BLOCK)


def file(name: bytes | str, data: bytes = b"x", kind: bytes = b"0", **more: object) -> bytes:
    """A file with its content."""
    return header(name, len(data), kind, **more) + padded(data)  # type: ignore[arg-type]


def folder(name: str) -> bytes:
    return header(name, kind=b"5")


def pax(records: dict[str, str | bytes], kind: bytes = b"x") -> bytes:
    """An extended header, for the next entry or (kind g) for all that follow."""
    lines = b""
    for key, value in records.items():
        text = b" %s=%s\n" % (key.encode(), value.encode() if isinstance(value, str) else value)
        length = len(text) + 1
        while len(b"%d" % length) + len(text) != length:
            length += 1
        lines += b"%d%s" % (length, text)
    return file("pax", lines, kind)


def long_name(name: str) -> bytes:
    """GNU tar's way to a long name for the next entry."""
    return file("././@LongLink", name.encode() + b"\0", b"L", magic=b"ustar  \0")


def write(path: Path, *entries: bytes, end: bytes = END, packed: bool = True) -> Path:
    """An archive of these entries."""
    data = b"".join(entries) + end
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    return path
