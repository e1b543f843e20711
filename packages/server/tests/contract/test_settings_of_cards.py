"""Settings of cards: defaults, scopes, refusals, the owner's form, secrets. Spec: cards, settings; decision 7."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from cardloom.app import running
from cardloom.host.vault import Vault
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.ids import CardId

from .conftest import READY, Actor, manifest_of

SETTINGS: list[dict[str, Any]] = [
    {"key": "count", "type": "number", "label": {"en": "Count", "ru": "Число"}, "default": 3, "min": 1, "max": 9},
    {"key": "title", "type": "string", "label": "Title", "maxLength": 5},
    {"key": "on", "type": "boolean", "label": "On", "default": False},
    {
        "key": "mode",
        "type": "select",
        "label": "Mode",
        "default": "a",
        "options": [{"value": "a", "label": {"en": "First", "ru": "Первый"}}, {"value": "b", "label": "Second"}],
    },
    {"key": "shade", "type": "color", "label": "Shade"},
    {"key": "host", "type": "string", "label": "Host", "scope": "package", "required": True},
    {"key": "apiKey", "type": "secret", "label": "Key", "required": True, "description": "From your account."},
    {"key": "shared", "type": "secret", "label": "Shared", "scope": "package"},
]
DEFAULTS = {"count": 3, "on": False, "mode": "a"}
UNSET = {"apiKey": False, "shared": False}


async def enter(desk: Any) -> Actor:
    card: Actor = await desk.enter(settings=SETTINGS)
    return card


async def test_a_card_starts_with_its_defaults_and_learns_which_secrets_are_set(desk: Any) -> None:
    card = await enter(desk)
    assert card.context["settings"] == {"values": DEFAULTS, "secrets": UNSET}
    assert await card.call("settings.get") == {"values": DEFAULTS, "secrets": UNSET}


async def test_a_card_changes_its_settings_and_is_told_before_the_answer(desk: Any) -> None:
    card = await enter(desk)
    answer = await card.call("settings.set", values={"count": 5, "title": "abc", "mode": "b", "shade": "#A0b1C2"})
    values = {**DEFAULTS, "count": 5, "title": "abc", "mode": "b", "shade": "#A0b1C2"}
    assert answer == {"values": values, "secrets": UNSET}
    assert ("settings.changed", answer) in card.client.events
    assert await card.call("settings.get") == answer


async def test_every_value_that_does_not_fit_is_named_and_nothing_is_changed(desk: Any) -> None:
    card = await enter(desk)
    values = {
        "count": 10,
        "title": "toolong",
        "on": 1,
        "mode": "c",
        "shade": "red",
        "apiKey": "x",
        "none": 1,
        "host": "",
    }
    refusal = await card.refused("settings.set", values=values)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert [issue["key"] for issue in refusal.data] == ["count", "title", "on", "mode", "shade", "apiKey", "none"]
    assert all(set(issue) == {"key", "message"} for issue in refusal.data)
    assert (await card.call("settings.get"))["values"] == DEFAULTS


@pytest.mark.usefixtures("standing_clock")
async def test_sixty_changes_a_minute_are_enough(desk: Any) -> None:
    card = await enter(desk)
    for number in range(60):
        await card.call("settings.set", values={"on": number % 2 == 0})
    refusal = await card.refused("settings.set", values={"on": True})
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 60_000


async def test_a_setting_of_the_package_holds_for_all_its_cards_and_one_of_the_card_for_it_alone(desk: Any) -> None:
    one, other = await enter(desk), await enter(desk)
    stranger = await desk.enter(name="other-card", settings=SETTINGS)
    await one.call("settings.set", values={"host": "h", "count": 9})
    told = await other.event("settings.changed")
    assert (told["values"]["host"], told["values"]["count"]) == ("h", 3)
    assert "host" not in (await stranger.call("settings.get"))["values"]
    assert [name for name, _ in stranger.client.events] == []


async def test_what_no_longer_fits_the_manifest_gives_way_to_the_default(desk: Any) -> None:
    card = await enter(desk)
    await card.call("settings.set", values={"count": 9})
    stricter = [{**SETTINGS[0], "max": 5}, *SETTINGS[1:]]
    manifest = manifest_of(settings=stricter)
    await desk.page.call("card.run", workspaceId=desk.id, manifest=manifest, cardId=card.id)
    again = await desk.connect(card.id)
    assert again.context["settings"]["values"]["count"] == 3


# The form


async def test_the_form_shows_what_the_manifest_declares_in_the_owners_language(desk: Any) -> None:
    card = await enter(desk)
    await desk.page.call("preferences.set", language="ru")
    form = await desk.page.call("card.settings", cardId=card.id)
    assert (form["cardId"], form["packageId"], form["name"]) == (card.id, card.package_id, "Own Card")
    fields = {field["key"]: field for field in form["fields"]}
    assert list(fields) == [setting["key"] for setting in SETTINGS]
    assert fields["count"] == {
        "key": "count",
        "type": "number",
        "label": "Число",
        "required": False,
        "scope": "instance",
        "default": 3,
        "min": 1,
        "max": 9,
    }
    assert fields["mode"]["options"] == [{"value": "a", "label": "Первый"}, {"value": "b", "label": "Second"}]
    assert (fields["host"]["required"], fields["host"]["scope"]) == (True, "package")
    assert fields["apiKey"]["description"] == "From your account."
    assert (form["values"], form["secrets"]) == (DEFAULTS, UNSET)


async def test_the_owner_sets_values_and_secrets_and_the_card_learns_only_that_there_are_some(desk: Any) -> None:
    card = await enter(desk)
    form = await desk.page.call(
        "card.setSettings", cardId=card.id, values={"count": 4}, secrets={"apiKey": "s3cret-value", "shared": "both"}
    )
    assert form["secrets"] == {"apiKey": True, "shared": True}
    told = await card.event("settings.changed")
    assert told == {"values": {**DEFAULTS, "count": 4}, "secrets": {"apiKey": True, "shared": True}}
    assert "s3cret-value" not in json.dumps([form, told, await card.call("settings.get")])
    other = await enter(desk)
    assert other.context["settings"]["secrets"] == {"apiKey": False, "shared": True}


async def test_the_owner_gives_a_default_back_and_takes_a_secret_away(desk: Any) -> None:
    card = await enter(desk)
    save = {"cardId": card.id, "values": {"count": 4, "title": "x"}, "secrets": {"apiKey": "k"}}
    await desk.page.call("card.setSettings", **save)
    emptied = {"cardId": card.id, "values": {"count": None, "title": None}, "secrets": {"apiKey": None}}
    form = await desk.page.call("card.setSettings", **emptied)
    assert (form["values"], form["secrets"]) == (DEFAULTS, UNSET)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"values": {"count": 0}}, "count"),
        ({"values": {"none": None}}, "none"),
        ({"values": {"apiKey": "x"}}, "apiKey"),
        ({"values": {}, "secrets": {"count": "x"}}, "count"),
        ({"values": {}, "secrets": {"none": "x"}}, "none"),
        ({"values": {}, "secrets": {"apiKey": "two\nlines"}}, "apiKey"),
    ],
)
async def test_the_form_refuses_what_does_not_fit(desk: Any, given: dict[str, Any], key: str) -> None:
    card = await enter(desk)
    refusal = await desk.page.refused("card.setSettings", cardId=card.id, **given)
    assert refusal.code is ErrorCode.INVALID_PARAMS
    assert [issue["key"] for issue in refusal.data] == [key]


async def test_only_cards_of_packages_have_a_form(desk: Any) -> None:
    note = await desk.add("note")
    assert (await desk.page.refused("card.settings", cardId=note)).code is ErrorCode.INVALID_PARAMS
    assert (await desk.page.refused("card.settings", cardId="c_none")).code is ErrorCode.NOT_FOUND


async def test_opening_the_form_needs_the_card_on_screen_and_reaches_one_page(desk: Any) -> None:
    card = await enter(desk)
    assert (await card.refused("settings.open")).code is ErrorCode.NOT_VISIBLE
    await card.show()
    assert await card.call("settings.open") is None
    assert await desk.page.event("card.openSettings") == {"cardId": card.id, "name": "Own Card"}


# Required settings without a value


async def test_a_card_shows_which_required_settings_have_no_value(desk: Any) -> None:
    one, other = await enter(desk), await enter(desk)
    assert desk.card(one.id)["content"]["missingSettings"] == ["host", "apiKey"]
    await one.call("settings.set", values={"host": "h"})
    assert desk.card(one.id)["content"]["missingSettings"] == ["apiKey"]
    assert desk.card(other.id)["content"]["missingSettings"] == ["apiKey"]
    await desk.page.call("card.setSettings", cardId=one.id, values={}, secrets={"apiKey": "k"})
    assert "missingSettings" not in desk.card(one.id)["content"]
    await desk.page.call("card.setSettings", cardId=one.id, values={"host": ""})
    assert desk.card(one.id)["content"]["missingSettings"] == ["host"]
    changed = await desk.page.event(
        "canvas.changed", lambda data: any("content" in change.get("fields", {}) for change in data["changes"])
    )
    assert changed["by"] is None


# On disk


async def test_settings_and_secrets_survive_a_restart_and_secrets_are_nowhere_in_clear(
    settings: Settings, clients_of: Any, tmp_path: Any
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="W", path=str(folder)))["id"]
        made = await page.call("card.run", workspaceId=home, manifest=manifest_of(settings=SETTINGS))
        card_id = made["cardId"]
        save = {"values": {"count": 8, "host": "h"}, "secrets": {"apiKey": "plain-to-see", "shared": "shared-to-see"}}
        await page.call("card.setSettings", cardId=card_id, **save)
    for file in settings.data_folder.iterdir():
        assert b"to-see" not in file.read_bytes(), file.name
    assert (settings.data_folder / "secrets.key").stat().st_mode & 0o777 == 0o600
    async with running(settings) as app, clients_of(app) as clients:
        card = clients.card(card_id)
        context = await card.call("host.ready", **READY)
        assert context["settings"]["values"] == {**DEFAULTS, "count": 8, "host": "h"}
        assert context["settings"]["secrets"] == {"apiKey": True, "shared": True}
        assert await app.contract.settings.secret(card_id, "apiKey") == "plain-to-see"
        assert await app.contract.settings.secret(card_id, "shared") == "shared-to-see"


async def test_a_secret_cannot_be_passed_off_as_another(desk: Any) -> None:
    card = await enter(desk)
    save = {"cardId": card.id, "values": {}, "secrets": {"apiKey": "a", "shared": "b"}}
    await desk.page.call("card.setSettings", **save)
    held = desk.app.contract.settings._store._secrets
    own, common = (next(shelf for shelf in held if shelf.scope == scope) for scope in ("instance", "package"))
    held[own]["apiKey"] = held[common]["shared"]
    with pytest.raises(Exception, match="type it in again"):
        await desk.app.contract.settings.secret(card.id, "apiKey")


async def test_memory_follows_the_disk_when_whoever_asked_went_away(desk: Any) -> None:
    card = await enter(desk)
    asking = asyncio.ensure_future(desk.app.contract.settings.set(card.id, {"count": 7}))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    told = await card.event("settings.changed")
    assert told["values"]["count"] == 7
    assert (await card.call("settings.get"))["values"]["count"] == 7


async def test_removing_a_package_with_its_data_forgets_what_holds_for_all_its_cards(desk: Any) -> None:
    card = await enter(desk)
    save = {"cardId": card.id, "values": {"host": "h", "count": 7}, "secrets": {"shared": "b"}}
    await desk.page.call("card.setSettings", **save)
    await desk.app.contract.forget_package(card.package_id)
    assert await card.call("settings.get") == {"values": {**DEFAULTS, "count": 7}, "secrets": UNSET}


async def test_a_copy_of_a_card_begins_with_the_store_the_settings_and_the_secrets_of_the_first(desk: Any) -> None:
    card = await enter(desk)
    secrets = {"apiKey": "s3cret", "shared": "all"}
    await desk.page.call("card.setSettings", cardId=card.id, values={"count": 7, "host": "h"}, secrets=secrets)
    await card.call("storage.set", scope="instance", key="k", value={"n": 1})
    copy = await desk.page.call("canvas.duplicateCard", cardId=card.id)
    contract, copied = desk.app.contract, CardId(copy["id"])
    await desk.page.call("card.run", workspaceId=desk.id, manifest=manifest_of(settings=SETTINGS), cardId=copied)
    twin = await desk.connect(copied)
    assert twin.context["settings"] == await card.call("settings.get")
    assert await contract.settings.secret(copied, "apiKey") == "s3cret"
    assert (await twin.call("storage.get", scope="instance", key="k"))["value"] == {"n": 1}
    assert await twin.call("storage.usage", scope="instance") == await card.call("storage.usage", scope="instance")
    await twin.call("storage.set", scope="instance", key="k", value=2)
    await twin.call("settings.set", values={"count": 2})
    assert (await card.call("storage.get", scope="instance", key="k"))["value"] == {"n": 1}
    assert (await card.call("settings.get"))["values"]["count"] == 7


async def test_a_secret_that_cannot_be_opened_does_not_keep_a_card_from_being_copied(
    desk: Any, caplog: pytest.LogCaptureFixture
) -> None:
    card = await enter(desk)
    await desk.page.call("card.setSettings", cardId=card.id, values={"count": 7}, secrets={"apiKey": "s3cret"})
    desk.app.contract.settings._vault = Vault(desk.app.settings.data_folder / "elsewhere", None)
    copy = await desk.page.call("canvas.duplicateCard", cardId=card.id)
    assert "apiKey" in caplog.text
    await desk.page.call("card.run", workspaceId=desk.id, manifest=manifest_of(settings=SETTINGS), cardId=copy["id"])
    twin = await desk.connect(copy["id"])
    assert twin.context["settings"] == {"values": {**DEFAULTS, "count": 7}, "secrets": UNSET}
