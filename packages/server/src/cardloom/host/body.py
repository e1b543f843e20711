"""The body of an HTTP answer in pieces of a bounded size, whatever its compression makes of a few bytes."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode

PIECE_BYTES: Final = 1 << 16
_EITHER: Final = 47  # zlib: take gzip and zlib headers alike
_BARE: Final = -15  # zlib: no header at all, as some servers understand "deflate"


async def decoded(raw: AsyncIterable[bytes], encoding: str) -> AsyncIterator[bytes]:
    """A body with its compression undone, in pieces of at most 64 KiB. NETWORK_ERROR: unknown, or broken.

    One layer is undone and no more: layers multiply what a small answer can unfold to.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        async for chunk in raw:
            for start in range(0, len(chunk), PIECE_BYTES):
                yield chunk[start : start + PIECE_BYTES]
        return
    inflater: _Inflater | None = None
    async for chunk in raw:
        if not chunk:
            continue
        if name not in ("gzip", "x-gzip", "deflate"):
            raise CallError(ErrorCode.NETWORK_ERROR, f"the answer is encoded as {name[:40]!r}, which is unknown here")
        if inflater is None:
            inflater = _Inflater(bare=name == "deflate" and not _has_zlib_header(chunk))
        for piece in inflater.feed(chunk):
            yield piece
    if inflater is not None and not inflater.complete:
        raise CallError(ErrorCode.NETWORK_ERROR, "the compressed answer breaks off")


class _Inflater:
    """One compressed stream on its way; what follows its end is left alone."""

    def __init__(self, *, bare: bool) -> None:
        self._stream = zlib.decompressobj(_BARE if bare else _EITHER)

    @property
    def complete(self) -> bool:
        return self._stream.eof

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        rest = chunk
        while not self._stream.eof:
            try:
                piece = self._stream.decompress(rest, PIECE_BYTES)
            except zlib.error as error:
                raise CallError(ErrorCode.NETWORK_ERROR, "the compressed answer is broken") from error
            rest = self._stream.unconsumed_tail
            if piece:
                yield piece
            if not rest and len(piece) < PIECE_BYTES:  # a full piece may leave more inside the stream
                return


def _has_zlib_header(chunk: bytes) -> bool:
    return chunk[0] & 0x0F == 8 and (len(chunk) < 2 or (chunk[0] << 8 | chunk[1]) % 31 == 0)
