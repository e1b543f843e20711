"""Cards that change the canvas: another size, cards beside them. Spec: cards, methods; decisions 12, 36."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom.app import running
from cardloom.features.cards.model import folder_package_id
from cardloom.settings import Settings
from cardloom_protocol.errors import ErrorCode

from .conftest import READY, Actor, manifest_of

SPAWN = ["canvas.spawn"]


# card.requestResize


@pytest.mark.usefixtures("standing_clock")
async def test_a_card_is_resized_within_its_manifests_bounds_and_told(desk: Any) -> None:
    sizes = {"minSize": {"w": 300, "h": 200}, "defaultSize": {"w": 400, "h": 300}, "maxSize": {"w": 500, "h": 400}}
    card = await desk.enter(card=sizes)
    assert await card.call("card.requestResize", w=10_000, h=1) == {"w": 500, "h": 200}
    assert (desk.card(card.id)["w"], desk.card(card.id)["h"]) == (500, 200)
    assert await card.event("lifecycle.resized") == {"w": 500, "h": 200}
    assert (await card.call("card.getInfo"))["size"] == {"w": 500, "h": 200}
    refusal = await card.refused("card.requestResize", w=400, h=300)
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 500


async def test_the_size_it_has_already_is_no_change(desk: Any) -> None:
    card = await desk.enter()
    seq = desk.app.canvas.commits.seq(desk.id)
    assert await card.call("card.requestResize", w=420, h=320) == {"w": 420, "h": 320}
    assert desk.app.canvas.commits.seq(desk.id) == seq


@pytest.mark.parametrize("size", [{"w": 0, "h": 100}, {"w": 100.5, "h": 100}, {"w": 100}])
async def test_a_size_that_is_none_is_refused(desk: Any, size: dict[str, Any]) -> None:
    card = await desk.enter()
    assert (await card.refused("card.requestResize", **size)).code is ErrorCode.INVALID_PARAMS


# card.spawn


async def test_a_new_card_stands_to_the_right_and_covers_nothing(desk: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    home = desk.card(card.id)
    await desk.add("note", x=home["x"] + home["w"] + 50, y=home["y"] + 10, w=200, h=200)
    spawned = [(await card.call("card.spawn", kind=kind))["cardId"] for kind in ("note", "todo", "kanban")]
    cards = [desk.card(card_id) for card_id in spawned]
    assert [one["kind"] for one in cards] == ["note", "todo", "kanban"]
    assert all(one["x"] >= home["x"] + home["w"] for one in cards)
    everything = [one.to_wire() for one in desk.app.graph.cards_of(desk.id)]
    for index, one in enumerate(everything):
        for other in everything[index + 1 :]:
            apart = (
                one["x"] + one["w"] <= other["x"]
                or other["x"] + other["w"] <= one["x"]
                or one["y"] + one["h"] <= other["y"]
                or other["y"] + other["h"] <= one["y"]
            )
            assert apart, (one["kind"], other["kind"])


async def test_title_and_content_are_given_along(desk: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    note = (await card.call("card.spawn", kind="note", title="Report", init="# Done"))["cardId"]
    todo = (await card.call("card.spawn", kind="todo", init={"items": [{"text": "ship"}]}))["cardId"]
    assert (desk.card(note)["name"], desk.card(note)["content"]) == ("Report", {"text": "# Done"})
    assert [item["text"] for item in desk.card(todo)["content"]["items"]] == ["ship"]


@pytest.mark.parametrize(
    ("kind", "init"),
    [("todo", "text"), ("todo", {"items": [{"text": ""}]}), ("sticky", {"color": "black"}), ("note", 5)],
)
async def test_content_that_does_not_fit_adds_nothing(desk: Any, kind: str, init: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    assert (await card.refused("card.spawn", kind=kind, init=init)).code is ErrorCode.INVALID_PARAMS
    assert len(desk.app.graph.cards_of(desk.id)) == 1


async def test_an_arrow_a_card_draws_is_pending_until_the_owner_confirms_it(desk: Any) -> None:
    outputs = [{"id": "out", "label": "Out", "type": "ns:text"}]
    card = await desk.enter(permissions=[*SPAWN, "cards.connected"], ports={"outputs": outputs})
    note = (await card.call("card.spawn", kind="note", connect=True))["cardId"]
    (arrow,) = desk.app.graph.arrows_of(desk.id)
    wire = arrow.to_wire()
    assert (wire["a"], wire["b"], wire["direction"], wire["pending"]) == (card.id, note, "forward", True)
    assert wire["drawnBy"] == {"kind": "card", "id": card.id}
    assert await card.call("ports.emit", port="out", data="x") == {"delivered": 0}
    await desk.page.call("canvas.updateArrow", arrowId=arrow.id, confirm=True)
    assert await card.call("ports.emit", port="out", data="x") == {"delivered": 1}


async def test_without_connect_no_arrow_is_drawn(desk: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    await card.call("card.spawn", kind="sticky")
    assert desk.app.graph.arrows_of(desk.id) == []


async def test_four_living_children_are_the_limit(desk: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    children = [(await card.call("card.spawn", kind="sticky"))["cardId"] for _ in range(4)]
    with pytest.raises(Exception, match="QUOTA_EXCEEDED"):
        await desk.app.contract.growing.spawn(card.id, {"kind": "sticky"})
    await desk.page.call("canvas.removeCard", cardId=children[0])
    await desk.app.contract.growing.spawn(card.id, {"kind": "sticky"})
    with pytest.raises(Exception, match="QUOTA_EXCEEDED"):
        await desk.app.contract.growing.spawn(card.id, {"kind": "sticky"})
    other = await desk.enter(permissions=SPAWN)
    await other.call("card.spawn", kind="sticky")


@pytest.mark.usefixtures("standing_clock")
async def test_four_spawns_a_minute(desk: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    for _ in range(4):
        made = await card.call("card.spawn", kind="sticky")
        await desk.page.call("canvas.removeCard", cardId=made["cardId"])
    assert (await card.refused("card.spawn", kind="sticky")).code is ErrorCode.RATE_LIMITED


async def test_children_are_counted_over_a_restart(settings: Settings, clients_of: Any, tmp_path: Any) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="W", path=str(folder)))["id"]
        manifest = manifest_of(permissions=SPAWN)
        card_id = (await page.call("card.run", workspaceId=home, manifest=manifest))["cardId"]
        card = clients.card(card_id)
        await card.call("host.ready", **READY)
        for _ in range(4):
            await card.call("card.spawn", kind="sticky")
    async with running(settings) as app, clients_of(app) as clients:
        card = clients.card(card_id)
        await card.call("host.ready", **READY)
        assert (await card.refused("card.spawn", kind="sticky")).code is ErrorCode.QUOTA_EXCEEDED


async def test_spawning_needs_its_permission(desk: Any) -> None:
    card = await desk.enter()
    refusal = await card.refused("card.spawn", kind="note")
    assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "canvas.spawn"})


class TestItself:
    """Cards that add another of their own package."""

    @pytest.fixture
    def settings(self, tmp_path: Any) -> Settings:
        """A server that knows one package."""
        import json

        folder = tmp_path / "packages" / "twin"
        folder.mkdir(parents=True)
        manifest = manifest_of(name="twin", displayName="Twin", permissions=SPAWN)
        (folder / "cardloom-card.json").write_text(json.dumps(manifest))
        (folder / "card.py").write_text("")
        return Settings(tmp_path / "data", package_folders=(tmp_path / "packages",))

    @pytest.fixture
    async def twin(self, desk: Any) -> Actor:
        """A card of that package."""
        card_id = await desk.add("custom", packageId=folder_package_id("twin"))
        await desk.page.call(
            "grant.set",
            workspaceId=desk.id,
            packageId=folder_package_id("twin"),
            permission="canvas.spawn",
            granted=True,
        )
        card: Actor = await desk.connect(card_id)
        return card

    async def test_a_copy_of_itself_learns_what_it_was_given(self, desk: Any, twin: Actor) -> None:
        assert "spawnInit" not in twin.context
        child = (await twin.call("card.spawn", kind="self", title="Second", init={"page": [1, None]}))["cardId"]
        born = await desk.connect(child)
        assert (born.context["spawnInit"], born.context["instance"]["title"]) == ({"page": [1, None]}, "Second")
        assert born.package_id == twin.package_id
        assert born.context["launch"] == "created"
        again = await desk.connect(child)
        assert again.context["spawnInit"] == {"page": [1, None]}

    async def test_nothing_given_is_nothing_there_and_null_is_null(self, desk: Any, twin: Actor) -> None:
        plain = (await twin.call("card.spawn", kind="self"))["cardId"]
        assert "spawnInit" not in (await desk.connect(plain)).context
        null = (await twin.call("card.spawn", kind="self", init=None))["cardId"]
        assert (await desk.connect(null)).context["spawnInit"] is None


async def test_a_card_run_by_hand_cannot_add_itself(desk: Any) -> None:
    card = await desk.enter(permissions=SPAWN)
    assert (await card.refused("card.spawn", kind="self")).code is ErrorCode.UNAVAILABLE
