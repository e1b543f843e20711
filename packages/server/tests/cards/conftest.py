"""Packages written for a test, and a server that finds them."""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App
from cardloom.settings import Settings
from cardloom_protocol.ids import CardId

from .making_packages import Author
from .owning import Owner

CAP_S = 60.0


class Shelf:
    """A folder of packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def add(self, name: str, program: str, **manifest: Any) -> str:
        """Write a package and give its id."""
        from cardloom.features.cards.model import folder_package_id

        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        whole = {
            "manifestVersion": 1,
            "protocol": 1,
            "version": "1.0.0",
            "name": name,
            "displayName": name.title(),
            "python": "card.py",
            "ports": {
                "inputs": [{"id": "in", "label": "In", "type": "ns:text", "default": True}],
                "outputs": [{"id": "out", "label": "Out", "type": "ns:text"}],
            },
            **manifest,
        }
        (folder / "cardloom-card.json").write_text(json.dumps(whole))
        (folder / "card.py").write_text(textwrap.dedent(program))
        return folder_package_id(name)


ECHO = """
    from pathlib import Path
    from cardloom_sdk import Card

    card = Card(Path(__file__).parent)

    @card.on_message("in")
    async def received(text):
        print("heard", text)
        await card.emit("out", text + "!")

    @card.on_ready
    async def ready():
        await card.set_status(card.context.wire["launch"])

    card.run()
"""


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A folder for the packages of a test."""
    return Shelf(tmp_path / "packages")


@pytest.fixture
def settings(tmp_path: Path, shelf: Shelf) -> Settings:
    """A server on a fresh data folder that knows the test's packages."""
    return Settings(tmp_path / "data", package_folders=(shelf.folder,))


class Desk:
    """One workspace with a page that watches it."""

    def __init__(self, app: App, page: Any, workspace_id: str) -> None:
        self.app = app
        self.page = page
        self.id = workspace_id

    async def add(self, kind: str, **more: Any) -> str:
        """Put a card on the canvas."""
        card = await self.page.call("canvas.addCard", workspaceId=self.id, kind=kind, x=0, y=0, **more)
        return str(card["id"])

    async def put(self, package_id: str) -> str:
        """Put a card of a package on the canvas, as its package is on disk now."""
        await self.page.call("package.list")
        return await self.add("custom", packageId=package_id)

    async def answer(self, *, accepted: bool) -> dict[str, Any]:
        """Answer the next question, and give it."""
        dialog: dict[str, Any] = (await self.page.event("dialog.opened"))["dialog"]
        await self.page.call("dialog.answer", dialogId=dialog["id"], accepted=accepted)
        return dialog

    def card(self, card_id: str) -> dict[str, Any]:
        """A card as it is shown now."""
        wire: dict[str, Any] = self.app.graph.card(card_id).to_wire()
        return wire

    def runtime(self, card_id: str) -> dict[str, Any]:
        return self.card(card_id)["runtime"] or {}

    async def until(self, true: Callable[[], Any]) -> None:
        """Wait until something holds of the canvas or of a log."""
        async with asyncio.timeout(CAP_S):
            while not true():
                news = asyncio.Event()
                self._news.append(news)
                await news.wait()

    async def until_status(self, card_id: str, status: str) -> dict[str, Any]:
        """Wait until a card's program is in a state, and give the whole of it."""
        await self.until(lambda: self.runtime(card_id).get("status") == status)
        return self.runtime(card_id)

    async def log(self, card_id: str) -> list[str]:
        """What a card logged and printed."""
        return [line["text"] for line in (await self.page.call("card.log", cardId=card_id))["lines"]]

    def pid(self, card_id: str) -> int:
        """The process of a card's program, which runs."""
        pid = self.app.cards.programs.pid(CardId(card_id))
        assert pid is not None
        return pid

    def listen(self) -> None:
        self._news: list[asyncio.Event] = []

        def tell(_event: object) -> None:
            waiting, self._news = self._news, []
            for news in waiting:
                news.set()

        for name in ("canvas.changed", "card.log"):
            self.app.bus.listen(name, tell)


@pytest.fixture
async def desk(app: App, page: Any, workspace_id: str) -> Desk:
    """A workspace with nothing on it."""
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    made = Desk(app, page, workspace_id)
    made.listen()
    return made


@pytest.fixture
def owner(app: App, page: Any) -> Owner:
    return Owner(app, page)


@pytest.fixture
def author(tmp_path: Path) -> Author:
    return Author(tmp_path / "work" / "pantry")
