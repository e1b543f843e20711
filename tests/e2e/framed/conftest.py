"""A server with one card that is a page, and people in front of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator

from ..hostile.hosting import Hosted
from ..person import Person
from ..running_server import free_port

CARD = Path(__file__).parent / "card"


class Framed:
    """A card in a frame as a person meets it. `title` tells its frame from others on the page."""

    def __init__(self, person: Person, card: Locator, title: str | None = None) -> None:
        self.person = person
        self.card = card
        self._frame = "iframe.frame" if title is None else f'iframe.frame[title="{title}"]'

    @property
    def inside(self) -> FrameLocator:
        """What stands in the frame, wherever on the page the frame is."""
        return self.person.page.frame_locator(self._frame)

    def says(self, fact: str) -> Locator:
        """A line of what the card knows."""
        return self.inside.get_by_text(fact, exact=True)

    @property
    def counted(self) -> Locator:
        return self.inside.locator("#counted")

    def count(self, times: int = 1) -> None:
        for _ in range(times):
            self.inside.get_by_role("button", name="Count").click()


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server whose only package is the counter, over one empty workspace."""
    (tmp_path / "project").mkdir()
    shutil.copytree(CARD, tmp_path / "packages" / "counter")
    hosted = Hosted(tmp_path / "data", tmp_path / "packages", free_port())
    hosted.call("workspace.create", name="Project", path=str(tmp_path / "project"))
    yield hosted
    hosted.end()
