"""The least that a server can do with the same settings: uvicorn and an application of a few lines.

What comes in at `/send?event=N&reply=M` is sent on to all sockets at `/receive` as a text of N characters, then
answered with M characters. Without `event` there is only the answer.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from urllib.parse import parse_qs

import uvicorn
import uvloop

from cardloom.serving import uvicorn_config

_sends: list[Any] = []


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"{}"})
        return
    sizes = {name: int(values[0]) for name, values in parse_qs(scope["query_string"].decode()).items()}
    await receive()
    await send({"type": "websocket.accept"})
    if scope["path"] == "/receive":
        _sends.append(send)
        await receive()
        _sends.remove(send)
        return
    event, reply = "x" * sizes.get("event", 0), "x" * sizes["reply"]
    while (await receive())["type"] == "websocket.receive":
        for one in _sends if event else ():
            await one({"type": "websocket.send", "text": event})
        await send({"type": "websocket.send", "text": reply})


def main(port: int) -> None:
    """Serve on a loopback port until the process is ended."""
    config = uvicorn_config(app)
    config.port = port
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(uvicorn.Server(config).serve())


if __name__ == "__main__":
    main(int(sys.argv[1]))
