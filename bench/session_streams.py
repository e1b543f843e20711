"""One run's event stream to two hundred clients: the session protocol beside a bare Starlette stream."""

from __future__ import annotations

import asyncio
import http.client
import json
from dataclasses import dataclass
from typing import Any, cast

import uvloop

from .processes import CAP_S, Running, served
from .report import Goal, Row, Table
from .sampling import Pairs, in_turns_async

CLIENTS = 200
ROUNDS = 5
EVENTS = {1: 500, 20: 3000}
"""Pieces of a run by how many come at once: enough to be measured, few enough for the peer."""
TEXT = f"""
A run of {EVENTS[1]:,} pieces of text, or {EVENTS[20]:,} in bursts, some 200 bytes each as a frame, followed by
{CLIENTS} clients. A delivery is one frame at one client; rates are those of a second of the server's processor time.
Joining pieces for clients that fall behind is switched off, so that every frame is sent as it is. Beside it: uvicorn
with the same settings and a Starlette application with a queue and a `StreamingResponse` a client. The last row has one
more client that does not read at all; beside it the same run without that client.
"""


@dataclass(frozen=True, slots=True)
class Frames:
    """How many frames a client gets: before the pieces, the pieces, and after them."""

    before: int
    events: int
    after: int


class Stream(asyncio.Protocol):
    """Counts the frames of one stream."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._last = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass

    def data_received(self, data: bytes) -> None:
        straddles = self._last == b"\n" and data.startswith(b"\n")
        self._last = data[-1:]
        self._tally.add(data.count(b"\n\n") + straddles)


class Tally:
    """How many frames have come, and who waits for how many."""

    def __init__(self) -> None:
        self._count = 0
        self._wanted = 0
        self._reached: asyncio.Future[None] | None = None

    def add(self, frames: int) -> None:
        self._count += frames
        if self._reached is not None and self._count >= self._wanted and not self._reached.done():
            self._reached.set_result(None)

    async def reach(self, frames: int) -> None:
        """Waits until so many frames came."""
        self._wanted, self._reached = frames, asyncio.get_running_loop().create_future()
        self.add(0)
        async with asyncio.timeout(CAP_S):
            await self._reached


class Ours:
    """A run of the session protocol and its followers."""

    def __init__(self, server: Running, burst: int, *, slow: int = 0) -> None:
        self._server = server
        self._burst = burst
        self._slow = slow

    async def deliveries_per_second(self) -> float:
        """One run to its end."""
        session = _post(self._server, "/sessions", {})["id"]
        run = _post(self._server, f"/sessions/{session}/runs", {"text": f"{EVENTS[self._burst]} {self._burst}"})[
            "runId"
        ]
        path = f"/runs/{run}/events"
        idle = [await _open(self._server, path, Tally()) for _ in range(self._slow)]
        for stream in idle:
            stream.transport.pause_reading()
        frames = Frames(before=4, events=EVENTS[self._burst], after=3)
        rate = await _rate(self._server, path, lambda: _post(self._server, "/services/bench/go", {}), frames)
        for stream in idle:
            stream.transport.abort()
        return rate


class Bare:
    """The bare stream and its clients."""

    def __init__(self, server: Running, burst: int) -> None:
        self._server = server
        self._frames = Frames(before=1, events=EVENTS[burst], after=0)
        self._path = f"/go?events={EVENTS[burst]}&burst={burst}"

    async def deliveries_per_second(self) -> float:
        """One stream to its end."""
        return await _rate(self._server, "/events", lambda: _post(self._server, self._path, {}), self._frames)


async def _rate(server: Running, path: str, go: Any, frames: Frames) -> float:
    tally = Tally()
    streams = [await _open(server, path, tally) for _ in range(CLIENTS)]
    await tally.reach(CLIENTS * frames.before)
    cpu_s = server.cpu_s()
    going = asyncio.create_task(asyncio.to_thread(go))
    await tally.reach(CLIENTS * (frames.before + frames.events + frames.after))
    seconds = server.cpu_s() - cpu_s
    await going
    for stream in streams:
        stream.transport.abort()
    return CLIENTS * frames.events / seconds


async def _open(server: Running, path: str, tally: Tally) -> Stream:
    loop = asyncio.get_running_loop()
    _, stream = await loop.create_connection(lambda: Stream(tally), "127.0.0.1", server.port)
    stream.transport.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    return stream


def _post(server: Running, path: str, body: Any) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=CAP_S)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse().read()
        return json.loads(answer)["data"] if answer else None
    finally:
        connection.close()


def measure() -> Table:
    return asyncio.Runner(loop_factory=uvloop.new_event_loop).run(_measure())


async def _measure() -> Table:
    rows: list[Row] = []
    with served("bench.stream_servers", "ours") as ours, served("bench.stream_servers", "starlette") as bare:
        for burst in EVENTS:
            mine, theirs = Ours(ours, burst), Bare(bare, burst)
            pairs: Pairs = await in_turns_async(mine.deliveries_per_second, theirs.deliveries_per_second, ROUNDS)
            what = "one piece at a time" if burst == 1 else f"{burst} pieces at once"
            rows.append(pairs.row(what, "deliveries/s", "Starlette", Goal("≥", 50_000)))
        with_slow, without = Ours(ours, 20, slow=1), Ours(ours, 20)
        slow = await in_turns_async(with_slow.deliveries_per_second, without.deliveries_per_second, ROUNDS)
        rows.append(slow.row("one client does not read", "deliveries/s", "all read", Goal("≥", 0.9, "ratio")))
    return Table("Following a run", TEXT, rows)
