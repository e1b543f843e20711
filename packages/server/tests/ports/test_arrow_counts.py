"""What an arrow counts, whoever looks and whatever else happens to it."""

from __future__ import annotations

from typing import Any

from cardloom.core.bus import Event, canvas_topic
from cardloom_protocol.ids import ArrowId

from .conftest import Board, port


def on_disk(board: Board, arrow_id: str) -> Any:
    """How many values passed along an arrow, as its row has it."""
    return board.app.database.reader.execute("SELECT passed FROM arrows WHERE id = ?", (arrow_id,)).get


async def test_values_of_several_outputs_to_the_same_cards_are_counted_together(board: Board) -> None:
    sender = await board.custom(port("one", "ns:text"), port("two", "ns:markdown"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(sender, receiver)
    await board.page.call("canvas.subscribe", workspaceId=board.id)
    for output in ("one", "two", "one", "two", "two"):
        assert await sender.emit(output, "x") == 1
    pulse = await board.page.event("arrow.activity", lambda data: data["arrows"][0]["stats"]["passed"] == 5)
    (arrow,) = pulse["arrows"]
    assert (arrow["arrowId"], arrow["outcome"], arrow["type"]) == (arrow_id, "accepted", "ns:markdown")


async def test_counts_go_on_where_nobody_looks_and_reach_the_disk(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(sender, receiver)
    assert not board.app.bus.is_followed(canvas_topic(board.id))
    for _ in range(3):
        await sender.emit("out", "x")
    await board.app.activity.store()
    assert on_disk(board, arrow_id) == 3
    snapshot = await board.page.call("canvas.snapshot", workspaceId=board.id)
    assert snapshot["arrows"][0]["stats"]["passed"] == 3


async def test_no_change_of_an_arrow_loses_what_it_counted(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(sender, receiver)
    await sender.emit("out", "one")
    await board.page.call("arrow.pause", arrowId=arrow_id)
    await sender.emit("out", "two")
    await board.page.call("arrow.resume", arrowId=arrow_id)
    await sender.emit("out", "three")
    await board.page.call("canvas.updateArrow", arrowId=arrow_id, direction="both")
    await sender.emit("out", "four")
    await board.app.activity.store()
    stats = board.app.graph.arrow(ArrowId(arrow_id)).stats
    assert (stats.passed, stats.dropped) == (3, 1)
    assert on_disk(board, arrow_id) == 3


async def test_outputs_that_reach_the_same_inputs_share_the_row_of_their_receivers(board: Board) -> None:
    outputs = (port("one", "ns:text"), port("two", "ns:text"), port("apart", "ns:number"))
    sender = await board.custom(*outputs, may=("cards.connected",))
    await board.allow(sender, "cards.connected")
    texts = await board.custom(takes=(port("text", "ns:text"), port("number", "ns:number")))
    note = await board.add("note")
    await board.connect(sender, texts)
    card = board.app.graph.card(sender.id)
    wiring = board.app.ports.wiring
    one, two, apart = (wiring.routes(card, output).row for output in card.outputs)
    assert one is two
    assert one.topics == ((("card", texts.id), 0),)
    assert apart is not one
    assert [named.id for named in apart.inputs] == ["number"]
    await board.connect(sender, note)
    assert wiring.routes(card, card.outputs[0]).row.topics is None  # a note has no program to hand it to


async def test_what_listens_by_name_hears_pulses_though_no_page_looks(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(sender, receiver)
    heard: list[Event] = []
    board.app.bus.listen("arrow.activity", heard.append)
    await sender.emit("out", "x")
    board.app.activity.show()
    assert [arrow["arrowId"] for event in heard for arrow in event.data["arrows"]] == [arrow_id]
