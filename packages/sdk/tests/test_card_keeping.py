"""What a headless card keeps and sets: storage and settings."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_sdk import CallError, Card, ErrorCode, StorageChange, StorageUsage
from cardloom_sdk.testing import CardHost, VirtualTiming

MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "name": "keeper",
    "displayName": "Keeper",
    "version": "1.0.0",
    "protocol": 1,
    "settings": [
        {"key": "count", "type": "number", "label": "Count", "default": 3, "max": 9},
        {"key": "title", "type": "string", "label": "Title"},
        {"key": "apiKey", "type": "secret", "label": "Key"},
    ],
}


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


async def test_values_are_kept_by_key_in_two_stores() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await card.storage.set("k", {"n": 1})
        await card.storage.package.set("k", [2])
        assert await card.storage.get("k") == {"n": 1}
        assert await card.storage.instance.get("k") == {"n": 1}
        assert await card.storage.package.get("k") == [2]
        assert host.outside.stores == {"instance": {"k": {"n": 1}}, "package": {"k": [2]}}


async def test_a_default_stands_for_a_missing_value_and_not_for_null() -> None:
    card = make_card()
    async with CardHost(card):
        assert await card.storage.get("k") is None
        assert await card.storage.get("k", 7) == 7
        await card.storage.set("k", None)
        assert await card.storage.get("k", 7) is None


async def test_keys_usage_delete_and_clear() -> None:
    card = make_card()
    async with CardHost(card):
        for key in ("b", "a1", "a2"):
            await card.storage.set(key, 1)
        assert await card.storage.keys() == ["a1", "a2", "b"]
        assert await card.storage.keys("a") == ["a1", "a2"]
        assert await card.storage.usage() == StorageUsage(bytes=8, quota=5 * 1024 * 1024, keys=3)
        await card.storage.delete("b")
        await card.storage.delete("b")
        assert await card.storage.keys() == ["a1", "a2"]
        await card.storage.clear()
        assert await card.storage.keys() == []


async def test_a_value_that_is_too_large_is_refused() -> None:
    card = make_card()
    async with CardHost(card):
        with pytest.raises(CallError) as refusal:
            await card.storage.set("k", "x" * (1024 * 1024))
        assert refusal.value.code is ErrorCode.TOO_LARGE


async def test_changes_by_other_cards_of_the_package_are_heard_while_somebody_listens() -> None:
    card = make_card()
    heard: list[StorageChange] = []
    own: list[StorageChange] = []
    async with CardHost(card) as host:
        stop = card.storage.package.on_changed(heard.append)
        card.storage.on_changed(own.append)
        await host.rest()
        await host.store_changed("k", 1)
        stop()
        await host.store_changed("l", 1)
        assert (heard, own) == ([StorageChange("k", deleted=False)], [])
        assert await card.storage.package.get("l") == 1


async def test_settings_have_their_defaults_and_secrets_are_only_said_to_be_set() -> None:
    card = make_card()
    async with CardHost(card) as host:
        assert card.settings.values == {"count": 3}
        assert not card.settings.has_secret("apiKey")
        await host.set_settings({"title": "t"}, {"apiKey": "s3cret"})
        assert card.settings.values == {"count": 3, "title": "t"}
        assert card.settings.has_secret("apiKey")
        assert "s3cret" not in str(card.context.wire)


async def test_a_card_changes_its_settings_and_hears_of_it() -> None:
    card = make_card()
    heard: list[dict[str, Any]] = []
    async with CardHost(card) as host:
        stop = card.settings.on_changed(heard.append)
        await card.settings.set(count=5, title="x")
        assert card.settings.values == {"count": 5, "title": "x"}
        assert await card.settings.get() == {"count": 5, "title": "x"}
        await host.rest()
        stop()
        await host.set_settings({"count": 6})
    assert heard == [{"count": 5, "title": "x"}]


async def test_a_setting_that_does_not_fit_is_named() -> None:
    card = make_card()
    async with CardHost(card):
        with pytest.raises(CallError) as refusal:
            await card.settings.set(count=10, apiKey="x")
    assert refusal.value.code is ErrorCode.INVALID_PARAMS
    assert isinstance(refusal.value.data, list)
    assert [issue["key"] for issue in refusal.value.data if isinstance(issue, dict)] == ["count", "apiKey"]


async def test_the_form_is_the_hosts_and_needs_the_card_on_screen() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await card.settings.open()
        assert host.outside.settings_opened == 1
        await host.set_visibility("s3cret")
        with pytest.raises(CallError, match="NOT_VISIBLE"):
            await card.settings.open()
