"""An ASGI application on a port of the loopback, for as long as a block runs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import uvicorn

CAP_S = 60.0


class Served:
    """The address of a served application, and a way to break all its connections."""

    def __init__(self, url: str, server: uvicorn.Server) -> None:
        self.url = url
        self._server = server

    def break_connections(self) -> None:
        """Let every connection be gone, as if a network had failed."""
        for connection in list(self._server.server_state.connections):
            transport = getattr(connection, "transport", None)
            if transport is not None:
                transport.abort()


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[Served]:
    """Serve an application."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]  # signals are the test runner's
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with asyncio.timeout(CAP_S):
            while not server.started:  # noqa: ASYNC110 - it tells nobody when it has
                await asyncio.sleep(0.005)
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", server)
    finally:
        server.should_exit = True
        await task
        listener.close()
