"""What a headless card asks of the person and the canvas."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_sdk import CallError, Card, ErrorCode, MenuItem
from cardloom_sdk.testing import CardHost, VirtualTiming

MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "name": "wisher",
    "displayName": "Wisher",
    "version": "1.0.0",
    "protocol": 1,
    "permissions": ["canvas.spawn", "clipboard.write", {"id": "network.local", "optional": True}],
    "card": {"minSize": {"w": 300, "h": 200}, "maxSize": {"w": 600, "h": 400}},
}


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


@pytest.mark.parametrize("says", [True, False])
async def test_a_question_is_answered_by_the_person(says: bool) -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.confirms = says
        assert await card.ui.confirm("Drop it?", "All of it.", confirm_label="Drop", tone="danger") is says
        assert await card.open_link("https://example.org/") is says
        assert host.outside.questions == [
            {"title": "Drop it?", "message": "All of it.", "confirmLabel": "Drop", "tone": "danger"}
        ]
        assert host.outside.links == ["https://example.org/"]
        with pytest.raises(CallError, match="INVALID_PARAMS"):
            await card.open_link("http://example.org/")


async def test_a_choice_from_the_menu_reaches_its_listener() -> None:
    card = make_card()
    chosen: list[str] = []
    async with CardHost(card) as host:
        await card.ui.set_menu(
            [MenuItem("a", "First", icon="bolt"), MenuItem("b", "Second", tone="danger", disabled=True)]
        )
        assert host.outside.menu == [
            {"id": "a", "label": "First", "icon": "bolt"},
            {"id": "b", "label": "Second", "tone": "danger", "disabled": True},
        ]
        card.ui.on_menu(chosen.append)
        await host.choose_menu("a")
        with pytest.raises(ValueError, match="no entry 'z'"):
            await host.choose_menu("z")
    assert chosen == ["a"]


async def test_an_entry_of_the_menu_has_a_function_of_its_own_and_its_failure_is_told() -> None:
    card = make_card()
    chosen: list[str] = []

    async def fail() -> None:
        raise ValueError("no such page")

    async with CardHost(card) as host:
        await card.ui.set_menu(
            [MenuItem("a", "First", on_select=lambda: chosen.append("own")), MenuItem("b", "Second", on_select=fail)]
        )
        card.ui.on_menu(chosen.append)
        await host.choose_menu("a")
        await host.choose_menu("b")
        assert chosen == ["own", "a", "b"]
        assert any("no such page" in str(line) for line in host.shown.log)
        await card.ui.set_menu([MenuItem("a", "First")])
        await host.choose_menu("a")
    assert chosen == ["own", "a", "b", "a"]


async def test_permissions_are_asked_for_and_known_before_the_answer() -> None:
    card = make_card()
    async with CardHost(card) as host:
        assert await card.permissions.request("network.local") == frozenset()
        assert not card.permissions.has("network.local")
        await host.advance(5000)
        host.outside.grants.add("network.local")
        assert await card.permissions.request("network.local") == {"network.local"}
        assert card.permissions.has("network.local")
        await host.advance(5000)
        with pytest.raises(CallError) as refusal:
            await card.permissions.request("canvas.spawn")
        assert (refusal.value.code, refusal.value.data) == (
            ErrorCode.PERMISSION_DENIED,
            {"permission": "canvas.spawn"},
        )


async def test_another_size_is_within_the_manifests_bounds() -> None:
    card = make_card()
    async with CardHost(card):
        assert await card.request_resize(5000, 1) == (600, 200)
        assert card.context.instance["size"] == {"w": 600, "h": 200}


async def test_a_card_adds_another_and_looks_at_it() -> None:
    card = make_card()
    async with CardHost(card) as host:
        child = await card.spawn("self", title="Second", connect=True, init=None)
        await card.spawn("note")
        assert host.outside.spawned == [
            {"kind": "self", "connect": True, "title": "Second", "init": None},
            {"kind": "note"},
        ]
        await card.focus(child)
        assert host.outside.focused == child
        for _ in range(2):
            await card.spawn("sticky")
        await host.advance(60_000)
        with pytest.raises(CallError, match="QUOTA_EXCEEDED"):
            await card.spawn("sticky")


async def test_text_is_copied() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await card.copy_text("npm test")
        assert host.outside.clipboard == "npm test"
        with pytest.raises(CallError, match="RATE_LIMITED"):
            await card.copy_text("again")
