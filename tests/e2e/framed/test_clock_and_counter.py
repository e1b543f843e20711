"""The example that is a page in one file, on a real canvas."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cardloom.cli.authoring import validate_card

from ..hostile.hosting import Hosted
from ..person import Person
from ..pictures import EXAMPLES, keep_picture
from ..running_server import free_port
from .conftest import Framed

Sit = Callable[..., Person]

CARD = EXAMPLES / "clock-counter"


@pytest.fixture
def clocks(tmp_path: Path) -> Iterator[Hosted]:
    """A server whose only package is the clock, over one empty workspace."""
    (tmp_path / "project").mkdir()
    shutil.copytree(CARD, tmp_path / "packages" / "clock-counter")
    hosted = Hosted(tmp_path / "data", tmp_path / "packages", free_port())
    hosted.call("workspace.create", name="Project", path=str(tmp_path / "project"))
    yield hosted
    hosted.end()


def test_the_clock_can_be_installed_and_has_one_page() -> None:
    answer = validate_card(CARD)
    assert answer.data["files"] == ["README.md", "index.html", "neurosquad-card.json", "screenshot.png"]
    assert answer.data["warnings"] == []


def test_the_clock_tells_the_time_and_counts_on_after_a_reload(clocks: Hosted, sit_down: Sit) -> None:
    person = sit_down(clocks.address())
    person.add("Clock and counter")
    person.see_all()
    clock = Framed(person, person.card("Custom card", "Clock and counter"))
    expect(clock.inside.locator("#time")).to_contain_text(":")
    for _ in range(2):
        clock.inside.get_by_role("button", name="Count", exact=True).click()
    expect(clock.inside.locator("#count")).to_have_text("2")
    expect(clock.card.locator(".card-head .badge")).to_have_text("2")
    keep_picture(person, clock.card, "clock-counter")
    person.page.reload()
    expect(clock.inside.locator("#count")).to_have_text("2")
    clock.inside.get_by_role("button", name="Start over").click()
    expect(clock.inside.locator("#count")).to_have_text("0")
    clocks.call("preferences.set", language="ru")
    expect(clock.inside.get_by_role("button", name="Посчитать")).to_be_visible()
