"""The journal delivered again into a copy of the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from cardloom.core.graph import Graph
from cardloom.core.ids import new_item_id
from cardloom.core.records import Change
from cardloom.features.cards.builtin.service import BuiltinCards
from cardloom.features.ports.replay import Range, Replays
from cardloom.features.ports.stage import Stage
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import WorkspaceId

from .conftest import Board, port


async def replay(board: Board, **asked: Any) -> dict[str, Any]:
    result: dict[str, Any] = await board.page.call("journal.replay", workspaceId=board.id, **asked)
    return result


async def chain_of_cards(board: Board) -> dict[str, Any]:
    """A program that feeds a list, which a note and a board follow."""
    sender = await board.custom(port("tasks", "ns:tasks"), port("patch", "ns:task-patch"), may=("cards.connected",))
    todo, note, kanban = await board.add("todo"), await board.add("note"), await board.add("kanban")
    for target in (todo, kanban):
        await board.connect(sender, target)
    await board.connect(todo, note)
    return {"sender": sender, "todo": todo, "note": note, "kanban": kanban}


async def play(board: Board, cards: dict[str, Any]) -> None:
    """A short history: values, a hand edit, a refusal."""
    sender, todo, note = cards["sender"], cards["todo"], cards["note"]
    await sender.emit("tasks", [{"text": "one"}, {"text": "two", "id": "t2"}])
    await board.until(lambda: "- [ ] two" in board.content(note)["text"])
    await board.page.call("todo.edit", cardId=todo, op={"do": "add", "text": "by hand"})
    await board.until(lambda: "by hand" in board.content(note)["text"])
    await board.give(todo, "given")
    await board.until(lambda: "given" in board.content(note)["text"])
    await sender.emit("patch", {"ref": "t2", "status": "done"})
    await board.until(lambda: "- [x] two" in board.content(note)["text"])
    await sender.emit("patch", {"ref": "nothing like it"})


async def test_a_replay_of_everything_gives_the_same_results_in_a_closed_copy(board: Board) -> None:
    cards = await chain_of_cards(board)
    await play(board, cards)
    before = {name: board.content(cards[name]) for name in ("todo", "note", "kanban")}
    result = await replay(board)
    assert result["differences"] == []
    assert result["name"] == "Project (replay)"
    assert result["replayed"] == len(await board.journal())
    copy = await board.page.call("canvas.snapshot", workspaceId=result["workspaceId"])
    assert copy["workspace"]["open"] is False
    assert len(copy["cards"]) == 4
    assert len(copy["arrows"]) == 3
    assert not {card["id"] for card in copy["cards"]} & {cards["todo"], cards["note"], cards["kanban"]}
    contents = {card["kind"]: card["content"] for card in copy["cards"]}
    assert contents["note"]["text"] == before["note"]["text"]
    texts = [(item["text"], item["status"]) for item in before["todo"]["items"]]
    assert [(item["text"], item["status"]) for item in contents["todo"]["items"]] == texts
    assert board.content(cards["note"]) == before["note"]


async def test_the_copy_says_nothing_anew_when_it_is_opened(board: Board) -> None:
    cards = await chain_of_cards(board)
    await play(board, cards)
    result = await replay(board)
    await board.page.call("workspace.open", workspaceId=result["workspaceId"])
    await board.app.builtin_cards.flush()
    await board.app.catch_up.settle()
    copy = await board.page.call("canvas.snapshot", workspaceId=result["workspaceId"])
    note = next(card for card in copy["cards"] if card["kind"] == "note")
    assert note["content"] == board.content(cards["note"])


async def test_a_replay_tells_where_results_differ_after_the_canvas_changed(board: Board) -> None:
    cards = await chain_of_cards(board)
    await play(board, cards)
    await board.allow(cards["sender"], "cards.connected", granted=False)
    result = await replay(board)
    entries = {entry["id"]: entry for entry in await board.journal()}
    outcomes = [one for one in result["differences"] if one["field"] == "outcome"]
    first = outcomes[0]
    assert entries[first["entryId"]]["from"] == cards["sender"].id
    assert (first["recorded"], first["replayed"]) == ("accepted", "skipped")
    assert any(one["field"] == "value" for one in result["differences"])


async def test_a_replay_of_a_part_begins_where_the_cards_stood_then(board: Board) -> None:
    cards = await chain_of_cards(board)
    await play(board, cards)
    entries = await board.journal()
    given = next(entry for entry in entries if entry["from"] == "owner")
    result = await replay(board, fromId=given["id"])
    assert result["differences"] == []
    result = await replay(board, fromId=given["id"], toId=given["id"])
    assert result["replayed"] == 1
    copy = await board.page.call("canvas.snapshot", workspaceId=result["workspaceId"])
    todo = next(card for card in copy["cards"] if card["kind"] == "todo")
    assert [item["text"] for item in todo["content"]["items"]] == ["one", "two", "by hand", "given"]


async def test_programs_take_no_part_and_their_absence_is_taken_from_the_record(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    relay = await board.custom(port("out", "ns:text"), takes=(port("in", "ns:text"),), may=("cards.connected",))
    asleep = await board.custom(takes=(port("in", "ns:text"),), running=False)
    note = await board.add("note")
    for a, b in ((sender, relay), (sender, asleep), (relay, note)):
        await board.connect(a, b)
    await sender.emit("out", "ping")
    await relay.message()
    await relay.emit("out", "pong")
    result = await replay(board)
    assert (result["differences"], result["replayed"]) == ([], 3)
    assert not relay.messages()


async def test_each_value_is_taken_in_at_its_recorded_time(board: Board) -> None:
    note = await board.add("note")
    for text in ("one", "two", "three"):
        await board.give(note, text)
    app = board.app
    moments: list[int] = []

    def on_stage(stage: Stage) -> BuiltinCards:
        async def commit(
            workspace_id: WorkspaceId, make: Callable[[Graph], Sequence[Change]], by: str | None = None, /
        ) -> None:
            moments.append(stage.clock.now_ms())
            await stage.commit(workspace_id, make, by)

        return BuiltinCards(stage.graph, commit, stage.emit, stage.is_said, stage.clock, new_item_id)

    replays = Replays(app.graph, app.grants, app.ports_store, app.clock, on_stage, app.canvas.add_copy)
    await replays.run(board.id, Range())
    taken_in_ms = [entry["atMs"] for entry in await board.journal() if entry["to"] == note]
    assert len(taken_in_ms) == 3
    assert moments[-3:] == taken_in_ms  # before them the note was put back to what it was


async def test_an_empty_range_and_one_too_large_are_refused(board: Board) -> None:
    error = await board.page.refused("journal.replay", workspaceId=board.id)
    assert error.code is ErrorCode.INVALID_PARAMS
    note = await board.add("note")
    await board.give(note, "x")
    await board.give(note, "y")
    app = board.app

    def none_needed(_stage: Stage) -> BuiltinCards:
        raise AssertionError("nothing is played")

    small = Replays(app.graph, app.grants, app.ports_store, app.clock, none_needed, app.canvas.add_copy, max_entries=1)
    with pytest.raises(CallError, match="replayEntries"):
        await small.run(board.id, Range())
