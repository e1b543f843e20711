"""Downloads one file for the owner. Spec: cards, install; who asks is the owner, so any host may be named."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import WebAddress
from cardloom_protocol.limits import limit
from cardloom_protocol.package_tree import too_large

from .fetch import Fetcher, Outgoing


async def download(
    fetcher: Fetcher, url: str, into: Path, *, max_bytes: int, timeout_ms: int = limit("downloadMs")
) -> None:
    """Write what an address gives into a file.

    INVALID_PARAMS, HOST_NOT_ALLOWED: it is no address to download from; NOT_FOUND; TOO_LARGE; TIMEOUT; NETWORK_ERROR.
    """
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            await _download(fetcher, url, into, max_bytes)
    except TimeoutError:
        raise CallError(ErrorCode.TIMEOUT, f"downloading {url} took more than {timeout_ms // 1000} s") from None


async def _download(fetcher: Fetcher, url: str, into: Path, max_bytes: int) -> None:
    incoming = await fetcher.fetch(Outgoing("GET", url), _admit)
    try:
        if incoming.status in (404, 410):
            raise CallError(ErrorCode.NOT_FOUND, f"there is nothing at {url}")
        if incoming.status != 200:
            raise CallError(ErrorCode.NETWORK_ERROR, f"{url} answered {incoming.status}")
        size = 0
        with into.open("wb") as file:
            async for piece in incoming.pieces():
                size += len(piece)
                if size > max_bytes:
                    raise too_large(f"{url} gives more than {max_bytes} bytes")
                file.write(piece)
    finally:
        await incoming.close()


def _admit(address: WebAddress) -> bool:
    """Lets https pass, and http on this computer; a login in an address would end up where it can be read."""
    if address.has_login:
        raise CallError(ErrorCode.INVALID_PARAMS, "an address must not hold a name or a password", [])
    if address.scheme != "https" and not (address.scheme == "http" and address.is_local):
        raise CallError(ErrorCode.HOST_NOT_ALLOWED, f"{address.host} can only be asked over https")
    return True
