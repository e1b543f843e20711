"""Disk, memory and pages stay equal, whoever goes away and however many change a canvas at once."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import Any

import pytest

from cardloom.app import App
from cardloom.core.records import Arrow, ArrowStats


async def _add(page: Any, workspace_id: str, kind: str = "note", **more: Any) -> dict[str, Any]:
    card: dict[str, Any] = await page.call(
        "canvas.addCard", workspaceId=workspace_id, kind=kind, **{"x": 0, "y": 0, **more}
    )
    return card


async def test_a_caller_that_goes_away_in_the_middle_leaves_disk_and_memory_equal(
    app: App, page: Any, workspace_id: str
) -> None:
    for _ in range(30):
        task = asyncio.create_task(app.canvas.add_card(workspace_id, "note", {"x": 0, "y": 0}))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await app.database.flush()
    await page.call("workspace.list")
    on_disk = {row[0] for row in app.database.reader.execute("SELECT id FROM cards WHERE removed_at_ms IS NULL")}
    assert on_disk == {card.id for card in app.graph.cards_of(app.graph.workspace(workspace_id).id)}


async def test_what_a_program_shows_meanwhile_is_not_overwritten_by_a_move(
    app: App, page: Any, workspace_id: str
) -> None:
    card_id = (await _add(page, workspace_id, "terminal"))["id"]
    card = app.graph.card(card_id)
    moving = asyncio.create_task(app.canvas.update_card(card_id, {"x": 7}))
    await asyncio.sleep(0)
    assert app.canvas.commits.busy(card.workspace_id)
    app.canvas.commits.patch_runtime(card.id, {"status": "idle"})
    await moving
    assert app.graph.card(card_id).runtime == {"status": "idle"}
    assert app.graph.card(card_id).x == 7


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_storm_of_edits_and_disconnects_converges(
    app: App, clients: Any, page: Any, workspace_id: str, seed: int
) -> None:
    mirrors = [Mirror(await clients.page(), workspace_id) for _ in range(3)]
    for mirror in mirrors:
        await mirror.subscribe()

    async def storm(mirror: Mirror, chance: random.Random) -> None:
        for _ in range(80):
            await mirror.act(chance)
            if chance.random() < 0.05:
                await mirror.page.close()
                mirror.page = await clients.page()
                await mirror.subscribe()

    await asyncio.gather(*(storm(mirror, random.Random(seed * 10 + i)) for i, mirror in enumerate(mirrors)))
    truth = await page.call("canvas.snapshot", workspaceId=workspace_id)
    for mirror in mirrors:
        await mirror.catch_up(truth["seq"])
        assert mirror.picture() == pictured(truth)
    stored = app.canvas.stored()
    home = app.graph.workspace(workspace_id).id
    assert {c.id: c for c in stored.cards} == {c.id: c for c in app.graph.cards_of(home)}
    assert {a.id: uncounted(a) for a in stored.arrows} == {a.id: uncounted(a) for a in app.graph.arrows_of(home)}


def uncounted(arrow: Arrow) -> Arrow:
    """An arrow without its counts, which are written now and then."""
    return replace(arrow, stats=ArrowStats())


def pictured(snapshot: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cards and arrows by id, without the counts, which `arrow.activity` brings."""
    return (
        {card["id"]: card for card in snapshot["cards"]},
        {arrow["id"]: {**arrow, "stats": None} for arrow in snapshot["arrows"]},
    )


class Mirror:
    """A page that keeps its picture by the changes alone, as the web page does."""

    def __init__(self, page: Any, workspace_id: str) -> None:
        self.page = page
        self.workspace_id = workspace_id
        self.seq = 0
        self.cards: dict[str, Any] = {}
        self.arrows: dict[str, Any] = {}
        self.removed: list[str] = []

    async def subscribe(self) -> None:
        snapshot = await self.page.call("canvas.subscribe", workspaceId=self.workspace_id)
        self.seq = snapshot["seq"]
        self.cards, self.arrows = pictured(snapshot)

    def picture(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.cards, self.arrows

    async def catch_up(self, seq: int) -> None:
        while self.seq < seq:
            self.take(await self.page.event("canvas.changed"))

    def take(self, event: dict[str, Any]) -> None:
        if event["seq"] <= self.seq:
            return
        assert event["seq"] == self.seq + 1, "a hole"
        self.seq = event["seq"]
        for change in event["changes"]:
            match change["op"]:
                case "putCard":
                    self.cards[change["card"]["id"]] = change["card"]
                case "patchCard":
                    self.cards[change["cardId"]] |= change["fields"]
                case "removeCard":
                    del self.cards[change["cardId"]]
                case "putArrow":
                    self.arrows[change["arrow"]["id"]] = {**change["arrow"], "stats": None}
                case "removeArrow":
                    del self.arrows[change["arrowId"]]

    async def act(self, chance: random.Random) -> None:
        while self.page.events:
            name, data = self.page.events.pop(0)
            if name == "canvas.changed":
                self.take(data)
        card_id, other_id = (chance.choice(list(self.cards) or ["c_none"]) for _ in range(2))
        arrow_id = chance.choice(list(self.arrows) or ["a_none"])
        home = {"workspaceId": self.workspace_id}
        steps: list[tuple[str, dict[str, Any]]] = [
            ("canvas.addCard", {**home, "kind": chance.choice(["note", "todo"]), "x": 1, "y": 1}),
            ("canvas.updateCard", {"cardId": card_id, "x": chance.randint(0, 9), "z": "front"}),
            ("canvas.updateCard", {"cardId": card_id, "title": chance.choice([None, "A", "B"])}),
            ("canvas.connect", {"a": card_id, "b": other_id}),
            ("canvas.removeCard", {"cardId": card_id}),
            ("canvas.duplicateCard", {"cardId": card_id}),
            ("canvas.disconnect", {"arrowId": arrow_id}),
            ("canvas.updateArrow", {"arrowId": arrow_id, "direction": "both"}),
            ("canvas.restore", {**home, "cardIds": self.removed[-1:], "arrowIds": []}),
        ]
        method, params = chance.choice(steps)
        answer = (await asyncio.gather(self.page.call(method, **params), return_exceptions=True))[0]
        if method == "canvas.removeCard" and isinstance(answer, dict):
            self.removed.append(params["cardId"])
