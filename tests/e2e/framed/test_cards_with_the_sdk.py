"""A card in one file, written with the SDK and the style kit that the canvas serves to every card."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from ..hostile.hosting import Hosted
from ..person import Person
from ..running_server import free_port
from .conftest import Framed

Sit = Callable[..., Person]

CARD = Path(__file__).parent / "with_sdk"


@pytest.fixture
def tides(tmp_path: Path) -> Iterator[Hosted]:
    """A server whose only package is the tide log, over one empty workspace."""
    (tmp_path / "project").mkdir()
    shutil.copytree(CARD, tmp_path / "packages" / "tide-log")
    hosted = Hosted(tmp_path / "data", tmp_path / "packages", free_port())
    hosted.call("workspace.create", name="Project", path=str(tmp_path / "project"))
    yield hosted
    hosted.end()


def sit_with_tide_log(hosted: Hosted, sit_down: Sit) -> Framed:
    """A person who just put the tide log on the canvas."""
    person = sit_down(hosted.address())
    person.add("Tide log")
    person.see_all()
    made = Framed(person, person.card("Custom card", "Tide log"))
    expect(made.says("kept: 0")).to_be_visible()
    return made


def cards_of(hosted: Hosted) -> dict[str, Any]:
    """The cards of the workspace by their kind."""
    workspace = hosted.call("workspace.list")["workspaces"][0]["id"]
    return {card["kind"]: card for card in hosted.call("canvas.snapshot", workspaceId=workspace)["cards"]}


def test_what_a_card_keeps_with_the_sdk_is_there_after_a_reload(tides: Hosted, sit_down: Sit) -> None:
    made = sit_with_tide_log(tides, sit_down)
    for kept in (1, 2):
        made.inside.get_by_role("button", name="Keep").click()
        expect(made.says(f"kept: {kept}")).to_be_visible()
    expect(made.card.locator(".card-head .badge")).to_have_text("2")
    made.person.look("tide-log")
    made.person.page.reload()
    expect(made.says("kept: 2")).to_be_visible()


def test_the_kit_wears_the_colours_of_the_canvas(tides: Hosted, sit_down: Sit) -> None:
    made = sit_with_tide_log(tides, sit_down)
    root = made.inside.locator("html")
    scheme = root.get_attribute("data-ns-scheme")
    assert scheme in ("dark", "light")
    other = "light" if scheme == "dark" else "dark"
    keep = made.inside.locator("#keep")
    before = str(keep.evaluate("element => getComputedStyle(element).backgroundColor"))
    tides.call("preferences.set", scheme=other, language="ru")
    expect(made.says(f"wears: {other} ru")).to_be_visible()
    expect(root).to_have_attribute("data-ns-scheme", other)
    expect(root).to_have_attribute("lang", "ru")
    expect(keep).not_to_have_css("background-color", before)


def test_what_a_card_emits_with_the_sdk_reaches_the_note_it_is_joined_to(tides: Hosted, sit_down: Sit) -> None:
    made = sit_with_tide_log(tides, sit_down)
    made.inside.get_by_role("button", name="Report").click()
    expect(made.says("sent to 0")).to_be_visible()
    made.person.add("Note")
    cards = cards_of(tides)
    tides.call("canvas.connect", a=cards["custom"]["id"], b=cards["note"]["id"], direction="forward")
    made.person.see_all()
    expect(made.person.card("Note", "Note")).to_be_visible()
    expect(made.says("joined to 1")).to_be_visible()
    made.inside.get_by_role("button", name="Report").click()
    expect(made.says("sent to 1")).to_be_visible()
    assert cards_of(tides)["note"]["content"]["text"] == "High at noon."
