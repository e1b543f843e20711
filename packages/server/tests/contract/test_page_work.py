"""What cards ask of the page: menus, a look at another card, the clipboard. Spec: cards, methods; decisions 12, 42."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId

from .conftest import Actor, started

ITEMS = [
    {"id": "one", "label": "First", "icon": "bolt"},
    {"id": "two", "label": "Second", "tone": "danger", "disabled": True},
]
CLIPBOARD = ["clipboard.write"]


# ui.setMenu


async def test_a_choice_from_a_cards_menu_reaches_the_card(desk: Any) -> None:
    card = await desk.enter()
    assert await desk.page.call("card.menu", cardId=card.id) == {"items": []}
    assert await card.call("ui.setMenu", items=ITEMS) is None
    assert await desk.page.call("card.menu", cardId=card.id) == {"items": ITEMS}
    await desk.page.call("card.chooseMenu", cardId=card.id, itemId="one")
    assert await card.event("ui.menu") == {"id": "one"}


@pytest.mark.parametrize("item_id", ["two", "three"])
async def test_what_is_disabled_or_not_there_cannot_be_chosen(desk: Any, item_id: str) -> None:
    card = await desk.enter()
    await card.call("ui.setMenu", items=ITEMS)
    refusal = await desk.page.refused("card.chooseMenu", cardId=card.id, itemId=item_id)
    assert refusal.code is ErrorCode.NOT_FOUND
    assert card.client.events == []


async def test_a_menu_is_replaced_whole_and_goes_with_the_program(desk: Any) -> None:
    card = await desk.enter()
    await card.call("ui.setMenu", items=ITEMS)
    await card.call("ui.setMenu", items=ITEMS[:1])
    assert (await desk.page.call("card.menu", cardId=card.id))["items"] == ITEMS[:1]
    card.vanish()
    assert (await desk.page.call("card.menu", cardId=card.id))["items"] == []
    assert (await desk.page.refused("card.menu", cardId="c_none")).code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    "items",
    [
        [{"id": f"i{number}", "label": "x"} for number in range(13)],
        [{"id": "a", "label": "x"}, {"id": "a", "label": "y"}],
        [{"id": "a", "label": "x", "icon": "dragon"}],
        [{"id": "a", "label": ""}],
    ],
)
async def test_a_menu_that_does_not_fit_changes_nothing(desk: Any, items: list[dict[str, Any]]) -> None:
    card = await desk.enter()
    await card.call("ui.setMenu", items=ITEMS)
    assert (await card.refused("ui.setMenu", items=items)).code is ErrorCode.INVALID_PARAMS
    assert (await desk.page.call("card.menu", cardId=card.id))["items"] == ITEMS


@pytest.mark.usefixtures("standing_clock")
async def test_thirty_menus_a_minute_are_enough(desk: Any) -> None:
    card = await desk.enter()
    for _ in range(30):
        await card.call("ui.setMenu", items=[])
    assert (await card.refused("ui.setMenu", items=[])).code is ErrorCode.RATE_LIMITED


# card.focus


@pytest.mark.usefixtures("standing_clock")
async def test_a_card_brings_another_one_into_view_on_one_page(desk: Any, clients: Any) -> None:
    card, note = await desk.enter(), await desk.add("note")
    other = await clients.page()
    await card.show()
    assert await card.call("card.focus", cardId=note) is None
    assert await desk.page.event("canvas.focus") == {"workspaceId": desk.id, "cardId": note}
    assert [name for name, _ in other.events if name == "canvas.focus"] == []
    refusal = await card.refused("card.focus", cardId=note)
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 5000


async def test_focus_needs_the_card_on_screen(desk: Any) -> None:
    card, note = await desk.enter(), await desk.add("note")
    assert (await card.refused("card.focus", cardId=note)).code is ErrorCode.NOT_VISIBLE


async def test_cards_of_other_workspaces_do_not_exist_for_focus(desk: Any, tmp_path: Any) -> None:
    (tmp_path / "elsewhere").mkdir()
    elsewhere = await desk.page.call("workspace.create", name="Elsewhere", path=str(tmp_path / "elsewhere"))
    there = await desk.page.call("canvas.addCard", workspaceId=elsewhere["id"], kind="note", x=0, y=0)
    card = await desk.enter()
    await card.show()
    assert (await card.refused("card.focus", cardId=there["id"])).code is ErrorCode.NOT_FOUND
    assert [name for name, _ in desk.page.events if name == "canvas.focus"] == []


# clipboard.writeText


async def enter(desk: Any) -> Actor:
    card: Actor = await desk.enter(permissions=CLIPBOARD)
    await card.show()
    return card


@pytest.mark.usefixtures("standing_clock")
async def test_text_is_on_the_clipboard_once_the_page_says_so(desk: Any) -> None:
    card = await enter(desk)
    copying = await started(card.call("clipboard.writeText", text="npm test"))
    asked = await desk.page.event("clipboard.write")
    assert (asked["cardId"], asked["name"], asked["text"]) == (card.id, "Own Card", "npm test")
    assert not copying.done()
    await desk.page.call("clipboard.written", writeId=asked["writeId"], ok=True)
    assert await copying is None
    refusal = await card.refused("clipboard.writeText", text="again")
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 1000


async def test_a_browser_that_refuses_is_told_as_unavailable(desk: Any) -> None:
    card = await enter(desk)
    copying = await started(card.call("clipboard.writeText", text="x"))
    asked = await desk.page.event("clipboard.write")
    await desk.page.call("clipboard.written", writeId=asked["writeId"], ok=False, reason="not focused")
    with pytest.raises(Exception, match=r"UNAVAILABLE.*not focused"):
        await copying


async def test_a_page_that_says_nothing_is_unavailable_and_no_page_at_all_is_not_visible(desk: Any) -> None:
    card, other = await enter(desk), await desk.enter(permissions=CLIPBOARD)
    desk.app.contract.pages.clipboard_ms = 20
    refusal = await card.refused("clipboard.writeText", text="x")
    assert (refusal.code, "did not answer" in refusal.message) == (ErrorCode.UNAVAILABLE, True)
    await desk.page.close()
    refusal = await other.refused("clipboard.writeText", text="x")
    assert (refusal.code, refusal.message) == (ErrorCode.NOT_VISIBLE, "no page of Cardloom is open")


async def test_the_page_that_owns_the_frame_copies_and_no_other_may_answer_for_it(desk: Any, clients: Any) -> None:
    card = await enter(desk)
    owner = await clients.page()
    await desk.page.call("client.presence", workspaceId=desk.id, active=True)
    desk.app.presence.own(CardId(card.id), ConnectionId(owner.connection_id))
    copying = await started(desk.app.contract.pages.write_clipboard(CardId(card.id), "x"))
    asked = await owner.event("clipboard.write")
    refusal = await desk.page.refused("clipboard.written", writeId=asked["writeId"], ok=True)
    assert refusal.code is ErrorCode.NOT_FOUND
    await owner.call("clipboard.written", writeId=asked["writeId"], ok=True)
    await copying
    assert (await owner.refused("clipboard.written", writeId=asked["writeId"], ok=True)).code is ErrorCode.NOT_FOUND


async def test_the_clipboard_needs_its_permission(desk: Any) -> None:
    card = await desk.enter()
    refusal = await card.refused("clipboard.writeText", text="x")
    assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "clipboard.write"})


async def test_a_text_for_the_clipboard_has_a_million_characters_at_most(desk: Any) -> None:
    card = await enter(desk)
    refusal = await card.refused("clipboard.writeText", text="x" * (1024 * 1024 + 1))
    assert refusal.code in (ErrorCode.INVALID_PARAMS, ErrorCode.TOO_LARGE)
