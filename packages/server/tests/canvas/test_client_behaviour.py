"""What every client may do beside the canvas: codes, presence, preferences, questions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App, running
from cardloom.core.clock import VirtualClock
from cardloom.core.records import Card, PutCard
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId


async def test_a_new_code_opens_another_page_once(app: App, page: Any) -> None:
    url = (await page.call("client.newCode"))["url"]
    address, _, code = url.partition("/#code=")
    assert address == app.address.url
    assert app.doorkeeper.exchange(code) == app.owner_key
    assert app.doorkeeper.exchange(code) is None


async def test_a_cards_visibility_is_that_of_the_page_that_shows_it_best(
    app: App, clients: Any, page: Any, workspace_id: str
) -> None:
    other = await clients.page()
    told: list[tuple[str, str]] = []
    app.presence.listen(lambda card_id, seen: told.append((card_id, seen)))
    home = {"workspaceId": workspace_id, "active": True}
    await page.call("client.presence", **home, cards=[{"cardId": "c", "visibility": "overview"}])
    await other.call("client.presence", **home, cards=[{"cardId": "c", "visibility": "visible"}])
    await page.call("client.presence", **home)
    await other.close()
    await page.call("client.presence", workspaceId=None, active=False)
    assert told == [("c", "overview"), ("c", "visible"), ("c", "overview"), ("c", "hidden")]


async def test_a_toast_goes_to_the_page_that_was_active_last(
    app: App, clients: Any, page: Any, workspace_id: str
) -> None:
    other = await clients.page("p_two")
    await other.call("client.presence", workspaceId=workspace_id, active=True)
    await page.call("client.presence", workspaceId=workspace_id, active=True)
    await other.call("client.presence", workspaceId=workspace_id, active=False)
    last = app.presence.last_active(WorkspaceId(workspace_id))
    assert last is not None
    assert last.connection_id == page.connection_id


async def test_preferences_are_told_to_every_page_and_kept(clients: Any, page: Any) -> None:
    other = await clients.page()
    chosen = await page.call("preferences.set", scheme="dark", language="zh")
    assert chosen == {"scheme": "dark", "language": "zh"}
    assert await other.event("preferences.changed") == chosen
    assert await page.call("preferences.set") == chosen
    assert (await page.refused("preferences.set", scheme="pink")).code is ErrorCode.INVALID_PARAMS


async def test_the_first_answer_to_a_question_wins(app: App, clients: Any, page: Any, workspace_id: str) -> None:
    other = await clients.page()
    for client in (page, other):
        await client.call("canvas.subscribe", workspaceId=workspace_id)
    asking = asyncio.create_task(
        app.dialogs.ask("confirm", WorkspaceId(workspace_id), CardId("c"), "Sure?", {"why": "test"})
    )
    dialog = (await page.event("dialog.opened"))["dialog"]
    assert (dialog["title"], dialog["data"]) == ("Sure?", {"why": "test"})
    assert (await other.call("canvas.snapshot", workspaceId=workspace_id))["dialogs"] == [dialog]
    assert await page.call("dialog.answer", dialogId=dialog["id"], accepted=True) == {}
    late = await other.refused("dialog.answer", dialogId=dialog["id"], accepted=False)
    assert late.code is ErrorCode.NOT_FOUND
    assert await asking is True
    assert await other.event("dialog.closed") == {"dialogId": dialog["id"]}


async def test_a_notice_of_the_server_is_told_to_the_first_page_alone(app: App, clients: Any) -> None:
    app.notices.append("Mind the gap.")
    first = await clients.page()
    assert (await first.event("ui.toast"))["message"] == "Mind the gap."
    second = await clients.page()
    await second.call("workspace.list")
    assert second.events == []


async def test_a_canvas_larger_than_any_message_can_still_be_opened(app: App, page: Any, workspace_id: str) -> None:
    text = "é\n" * 450_000
    for _ in range(10):
        await app.canvas.add_card(workspace_id, "note", {"x": 0, "y": 0}, content={"text": text})
    snapshot = await page.call("canvas.subscribe", workspaceId=workspace_id)
    assert [card["content"]["text"] == text for card in snapshot["cards"]] == [True] * 10


async def test_a_full_workspace_says_which_limit_it_met(app: App, page: Any, workspace_id: str) -> None:
    home = WorkspaceId(workspace_id)
    cards = [
        Card(CardId(f"c{n}"), home, "sticky", 0, 0, 100, 100, n, 0, content={"color": "blue"}) for n in range(5000)
    ]
    await app.canvas.commit(home, lambda _: [PutCard(card) for card in cards])
    error = await page.refused("canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0)
    assert error.code is ErrorCode.QUOTA_EXCEEDED
    assert "workspaceCards" in error.message
    assert "5000" in error.message


async def test_what_was_removed_longer_ago_than_promised_is_kept_no_more(tmp_path: Path, clients_of: Any) -> None:
    clock = VirtualClock()
    settings = Settings(tmp_path / "data")
    day_ms = 86_400_000
    async with running(settings, clock) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="W", path=str(tmp_path)))["id"]
        old, new = [
            (await page.call("canvas.addCard", workspaceId=home, kind="note", x=0, y=0))["id"] for _ in range(2)
        ]
        await page.call("canvas.removeCard", cardId=old)
        clock.advance(20 * day_ms)
        await page.call("canvas.removeCard", cardId=new)
    clock.advance(11 * day_ms)
    async with running(replace(settings), clock) as app, clients_of(app) as clients:
        page = await clients.page()
        gone = await page.refused("canvas.restore", workspaceId=home, cardIds=[old, new], arrowIds=[])
        assert gone.code is ErrorCode.NOT_FOUND
        assert old in gone.message
        back = await page.call("canvas.restore", workspaceId=home, cardIds=[new], arrowIds=[])
        assert [card["id"] for card in back["cards"]] == [new]


@pytest.mark.parametrize("page_id", ["p_mine", None])
async def test_a_page_that_comes_back_keeps_its_id(clients: Any, page_id: str | None) -> None:
    page = await clients.page(page_id)
    assert page.welcome["pageId"] == page_id if page_id else page.welcome["pageId"].startswith("p_")
