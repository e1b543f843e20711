"""Values that set off values: found, dropped, recorded, shown, and never allowed to run away."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom.core.call import Cause
from cardloom_protocol.ids import ChainId

from .conftest import CAP_S, Board, Program, port


async def echo(program: Program, times: int) -> None:
    """Send back what comes, as a program that does not think does."""
    for _ in range(times):
        message = await program.message()
        await program.emit("out", message["data"])


async def pair(board: Board) -> tuple[Program, Program, str]:
    ports: Any = {"takes": (port("in", "ns:text"),)}
    one = await board.custom(port("out", "ns:text"), **ports)
    two = await board.custom(port("out", "ns:text"), **ports)
    return one, two, await board.connect(one, two, "both")


async def test_two_programs_that_echo_each_other_stop_after_thirty_two_hops(board: Board) -> None:
    one, two, arrow_id = await pair(board)
    echoes = [asyncio.create_task(echo(program, 100)) for program in (one, two)]
    await one.emit("out", "hello")

    def looped() -> Any:
        return [entry for entry in board.entries() if entry["outcome"] == "loop"]

    (found,) = await board.until(looped)
    assert (found["kind"], found["hop"], found["arrowId"]) == ("loop", 32, arrow_id)
    accepted = [entry["hop"] for entry in board.entries() if entry["outcome"] == "accepted"]
    assert sorted(accepted) == list(range(32))
    for running in echoes:
        running.cancel()
    stats = await board.until(lambda: (arrow := board.app.graph.arrow(arrow_id)).stats.loops and arrow.stats)
    assert (stats.passed, stats.loops) == (32, 1)


async def test_a_sender_is_not_told_of_deliveries_that_were_dropped_as_a_loop(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    await board.connect(sender, receiver)
    cause = Cause(ChainId("h_deep"), 31)
    assert await board.app.ports.emit(sender.id, "out", "too deep", cause) == 0
    assert await board.app.ports.emit(sender.id, "out", "deep", Cause(ChainId("h_deep"), 30)) == 1
    assert (await receiver.message())["data"] == "deep"
    assert not receiver.messages()


@pytest.mark.usefixtures("standing_clock")
async def test_one_chain_delivers_two_hundred_values_a_second_and_no_more(board: Board) -> None:
    sender = await board.custom(port("out", "ns:number"))
    receivers = [await board.custom(takes=(port("in", "ns:number"),)) for _ in range(3)]
    for receiver in receivers:
        await board.connect(sender, receiver)
    cause = Cause(ChainId("h_busy"), 0)
    delivered = [await board.app.ports.emit(sender.id, "out", index, cause) for index in range(70)]
    assert sum(delivered) == 200
    assert delivered[-1] == 0
    await board.app.database.flush()
    loops = [entry for entry in board.entries() if entry["outcome"] == "loop"]
    assert len(loops) == 10


async def test_two_lists_that_feed_each_other_come_to_rest(board: Board) -> None:
    one, two = await board.add("todo"), await board.add("todo")
    await board.connect(one, two, "both")
    await board.page.call("todo.edit", cardId=one, op={"do": "add", "text": "x"})

    def ends() -> list[Any]:
        return [entry for entry in board.entries() if entry["outcome"] in ("loop", "refused")]

    async with asyncio.timeout(CAP_S):
        while not ends():  # each list makes the other longer, and is told of it without waiting for its time
            await board.app.builtin_cards.flush()
            await board.app.database.flush()
    assert len(board.content(one)["items"]) <= 200
    quiet = len(board.entries())
    await board.app.builtin_cards.flush()
    await board.app.database.flush()
    assert len(board.entries()) == quiet
