"""One change, or one value, to fifty sockets: our whole server beside a bare broadcast."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import uvloop

from .processes import Running, bare, cardloom
from .report import Goal, Row, Table
from .sampling import Pairs, in_turns_async
from .socket_client import Caller, Socket, request

CONNECTIONS = 50
SENDERS = 5
OUTPUTS = 16
BYTES = 20_000
SERVERS = 4
ROUNDS = 5
CHANGES = 60
"""Calls of one sender a round; a connection may make 400 and then 200 a second."""
EMITS = 32
"""Emits of one sender a round, spread over its outputs; each of them may send 20 a second."""
GOAL = Goal("≥", 0.8, "ratio")
TEXT = f"""
A card is moved, or a card's program emits a text of {BYTES // 1000} KB, and {CONNECTIONS} WebSockets get the event.
{SENDERS} senders work beside each other, each with so many calls under way at once. Beside it: uvicorn with the same
settings and an application that sends texts of the same sizes on to as many sockets, and answers as long a text, with
the same client in the same run. Where a process lies in memory makes it faster or slower for as long as it lives, so
{SERVERS} of each are started, one after another, with {ROUNDS} rounds each. A rate is by the clock, from the first
call until the last event and the last answer are here; only what the server's main thread waited for a core is left
out, on both sides, and told beside it with that in ("by the whole clock"). A move is checked, committed to disk and
answered; an emit is checked, routed, and answered once the journal has what became of it at each of the {CONNECTIONS}
receivers. The bare application does none of that.
"""

Texts: TypeAlias = Callable[[int], str]
"""What a sender sends, given its number."""


@dataclass(slots=True)
class Crowd:
    """Sockets that send and others that receive, and the server at their other end."""

    server: Running
    senders: Sequence[Socket]
    receivers: Sequence[Socket]
    texts: Texts
    cpu_s: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    """What each round took, waiting for a core included."""

    async def events_per_second(self, calls: int, at_once: int) -> float:
        """Send so many texts from each sender; wait until every event and every answer is here."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        wanted = calls * len(self.senders) * (len(self.receivers) + 1)
        arrived = itertools.count(1)
        left = [calls] * len(self.senders)

        def take(_: bytes) -> None:
            if next(arrived) == wanted:
                done.set_result(None)

        def send_next(number: int) -> None:
            if left[number]:
                left[number] -= 1
                self.senders[number].send(self.texts(number))

        def take_answer(number: int, text: bytes) -> None:
            if b'"ok":false' in text and not done.done():
                done.set_exception(RuntimeError(text.decode()))
            send_next(number)
            take(text)

        for socket in self.receivers:
            socket.on_text = take
        for number, socket in enumerate(self.senders):
            socket.on_text = lambda text, number=number: take_answer(number, text)  # type: ignore[misc]
        cpu_s, waited_ms, started = self.server.cpu_s(), self.server.waited_ms(), time.perf_counter()
        for _ in range(at_once):
            for number in range(len(self.senders)):
                send_next(number)
        async with asyncio.timeout(60):
            await done
        whole_s = time.perf_counter() - started
        seconds = whole_s - (self.server.waited_ms() - waited_ms) / 1000
        self.whole_s.append(whole_s)
        self.cpu_s.append(self.server.cpu_s() - cpu_s)
        return calls * len(self.senders) * len(self.receivers) / seconds


def measure() -> Table:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return Table("Fan-out over WebSockets", TEXT, runner.run(_measure()))


async def _measure() -> list[Row]:
    found: defaultdict[str, Pairs] = defaultdict(lambda: Pairs([], []))
    for _ in range(SERVERS):
        with cardloom() as server, bare() as peer:
            for what, crowd_of, calls in (("move", _movers, CHANGES), ("20 KB text", _emitters, EMITS)):
                async with crowd_of(server) as ours, _bare_crowd(peer, await _sizes(ours)) as theirs:
                    for at_once in (1, 4):
                        name = f"{what}, {at_once} under way a sender"
                        found[name] += await _compare(ours, theirs, calls, at_once)
                        for what_else, mine, other in (
                            ("by the whole clock, an event", ours.whole_s, theirs.whole_s),
                            ("processor time an event", ours.cpu_s, theirs.cpu_s),
                        ):
                            found[f"{name}: {what_else}"] += _us_an_event(mine, other, calls)
    return [
        pairs.row(name, "µs", "bare broadcast") if ": " in name else pairs.row(name, "events/s", "bare broadcast", GOAL)
        for name, pairs in found.items()
    ]


async def _compare(ours: Crowd, theirs: Crowd, calls: int, at_once: int) -> Pairs:
    for crowd in (ours, theirs):
        crowd.cpu_s.clear()
        crowd.whole_s.clear()

    async def sample() -> float:
        rate = await ours.events_per_second(calls, at_once)
        await asyncio.sleep(calls / 200)  # what the limits take to forget this round
        return rate

    return await in_turns_async(sample, lambda: theirs.events_per_second(calls, at_once), ROUNDS)


def _us_an_event(ours: Sequence[float], theirs: Sequence[float], calls: int) -> Pairs:
    """Microseconds an event, of the rounds that count."""
    events = calls * SENDERS * CONNECTIONS
    mine, other = ([seconds / events * 1e6 for seconds in rounds[1:]] for rounds in (ours, theirs))
    return Pairs(mine, other, less_is_better=True)


async def _sizes(crowd: Crowd) -> str:
    """How long an event and an answer are, as the bare server's query."""
    sizes: dict[str, int] = {}
    both = asyncio.Event()

    def note(name: str, text: bytes) -> None:
        sizes[name] = len(text)
        if len(sizes) == 2:
            both.set()

    crowd.receivers[0].on_text = lambda text: note("event", text)
    crowd.senders[0].on_text = lambda text: note("reply", text)
    crowd.senders[0].send(crowd.texts(0))
    await both.wait()
    return f"event={sizes['event']}&reply={sizes['reply']}"


@asynccontextmanager
async def _bare_crowd(server: Running, sizes: str) -> AsyncIterator[Crowd]:
    senders = [await Socket.open(server.port, f"/send?{sizes}") for _ in range(SENDERS)]
    receivers = [await Socket.open(server.port, "/receive") for _ in range(CONNECTIONS)]
    yield Crowd(server, senders, receivers, lambda _: "x" * 120)
    _close(senders, receivers)


@asynccontextmanager
async def _movers(server: Running) -> AsyncIterator[Crowd]:
    """Pages that show one workspace, and clients that move a card each in it."""
    senders = [await Caller.owner(server.port, server.key) for _ in range(SENDERS)]
    receivers = [await Caller.owner(server.port, server.key) for _ in range(CONNECTIONS)]
    (workspace,) = (await senders[0].call("workspace.list"))["workspaces"]
    place = {"workspaceId": workspace["id"], "kind": "sticky", "y": 0}
    cards = [await sender.call("canvas.addCard", **place, x=300 * at) for at, sender in enumerate(senders)]
    for page in receivers:
        await page.call("canvas.subscribe", workspaceId=workspace["id"])
    ids = itertools.count(1000)

    def move(number: int) -> str:
        at = next(ids)
        return request("cardloom", at, "canvas.updateCard", {"cardId": cards[number]["id"], "x": at % 5000, "y": at})

    yield Crowd(server, _sockets(senders), _sockets(receivers), move)
    for card in cards:
        await Caller(senders[0].socket, "cardloom").call("canvas.removeCard", cardId=card["id"])
    _close(_sockets(senders), _sockets(receivers))


@asynccontextmanager
async def _emitters(server: Running) -> AsyncIterator[Crowd]:
    """Cards' programs that are joined to fifty others' each."""
    owner = await Caller.owner(server.port, server.key)
    (workspace,) = (await owner.call("workspace.list"))["workspaces"]
    outputs = [{"id": f"out{number}", "label": "Out", "type": "ns:text"} for number in range(OUTPUTS)]
    inputs = [{"id": "in", "label": "In", "type": "ns:text", "default": True}]
    runs = [await _run(owner, workspace["id"], {"outputs": outputs}) for _ in range(SENDERS)]
    peers = [await _run(owner, workspace["id"], {"inputs": inputs}) for _ in range(CONNECTIONS)]
    for sender in runs:
        for peer in peers:
            await owner.call("canvas.connect", a=sender["cardId"], b=peer["cardId"])
    senders = [await Caller.card(server.port, run["token"]) for run in runs]
    receivers = [await Caller.card(server.port, peer["token"]) for peer in peers]
    text = ("tests/test_checkout.py::test_pays_with_a_saved_card failed. " * BYTES)[:BYTES]
    turns: list[Iterator[int]] = [itertools.count(1000) for _ in senders]

    def emit(number: int) -> str:
        at = next(turns[number])
        return request("nscard", at, "ports.emit", {"port": f"out{at % OUTPUTS}", "data": text})

    await asyncio.sleep(1)  # until nobody is told of new peers any more
    yield Crowd(server, _sockets(senders), _sockets(receivers), emit)
    _close(_sockets(senders), _sockets(receivers), [owner.socket])


async def _run(owner: Caller, workspace_id: str, ports: dict[str, Any]) -> Any:
    manifest = {
        "manifestVersion": 1,
        "protocol": 1,
        "name": "bench-card",
        "displayName": "Bench",
        "version": "1.0.0",
        "description": "Sends or receives.",
        "author": {"name": "Cardloom"},
        "license": "MIT",
        "python": "card.py",
        "permissions": [{"id": "cards.connected", "reason": "It sends."}],
        "ports": ports,
    }
    return await owner.call("card.run", workspaceId=workspace_id, manifest=manifest, x=0, y=0)


def _sockets(callers: Sequence[Caller]) -> list[Socket]:
    return [caller.socket for caller in callers]


def _close(*groups: Sequence[Socket]) -> None:
    for group in groups:
        for socket in group:
            socket.close()
