"""A page opens a canvas of five hundred cards: the picture as the server gives it."""

from __future__ import annotations

import asyncio
import json
import time

import uvloop

from .canvases import filled
from .processes import Running, bare, cardloom
from .report import Goal, Row, Table
from .sampling import in_turns_async
from .socket_client import Caller, Socket

CARDS, ARROWS = 500, 600
ROUNDS = 15
GOAL = Goal("≤", 100)
TEXT = f"""
`canvas.subscribe` of {CARDS} cards and {ARROWS} arrows, from the call to the whole answer as text; a tenth of a second
still feels immediate. Beside it: the bare server, which has a text of that size ready and sends it. The second row is
what it takes to read the text as JSON here.
"""


def measure() -> Table:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return Table("Opening a large canvas", TEXT, runner.run(_measure()))


async def _measure() -> list[Row]:
    async with filled(CARDS, ARROWS) as folder:
        with cardloom(folder) as server, bare() as peer:
            return await _compare(server, peer)


async def _compare(server: Running, peer: Running) -> list[Row]:
    owner = await Caller.owner(server.port, server.key)
    (workspace,) = (await owner.call("workspace.list"))["workspaces"]
    picture = await owner.call("canvas.subscribe", workspaceId=workspace["id"])
    assert (len(picture["cards"]), len(picture["arrows"])) == (CARDS, ARROWS)
    text = json.dumps(picture, separators=(",", ":"), ensure_ascii=False)
    bare_socket = await Socket.open(peer.port, f"/send?reply={len(text)}")
    answered = asyncio.Event()
    bare_socket.on_text = lambda _: answered.set()

    async def subscribe() -> float:
        started = time.perf_counter()
        await owner.answer_of("canvas.subscribe", workspaceId=workspace["id"])
        return (time.perf_counter() - started) * 1000

    async def fetch() -> float:
        answered.clear()
        started = time.perf_counter()
        bare_socket.send("please")
        await answered.wait()
        return (time.perf_counter() - started) * 1000

    pairs = await in_turns_async(subscribe, fetch, ROUNDS, less_is_better=True)
    started = time.perf_counter()
    json.loads(text)
    read_ms = (time.perf_counter() - started) * 1000
    bare_socket.close()
    owner.socket.close()
    return [
        pairs.row(f"the picture, {len(text) / 1000:,.0f} KB", "ms", "bare server", GOAL),
        Row("reading its JSON in Python", read_ms, "ms"),
    ]
