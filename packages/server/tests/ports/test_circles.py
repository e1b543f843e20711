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


async def rest(board: Board) -> None:
    """Have built-in cards tell all they have to tell, until none has anything more, without waiting for its time."""
    async with asyncio.timeout(CAP_S):
        told = -1
        while told != len(board.entries()):
            told = len(board.entries())
            await board.app.builtin_cards.flush()
            await board.app.database.flush()


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
    await rest(board)
    assert board.content(one)["items"] == board.content(two)["items"]
    assert [item["text"] for item in board.content(two)["items"]] == ["x"]
    assert all(entry["outcome"] == "accepted" for entry in board.entries())


async def test_a_list_and_a_board_that_feed_each_other_show_the_same_tasks(board: Board) -> None:
    one, two = await board.add("todo"), await board.add("kanban")
    await board.connect(one, two, "both")
    for text in ("x", "y"):
        await board.page.call("todo.edit", cardId=one, op={"do": "add", "text": text})
    await rest(board)
    first, second = (task["id"] for task in board.content(two)["tasks"])
    columns = [column["id"] for column in board.content(two)["columns"]]
    op = {"do": "moveTask", "id": first, "column": columns[-1], "index": 0}
    await board.page.call("kanban.edit", cardId=two, op=op)
    await rest(board)
    await board.page.call("todo.edit", cardId=one, op={"do": "update", "id": second, "status": "done"})
    await rest(board)
    shown = {task["id"]: (task["text"], task["status"], task["column"]) for task in board.content(two)["tasks"]}
    assert shown == {first: ("x", "pending", columns[-1]), second: ("y", "done", columns[0])}
    assert [(item["id"], item["status"]) for item in board.content(one)["items"]] == [
        (first, "pending"),
        (second, "done"),
    ]
    assert all(entry["outcome"] == "accepted" for entry in board.entries())
