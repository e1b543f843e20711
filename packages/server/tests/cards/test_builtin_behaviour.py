"""Built-in cards on a canvas: edited by people, fed by values, heard at their outputs."""

from __future__ import annotations

import asyncio
from typing import Any

from cardloom.core.call import Cause
from cardloom.core.clock import VirtualClock
from cardloom.core.graph import Graph
from cardloom.core.ids import new_item_id
from cardloom.core.records import Card, PutCard, PutWorkspace, Workspace
from cardloom.features.cards.builtin.service import BuiltinCards
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, ChainId, WorkspaceId
from cardloom_protocol.jstext import JsonValue

HOME, LIST = WorkspaceId("w_1"), CardId("c_1")


async def add(page: Any, workspace_id: str, kind: str, **content: Any) -> str:
    card = await page.call("canvas.addCard", workspaceId=workspace_id, kind=kind, x=0, y=0, content=content)
    return str(card["id"])


async def test_a_note_edited_from_an_old_revision_gives_both_texts_and_loses_none(page: Any, workspace_id: str) -> None:
    note = await add(page, workspace_id, "note", text="base")
    first = await page.call("note.edit", cardId=note, baseRevision=0, text="mine")
    assert first == {"revision": 1, "text": "mine"}
    answer = await page.call("note.edit", cardId=note, baseRevision=0, text="yours")
    assert answer == {"conflict": {"revision": 1, "text": "mine"}}
    assert await page.call("note.edit", cardId=note, baseRevision=0, text="mine") == first
    assert await page.call("note.edit", cardId=note, baseRevision=1, text="yours") == {"revision": 2, "text": "yours"}


async def test_an_edit_is_seen_by_the_other_pages_and_names_its_page(
    clients: Any, page: Any, workspace_id: str
) -> None:
    other = await clients.page()
    todo = await add(page, workspace_id, "todo")
    await other.call("canvas.subscribe", workspaceId=workspace_id)
    answer = await page.call("todo.edit", cardId=todo, op={"do": "add", "text": "milk"})
    assert answer["revision"] == 1
    changed = await other.event("canvas.changed")
    assert changed["by"] == page.welcome["pageId"]
    (change,) = changed["changes"]
    assert change["op"] == "patchCard"
    assert change["fields"] == {"content": {"items": answer["items"]}, "revision": 1}


async def test_a_step_that_changes_nothing_announces_nothing(page: Any, workspace_id: str) -> None:
    todo = await add(page, workspace_id, "todo", items=[{"text": "milk"}])
    snapshot = await page.call("canvas.subscribe", workspaceId=workspace_id)
    answer = await page.call("todo.edit", cardId=todo, op={"do": "clearDone"})
    assert answer["revision"] == 0
    assert (await page.call("canvas.snapshot", workspaceId=workspace_id))["seq"] == snapshot["seq"]


async def test_editing_a_card_as_another_kind_or_one_that_is_gone_is_refused(page: Any, workspace_id: str) -> None:
    note = await add(page, workspace_id, "note")
    error = await page.refused("todo.edit", cardId=note, op={"do": "clearDone"})
    assert error.code is ErrorCode.INVALID_PARAMS
    await page.call("canvas.removeCard", cardId=note)
    assert (await page.refused("note.edit", cardId=note, baseRevision=0, text="x")).code is ErrorCode.NOT_FOUND


async def test_a_board_and_a_sticky_are_edited(page: Any, workspace_id: str) -> None:
    kanban = await add(page, workspace_id, "kanban")
    answer = await page.call("kanban.edit", cardId=kanban, op={"do": "addTask", "text": "plan"})
    assert answer["tasks"][0]["column"] == answer["columns"][0]["id"]
    error = await page.refused("kanban.edit", cardId=kanban, op={"do": "addTask", "text": "x", "column": "nowhere"})
    assert error.code is ErrorCode.NOT_FOUND
    sticky = await add(page, workspace_id, "sticky")
    card = await page.call("sticky.edit", cardId=sticky, title="Ship it", color="rose")
    assert (card["title"], card["name"], card["content"]) == ("Ship it", "Ship it", {"color": "rose"})


async def test_a_renamed_sticky_tells_its_words(app: Any, page: Any, workspace_id: str) -> None:
    sticky = await add(page, workspace_id, "sticky")
    note = await add(page, workspace_id, "note")
    await page.call("canvas.connect", a=sticky, b=note)
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    await page.call("canvas.updateCard", cardId=sticky, title="Ship it")

    def holds(data: Any) -> bool:
        fields = [change.get("fields", {}) for change in data["changes"] if change.get("cardId") == note]
        return any("Ship it" in found["content"]["text"] for found in fields if "content" in found)

    await page.event("canvas.changed", holds)


# Outputs in time


class Outputs:
    """A list whose output is heard by the test."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.clock = VirtualClock()
        self.said: list[tuple[Any, Cause | None]] = []
        self.heard = asyncio.Event()
        todo = Card(LIST, HOME, "todo", 0, 0, 1, 1, 0, 0, content={"items": []})
        self.graph.apply(HOME, [PutWorkspace(Workspace(HOME, "W", "/", 0)), PutCard(todo)])
        self.cards = BuiltinCards(
            self.graph, self.commit, self.emit, self.is_said, self.clock, new_item_id, per_second=100
        )

    async def commit(self, workspace_id: WorkspaceId, make: Any, _by: str | None = None) -> None:
        self.graph.apply(workspace_id, make(self.graph))

    async def emit(self, _card_id: CardId, _output: str, value: JsonValue, cause: Cause | None) -> int:
        self.said.append((value, cause))
        self.heard.set()
        return 0

    async def is_said(self, _card_id: CardId, _output: str, _value: JsonValue) -> bool:
        return False

    async def add(self, text: str, cause: Cause | None = None) -> None:
        def step(state: Any) -> Any:
            return type(state)({"items": [*state.content["items"], {"id": text, "text": text}]}, state.title)

        await self.cards._change(self.graph.card(LIST), step, None, cause)

    def texts(self) -> list[list[str]]:
        return [[item["text"] for item in value] for value, _ in self.said]


async def test_an_output_speaks_at_once_then_waits_and_says_the_last_state() -> None:
    outputs = Outputs()
    running = asyncio.create_task(outputs.cards.run())
    await outputs.add("a")
    await outputs.heard.wait()
    for text in "bcde":
        await outputs.add(text)
        await asyncio.sleep(0)
    assert outputs.texts() == [["a"]]
    outputs.heard.clear()
    outputs.clock.advance(10)
    await outputs.heard.wait()
    assert outputs.texts() == [["a"], ["a", "b", "c", "d", "e"]]
    running.cancel()


async def test_of_several_causes_the_deepest_goes_along() -> None:
    outputs = Outputs()
    deep, shallow = Cause(ChainId("h_1"), 7, 70), Cause(ChainId("h_2"), 2, 20)
    for text, cause in (("a", shallow), ("b", deep), ("c", shallow), ("d", None)):
        await outputs.add(text, cause)
    await outputs.cards.flush()
    assert [cause for _, cause in outputs.said] == [deep]


async def test_an_output_that_cannot_speak_speaks_at_the_next_change(caplog: Any) -> None:
    outputs = Outputs()

    async def broken(*_: Any) -> int:
        raise RuntimeError("no")

    hears, outputs.cards._emit = outputs.cards._emit, broken
    await outputs.add("a")
    await outputs.cards.flush()
    assert "could not speak" in caplog.text
    outputs.cards._emit = hears
    await outputs.add("b")
    await outputs.cards.flush()
    assert outputs.texts() == [["a", "b"]]
