"""The web that cards of a test reach, and a card that may fetch from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .web import Asked, Network, Witness, certificates

if TYPE_CHECKING:
    from .conftest import Actor

PUBLIC = "93.184.216.34"
API = "https://api.example.org"
NETWORK = {"id": "network", "hosts": ["api.example.org", "*.example.net", "other.example.org", "inside.example.org"]}
SETTINGS = [
    {"key": "token", "type": "secret", "label": "Token"},
    {"key": "other", "type": "secret", "label": "Other"},
    {"key": "plain", "type": "string", "label": "Plain", "default": "p"},
]


class Web:
    """Two servers, with TLS and without, that stand for every address; and what each name resolves to."""

    def __init__(self) -> None:
        self.secure, self.plain = Witness(), Witness()
        self.names: dict[str, list[str]] = {}
        self.network = Network(lambda port: self.secure.port if port in (443, 8443) else self.ports.get(port))
        self.ports: dict[int, int] = {}

    async def resolve(self, host: str) -> list[str]:
        if host not in self.names:
            raise OSError("unknown name")
        return self.names[host]

    @property
    def asked(self) -> list[Asked]:
        return [*self.secure.asked, *self.plain.asked]


@asynccontextmanager
async def the_web(desk: Any, folder: Path) -> AsyncIterator[Web]:
    """The web that this server's cards reach."""
    web = Web()
    for_server, for_client = certificates(folder)
    secure = await asyncio.start_server(web.secure.serve, "127.0.0.1", 0, ssl=for_server)
    plain = await asyncio.start_server(web.plain.serve, "127.0.0.1", 0)
    web.secure.port = secure.sockets[0].getsockname()[1]
    web.plain.port = plain.sockets[0].getsockname()[1]
    web.ports = {80: web.plain.port, web.plain.port: web.plain.port}
    for name in ("api.example.org", "other.example.org", "evil.example.net", "deep.evil.example.net"):
        web.names[name] = [PUBLIC]
    fetcher = desk.app.fetcher
    fetcher.resolve, fetcher.network, fetcher.trust = web.resolve, web.network, for_client
    yield web
    await fetcher.close()
    for server in (secure, plain):
        server.close()


async def enter(desk: Any, *permissions: Any, **more: Any) -> Actor:
    card: Actor = await desk.enter(permissions=list(permissions or (NETWORK,)), settings=SETTINGS, **more)
    return card
