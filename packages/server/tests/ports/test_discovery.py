"""Which cards are joined, what they take and give, and how a card hears of changes."""

from __future__ import annotations

from .conftest import Board, port


async def test_a_card_sees_its_own_ports(board: Board) -> None:
    card = await board.custom(
        port("out", "ns:text", label="Out", description="Says it.", retain=True), takes=(port("in", "ns:any"),)
    )
    described = await card.call("ports.describe")
    assert [one["id"] for one in described["inputs"]] == ["in"]
    assert described["outputs"][0] == {
        "id": "out",
        "label": "Out",
        "description": "Says it.",
        "type": "ns:text",
        "mode": "stream",
        "retain": True,
        "default": False,
    }


async def test_peers_tell_kind_name_direction_and_what_using_them_takes(board: Board) -> None:
    card = await board.custom(port("out", "ns:text"))
    note = await board.add("note")
    todo = await board.add("todo")
    other = await board.custom(takes=(port("in", "ns:text"),), name="other")
    await board.connect(card, note)
    await board.connect(todo, card)
    await board.connect(card, other, "both")
    peers = await card.call("ports.peers")
    assert [(peer["kind"], peer["direction"]) for peer in peers] == [
        ("note", "downstream"),
        ("todo", "upstream"),
        ("custom", "both"),
    ]
    assert peers[0]["name"] == "Note"
    assert peers[0]["inputs"][0]["permission"] == "cards.connected"
    assert (peers[2]["cardId"], peers[2]["type"], peers[2]["name"]) == (other.id, "other-2", "other")


async def test_a_connected_card_hears_of_new_gone_turned_and_renamed_peers(board: Board) -> None:
    card = await board.custom(port("out", "ns:text"))
    note = await board.add("note")
    arrow_id = await board.connect(card, note)
    peers = await card.client.event("ports.peersChanged")
    assert [peer["cardId"] for peer in peers] == [note]
    await board.page.call("canvas.updateArrow", arrowId=arrow_id, direction="both")
    assert (await card.client.event("ports.peersChanged"))[0]["direction"] == "both"
    await board.page.call("canvas.updateCard", cardId=note, title="Summary")
    assert (await card.client.event("ports.peersChanged"))[0]["name"] == "Summary"
    await board.page.call("canvas.disconnect", arrowId=arrow_id)
    assert await card.client.event("ports.peersChanged") == []


async def test_many_changes_at_once_are_told_once_and_none_is_told_for_nothing(board: Board) -> None:
    card = await board.custom(port("out", "ns:text"))
    notes = [await board.add("note") for _ in range(5)]
    for note in notes:
        await board.connect(card, note)
    peers = await card.client.event("ports.peersChanged", lambda peers: len(peers) == 5)
    assert [peer["cardId"] for peer in peers] == notes
    card.client.events.clear()  # on a busy machine the first arrows are told before the last ones are there
    await board.page.call("canvas.updateCard", cardId=notes[0], x=500)
    await board.page.call("canvas.updateCard", cardId=notes[0], title="moved")
    told = await card.client.event("ports.peersChanged")
    assert (len(told), told[0]["name"]) == (5, "moved")
    assert not [name for name, _ in card.client.events if name == "ports.peersChanged"]
