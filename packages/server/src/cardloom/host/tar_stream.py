"""Reads tar archives entry by entry, distrusting every byte: ustar, GNU long names, pax headers, packed by gzip or not.

Whatever is not certain refuses the archive; nothing here writes. Spec: cards, install (archive).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.package_tree import too_large

BLOCK: Final = 512
_CHUNK: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"
_OCTAL: Final = re.compile(rb" *([0-7]+)[ \0]*")
_DIGITS: Final = re.compile(r"[0-9]{1,15}")
_ZEROS: Final = bytes(BLOCK)

EntryKind: TypeAlias = Literal["file", "folder", "link", "device"]

_KINDS: Final[dict[bytes, EntryKind]] = {
    b"0": "file",
    b"\0": "file",
    b"7": "file",
    b"1": "link",
    b"2": "link",
    b"3": "device",
    b"4": "device",
    b"5": "folder",
    b"6": "device",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; its content is read from the stream before the next one."""

    name: str
    kind: EntryKind
    size_bytes: int


class Inflated:
    """The bytes of a file, unpacked where it is packed, never more than `max_bytes` of them."""

    def __init__(self, file: BinaryIO, *, max_bytes: int) -> None:
        self._file = file
        self._left_bytes = max_bytes
        self._max_bytes = max_bytes
        head = file.read(2)
        self._packed = head == _GZIP
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._waiting = head

    def read(self, count: int) -> bytes:
        """The next bytes, fewer only at the end. TOO_LARGE; INVALID_PARAMS where the packed stream is damaged."""
        pieces: list[bytes] = []
        missing = count
        while missing:
            piece = self._inflate(missing) if self._packed else self._plain(missing)
            if not piece:
                break
            pieces.append(piece)
            missing -= len(piece)
        data = b"".join(pieces)
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            raise too_large(f"the archive holds more than {self._max_bytes} bytes unpacked")
        return data

    def _plain(self, count: int) -> bytes:
        piece, self._waiting = self._waiting[:count], self._waiting[count:]
        return piece or self._file.read(count)

    def _inflate(self, count: int) -> bytes:
        while True:
            if self._inflater.eof:
                self._waiting = self._inflater.unused_data or self._file.read(_CHUNK)
                if not self._waiting:
                    return b""
                self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
            packed = self._waiting or self._inflater.unconsumed_tail or self._file.read(_CHUNK)
            if not packed:
                raise broken("it ends too early")
            self._waiting = b""
            try:
                piece = self._inflater.decompress(packed, count)
            except zlib.error as error:
                raise broken(f"its packing is damaged ({error})") from error
            if piece:
                return piece


@dataclass(slots=True)
class _Pending:
    """What extended headers said about the next entry, and about all that follow."""

    following: dict[str, str] = field(default_factory=dict)
    next: dict[str, str] = field(default_factory=dict)
    long_name: str | None = None


class TarStream:
    """The entries of an archive in their order. What was not read of an entry's content is skipped."""

    def __init__(self, stream: Inflated, *, max_entries: int, max_meta_bytes: int) -> None:
        self._stream = stream
        self._max_entries = max_entries
        self._max_meta_bytes = max_meta_bytes
        self._content_bytes = 0
        self._padding_bytes = 0

    def __iter__(self) -> Iterator[Entry]:
        pending = _Pending()
        for _ in range(self._max_entries):
            self._skip()
            block = self._exactly(BLOCK)
            if block == _ZEROS:
                self._finish()
                return
            entry = self._entry(block, pending)
            if entry is not None:
                yield entry
                pending.next, pending.long_name = {}, None
        raise too_large(f"the archive has more than {self._max_entries} entries")

    def content(self) -> Iterator[bytes]:
        """The content of the entry that was given last."""
        while self._content_bytes:
            piece = self._exactly(min(self._content_bytes, _CHUNK))
            self._content_bytes -= len(piece)
            yield piece

    def _entry(self, block: bytes, pending: _Pending) -> Entry | None:
        """The entry that a header begins, None for a header that says something about others."""
        _check_sum(block)
        flag, plain = block[156:157], _plain_name(block)
        size = _size(block[124:136])
        if flag in (b"x", b"g", b"L", b"K"):
            self._take_in(flag, size, pending)
            return None
        named = pending.following | pending.next
        if any(key.startswith("GNU.sparse") for key in named):
            raise broken(f"{plain!r} is a sparse file")
        if "size" in named:
            size = _written_size(named["size"])
        name = named.get("path", pending.long_name)
        name = _text(plain) if name is None else name
        if flag == b"V":
            self._expect(size)
            return None
        kind = _KINDS.get(flag)
        if kind is None:
            raise broken(f"{name!r} is of a kind that is not known ({flag!r})")
        if kind == "file" and flag != b"7" and name.endswith("/"):
            kind = "folder"
        if kind != "file" and size:
            raise broken(f"{name!r} is a {kind} and has content")
        self._expect(size)
        return Entry(name, kind, size)

    def _take_in(self, flag: bytes, size: int, pending: _Pending) -> None:
        if size > self._max_meta_bytes:
            raise too_large(f"a header of the archive has more than {self._max_meta_bytes} bytes")
        self._expect(size)
        data = b"".join(self.content())
        if flag == b"x":
            pending.next |= _records(data)
        elif flag == b"g":
            pending.following |= _records(data)
        elif flag == b"L":
            pending.long_name = _text(data.partition(b"\0")[0])

    def _expect(self, size: int) -> None:
        self._content_bytes, self._padding_bytes = size, -size % BLOCK

    def _skip(self) -> None:
        for _ in self.content():
            pass
        self._exactly(self._padding_bytes)
        self._padding_bytes = 0

    def _finish(self) -> None:
        """Read on to the end, so that the packing's own checksum is checked and nothing hides there."""
        while data := self._stream.read(_CHUNK):
            if data.strip(b"\0"):
                raise broken("there is something after its end")

    def _exactly(self, count: int) -> bytes:
        data = self._stream.read(count)
        if len(data) < count:
            raise broken("it ends too early")
        return data


def broken(what: str) -> CallError:
    """The refusal of an archive as a whole."""
    message = f"the archive cannot be used: {what}"
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": "", "keyword": "archive", "message": what}])


def _check_sum(block: bytes) -> None:
    written = _OCTAL.fullmatch(block[148:156])
    if written is None or int(written[1], 8) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise broken("a header's checksum is wrong, or it is no tar archive at all")


def _plain_name(block: bytes) -> bytes:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise broken(f"the name {name!r} is no UTF-8") from error


def _size(field_: bytes) -> int:
    """A size as the plain header has it: octal digits, or a binary number behind a set bit."""
    if field_[0] == 0x80:
        return int.from_bytes(field_[1:], "big")
    written = _OCTAL.fullmatch(field_)
    if written is None:
        raise broken("a size is no number")
    return int(written[1], 8)


def _written_size(text: str) -> int:
    if _DIGITS.fullmatch(text) is None:
        raise broken("a size is no number")
    return int(text)


def _records(data: bytes) -> dict[str, str]:
    """The records of an extended header: each its own length, a space, key=value, a line end."""
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        length, space, _ = data[at : at + 10].partition(b" ")
        size = int(length) if length.isdigit() and space else 0
        record = data[at : at + size]
        key, equals, value = record[len(length) + 1 : -1].partition(b"=")
        if not (size and len(record) == size and record.endswith(b"\n") and key and equals):
            raise broken("an extended header is none")
        found[_text(key)] = _text(value) if key in (b"path", b"size") else ""
        at += size
    return found
