"""Values that outputs keep: read at any time, given once to who comes later, over restarts and sleep."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from cardloom.app import App, running
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode

from .conftest import CAP_S, Board, port


async def test_the_last_value_can_be_read_whichever_way_the_arrow_points(board: Board) -> None:
    keeper = await board.custom(port("out", "ns:text", retain=True))
    reader = await board.custom()
    await board.connect(reader, keeper)
    assert await reader.call("ports.read", **{"from": keeper.id, "port": "out"}) is None
    await keeper.emit("out", "one")
    await keeper.emit("out", "two")
    kept = await reader.call("ports.read", **{"from": keeper.id, "port": "out"})
    assert kept["data"] == "two"
    assert isinstance(kept["at"], int)


async def test_reading_takes_an_arrow_an_output_and_a_permission(board: Board) -> None:
    keeper = await board.custom(port("out", "ns:text", retain=True))
    reader = await board.custom()
    error = await reader.refused("ports.read", **{"from": keeper.id, "port": "out"})
    assert error.code is ErrorCode.NOT_CONNECTED
    await board.connect(keeper, reader)
    error = await reader.refused("ports.read", **{"from": keeper.id, "port": "other"})
    assert error.code is ErrorCode.NOT_FOUND
    todo = await board.add("todo", items=[{"text": "milk"}])
    await board.connect(todo, reader)
    error = await reader.refused("ports.read", **{"from": todo, "port": "items"})
    assert (error.code, error.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "cards.connected"})
    allowed = await board.custom(may=("cards.connected",))
    await board.connect(todo, allowed)
    kept = await allowed.call("ports.read", **{"from": todo, "port": "items"})
    assert [item["text"] for item in kept["data"]] == ["milk"]


async def test_a_card_joined_later_gets_the_value_once(board: Board) -> None:
    keeper = await board.custom(port("out", "ns:number", retain=True))
    await keeper.emit("out", 7)
    late = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(keeper, late)
    message = await late.message()
    assert (message["data"], message["sourceType"]) == ("7", "ns:number")
    await board.page.call("canvas.updateCard", cardId=late.id, title="renamed")
    await late.stop()
    await late.start()
    await board.page.call("canvas.disconnect", arrowId=arrow_id)
    await board.page.call("canvas.restore", workspaceId=board.id, cardIds=[], arrowIds=[arrow_id])
    await keeper.emit("out", 8)
    assert (await late.message())["data"] == "8"
    assert not late.messages()


async def test_a_card_that_connects_its_program_later_gets_the_value_then(board: Board) -> None:
    keeper = await board.custom(port("out", "ns:text", retain=True))
    sleeper = await board.custom(takes=(port("in", "ns:text"),), running=False)
    await board.connect(keeper, sleeper)
    assert await keeper.emit("out", "while you slept") == 0
    await sleeper.start()
    assert (await sleeper.message())["data"] == "while you slept"
    await sleeper.stop()
    await sleeper.start()
    await keeper.emit("out", "fresh")
    assert (await sleeper.message())["data"] == "fresh"


async def test_a_value_without_keeping_is_gone_for_who_comes_later(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    await sender.emit("out", "gone")
    late = await board.custom(takes=(port("in", "ns:text"),))
    await board.connect(sender, late)
    assert await late.call("ports.read", **{"from": sender.id, "port": "out"}) is None
    await sender.emit("out", "here")
    assert [message["data"] for message in [await late.message(), *late.messages()]] == ["here"]


async def test_a_built_in_card_joined_later_gets_the_value_too(board: Board) -> None:
    todo = await board.add("todo", items=[{"text": "milk"}, {"text": "bread", "status": "done"}])
    note = await board.add("note")
    await board.connect(todo, note)
    await board.until(lambda: board.content(note)["text"] == "- [ ] milk\n- [x] bread")


async def test_kept_values_survive_a_restart_and_are_not_given_again(settings: Settings, tmp_path: Path) -> None:
    async with running(settings) as app:
        folder = tmp_path / "project"
        folder.mkdir()
        workspace = await app.canvas.workspaces.create("Project", str(folder), create_folder=False)
        todo = await app.canvas.add_card(workspace.id, "todo", {"x": 0, "y": 0}, content={"items": [{"text": "milk"}]})
        note = await app.canvas.add_card(workspace.id, "note", {"x": 0, "y": 0})
        await app.canvas.connect(todo.id, note.id)
        await _until_text(app, note.id, "- [ ] milk")
    async with running(settings) as app:
        assert app.ports.ledger.kept_seqs()[(todo.id, "items")] > 0
        await app.catch_up.settle()
        await app.ports.deliver(note.id, "after")
        assert app.graph.card(note.id).content["text"] == "- [ ] milk\n\nafter"
        kept = await app.ports.ledger.kept(todo.id, "items")
        assert kept is not None
        assert "milk" in (kept.text or "")


async def test_a_value_over_the_limit_is_delivered_but_not_kept_and_the_journal_says_so(board: Board) -> None:
    keeper = await board.custom(port("out", "ns:text", retain=True))
    reader = await board.custom(takes=(port("in", "ns:text"),))
    await board.connect(keeper, reader)
    await keeper.emit("out", "small")
    await reader.message()
    assert await keeper.emit("out", "x" * (256 * 1024)) == 1
    await reader.message()
    assert await reader.call("ports.read", **{"from": keeper.id, "port": "out"}) is None
    marked = [entry for entry in await board.journal() if entry["kind"] == "retained"]
    assert [(entry["outcome"], entry["code"], entry["to"]) for entry in marked] == [("refused", "TOO_LARGE", None)]
    assert await keeper.emit("out", "x" * (256 * 1024 - 2)) == 1
    assert await reader.call("ports.read", **{"from": keeper.id, "port": "out"}) is not None


async def test_drawing_an_arrow_to_a_terminal_runs_nothing(board: Board) -> None:
    note, terminal = await board.add("note", text="rm -rf something"), await board.add("terminal")
    witness = await board.add("note")
    await board.connect(note, terminal)
    await board.connect(note, witness)
    await board.until(board.entries)
    assert board.content(witness)["text"] == "rm -rf something"
    await board.app.catch_up.settle()
    assert [entry["to"] for entry in await board.journal()] == [witness]


async def test_a_full_disk_refuses_the_record_and_is_not_believed_to_hold_it(board: Board) -> None:
    keeper = await board.custom(port("out", "ns:text", retain=True))
    reader = await board.custom()
    await board.connect(reader, keeper)
    await keeper.emit("out", "before")
    seqs = dict(board.app.ports.ledger.kept_seqs())
    board.app.database.limit_pages(1)
    error = await keeper.refused("ports.emit", port="out", data="x" * 100_000)
    assert error.code is ErrorCode.UNAVAILABLE
    board.app.database.limit_pages(1 << 30)
    assert dict(board.app.ports.ledger.kept_seqs()) == seqs
    assert (await reader.call("ports.read", **{"from": keeper.id, "port": "out"}))["data"] == "before"


async def _until_text(app: App, card_id: Any, text: str) -> None:
    news = asyncio.Event()
    app.bus.listen("canvas.changed", lambda _event: news.set())
    async with asyncio.timeout(CAP_S):
        while app.graph.card(card_id).content["text"] != text:
            news.clear()
            await news.wait()
