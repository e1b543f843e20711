"""Event streams: first bytes at once, signs of life in silence, no client slows another or the run.

A stream ends when there is no more, when the client leaves, or when it does not read for too long. Spec: session
protocol, streams and back-pressure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from cardloom_protocol.session.limits import session_limit
from cardloom_protocol.session.services import ServiceEvent, service_error_event
from cardloom_protocol.session.sse import serialize_workspace_event

from ..log import Reader
from ..watching import Changes
from .asgi import Receive, Send

_COMMENT = b": alive\n\n"
_EVENT = b"event: heartbeat\ndata: {}\n\n"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


@dataclass(frozen=True, slots=True)
class StreamTimes:
    """How streams behave in time; tests set short ones."""

    heartbeat_ms: int = session_limit("heartbeatMs")
    write_ms: int = session_limit("writeMs")
    send_bytes: int = session_limit("sendBytes")


class Stream:
    """An open stream to one client. Inside `guarded`, a client that does not read in time ends it: TimeoutError.

    One timer watches the whole stream: a timer a write would cost as much as the write.
    """

    def __init__(self, send: Send, times: StreamTimes, *, heartbeat: str | None) -> None:
        self._send = send
        self._alive = _EVENT if heartbeat == "event" else _COMMENT
        self._loop = asyncio.get_running_loop()
        self._at = self._loop.time()
        self._is_writing = False
        self.times = times

    async def open(self) -> None:
        """Sends the first bytes."""
        await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.write(b"retry: %d\n: open\n\n" % session_limit("retryMs"))

    async def write(self, data: bytes) -> None:
        """Sends bytes."""
        self._at, self._is_writing = self._loop.time(), True
        await self._send({"type": "http.response.body", "body": data, "more_body": True})
        self._is_writing = False

    async def alive(self) -> None:
        """Sends a sign of life."""
        await self.write(self._alive)

    async def close(self) -> None:
        """Ends the stream."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    @asynccontextmanager
    async def guarded(self, on_quiet: Callable[[], None] | None = None) -> AsyncIterator[None]:
        """Ends the block with TimeoutError when a write takes too long; calls `on_quiet` when nothing was written."""
        quiet_s, write_s = self.times.heartbeat_ms / 1000, self.times.write_ms / 1000
        timer: asyncio.TimerHandle | None = None

        def look() -> None:
            nonlocal timer
            now, since = self._loop.time(), self._at
            if self._is_writing and now >= since + write_s:
                limit.reschedule(now)
                return
            if self._is_writing:
                timer = self._loop.call_at(since + write_s, look)
                return
            if on_quiet is not None and now >= since + quiet_s:
                on_quiet()
                since = now
            next_quiet = now + quiet_s if on_quiet is None else since + quiet_s
            timer = self._loop.call_at(min(next_quiet, now + write_s), look)

        async with asyncio.timeout(None) as limit:
            timer = self._loop.call_later(min(quiet_s, write_s), look)
            try:
                yield
            finally:
                timer.cancel()


async def send_run(stream: Stream, reader: Reader) -> None:
    """Sends a run to its end, or until the reader is told to leave."""
    async with stream.guarded(reader.nudge):
        await stream.open()
        max_bytes = stream.times.send_bytes
        while not (reader.is_done or reader.has_left):
            data = reader.take_bytes(max_bytes)
            if data:
                await stream.write(data)
            elif not await reader.wait() and not reader.has_left:
                await stream.alive()
    await stream.close()


async def send_changes(stream: Stream, changes: Changes) -> None:
    """Sends what changes in the workspace, for ever; first of all that everything may have."""
    async with stream.guarded():
        await stream.open()
        await stream.write(serialize_workspace_event({"type": "workspace_update", "paths": [""]}).encode())
        while not changes.is_closed:
            event = await changes.next(stream.times.heartbeat_ms)
            if event is not None:
                await stream.write(serialize_workspace_event(event).encode("utf-8", "replace"))
            elif not changes.is_closed:
                await stream.alive()


async def send_service(stream: Stream, events: AsyncIterator[ServiceEvent]) -> None:
    """Sends the events of a service; its failure is the last one. Raises what it fails with before the first."""
    first = await anext(events, None)
    async with stream.guarded():
        await stream.open()
        try:
            if first is not None:
                await stream.write(first.to_frame().encode())
                async for event in events:
                    await stream.write(event.to_frame().encode())
        except Exception as error:  # noqa: BLE001 - whatever a plug-in raises, its client is told
            await stream.write(service_error_event(error).to_frame().encode())
    await stream.close()


@asynccontextmanager
async def until_client_leaves(receive: Receive, on_leave: Callable[[], None]) -> AsyncIterator[None]:
    """Calls `on_leave` when the client goes away while the block runs."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        on_leave()

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
