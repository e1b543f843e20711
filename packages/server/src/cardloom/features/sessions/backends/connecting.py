"""How we connect to backends over HTTP: a key goes to the address it was given for, or nowhere."""

from __future__ import annotations

from typing import Final

import httpx

CONNECT_S: Final = 10.0


def http_client(
    silence_s: float, connect_s: float = CONNECT_S, *, transport: httpx.AsyncBaseTransport | None = None
) -> httpx.AsyncClient:
    """A client without redirects, proxies and netrc; `silence_s` is how long an answer may pause.

    Every run holds a stream open, so there may be any number of connections.
    """
    return httpx.AsyncClient(
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(silence_s, connect=connect_s),
        limits=httpx.Limits(max_connections=None),
    )
