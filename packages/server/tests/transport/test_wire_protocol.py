"""Whom the server's pings lose: a browser that answers none, and nobody who could not be heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from cardloom.serving import uvicorn_config
from cardloom.transport.wire_protocol import AbortableWebSocket

HANDSHAKE = (
    "GET /ws HTTP/1.1",
    "Host: 127.0.0.1:7420",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
)
BROWSER = (*HANDSHAKE, "Origin: http://127.0.0.1:7420")


class Timer:
    def __init__(self, at_s: float, work: Callable[[], None]) -> None:
        self.at_s = at_s
        self.work = work
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class SteppedLoop:
    """The running loop with a clock that a test moves."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._timers: list[Timer] = []
        self._running = asyncio.get_running_loop()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._running, name)

    def time(self) -> float:
        return self._now_s

    def call_later(self, delay_s: float, work: Callable[[], None]) -> Timer:
        timer = Timer(self._now_s + delay_s, work)
        self._timers.append(timer)
        return timer

    def go_on(self, seconds: float) -> None:
        """Let time pass, each timer when it is due."""
        end_s = self._now_s + seconds
        while due := [timer for timer in self._timers if not timer.cancelled and timer.at_s <= end_s]:
            self._fire(min(due, key=lambda timer: timer.at_s))
        self._now_s = end_s

    def stand_still(self, seconds: float) -> None:
        """Let time pass in which nothing of this process goes on: what was due meanwhile comes at once."""
        self._now_s += seconds
        for timer in [timer for timer in self._timers if not timer.cancelled and timer.at_s <= self._now_s]:
            self._fire(timer)

    def _fire(self, timer: Timer) -> None:
        self._timers.remove(timer)
        self._now_s = max(self._now_s, timer.at_s)
        timer.work()


class Wire:
    """The transport: what was written since the last look, and whether it was closed."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        if data:
            self.written.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, _name: str, default: Any = None) -> Any:
        return default

    def last_ping(self) -> bytes:
        """The payload of the last ping."""
        return next(data[2:] for data in reversed(self.written) if data[0] == 0x89)

    def pings(self) -> int:
        return sum(data[0] == 0x89 for data in self.written)


@asynccontextmanager
async def accepted(handshake: tuple[str, ...]) -> AsyncIterator[tuple[AbortableWebSocket, SteppedLoop, Wire]]:
    """A socket that an application took, whose clock stands until a test moves it."""
    taken = asyncio.Event()

    async def application(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        taken.set()
        assert (await receive())["type"] == "websocket.disconnect"

    config = uvicorn_config(application)
    config.load()
    state, loop, wire = ServerState(), SteppedLoop(), Wire()
    socket = AbortableWebSocket(config, state, {}, loop)
    socket.connection_made(wire)  # type: ignore[arg-type]
    socket.data_received("\r\n".join([*handshake, "", ""]).encode())
    await taken.wait()
    try:
        yield socket, loop, wire
    finally:
        socket.connection_lost(None)
        await asyncio.gather(*state.tasks)


def pong(payload: bytes) -> bytes:
    return Frame(Opcode.PONG, payload).serialize(mask=True)


async def test_a_browser_that_answers_is_asked_again_and_again() -> None:
    async with accepted(BROWSER) as (socket, loop, wire):
        for count in range(1, 6):
            loop.go_on(20)
            assert wire.pings() == count
            socket.data_received(pong(wire.last_ping()))
        assert not wire.closed


async def test_a_browser_that_answers_no_more_is_let_go_with_its_reason() -> None:
    async with accepted(BROWSER) as (_socket, loop, wire):
        loop.go_on(20 + 3 * 20)
        assert wire.closed
        assert b"ping timeout" in wire.written[-1]


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_browser_is_not_blamed_for_a_server_that_stood_still(times: int) -> None:
    async with accepted(BROWSER) as (socket, loop, wire):
        for _ in range(times):
            loop.go_on(20)
            loop.stand_still(60)
            assert not wire.closed
            socket.data_received(pong(wire.last_ping()))
        loop.go_on(20)
        assert not wire.closed


async def test_a_program_may_compute_for_hours_without_an_answer() -> None:
    async with accepted(HANDSHAKE) as (socket, loop, wire):
        loop.go_on(4 * 3600)
        assert not wire.closed
        assert wire.pings() > 100
        socket.data_received(pong(wire.last_ping()))
        loop.go_on(40)
        assert not wire.closed
