"""A card as `cardloom card new` begins it, on a real canvas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from cardloom.cli.authoring import new_card

from ..hostile.hosting import Hosted
from ..person import Person
from ..running_server import free_port
from .conftest import Framed

Sit = Callable[..., Person]


def test_a_new_page_runs_as_it_is_and_keeps_its_count(tmp_path: Path, sit_down: Sit) -> None:
    for folder in ("project", "packages"):
        (tmp_path / folder).mkdir()
    new_card("tide-clock", tmp_path / "packages", "html")
    hosted = Hosted(tmp_path / "data", tmp_path / "packages", free_port())
    try:
        hosted.call("workspace.create", name="Project", path=str(tmp_path / "project"))
        person = sit_down(hosted.address())
        person.add("Tide clock")
        person.see_all()
        clock = Framed(person, person.card("Custom card", "Tide clock"))
        expect(clock.inside.locator("#count")).to_have_text("0")
        clock.inside.get_by_role("button", name="Add one").click()
        expect(clock.card.locator(".card-head .badge")).to_have_text("1")
        person.page.reload()
        expect(clock.inside.locator("#count")).to_have_text("1")
    finally:
        hosted.end()
