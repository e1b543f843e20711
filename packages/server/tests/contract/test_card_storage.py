"""What cards keep: scopes, quotas, order, and who is told. Spec: cards, storage; decision 5."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom.app import running
from cardloom.features.cards.storage.store import Room
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode

from .conftest import READY, Actor, manifest_of


async def test_a_value_is_kept_and_read_back_as_it_was(desk: Any) -> None:
    card = await desk.enter()
    value = {"n": [1, 2.5, None, True], "text": "размер 🛒 \ud800", "deep": {"a": {}}}
    assert await card.call("storage.set", scope="instance", key="k", value=value) is None
    assert await card.call("storage.get", scope="instance", key="k") == {"exists": True, "value": value}
    assert await card.call("storage.get", scope="package", key="k") == {"exists": False, "value": None}


async def test_null_is_a_value(desk: Any) -> None:
    card = await desk.enter()
    await card.call("storage.set", scope="instance", key="k", value=None)
    assert await card.call("storage.get", scope="instance", key="k") == {"exists": True, "value": None}


async def test_a_card_reads_what_it_wrote_without_waiting_in_between(desk: Any) -> None:
    card = await desk.enter()
    calls = []
    for number in range(20):
        calls.append(card.call("storage.set", scope="instance", key="k", value=number))
        calls.append(card.call("storage.get", scope="instance", key="k"))
    answers = await asyncio.gather(*calls)
    assert [answer["value"] for answer in answers[1::2]] == list(range(20))


async def test_an_own_store_is_one_cards_and_the_packages_is_shared(desk: Any) -> None:
    one, other = await desk.enter(), await desk.enter()
    await one.call("storage.set", scope="instance", key="k", value="mine")
    await one.call("storage.set", scope="package", key="k", value="ours")
    assert (await other.call("storage.get", scope="instance", key="k"))["exists"] is False
    assert (await other.call("storage.get", scope="package", key="k"))["value"] == "ours"


async def test_another_package_has_another_store(desk: Any) -> None:
    one, other = await desk.enter(), await desk.enter(name="other-card")
    await one.call("storage.set", scope="package", key="k", value=1)
    assert (await other.call("storage.get", scope="package", key="k"))["exists"] is False


async def test_keys_come_sorted_as_javascript_sorts_and_by_prefix(desk: Any) -> None:
    card = await desk.enter()
    for key in ("b", "a2", "a1", "\uffee", "😀", "a%", "A"):
        await card.call("storage.set", scope="instance", key=key, value=0)
    everything = ["A", "a%", "a1", "a2", "b", "😀", "\uffee"]
    assert await card.call("storage.keys", scope="instance") == {"keys": everything}
    assert await card.call("storage.keys", scope="instance", prefix="a") == {"keys": ["a%", "a1", "a2"]}
    assert await card.call("storage.keys", scope="instance", prefix="a%") == {"keys": ["a%"]}


async def test_usage_counts_keys_and_compact_json(desk: Any) -> None:
    card = await desk.enter()
    quota = 5 * 1024 * 1024
    assert await card.call("storage.usage", scope="instance") == {"bytes": 0, "quota": quota, "keys": 0}
    assert (await card.call("storage.usage", scope="package"))["quota"] == 20 * 1024 * 1024
    await card.call("storage.set", scope="instance", key="ab", value={"x": 1})
    await card.call("storage.set", scope="instance", key="😀", value="é")
    assert await card.call("storage.usage", scope="instance") == {"bytes": 2 + 7 + 2 + 3, "quota": quota, "keys": 2}
    await card.call("storage.set", scope="instance", key="ab", value=1)
    await card.call("storage.delete", scope="instance", key="😀")
    await card.call("storage.delete", scope="instance", key="none")
    assert await card.call("storage.usage", scope="instance") == {"bytes": 3, "quota": quota, "keys": 1}


async def test_a_value_of_more_than_a_mebibyte_is_refused(desk: Any) -> None:
    card = await desk.enter()
    desk.app.contract.storage.rooms["instance"] = Room(1000, value_units=100)
    await card.call("storage.set", scope="instance", key="k", value="x" * 98)
    refusal = await card.refused("storage.set", scope="instance", key="k", value="x" * 99)
    assert refusal.code is ErrorCode.TOO_LARGE
    assert (await card.call("storage.get", scope="instance", key="k"))["value"] == "x" * 98
    assert Room(1).value_units == 1024 * 1024


async def test_a_full_store_refuses_and_keeps_what_it_has(desk: Any) -> None:
    card = await desk.enter()
    desk.app.contract.storage.rooms["instance"] = Room(20)
    await card.call("storage.set", scope="instance", key="k", value="x" * 10)
    refusal = await card.refused("storage.set", scope="instance", key="l", value="y" * 10)
    assert refusal.code is ErrorCode.QUOTA_EXCEEDED
    assert (await card.call("storage.usage", scope="instance"))["keys"] == 1
    await card.call("storage.set", scope="instance", key="k", value="z" * 17)
    assert (
        await card.refused("storage.set", scope="instance", key="k", value="z" * 18)
    ).code is ErrorCode.QUOTA_EXCEEDED


async def test_a_store_holds_a_number_of_keys_and_a_known_one_may_still_change(desk: Any) -> None:
    card = await desk.enter()
    desk.app.contract.storage.rooms["package"] = Room(1000, keys=2)
    for key in ("a", "b"):
        await card.call("storage.set", scope="package", key=key, value=1)
    assert (await card.refused("storage.set", scope="package", key="c", value=1)).code is ErrorCode.QUOTA_EXCEEDED
    await card.call("storage.set", scope="package", key="b", value=2)
    await card.call("storage.delete", scope="package", key="a")
    await card.call("storage.set", scope="package", key="c", value=1)
    assert Room(1).keys == 10_000


async def test_a_store_can_be_emptied(desk: Any) -> None:
    card = await desk.enter()
    await card.call("storage.set", scope="instance", key="a", value=1)
    await card.call("storage.set", scope="package", key="a", value=1)
    await card.call("storage.clear", scope="instance")
    assert await card.call("storage.keys", scope="instance") == {"keys": []}
    assert (await card.call("storage.usage", scope="instance"))["bytes"] == 0
    assert await card.call("storage.keys", scope="package") == {"keys": ["a"]}


async def watchers(desk: Any) -> tuple[Actor, Actor, Actor]:
    """Three cards of one package; the last one did not subscribe."""
    cards = await desk.enter(), await desk.enter(), await desk.enter()
    for card in cards[:2]:
        assert await card.call("events.subscribe", topics=["storage.changed"]) == {"topics": ["storage.changed"]}
    return cards


async def test_those_who_share_a_store_are_told_but_not_the_writer(desk: Any) -> None:
    writer, reader, deaf = await watchers(desk)
    stranger = await desk.enter(name="other-card")
    await stranger.call("events.subscribe", topics=["storage.changed"])
    await writer.call("storage.set", scope="package", key="k", value=1)
    await writer.call("storage.delete", scope="package", key="k")
    assert await reader.event("storage.changed") == {"scope": "package", "key": "k", "deleted": False}
    assert await reader.event("storage.changed") == {"scope": "package", "key": "k", "deleted": True}
    for card in (writer, deaf, stranger):
        await card.call("storage.usage", scope="package")
        assert [name for name, _ in card.client.events if name == "storage.changed"] == []


async def test_nobody_is_told_of_a_cards_own_store_or_of_a_key_that_was_not_there(desk: Any) -> None:
    writer, reader, _ = await watchers(desk)
    await writer.call("storage.set", scope="instance", key="k", value=1)
    await writer.call("storage.delete", scope="package", key="none")
    await writer.call("storage.clear", scope="package")
    await reader.call("storage.usage", scope="package")
    assert [name for name, _ in reader.client.events if name == "storage.changed"] == []


async def test_emptying_names_each_key(desk: Any) -> None:
    writer, reader, _ = await watchers(desk)
    for key in ("a", "b"):
        await writer.call("storage.set", scope="package", key=key, value=1)
    await writer.call("storage.clear", scope="package")
    told = [await reader.event("storage.changed", lambda data: data["deleted"]) for _ in range(2)]
    assert [change["key"] for change in told] == ["a", "b"]


async def test_a_card_that_unsubscribed_hears_no_more(desk: Any) -> None:
    writer, reader, _ = await watchers(desk)
    await reader.call("events.unsubscribe", topics=["storage.changed"])
    await writer.call("storage.set", scope="package", key="k", value=1)
    await reader.call("storage.usage", scope="package")
    assert [name for name, _ in reader.client.events if name == "storage.changed"] == []


async def test_what_was_kept_is_there_after_a_restart_and_gone_with_the_card_for_good(
    settings: Settings, clients_of: Any, tmp_path: Any
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="W", path=str(folder)))["id"]
        card_id = (await page.call("card.run", workspaceId=home, manifest=manifest_of()))["cardId"]
        card = clients.card(card_id)
        await card.call("host.ready", **READY)
        await card.call("storage.set", scope="instance", key="k", value="kept")
    async with running(settings) as app, clients_of(app) as clients:
        card = clients.card(card_id)
        await card.call("host.ready", **READY)
        assert (await card.call("storage.get", scope="instance", key="k"))["value"] == "kept"
        await (await clients.page()).call("workspace.remove", workspaceId=home)
    async with running(settings) as app:
        assert app.database.reader.execute("SELECT count(*) FROM card_storage").get == 0
        assert app.database.reader.execute("SELECT count(*) FROM card_storage_totals").get == 0


async def test_a_removed_card_that_comes_back_has_its_values(desk: Any) -> None:
    card = await desk.enter()
    await card.call("storage.set", scope="instance", key="k", value=7)
    await desk.page.call("canvas.removeCard", cardId=card.id, force=True)
    await desk.app.contract.begin(desk.app.canvas.kept_cards())
    await desk.page.call("canvas.restore", workspaceId=desk.id, cardIds=[card.id], arrowIds=[])
    again = await desk.connect(card.id)
    assert (await again.call("storage.get", scope="instance", key="k"))["value"] == 7


async def test_removing_a_package_with_its_data_empties_what_its_cards_share(desk: Any) -> None:
    card = await desk.enter()
    await card.call("storage.set", scope="package", key="k", value=7)
    await desk.app.contract.forget_package(card.package_id)
    assert (await card.call("storage.get", scope="package", key="k"))["exists"] is False


@pytest.mark.parametrize("params", [{"scope": "world", "key": "k"}, {"scope": "instance", "key": ""}, {"key": "k"}])
async def test_parameters_that_do_not_fit_are_refused(desk: Any, params: dict[str, Any]) -> None:
    card = await desk.enter()
    assert (await card.refused("storage.get", **params)).code is ErrorCode.INVALID_PARAMS
