"""Bodies of HTTP answers: their compression undone, in pieces of a bounded size."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator

import pytest

from cardloom.host.body import PIECE_BYTES, decoded
from cardloom_protocol.errors import CallError, ErrorCode


async def pieces_of(data: bytes, encoding: str = "", cut: int = 1 << 20) -> list[bytes]:
    async def raw() -> AsyncIterator[bytes]:
        for start in range(0, len(data), cut):
            yield data[start : start + cut]

    return [piece async for piece in decoded(raw(), encoding)]


@pytest.mark.parametrize("cut", [1, 7, 1 << 20])
@pytest.mark.parametrize("encoding", ["gzip", " GZIP ", "x-gzip", "deflate", "bare", "", "identity"])
async def test_a_body_comes_out_whole_however_it_arrives(encoding: str, cut: int) -> None:
    plain = b"hello " * 1000 + bytes(range(256))
    bare = zlib.compressobj(wbits=-15)
    sent = {
        "deflate": zlib.compress(plain),
        "bare": bare.compress(plain) + bare.flush(),
        "": plain,
        "identity": plain,
    }.get(encoding, gzip.compress(plain))
    name = "deflate" if encoding == "bare" else encoding
    assert b"".join(await pieces_of(sent, name, cut)) == plain


async def test_no_piece_is_large_whatever_a_few_bytes_unfold_to() -> None:
    plain = bytes(20 * PIECE_BYTES + 3)
    pieces = await pieces_of(gzip.compress(plain), "gzip")
    assert max(map(len, pieces)) == PIECE_BYTES
    assert sum(map(len, pieces)) == len(plain)
    assert max(map(len, await pieces_of(plain))) == PIECE_BYTES


async def test_what_follows_the_end_of_the_compressed_stream_is_left_alone() -> None:
    assert b"".join(await pieces_of(gzip.compress(b"a") + b"rubbish", "gzip")) == b"a"


async def test_nothing_is_nothing_in_any_encoding() -> None:
    assert await pieces_of(b"", "br") == []


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"x", "br"), (b"x", "gzip, gzip"), (b"no gzip", "gzip"), (gzip.compress(b"a" * 99, mtime=0)[:-5], "gzip")],
)
async def test_what_cannot_be_undone_is_an_error(data: bytes, encoding: str) -> None:
    with pytest.raises(CallError) as refusal:
        await pieces_of(data, encoding)
    assert refusal.value.code is ErrorCode.NETWORK_ERROR
