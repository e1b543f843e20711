"""The pictures of the examples, taken where CARDLOOM_PICTURES asks for them: `make pictures`."""

from __future__ import annotations

import os

from playwright.sync_api import Locator

from .person import Person
from .running_server import ROOT

EXAMPLES = ROOT / "examples" / "cards"


def keep_picture(person: Person, card: Locator, example: str) -> None:
    """Keep what a card looks like now beside its example."""
    if os.environ.get("CARDLOOM_PICTURES"):
        person.page.mouse.move(0, 0)
        card.screenshot(path=EXAMPLES / example / "screenshot.png")
