"""The life of frames through the whole server: mounted in one page, asleep out of sight, awake when needed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from cardloom.features.cards.frames.service import Frames
from cardloom.features.cards.heartbeats import Heartbeats
from cardloom_protocol.ids import CardId

from .framing import Frame, brought_up, dial, write_frame

pytestmark = pytest.mark.usefixtures("listening")


@pytest.fixture(autouse=True)
def _at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only tests look at frames and let hearts beat: with small times a look in between would change what they see."""

    async def never(_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Frames, "run", never)
    monkeypatch.setattr(Heartbeats, "run", never)


@pytest.fixture
def package_id(shelf: Any) -> str:
    return write_frame(shelf.folder, "plain")


@pytest.fixture
async def card_id(desk: Any, package_id: str) -> str:
    return str(await desk.put(package_id))


async def shows(page: Any, desk: Any, **seen: str) -> None:
    """A page tells how it shows cards."""
    cards = [{"cardId": card_id, "visibility": visibility} for card_id, visibility in seen.items()]
    await page.call("client.presence", workspaceId=desk.id, active=True, cards=cards)


def soon(app: Any, **times: int) -> None:
    """Make the times of frames small."""
    app.cards.frames.times = replace(app.cards.frames.times, **times)


async def test_a_card_waits_for_a_page_and_runs_after_its_handshake(
    listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    waiting = {"kind": "frame", "status": "unmounted", "error": None, "pageId": None, "expanded": False}
    await desk.until(lambda: desk.runtime(card_id) == waiting)
    answer = await page.call("card.mount", cardId=card_id)
    mine = {**waiting, "pageId": page.welcome["pageId"]}
    assert desk.runtime(card_id) == {**mine, "status": "loading"}
    frame = await dial(listening, answer["token"])
    context = await frame.greet()
    await desk.until_status(card_id, "running")
    assert desk.runtime(card_id) == {**mine, "status": "running"}
    assert context["instance"]["instanceId"] == card_id
    assert (context["launch"], context["expanded"]) == ("created", False)
    await frame.leave()


async def test_a_frame_speaks_the_cards_methods_alone(listening: Any, page: Any, card_id: str) -> None:
    frame = await brought_up(listening, page, card_id)
    assert (await frame.call("card.setStatus", text="fine"))["ok"] is True
    assert (await frame.call("workspace.list"))["error"]["code"] == "METHOD_NOT_FOUND"
    await frame.leave()


async def test_a_second_page_learns_who_has_the_frame_and_takes_it_over(
    listening: Any, desk: Any, clients: Any, page: Any, card_id: str
) -> None:
    first = await brought_up(listening, page, card_id)
    other = await clients.page()
    held = await other.call("card.mount", cardId=card_id)
    assert held == {"token": None, "url": None, "heldBy": page.welcome["pageId"]}
    answer = await other.call("card.mount", cardId=card_id, takeOver=True)
    assert await page.event("card.taken") == {"cardId": card_id, "pageId": other.welcome["pageId"]}
    assert await first.closed() == 4411
    second = await dial(listening, answer["token"])
    assert (await second.greet())["launch"] == "reloaded"
    await desk.until(lambda: desk.runtime(card_id)["pageId"] == other.welcome["pageId"])
    await second.leave()


async def test_a_page_that_mounts_its_own_frame_again_gets_a_new_address_and_no_notice(
    listening: Any, page: Any, card_id: str
) -> None:
    first = await brought_up(listening, page, card_id)
    again = await page.call("card.mount", cardId=card_id)
    assert await first.closed() == 4411
    second = await dial(listening, again["token"])
    assert (await second.greet())["launch"] == "reloaded"
    assert not [name for name, _ in page.events if name == "card.taken"]
    await second.leave()


async def test_a_reload_of_the_document_starts_over_on_the_same_address(
    listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    answer = await page.call("card.mount", cardId=card_id)
    first = await dial(listening, answer["token"])
    await first.greet()
    second = await dial(listening, answer["token"])
    assert await first.closed() == 4409
    assert (await second.call("card.getInfo"))["error"]["code"] == "NOT_READY"
    assert (await second.greet())["launch"] == "reloaded"
    await desk.until_status(card_id, "running")
    await second.leave()


async def test_a_page_that_goes_takes_its_frames_with_it(listening: Any, desk: Any, clients: Any, card_id: str) -> None:
    other = await clients.page()
    frame = await brought_up(listening, other, card_id)
    await other.close()
    assert await frame.closed() == 4411
    await desk.until_status(card_id, "unmounted")


async def test_only_a_page_mounts_and_only_a_card_of_a_page(clients: Any, page: Any, desk: Any, card_id: str) -> None:
    note = await desk.add("note")
    assert (await page.refused("card.mount", cardId=note)).code == "UNAVAILABLE"
    assert (await page.refused("card.mount", cardId="c_none")).code == "NOT_FOUND"
    assert (await page.refused("card.expand", cardId=card_id, expanded=True)).code == "NOT_FOUND"
    assert await page.call("card.unmount", cardId=card_id) == {}
    await page.call("workspace.close", workspaceId=desk.id)
    assert (await page.refused("card.mount", cardId=card_id)).code == "UNAVAILABLE"


async def test_a_closed_workspace_ends_its_frames(listening: Any, desk: Any, page: Any, card_id: str) -> None:
    frame = await brought_up(listening, page, card_id)
    await page.call("workspace.close", workspaceId=desk.id)
    assert await frame.closed() == 4411


async def test_a_removed_card_ends_its_frame(listening: Any, page: Any, card_id: str) -> None:
    frame = await brought_up(listening, page, card_id)
    await page.call("canvas.removeCard", cardId=card_id)
    assert await frame.closed() in (4410, 4411)


async def test_out_of_sight_a_frame_is_told_and_has_a_grace_in_which_it_is_answered(
    app: Any, listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    soon(app, hidden_ms=0, grace_ms=60_000)
    await shows(page, desk, **{card_id: "visible"})
    frame = await brought_up(listening, page, card_id)
    app.cards.frames.look()
    assert desk.runtime(card_id)["status"] == "running"
    await shows(page, desk)
    assert await frame.event("lifecycle.visibility") == {"state": "hidden"}
    app.cards.frames.look()
    assert await frame.event("lifecycle.suspend") == {"graceMs": 60_000}
    assert (await frame.call("card.setTitle", title="kept"))["ok"] is True
    await frame.leave()


async def test_after_the_grace_a_frame_sleeps_and_comes_back_as_a_new_document(
    app: Any, listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    soon(app, hidden_ms=0, grace_ms=30)
    await shows(page, desk, **{card_id: "visible"})
    frame = await brought_up(listening, page, card_id)
    assert (await frame.call("card.setTitle", title="kept"))["ok"] is True
    await shows(page, desk)
    app.cards.frames.look()
    assert await frame.event("lifecycle.suspend") == {"graceMs": 30}
    assert await frame.closed() == 4411
    await desk.until_status(card_id, "suspended")
    again = await brought_up(listening, page, card_id)
    assert again.context["launch"] == "resumed"
    assert again.context["chrome"]["title"] == "kept"
    await again.leave()
    once_more = await brought_up(listening, page, card_id)
    assert once_more.context["launch"] == "reloaded"
    await once_more.leave()


async def test_overview_does_not_count_towards_sleep(
    app: Any, listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    soon(app, hidden_ms=0)
    await shows(page, desk, **{card_id: "overview"})
    frame = await brought_up(listening, page, card_id)
    app.cards.frames.look()
    assert "lifecycle.suspend" not in [name for name, _ in frame.events]
    assert app.cards.frames._frames[CardId(card_id)].leaving is None
    await frame.leave()


async def test_a_card_with_background_never_sleeps_and_is_started_out_of_sight(
    app: Any, listening: Any, desk: Any, page: Any, shelf: Any
) -> None:
    soon(app, hidden_ms=0)
    package_id = write_frame(shelf.folder, "watcher", permissions=["background"])
    card_id = await desk.put(package_id)
    await page.call("grant.set", workspaceId=desk.id, packageId=package_id, permission="background", granted=True)
    await shows(page, desk)
    assert await page.event("card.wake") == {"cardId": card_id}
    await shows(page, desk)  # a moment later: it was asked already
    assert not [name for name, _ in page.events if name == "card.wake"]
    frame = await brought_up(listening, page, card_id)
    app.cards.frames.look()
    assert app.cards.frames._frames[CardId(card_id)].leaving is None
    await page.call("grant.set", workspaceId=desk.id, packageId=package_id, permission="background", granted=False)
    app.cards.frames.look()
    assert await frame.event("lifecycle.suspend")
    await frame.leave()


async def test_over_the_limit_the_one_longest_out_of_sight_makes_room(
    app: Any, listening: Any, desk: Any, page: Any, package_id: str
) -> None:
    soon(app, live=2, grace_ms=0)
    cards = [await desk.put(package_id) for _ in range(4)]
    await shows(page, desk, **{cards[1]: "visible", cards[2]: "visible", cards[3]: "visible"})
    hidden = await brought_up(listening, page, cards[0])
    seen = [await brought_up(listening, page, card_id) for card_id in cards[1:3]]
    assert await hidden.event("lifecycle.suspend") == {"graceMs": 0}
    await desk.until_status(cards[0], "suspended")
    refusal = await page.refused("card.mount", cardId=cards[3])
    assert refusal.code == "QUOTA_EXCEEDED"
    await page.call(
        "client.presence",
        workspaceId=desk.id,
        active=True,
        focusedCardId=cards[1],
        cards=[{"cardId": cards[1], "visibility": "hidden"}, {"cardId": cards[2], "visibility": "overview"}],
    )
    await brought_up(listening, page, cards[3])
    assert await seen[1].event("lifecycle.suspend")
    for frame in seen:
        await frame.leave()


async def test_a_question_wakes_a_card_that_sleeps(
    listening: Any, desk: Any, page: Any, package_id: str, card_id: str
) -> None:
    asker_id = await desk.put(package_id)
    await page.call("canvas.connect", a=asker_id, b=card_id)
    asker = await brought_up(listening, page, asker_id)
    await shows(page, desk, **{asker_id: "visible"})
    asking = asyncio.create_task(asker.call("ports.request", to=card_id, input="ask", data="how?"))
    assert await page.event("card.wake") == {"cardId": card_id}
    asked = await brought_up(listening, page, card_id)
    question = await asked.event("ports.request")
    await asked.call("ports.respond", requestId=question["requestId"], data="well")
    assert (await asking)["result"] == {"data": "well"}
    for frame in (asker, asked):
        await frame.leave()


async def test_a_card_that_no_page_can_wake_is_unavailable(
    listening: Any, desk: Any, page: Any, package_id: str, card_id: str
) -> None:
    asker_id = await desk.put(package_id)
    await page.call("canvas.connect", a=asker_id, b=card_id)
    asker = await brought_up(listening, page, asker_id)
    answer = await asker.call("ports.request", to=card_id, input="ask", data="how?")
    assert answer["error"]["code"] == "UNAVAILABLE"
    await asker.leave()


async def test_the_page_that_owns_the_frame_says_how_the_card_is_seen_and_shows_its_toasts(
    listening: Any, desk: Any, clients: Any, page: Any, card_id: str
) -> None:
    other = await clients.page()
    frame = await brought_up(listening, other, card_id)
    await shows(page, desk, **{card_id: "visible"})
    refusal = await frame.call("card.openLink", url="https://example.org/")
    assert refusal["error"]["code"] == "NOT_VISIBLE"
    await shows(other, desk, **{card_id: "overview"})
    assert await frame.event("lifecycle.visibility") == {"state": "overview"}
    await shows(page, desk, **{card_id: "visible"})  # active last, and yet not the one that is asked
    await frame.call("ui.toast", message="here")
    assert (await other.event("ui.toast"))["message"] == "here"
    assert not [name for name, _ in page.events if name == "ui.toast"]
    await frame.leave()


async def test_a_card_that_follows_the_system_draws_in_what_its_page_draws_in(
    listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    await page.call("preferences.set", scheme="system")
    await page.call("client.presence", workspaceId=desk.id, active=True, cards=[], scheme="light")
    frame = await brought_up(listening, page, card_id)
    assert frame.context["theme"]["scheme"] == "light"
    await page.call("client.presence", workspaceId=desk.id, active=True, cards=[], scheme="dark")
    assert (await frame.event("theme.changed"))["scheme"] == "dark"
    await page.call("preferences.set", scheme="light", language="zh")
    assert (await frame.event("theme.changed"))["scheme"] == "light"
    assert await frame.event("i18n.changed") == {"language": "zh", "locale": "zh-CN"}
    await frame.leave()


async def test_a_card_that_is_up_before_its_page_told_its_scheme_follows_once_it_does(
    listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    await page.call("preferences.set", scheme="system")
    frame = await brought_up(listening, page, card_id)
    assert frame.context["theme"]["scheme"] == "dark"
    await page.call("client.presence", workspaceId=desk.id, active=True, cards=[], scheme="light")
    assert (await frame.event("theme.changed"))["scheme"] == "light"
    await frame.leave()


async def test_a_card_learns_that_it_fills_the_page_and_only_one_does(
    listening: Any, desk: Any, page: Any, package_id: str, card_id: str
) -> None:
    other_id = await desk.put(package_id)
    frames = [await brought_up(listening, page, each) for each in (card_id, other_id)]
    await page.call("card.expand", cardId=card_id, expanded=True)
    assert await frames[0].event("lifecycle.expanded") == {"expanded": True}
    assert desk.runtime(card_id)["expanded"] is True
    again = await brought_up(listening, page, card_id)
    assert again.context["expanded"] is False
    await page.call("card.expand", cardId=card_id, expanded=True)
    await page.call("card.expand", cardId=other_id, expanded=True)
    assert await again.event("lifecycle.expanded") == {"expanded": True}
    assert await again.event("lifecycle.expanded") == {"expanded": False}
    assert await frames[1].event("lifecycle.expanded") == {"expanded": True}
    for frame in (again, frames[1]):
        await frame.leave()


async def test_a_card_learns_its_new_size(listening: Any, page: Any, card_id: str) -> None:
    frame = await brought_up(listening, page, card_id)
    await page.call("canvas.updateCard", cardId=card_id, x=40, y=40)
    await page.call("canvas.updateCard", cardId=card_id, w=500, h=300)
    assert await frame.event("lifecycle.resized") == {"w": 500, "h": 300}
    assert "lifecycle.resized" not in [name for name, _ in frame.events]
    await frame.leave()


async def test_a_frame_that_falls_silent_is_shown_and_recovers(
    app: Any, listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    frame = await brought_up(listening, page, card_id)
    app.cards.heartbeats._silence_ms = 0
    app.cards.heartbeats.beat()
    ping = await frame.event("host.ping")
    for _ in range(app.cards.heartbeats._silent_beats):
        app.cards.heartbeats.beat()
    runtime = await desk.until_status(card_id, "unresponsive")
    assert "15 s" in runtime["error"]
    assert (await frame.call("host.pong", seq=ping["seq"]))["ok"] is True
    assert (await desk.until_status(card_id, "running"))["error"] is None
    await frame.leave()


async def test_a_frame_that_never_starts_is_shown_as_failed_and_can_be_mounted_anew(
    app: Any, listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    answer = await page.call("card.mount", cardId=card_id)
    app.cards.frames.look()
    assert desk.runtime(card_id)["status"] == "loading"
    soon(app, load_ms=0)
    app.cards.frames.look()
    runtime = await desk.until_status(card_id, "failed")
    assert runtime["error"] == "It did not start in time."
    assert answer["token"]
    frame = await brought_up(listening, page, card_id)
    await desk.until_status(card_id, "running")
    await frame.leave()


async def test_a_connection_that_is_lost_leaves_the_frame_loading_until_it_fails(
    app: Any, listening: Any, desk: Any, page: Any, card_id: str
) -> None:
    frame: Frame = await brought_up(listening, page, card_id)
    await frame.leave()
    await desk.until_status(card_id, "loading")
    soon(app, ready_ms=0)
    app.cards.frames.look()
    await desk.until_status(card_id, "failed")
