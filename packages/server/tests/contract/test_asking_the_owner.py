"""Questions of cards to the owner: yes or no, links, permissions. Spec: cards, ui and permissions; decisions 6, 40."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode

from .conftest import Actor, started

PERMISSIONS: list[Any] = [
    "agents.read",
    {"id": "network", "hosts": ["api.example.org"], "optional": True, "reason": {"en": "To read.", "ru": "Читать."}},
    {"id": "cards.connected", "optional": True},
    {"id": "terminals.write", "optional": True},
]


async def enter(desk: Any) -> Actor:
    card: Actor = await desk.enter(permissions=PERMISSIONS)
    await card.show()
    return card


# ui.confirm


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_yes_or_no_is_the_answer_and_a_no_is_no_error(desk: Any, accepted: bool) -> None:
    card = await enter(desk)
    question = {"title": "Drop it?", "message": "All of it.", "confirmLabel": "Drop", "tone": "danger"}
    asking = await started(card.call("ui.confirm", **question))
    dialog = await desk.answer(accepted=accepted)
    assert (dialog["kind"], dialog["title"], dialog["cardId"]) == ("confirm", "Drop it?", card.id)
    assert dialog["data"] == {
        "message": "All of it.",
        "confirmLabel": "Drop",
        "cancelLabel": None,
        "tone": "danger",
        "cardName": "Own Card",
        "packageId": card.package_id,
        "package": "Own Card",
    }
    assert await asking == {"confirmed": accepted}


async def test_a_card_that_calls_itself_otherwise_is_still_named_by_its_package(desk: Any) -> None:
    card = await enter(desk)
    await card.call("card.setTitle", title="System update")
    asking = await started(card.call("ui.confirm", title="?", message=""))
    dialog = await desk.answer(accepted=False)
    assert (dialog["data"]["cardName"], dialog["data"]["package"]) == ("System update", "Own Card")
    await asking


async def test_a_question_without_an_answer_is_refused(desk: Any) -> None:
    card = await enter(desk)
    assert desk.app.contract.asking.timeout_ms == 60_000
    desk.app.contract.asking.timeout_ms = 30
    assert await card.call("ui.confirm", title="?", message="") == {"confirmed": False}
    assert await card.call("card.openLink", url="https://example.org/") == {"opened": False}
    assert await card.call("permissions.request", ids=["network"]) == {"granted": []}
    opened = [(await desk.dialog())["id"] for _ in range(3)]
    assert [(await desk.page.event("dialog.closed"))["dialogId"] for _ in range(3)] == opened


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("ui.confirm", {"title": "?", "message": ""}),
        ("card.openLink", {"url": "https://example.org/"}),
        ("permissions.request", {"ids": ["network"]}),
    ],
)
async def test_a_card_out_of_sight_asks_nothing(desk: Any, method: str, params: dict[str, Any]) -> None:
    card = await desk.enter(permissions=PERMISSIONS)
    assert (await card.refused(method, **params)).code is ErrorCode.NOT_VISIBLE
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


@pytest.mark.usefixtures("standing_clock")
async def test_ten_questions_a_minute_are_enough(desk: Any) -> None:
    card = await enter(desk)
    desk.app.contract.asking.timeout_ms = 1
    for _ in range(10):
        await card.call("ui.confirm", title="?", message="")
    assert (await card.refused("ui.confirm", title="?", message="")).code is ErrorCode.RATE_LIMITED


async def test_a_question_goes_with_the_card(desk: Any) -> None:
    card = await enter(desk)
    asking = await started(card.call("ui.confirm", title="?", message=""))
    dialog = await desk.dialog()
    await card.client.close()
    assert (await desk.page.event("dialog.closed"))["dialogId"] == dialog["id"]
    late = await desk.page.refused("dialog.answer", dialogId=dialog["id"], accepted=True)
    assert late.code is ErrorCode.NOT_FOUND
    asking.cancel()


@pytest.mark.parametrize(
    "params", [{"title": "", "message": ""}, {"title": "?", "message": "x" * 1001}, {"title": "?"}]
)
async def test_a_question_has_its_bounds(desk: Any, params: dict[str, Any]) -> None:
    card = await enter(desk)
    assert (await card.refused("ui.confirm", **params)).code is ErrorCode.INVALID_PARAMS


# card.openLink


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_link_is_opened_only_with_the_owners_yes_who_sees_where_it_leads(desk: Any, accepted: bool) -> None:
    card = await enter(desk)
    asking = await started(card.call("card.openLink", url="https://Docs.example.org/a?b#c"))
    dialog = await desk.answer(accepted=accepted)
    assert (dialog["kind"], dialog["title"]) == ("link", "Own Card")
    assert dialog["data"]["url"] == "https://Docs.example.org/a?b#c"
    assert dialog["data"]["host"] == "docs.example.org"
    assert dialog["data"]["packageId"] == card.package_id
    assert await asking == {"opened": accepted}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https:///nowhere",
        "https://me:pw@example.org/",
        "https://example.org:port/",
        "https://[::/",
        "https://example.org/" + "x" * 2048,
    ],
)
async def test_only_plain_https_addresses_are_opened(desk: Any, url: str) -> None:
    card = await enter(desk)
    refusal = await card.refused("card.openLink", url=url)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert refusal.data[0]["path"] == "/url"
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


# permissions.request


async def test_what_is_granted_is_known_before_the_answer_comes(desk: Any) -> None:
    card = await enter(desk)
    await desk.page.call("preferences.set", language="ru")
    asking = await started(card.call("permissions.request", ids=["cards.connected", "network"]))
    dialog = await desk.answer(accepted=True)
    assert (dialog["kind"], dialog["title"], dialog["data"]["package"]) == ("permission", "Own Card", "Own Card")
    assert [row["id"] for row in dialog["data"]["permissions"]] == ["cards.connected", "network"]
    assert dialog["data"]["permissions"][1] == {
        "id": "network",
        "hosts": ["api.example.org"],
        "optional": True,
        "granted": False,
        "reason": "Читать.",
        "risk": "medium",
    }
    assert await asking == {"granted": ["cards.connected", "network"]}
    told = [data for name, data in card.client.events if name == "permissions.changed"]
    assert [row["id"] for row in told[0] if row["granted"]] == ["agents.read", "cards.connected", "network"]
    assert len(told) == 1


async def test_the_owner_may_grant_a_part(desk: Any) -> None:
    card = await enter(desk)
    asking = await started(card.call("permissions.request", ids=["terminals.write", "network"]))
    await desk.answer(accepted=True, permissions=["network", "fs.write"])
    assert await asking == {"granted": ["network"]}
    granted = {row["permission"] for row in await grants(desk) if row["granted"]}
    assert granted == {"agents.read", "network"}


async def test_a_refusal_grants_nothing_whatever_was_ticked(desk: Any) -> None:
    card = await enter(desk)
    asking = await started(card.call("permissions.request", ids=["network"]))
    await desk.answer(accepted=False, permissions=["network"])
    assert await asking == {"granted": []}
    assert [name for name, _ in card.client.events if name == "permissions.changed"] == []


@pytest.mark.parametrize("permission", ["agents.read", "fs.read"])
async def test_only_declared_optional_permissions_may_be_asked_for(desk: Any, permission: str) -> None:
    card = await enter(desk)
    refusal = await card.refused("permissions.request", ids=["network", permission])
    assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": permission})
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


async def test_what_is_granted_already_is_not_asked_again(desk: Any) -> None:
    card = await enter(desk)
    await card.grant("network")
    assert await card.call("permissions.request", ids=["network"]) == {"granted": ["network"]}
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


@pytest.mark.usefixtures("standing_clock")
async def test_five_seconds_lie_between_two_requests(desk: Any) -> None:
    card = await enter(desk)
    desk.app.contract.asking.timeout_ms = 1
    await card.call("permissions.request", ids=["network"])
    refusal = await card.refused("permissions.request", ids=["network"])
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 5000


async def test_two_cards_of_a_package_ask_one_after_the_other(desk: Any) -> None:
    one, other = await enter(desk), await enter(desk)
    first = await started(one.call("permissions.request", ids=["network"]))
    second = await started(other.call("permissions.request", ids=["network"]))
    await desk.answer(accepted=True)
    assert await first == await second == {"granted": ["network"]}
    assert [name for name, _ in desk.page.events if name == "dialog.opened"] == []


@pytest.mark.parametrize("ids", [[], ["network", "network"], ["fly"]])
async def test_a_request_names_known_permissions_each_once(desk: Any, ids: list[str]) -> None:
    card = await enter(desk)
    assert (await card.refused("permissions.request", ids=ids)).code is ErrorCode.INVALID_PARAMS


async def test_revoking_ends_a_subscription_for_good(desk: Any) -> None:
    card = await enter(desk)
    await card.call("events.subscribe", topics=["agents.status", "storage.changed"])
    await card.grant("agents.read", granted=False)
    await card.grant("agents.read")
    assert desk.app.subscriptions.subscribers("agents.status") == []
    assert desk.app.subscriptions.subscribers("storage.changed") == [card.id]


async def grants(desk: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await desk.page.call("grant.list", workspaceId=desk.id))["grants"]
    return listed
