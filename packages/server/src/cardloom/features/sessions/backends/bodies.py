"""Reading the bodies of other servers' answers, none of them without an end."""

from __future__ import annotations

from typing import Final

import httpx

MAX_ANSWER_BYTES: Final = 64 << 20
MAX_ERROR_BYTES: Final = 64 << 10


class TooLarge(Exception):
    """A body that goes on beyond what is read."""


async def read_whole(response: httpx.Response, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """A body. `TooLarge` as soon as it is; the rest is not read."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > max_bytes:
            raise TooLarge
    return bytes(body)


async def read_start(response: httpx.Response, max_bytes: int = MAX_ERROR_BYTES) -> bytes:
    """The beginning of a body, as an error needs it."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= max_bytes:
            break
    return bytes(body[:max_bytes])
