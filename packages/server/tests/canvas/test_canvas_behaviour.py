"""What the canvas promises, through the whole server in process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App, running
from cardloom.core.records import Card, PutCard, touched
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode


async def _add(page: Any, workspace_id: str, kind: str = "note", **more: Any) -> dict[str, Any]:
    card: dict[str, Any] = await page.call(
        "canvas.addCard", workspaceId=workspace_id, kind=kind, **{"x": 0, "y": 0, **more}
    )
    return card


async def test_hello_tells_what_the_server_can_do(page: Any) -> None:
    welcome = page.welcome
    assert welcome["protocol"] == 1
    assert "canvas.subscribe" in welcome["methods"]
    assert "agents.list" in welcome["methods"]
    assert "card.setTitle" not in welcome["methods"]
    assert "canvas.changed" in welcome["events"]
    assert welcome["limits"]["todoItems"] == 200
    assert welcome["preferences"] == {"scheme": "system", "language": "en"}


async def test_a_new_card_stands_in_front_with_its_kinds_content_and_ports(page: Any, workspace_id: str) -> None:
    note = await _add(page, workspace_id)
    todo = await _add(page, workspace_id, "todo", x=10, y=20, w=400, h=300, title="Mine")
    assert note["content"] == {"text": ""}
    assert [port["id"] for port in note["ports"]["inputs"]] == ["append", "replace"]
    assert (todo["x"], todo["y"], todo["w"], todo["h"], todo["title"], todo["name"]) == (
        10,
        20,
        400,
        300,
        "Mine",
        "Mine",
    )
    assert todo["z"] > note["z"]
    assert todo["ports"]["outputs"][0]["retain"] is True


async def test_a_new_board_has_columns_in_the_owners_language(page: Any, workspace_id: str) -> None:
    await page.call("preferences.set", language="ru")
    board = await _add(page, workspace_id, "kanban")
    assert [column["title"] for column in board["content"]["columns"]] == ["К выполнению", "В работе", "Готово"]


@pytest.mark.parametrize(
    ("kind", "content", "place"),
    [
        ("todo", {"items": [{"text": ""}]}, "content/items/0/text"),
        ("note", {"text": 3}, "content/text"),
        ("sticky", {"color": "mauve"}, "content/color"),
        ("terminal", {"shell": "rm -rf"}, "content/shell"),
        ("kanban", {"columns": [{"title": "A"}], "tasks": [{"text": "t", "column": "nope"}]}, "content/tasks/0/column"),
    ],
)
async def test_content_that_does_not_fit_is_refused_naming_the_place(
    page: Any, workspace_id: str, kind: str, content: dict[str, Any], place: str
) -> None:
    error = await page.refused("canvas.addCard", workspaceId=workspace_id, kind=kind, x=0, y=0, content=content)
    assert error.code is ErrorCode.INVALID_PARAMS
    assert place in error.message


async def test_two_pages_see_each_others_changes_and_who_made_them(clients: Any, page: Any, workspace_id: str) -> None:
    other = await clients.page("p_other")
    before = await page.call("canvas.subscribe", workspaceId=workspace_id)
    card = await _add(other, workspace_id)
    first = await page.event("canvas.changed")
    assert first["seq"] == before["seq"] + 1
    assert first["by"] == "p_other"
    assert first["changes"] == [{"op": "putCard", "card": card}]
    await other.call("canvas.updateCard", cardId=card["id"], x=5, title="Here")
    second = await page.event("canvas.changed")
    assert second["seq"] == first["seq"] + 1
    assert second["changes"] == [
        {"op": "patchCard", "cardId": card["id"], "fields": {"x": 5, "title": "Here", "name": "Here"}}
    ]


async def test_a_page_that_unsubscribed_hears_no_more(clients: Any, page: Any, workspace_id: str) -> None:
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    await page.call("canvas.unsubscribe", workspaceId=workspace_id)
    await _add(page, workspace_id)
    await page.call("workspace.list")
    assert [name for name, _ in page.events if name == "canvas.changed"] == []


async def test_many_cards_move_as_one_change_and_missing_ones_are_left_out(page: Any, workspace_id: str) -> None:
    cards = [await _add(page, workspace_id) for _ in range(3)]
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    places = [{"cardId": card["id"], "x": index * 100} for index, card in enumerate(cards, 1)]
    assert (
        await page.call("canvas.arrange", workspaceId=workspace_id, cards=[*places, {"cardId": "gone", "x": 1}]) == {}
    )
    change = await page.event("canvas.changed")
    assert [patch["fields"] for patch in change["changes"]] == [{"x": 100}, {"x": 200}, {"x": 300}]


async def test_cards_go_to_the_front_and_to_the_back(page: Any, workspace_id: str) -> None:
    one, two, three = [await _add(page, workspace_id) for _ in range(3)]
    front = await page.call("canvas.updateCard", cardId=one["id"], z="front")
    back = await page.call("canvas.updateCard", cardId=three["id"], z="back")
    assert back["z"] < two["z"] < front["z"]
    again = await page.call("canvas.updateCard", cardId=one["id"], z="front")
    assert again["z"] == front["z"]


async def test_a_copy_has_the_content_but_ids_of_its_own_and_no_arrows(page: Any, workspace_id: str) -> None:
    board = await _add(
        page,
        workspace_id,
        "kanban",
        content={"columns": [{"id": "k", "title": "K"}], "tasks": [{"id": "t", "text": "T", "column": "k"}]},
        title="Board",
    )
    note = await _add(page, workspace_id)
    await page.call("canvas.connect", a=board["id"], b=note["id"])
    copy = await page.call("canvas.duplicateCard", cardId=board["id"])
    assert (copy["title"], copy["w"], copy["h"]) == ("Board", board["w"], board["h"])
    (column,), (task,) = copy["content"]["columns"], copy["content"]["tasks"]
    assert (column["title"], task["text"], task["column"]) == ("K", "T", column["id"])
    assert column["id"] != "k"
    assert task["id"] != "t"
    snapshot = await page.call("canvas.snapshot", workspaceId=workspace_id)
    assert len(snapshot["arrows"]) == 1


async def test_an_arrow_to_the_card_itself_is_refused(page: Any, workspace_id: str) -> None:
    note = await _add(page, workspace_id)
    error = await page.refused("canvas.connect", a=note["id"], b=note["id"])
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_a_second_arrow_is_refused_naming_the_first_whichever_way_it_points(page: Any, workspace_id: str) -> None:
    a, b = await _add(page, workspace_id), await _add(page, workspace_id)
    arrow = await page.call("canvas.connect", a=a["id"], b=b["id"])
    for ends in ({"a": a["id"], "b": b["id"]}, {"a": b["id"], "b": a["id"]}):
        error = await page.refused("canvas.connect", **ends)
        assert error.code is ErrorCode.INVALID_PARAMS
        assert error.data == {"arrowId": arrow["id"]}


async def test_two_arrows_drawn_at_once_between_the_same_cards_become_one(
    clients: Any, page: Any, workspace_id: str
) -> None:
    other = await clients.page()
    a, b = await _add(page, workspace_id), await _add(page, workspace_id)
    outcomes = await asyncio.gather(
        page.call("canvas.connect", a=a["id"], b=b["id"]),
        other.call("canvas.connect", a=b["id"], b=a["id"]),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, dict) for outcome in outcomes) == 1
    assert len((await page.call("canvas.snapshot", workspaceId=workspace_id))["arrows"]) == 1


async def test_an_arrow_across_workspaces_is_refused(page: Any, workspace_id: str, tmp_path: Path) -> None:
    elsewhere = await page.call("workspace.create", name="Else", path=str(tmp_path / "else"), createFolder=True)
    a, b = await _add(page, workspace_id), await _add(page, elsewhere["id"])
    assert (await page.refused("canvas.connect", a=a["id"], b=b["id"])).code is ErrorCode.INVALID_PARAMS


async def test_a_turned_arrow_keeps_its_id_and_rank(page: Any, workspace_id: str) -> None:
    a, b = await _add(page, workspace_id), await _add(page, workspace_id)
    arrow = await page.call("canvas.connect", a=a["id"], b=b["id"])
    turned = await page.call("canvas.updateArrow", arrowId=arrow["id"], direction="both")
    assert turned == {**arrow, "direction": "both"}
    await page.call("canvas.disconnect", arrowId=arrow["id"])
    assert (await page.refused("canvas.disconnect", arrowId=arrow["id"])).code is ErrorCode.NOT_FOUND


async def test_unknown_ids_are_not_found_and_named(page: Any, workspace_id: str) -> None:
    for method, params in (
        ("canvas.subscribe", {"workspaceId": "w_no"}),
        ("canvas.updateCard", {"cardId": "c_no"}),
        ("canvas.removeCard", {"cardId": "c_no"}),
        ("canvas.connect", {"a": "c_no", "b": "c_no2"}),
        ("canvas.updateArrow", {"arrowId": "a_no"}),
        ("canvas.addCard", {"workspaceId": "w_no", "kind": "note", "x": 0, "y": 0}),
        ("canvas.restore", {"workspaceId": workspace_id, "cardIds": ["c_no", "\ud800"], "arrowIds": ["a_no"]}),
        ("dialog.answer", {"dialogId": "d_no", "accepted": True}),
    ):
        assert (await page.refused(method, **params)).code is ErrorCode.NOT_FOUND, method


async def test_half_a_character_reads_the_same_before_and_after_a_restart(
    settings: Settings, clients_of: Any, tmp_path: Path
) -> None:
    """Names have U+FFFD in its place from the beginning; contents keep it, as JSON does."""
    (tmp_path / "project").mkdir()

    async def read(page: Any, workspace_id: str) -> Any:
        shown = await page.call("canvas.snapshot", workspaceId=workspace_id)
        cards = [(card["title"], card["name"], card["content"]) for card in shown["cards"]]
        return shown["workspace"]["name"], cards

    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        workspace = await page.call("workspace.create", name="W \udc00", path=str(tmp_path / "project"))
        note = await _add(page, workspace["id"], content={"text": "a\ud83d"}, title="N \ud83d")
        todo = await _add(page, workspace["id"], "todo", content={"items": [{"text": "b\ude00"}]})
        await page.call("canvas.updateCard", cardId=todo["id"], title="T \ud83d\ude00 \udc00")
        await page.call("note.edit", cardId=note["id"], text="c\ud83d", baseRevision=0)
        before = await read(page, workspace["id"])
    async with running(settings) as app, clients_of(app) as clients:
        assert await read(await clients.page(), workspace["id"]) == before
    name, cards = before
    assert name == "W \ufffd"
    assert [title for title, _, _ in cards] == ["N \ufffd", "T \U0001f600 \ufffd"]
    assert cards[0][2]["text"] == "c\ud83d"
    assert cards[1][2]["items"][0]["text"] == "b\ude00"


async def test_undo_brings_cards_and_arrows_back_under_their_ids_with_their_content(
    page: Any, workspace_id: str
) -> None:
    note = await _add(page, workspace_id, content={"text": "kept"}, title="N")
    todo = await _add(page, workspace_id, "todo")
    arrow = await page.call("canvas.connect", a=note["id"], b=todo["id"], direction="both")
    removed = await page.call("canvas.removeCard", cardId=note["id"])
    assert removed == {"arrowIds": [arrow["id"]]}
    assert len((await page.call("canvas.snapshot", workspaceId=workspace_id))["cards"]) == 1
    back = await page.call("canvas.restore", workspaceId=workspace_id, cardIds=[note["id"]], arrowIds=[arrow["id"]])
    assert back == {"cards": [note], "arrows": [arrow], "restarted": []}
    again = await page.call("canvas.restore", workspaceId=workspace_id, cardIds=[note["id"]], arrowIds=[arrow["id"]])
    assert again == {"cards": [], "arrows": [], "restarted": []}


async def test_undo_of_a_removed_terminal_says_that_it_starts_anew(page: Any, workspace_id: str) -> None:
    terminal = await _add(page, workspace_id, "terminal")
    await page.call("canvas.removeCard", cardId=terminal["id"], force=True)
    back = await page.call("canvas.restore", workspaceId=workspace_id, cardIds=[terminal["id"]], arrowIds=[])
    assert back["restarted"] == [terminal["id"]]


async def test_undo_leaves_a_pair_alone_that_was_joined_anew_meanwhile(page: Any, workspace_id: str) -> None:
    a, b = await _add(page, workspace_id), await _add(page, workspace_id)
    old = await page.call("canvas.connect", a=a["id"], b=b["id"])
    await page.call("canvas.disconnect", arrowId=old["id"])
    new = await page.call("canvas.connect", a=b["id"], b=a["id"])
    back = await page.call("canvas.restore", workspaceId=workspace_id, cardIds=[], arrowIds=[old["id"]])
    assert back["arrows"] == []
    arrows = (await page.call("canvas.snapshot", workspaceId=workspace_id))["arrows"]
    assert [arrow["id"] for arrow in arrows] == [new["id"]]


async def test_removing_a_card_in_which_something_runs_needs_force(app: App, page: Any, workspace_id: str) -> None:
    sticky = await _add(page, workspace_id, "sticky")
    card = app.graph.card(sticky["id"])
    running_terminal = touched(card, kind="terminal", runtime={"status": "working"})
    app.graph.apply(card.workspace_id, [PutCard(running_terminal.card, ("runtime",))])
    assert (await page.refused("canvas.removeCard", cardId=sticky["id"])).code is ErrorCode.BUSY
    await page.call("canvas.removeCard", cardId=sticky["id"], force=True)
    assert app.graph.find_card(sticky["id"]) is None


async def test_a_restarted_server_shows_what_was_there(settings: Settings, clients_of: Any, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        workspace = await page.call("workspace.create", name="P", path=str(folder))
        note = await _add(page, workspace["id"], content={"text": "с\u2028\ud83d\ude00"}, title="half \ud83d")
        board = await _add(page, workspace["id"], "kanban", x=1.5)
        await page.call("canvas.subscribe", workspaceId=workspace["id"])
        await page.call("canvas.connect", a=note["id"], b=board["id"])
        await page.event("arrow.activity")  # the note's text has reached the board: nothing is on its way any more
        await page.call("preferences.set", scheme="light")
        before = await page.call("canvas.snapshot", workspaceId=workspace["id"])
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        after = await page.call("canvas.snapshot", workspaceId=workspace["id"])
        assert page.welcome["preferences"]["scheme"] == "light"
    by_id = {card["id"]: card for card in before["cards"]}
    assert by_id[note["id"]]["title"] == by_id[note["id"]]["name"] == "half \ufffd"
    assert {card["id"]: card for card in after["cards"]} == by_id
    assert after["arrows"] == before["arrows"]


async def test_a_listener_that_fails_undoes_nothing_and_stops_no_other(
    app: App, page: Any, workspace_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    async def fail(_: object) -> None:
        raise RuntimeError("listener")

    async def note_it(card: Card) -> None:
        told.append(card.id)

    app.canvas.listeners.card_added[:0] = [fail, note_it]
    note = await _add(page, workspace_id)
    assert app.graph.find_card(note["id"]) is not None
    assert told == [note["id"]]
    assert "RuntimeError: listener" in caplog.text
