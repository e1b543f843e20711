"""Two pages over one canvas, each taking back its own steps in whatever order: what is left makes sense."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cardloom.app import running
from cardloom.settings import Settings
from cardloom_protocol.errors import CallError, ErrorCode

Step = Callable[[], Awaitable[None]]
SANE = {ErrorCode.NOT_FOUND, ErrorCode.INVALID_PARAMS, ErrorCode.NOT_CONNECTED}


class Hands:
    """One page that changes a canvas and knows how to take back what it did, as the app does."""

    def __init__(self, page: Any, home: str, chance: random.Random) -> None:
        self.page = page
        self._home = home
        self._chance = chance
        self._past: list[tuple[Step, Step]] = []
        self._future: list[tuple[Step, Step]] = []

    async def do_something(self) -> None:
        """One step at random: a change, an undo or a redo."""
        kind = self._chance.choice(("add", "remove", "move", "connect", "disconnect", "undo", "undo", "redo"))
        shown = await self.page.call("canvas.snapshot", workspaceId=self._home)
        cards, arrows = shown["cards"], shown["arrows"]
        if kind in ("undo", "redo"):
            await self.take_back() if kind == "undo" else await self._again()
        elif kind == "add" or len(cards) < 2:
            await self._add()
        elif kind == "remove":
            await self._remove(self._chance.choice(cards)["id"])
        elif kind == "move":
            await self._move(self._chance.choice(cards))
        elif kind == "connect":
            await self._connect(*(card["id"] for card in self._chance.sample(cards, 2)))
        elif arrows:
            await self._disconnect(self._chance.choice(arrows)["id"])

    async def take_back(self) -> bool:
        """Undo the last step; False where nothing is left. A step that the server refuses is dropped."""
        if not self._past:
            return False
        undo, redo = self._past.pop()
        if await _goes(undo):
            self._future.append((undo, redo))
        return True

    async def _again(self) -> None:
        if self._future:
            undo, redo = self._future.pop()
            if await _goes(redo):
                self._past.append((undo, redo))

    def _did(self, undo: Step, redo: Step) -> None:
        self._past.append((undo, redo))
        self._future.clear()

    async def _add(self) -> None:
        place = {"x": self._chance.randrange(1000), "y": 0}
        card = await self.page.call("canvas.addCard", workspaceId=self._home, kind="note", **place)
        gone: dict[str, Any] = {"arrowIds": []}

        async def undo() -> None:
            gone.update(await self.page.call("canvas.removeCard", cardId=card["id"]))

        async def redo() -> None:
            await self._restore([card["id"]], gone["arrowIds"])

        self._did(undo, redo)

    async def _remove(self, card_id: str) -> None:
        gone = await self.page.call("canvas.removeCard", cardId=card_id)

        async def undo() -> None:
            await self._restore([card_id], gone["arrowIds"])

        async def redo() -> None:
            gone.update(await self.page.call("canvas.removeCard", cardId=card_id))

        self._did(undo, redo)

    async def _move(self, card: dict[str, Any]) -> None:
        was, now = card["x"], self._chance.randrange(1000)

        async def to(x: int) -> None:
            await self.page.call("canvas.updateCard", cardId=card["id"], x=x)

        await to(now)
        self._did(lambda: to(was), lambda: to(now))

    async def _connect(self, a: str, b: str) -> None:
        try:
            arrow = await self.page.call("canvas.connect", a=a, b=b)
        except CallError as error:
            if error.code not in SANE:
                raise
            return

        async def undo() -> None:
            await self.page.call("canvas.disconnect", arrowId=arrow["id"])

        async def redo() -> None:
            await self._restore([], [arrow["id"]])

        self._did(undo, redo)

    async def _disconnect(self, arrow_id: str) -> None:
        await self.page.call("canvas.disconnect", arrowId=arrow_id)

        async def undo() -> None:
            await self._restore([], [arrow_id])

        async def redo() -> None:
            await self.page.call("canvas.disconnect", arrowId=arrow_id)

        self._did(undo, redo)

    async def _restore(self, card_ids: list[str], arrow_ids: list[str]) -> None:
        await self.page.call("canvas.restore", workspaceId=self._home, cardIds=card_ids, arrowIds=arrow_ids)


async def _goes(step: Step) -> bool:
    try:
        await step()
    except CallError as error:
        if error.code not in SANE:
            raise
        return False
    return True


def check(shown: dict[str, Any]) -> None:
    """What holds for every canvas: arrows join two cards that are there, and any two by one arrow at most."""
    ids = {card["id"] for card in shown["cards"]}
    pairs = [frozenset((arrow["a"], arrow["b"])) for arrow in shown["arrows"]]
    assert all(len(pair) == 2 and pair <= ids for pair in pairs)
    assert len(set(pairs)) == len(pairs)
    assert len({arrow["id"] for arrow in shown["arrows"]}) == len(pairs)


@pytest.mark.parametrize("seed", range(6))
async def test_two_pages_take_back_their_steps_in_any_order(
    settings: Settings, clients_of: Any, tmp_path: Any, seed: int
) -> None:
    chance = random.Random(seed)
    (tmp_path / "project").mkdir()
    async with running(settings) as app, clients_of(app) as clients:
        pages = [await clients.page() for _ in range(2)]
        workspace = await pages[0].call("workspace.create", name="P", path=str(tmp_path / "project"))
        hands = [Hands(page, workspace["id"], chance) for page in pages]
        for _ in range(120):
            await chance.choice(hands).do_something()
            check(await pages[0].call("canvas.snapshot", workspaceId=workspace["id"]))
        left = list(hands)
        while left:
            one = chance.choice(left)
            if not await one.take_back():
                left.remove(one)
            check(await pages[0].call("canvas.snapshot", workspaceId=workspace["id"]))
        before = await pages[1].call("canvas.snapshot", workspaceId=workspace["id"])
    async with running(settings) as app, clients_of(app) as clients:
        after = await (await clients.page()).call("canvas.snapshot", workspaceId=workspace["id"])
    assert after["arrows"] == before["arrows"]
    assert {card["id"]: card for card in after["cards"]} == {card["id"]: card for card in before["cards"]}
