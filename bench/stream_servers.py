"""Two servers of one event stream for many: the session protocol's, and Starlette's with a queue a client.

`python -m bench.stream_servers ours|starlette PORT`. Both send the same frames in the same bursts when told to go.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from cardloom.serving import uvicorn_config
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session import Capabilities, serialize_run_event
from cardloom_sdk.backend import BackendHost, HostLimits, Run, StoreSessions
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.testing.backends import ScriptedBackend

WORD = "a word or two of an answer "


class Talking(ScriptedBackend):
    """Says so many words in bursts; the run's text is `EVENTS BURST`, and it waits until it is told to go."""

    def __init__(self) -> None:
        super().__init__(talk)
        self.go = asyncio.Event()
        self.services = self

    async def capabilities(self) -> Capabilities:
        return {**await super().capabilities(), "services": {"bench": {"methods": ["go"], "streams": []}}}

    async def call(self, plugin: str, method: str, args: JsonValue = None) -> JsonValue:
        """Lets the run go on."""
        self.go.set()
        return None

    async def run(self, run: Run) -> None:
        self.go.clear()
        run.start()
        events, burst = map(int, str(run.given["text"]).split())
        message = run.message()
        text = message.text()
        await self.go.wait()
        for number in range(events):
            text.add(WORD)
            if number % burst == burst - 1:
                await asyncio.sleep(0)

    def stream(self, plugin: str, method: str, args: JsonValue = None) -> Any:
        raise NotImplementedError


async def talk(run: Run, sessions: StoreSessions) -> None:
    """Not used: `Talking` carries runs out itself."""


def ours() -> Any:
    """Everything is kept and nothing joined, so that every frame is delivered as it is."""
    limits = HostLimits(run_events=1 << 20, run_bytes=1 << 30, lag_events=1 << 20)
    return SessionApp(BackendHost(Talking(), limits=limits))


def starlette() -> Any:
    """The least that does it: a queue a client, and a response that sends what is put there."""
    queues: set[asyncio.Queue[bytes]] = set()
    event = {"type": "part_delta", "runId": "x" * 36, "messageId": "y" * 36, "part": 0, "delta": WORD}

    async def events(_: Request) -> StreamingResponse:
        queue: asyncio.Queue[bytes] = asyncio.Queue()

        async def frames() -> AsyncIterator[bytes]:
            queues.add(queue)
            yield b": open\n\n"
            while frame := await queue.get():
                yield frame
            queues.remove(queue)

        return StreamingResponse(frames(), media_type="text/event-stream")

    async def go(request: Request) -> PlainTextResponse:
        count, burst = int(request.query_params["events"]), int(request.query_params["burst"])
        for number in range(count):
            frame = serialize_run_event(event, id=f"{'x' * 36}:{number}").encode()
            for queue in queues:
                queue.put_nowait(frame)
            if number % burst == burst - 1:
                await asyncio.sleep(0)
        for queue in queues:
            queue.put_nowait(b"")
        return PlainTextResponse("")

    async def health(_: Request) -> PlainTextResponse:
        return PlainTextResponse("")

    routes = [Route("/events", events), Route("/go", go, methods=["POST"]), Route("/health", health)]
    return Starlette(routes=routes)


def main(which: str, port: int) -> None:
    """Serve on a loopback port until the process is ended."""
    config = uvicorn_config(ours() if which == "ours" else starlette())
    config.port = port
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(uvicorn.Server(config).serve())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
