"""What the host promises to cards of packages, through the whole server in process."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom.app import running
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.methods import CARD_METHODS

from .own_cards import MANIFEST, READY, own_card


async def test_a_package_can_be_put_on_the_canvas(desk: Any, shelf: Any) -> None:
    package_id = shelf.add("echo", "", permissions=["agents.read"])
    packages = (await desk.page.call("package.list"))["packages"]
    assert [(one["packageId"], one["displayName"], one["kind"]) for one in packages] == [(package_id, "Echo", "python")]
    card = desk.card(await desk.put(package_id))
    assert (card["kind"], card["type"], card["name"]) == ("custom", "echo", "Echo")
    assert [port["id"] for port in card["ports"]["inputs"]] == ["in"]


async def test_a_new_package_is_told_to_all_pages(desk: Any, shelf: Any, clients: Any) -> None:
    other = await clients.page()
    shelf.add("echo", "")
    await desk.page.call("package.list")
    assert [one["name"] for one in (await other.event("packages.changed"))["packages"]] == ["echo"]


async def test_another_language_brings_the_packages_again_in_it(desk: Any, shelf: Any) -> None:
    shelf.add("echo", "", description={"en": "Says it again.", "ru": "Повторяет."})
    await desk.page.call("package.list")
    assert (await desk.page.event("packages.changed"))["packages"][0]["description"] == "Says it again."
    await desk.page.call("preferences.set", language="ru")
    assert (await desk.page.event("packages.changed"))["packages"][0]["description"] == "Повторяет."


async def test_a_faulty_package_hides_no_other(desk: Any, shelf: Any) -> None:
    shelf.add("good", "")
    shelf.add("bad", "", permissions=["fly"])
    (shelf.folder / "worse").mkdir()
    (shelf.folder / "worse" / "cardloom-card.json").write_text("{")
    packages = (await desk.page.call("package.list"))["packages"]
    assert [one["name"] for one in packages] == ["good"]


async def test_an_unknown_package_is_named(desk: Any) -> None:
    error = await desk.page.refused(
        "canvas.addCard", workspaceId=desk.id, kind="custom", x=0, y=0, packageId="file:nope-1"
    )
    assert (error.code, error.message) == (ErrorCode.NOT_FOUND, "there is no package 'file:nope-1'")


async def test_a_card_run_from_outside_gets_its_context_and_its_required_permissions(desk: Any, clients: Any) -> None:
    card_id, _, context = await own_card(desk, clients)
    assert context["instance"]["instanceId"] == card_id
    assert (context["launch"], context["instance"]["dev"]) == ("created", True)
    assert [(row["id"], row["granted"]) for row in context["permissions"]] == [
        ("agents.read", True),
        ("cards.connected", False),
    ]
    assert context["ports"]["inputs"][0]["id"] == "in"
    assert desk.runtime(card_id)["status"] == "external"


async def test_the_second_time_the_launch_is_a_reload(desk: Any, clients: Any) -> None:
    card_id, client, _ = await own_card(desk, clients)
    await client.close()
    again = clients.card(card_id)
    assert (await again.call("host.ready", **READY))["launch"] == "reloaded"


async def test_a_card_that_needs_a_newer_host_is_told(desk: Any, clients: Any) -> None:
    made = await desk.page.call("card.run", workspaceId=desk.id, manifest=MANIFEST)
    client = clients.card(made["cardId"])
    error = await client.refused("host.ready", sdkVersion="9", protocol=2)
    assert error.code is ErrorCode.PROTOCOL_MISMATCH
    assert (await client.refused("card.getInfo")).code is ErrorCode.NOT_READY


async def test_a_card_keeps_its_id_when_it_is_run_again_and_takes_new_ports(desk: Any, clients: Any) -> None:
    card_id, _, _ = await own_card(desk, clients)
    newer = {**MANIFEST, "version": "2.0.0", "ports": {"outputs": [{"id": "out", "label": "Out", "type": "ns:text"}]}}
    made = await desk.page.call("card.run", workspaceId=desk.id, manifest=newer, cardId=card_id)
    assert made["cardId"] == card_id
    card = desk.card(card_id)
    assert (card["ports"]["inputs"], card["ports"]["outputs"][0]["id"]) == ([], "out")
    assert card["content"]["version"] == "2.0.0"


async def test_a_card_of_another_package_is_not_taken_over(desk: Any, clients: Any) -> None:
    card_id, _, _ = await own_card(desk, clients)
    other = {**MANIFEST, "name": "other-card"}
    error = await desk.page.refused("card.run", workspaceId=desk.id, manifest=other, cardId=card_id)
    assert error.code is ErrorCode.INVALID_PARAMS
    note = await desk.add("note")
    error = await desk.page.refused("card.run", workspaceId=desk.id, manifest=MANIFEST, cardId=note)
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_a_faulty_manifest_makes_no_card(desk: Any) -> None:
    error = await desk.page.refused("card.run", workspaceId=desk.id, manifest={**MANIFEST, "name": "Terminal"})
    assert error.code is ErrorCode.INVALID_PARAMS
    assert error.data[0]["path"] == "/manifest/name"
    assert desk.app.graph.cards_of(WorkspaceId(desk.id)) == []


async def test_chrome_is_shown_at_once_and_survives_a_restart(
    settings: Settings, clients_of: Any, tmp_path: Any
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="W", path=str(folder)))["id"]
        await page.call("canvas.subscribe", workspaceId=home)
        made = await page.call("card.run", workspaceId=home, manifest=MANIFEST)
        card = clients.card(made["cardId"])
        await card.call("host.ready", **READY)
        await card.call("card.setTitle", title="Mine")
        await card.call("card.setStatus", text="busy", tone="accent", busy=True)
        await card.call("card.setBadge", count=7, text=None)
        await card.call("card.setOverview", primary="3 open", progress=0.5)
        await card.call("card.attention", level="needs-input", message="look")
        changed = await page.event(
            "canvas.changed", lambda data: any("name" in change.get("fields", {}) for change in data["changes"])
        )
        assert changed["changes"][0]["fields"]["name"] == "Mine"
    async with running(settings) as app, clients_of(app) as clients:
        chrome = app.graph.card(made["cardId"]).chrome
        assert chrome.title == "Mine"
        assert chrome.badge == {"count": 7, "text": None, "tone": "default"}
        card = clients.card(made["cardId"])
        context = await card.call("host.ready", **READY)
        assert context["chrome"]["status"] == {"text": "busy", "tone": "accent", "busy": True}
        assert (context["chrome"]["overview"]["primary"], context["chrome"]["overview"]["progress"]) == ("3 open", 0.5)
        assert context["chrome"]["attention"] == {"level": "needs-input", "message": "look"}


@pytest.mark.usefixtures("standing_clock")
async def test_a_toast_goes_to_the_page_that_was_active_last(desk: Any, clients: Any) -> None:
    other = await clients.page()
    for page in (desk.page, other):
        await page.call("client.presence", workspaceId=desk.id, active=True)
    card_id, card, _ = await own_card(desk, clients)
    await card.call("ui.toast", message="Hello", tone="success", durationMs=2000)
    toast = await other.event("ui.toast")
    assert toast == {
        "cardId": card_id,
        "name": "Own Card",
        "message": "Hello",
        "tone": "success",
        "durationMs": 2000,
    }
    assert [name for name, _ in desk.page.events if name == "ui.toast"] == []
    error = await card.refused("ui.toast", message="Again")
    assert error.code is ErrorCode.RATE_LIMITED
    assert 0 < error.data["retryAfterMs"] <= 2000


@pytest.mark.usefixtures("standing_clock")
async def test_log_lines_reach_the_panel_at_most_fifty_a_second(desk: Any, clients: Any) -> None:
    card_id, card, _ = await own_card(desk, clients)
    for number in range(50):
        await card.call("host.log", level="info", message=f"line {number}")
    assert (await card.refused("host.log", level="info", message="more")).code is ErrorCode.RATE_LIMITED
    assert (await desk.log(card_id))[-1] == "line 49"
    assert len((await desk.page.call("card.log", cardId=card_id, limit=3))["lines"]) == 3
    told = await desk.page.event("card.log")
    assert (told["cardId"], told["lines"][0]["text"]) == (card_id, "line 0")


async def test_a_line_in_the_picture_of_a_log_is_told_before_it_and_never_after(desk: Any, clients: Any) -> None:
    card_id, card, _ = await own_card(desk, clients)
    desk.app.cards.logs._flush_ms = 600_000
    for text in ("one", "two"):
        await card.call("host.log", level="info", message=text)
        assert (await desk.log(card_id))[-1] == text
    told = [data["lines"] for name, data in desk.page.events if name == "card.log"]
    assert [[line["text"] for line in lines] for lines in told] == [["one"], ["two"]]


async def test_capabilities_name_what_is_built_and_nothing_else(desk: Any, clients: Any) -> None:
    _, card, _ = await own_card(desk, clients)
    offered = (await card.call("host.capabilities"))["methods"]
    assert offered == [row.name for row in CARD_METHODS.values() if row.built]
    owner = await desk.page.call("host.capabilities")
    assert {"workspace.list", "agents.list", "card.run"} <= set(owner["methods"])


async def test_every_built_card_method_has_a_handler(desk: Any) -> None:
    missing = [row.name for row in CARD_METHODS.values() if row.built and row.name not in desk.app.handlers.by_name]
    assert missing == []


async def test_another_language_brings_the_ports_of_cards_again_in_it(desk: Any, clients: Any) -> None:
    label = {"en": "In", "ru": "Вход"}
    ports = {"inputs": [{"id": "in", "label": label, "type": "ns:text"}]}
    card_id, _, _ = await own_card(desk, clients, {**MANIFEST, "ports": ports})
    assert desk.card(card_id)["ports"]["inputs"][0]["label"] == "In"
    await desk.page.call("preferences.set", language="ru")
    await desk.until(lambda: desk.card(card_id)["ports"]["inputs"][0]["label"] == "Вход")


async def test_a_program_draws_in_the_dark_scheme_whatever_pages_draw_in_by_their_systems(
    desk: Any, clients: Any
) -> None:
    here = {"workspaceId": desk.id, "active": True, "cards": []}
    await desk.page.call("client.presence", **here, scheme="light")
    _, card, context = await own_card(desk, clients)
    assert context["theme"]["scheme"] == "dark", "each page may mean another by `system`"
    other = await clients.page()
    await other.call("client.presence", **here, scheme="dark")
    await desk.page.call("client.presence", **here, scheme="light")
    assert (await card.call("theme.get"))["scheme"] == "dark"
    await desk.page.call("client.presence", **here, scheme="dark")
    await desk.page.call("client.presence", **here, scheme="light")
    await desk.page.call("preferences.set", scheme="light")
    assert (await card.event("theme.changed"))["scheme"] == "light", "what the owner chose is for all"


async def test_cards_follow_the_owners_theme_and_language(desk: Any, clients: Any) -> None:
    _, card, context = await own_card(desk, clients)
    assert context["theme"]["scheme"] == "dark", "what `system` means is known to pages alone"
    await desk.page.call("preferences.set", scheme="light", language="zh")
    await card.event("theme.changed", lambda theme: theme["scheme"] == "light")
    assert await card.event("i18n.changed", lambda told: told["language"] == "zh") == {
        "language": "zh",
        "locale": "zh-CN",
    }
    assert (await card.call("theme.get"))["scheme"] == "light"
    assert (await card.call("i18n.get"))["locale"] == "zh-CN"


async def test_a_card_learns_how_it_is_seen(desk: Any, clients: Any) -> None:
    card_id, card, context = await own_card(desk, clients)
    assert context["visibility"] == "hidden"
    seen = [{"cardId": card_id, "visibility": "visible"}]
    await desk.page.call("client.presence", workspaceId=desk.id, active=True, cards=seen)
    assert await card.event("lifecycle.visibility") == {"state": "visible"}


async def test_topics_without_permission_are_left_out(desk: Any, clients: Any) -> None:
    _, card, _ = await own_card(desk, clients)
    assert await card.call("events.subscribe", topics=["agents.status", "agents.output"], agentIds=["x"]) == {
        "topics": ["agents.status"]
    }
    assert await card.call("events.unsubscribe", topics=["agents.status"]) is None


async def test_what_a_card_subscribed_to_ends_with_its_connection(desk: Any, clients: Any) -> None:
    card_id, card, _ = await own_card(desk, clients)
    await card.call("events.subscribe", topics=["agents.status"])
    assert desk.app.subscriptions.subscribers("agents.status") == [card_id]
    for tell in desk.app.sockets.hooks.disconnected:
        tell(CardId(card_id), card.connection_id, "closed")
    assert desk.app.subscriptions.subscribers("agents.status") == []
    assert desk.runtime(card_id)["status"] == "stopped"


async def test_a_card_that_answers_no_ping_is_shown_as_not_answering(desk: Any, clients: Any) -> None:
    card_id, card, _ = await own_card(desk, clients)
    beats = desk.app.cards.heartbeats
    desk.app.cards._silence(CardId(card_id), True)
    assert desk.runtime(card_id)["unresponsive"] is True
    beats.beat()
    ping = await card.event("host.ping")
    await card.call("host.pong", seq=ping["seq"])
    desk.app.cards._silence(CardId(card_id), False)
    assert desk.runtime(card_id) == {"status": "external", "restarts": 0, "error": None, "unresponsive": False}


async def test_programs_of_ours_are_not_started_for_a_card_run_from_outside(desk: Any, clients: Any) -> None:
    card_id, _, _ = await own_card(desk, clients)
    assert not desk.app.cards.programs.supervises(CardId(card_id))
    for method in ("card.restart", "card.stop"):
        assert (await desk.page.refused(method, cardId=card_id)).code is ErrorCode.INVALID_PARAMS
    note = await desk.add("note")
    assert (await desk.page.refused("card.restart", cardId=note)).code is ErrorCode.INVALID_PARAMS
    assert (await desk.page.refused("card.log", cardId="c_none")).code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize("method", ["card.run", "grant.set", "package.list", "dialog.answer"])
async def test_a_card_cannot_call_what_is_the_owners(desk: Any, clients: Any, method: str) -> None:
    _, card, _ = await own_card(desk, clients)
    assert (await card.refused(method)).code is ErrorCode.METHOD_NOT_FOUND


async def test_a_card_asks_who_and_where_it_is(desk: Any, clients: Any) -> None:
    card_id, card, _ = await own_card(desk, clients)
    assert (await card.call("card.getInfo"))["instanceId"] == card_id
    assert await card.call("workspace.get") == {"id": desk.id, "name": "Project"}
    assert [row["id"] for row in await card.call("permissions.list")] == ["agents.read", "cards.connected"]


async def test_removing_and_bringing_back_keeps_a_cards_package(desk: Any, clients: Any) -> None:
    card_id, card, _ = await own_card(desk, clients)
    await card.close()
    await desk.page.call("canvas.removeCard", cardId=card_id, force=True)
    assert desk.app.grants.effective(CardId(card_id)) == frozenset()
    await desk.page.call("canvas.restore", workspaceId=desk.id, cardIds=[card_id], arrowIds=[])
    again = clients.card(card_id)
    await again.call("host.ready", **READY)
    assert await again.call("agents.list") == []


async def test_a_question_nobody_can_see_is_asked_again(desk: Any, shelf: Any) -> None:
    package_id = shelf.add("echo", "")
    desk.app.dialogs._timeout_ms = 1
    desk.app.cards.programs.serve_at("http://127.0.0.1:1")
    await desk.put(package_id)
    first = (await desk.page.event("dialog.opened"))["dialog"]["id"]
    second = (await desk.page.event("dialog.opened"))["dialog"]["id"]
    assert first != second
    desk.app.dialogs._timeout_ms = 60_000


async def test_whoever_opens_a_page_has_the_whole_time_for_a_question_that_waited(
    desk: Any, shelf: Any, clients: Any
) -> None:
    package_id = shelf.add("echo", "")
    desk.app.cards.programs.serve_at("http://127.0.0.1:1")
    await desk.put(package_id)
    asked = (await desk.page.event("dialog.opened"))["dialog"]
    page = await clients.page()
    await page.call("canvas.subscribe", workspaceId=desk.id)
    await page.call("client.presence", workspaceId=desk.id, active=True)
    again = (await page.event("dialog.opened"))["dialog"]
    assert again["id"] == asked["id"]
    assert again["deadlineAtMs"] >= asked["deadlineAtMs"]
    await page.call("client.presence", workspaceId=desk.id, active=True)
    await page.call("dialog.answer", dialogId=asked["id"], accepted=False)
    assert (await page.event("dialog.closed"))["dialogId"] == asked["id"]
    assert "dialog.opened" not in [name for name, _ in page.events]
