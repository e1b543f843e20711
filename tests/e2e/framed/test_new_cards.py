"""Cards as `cardloom card new` begins them, followed by `cardloom card dev`, on a real canvas."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cardloom.cli.authoring import new_card

from ..person import Person
from ..running_server import ROOT, RunningServer
from .conftest import Framed

Follow = Callable[[Path], None]

CAP_S = 40.0


@pytest.fixture
def follow(server: RunningServer) -> Iterator[Follow]:
    """Runs `cardloom card dev` on a folder until the test ends; Ctrl-C ends it with all that it started."""
    running: list[subprocess.Popen[bytes]] = []

    def follow(folder: Path) -> None:
        command = [sys.executable, "-m", "cardloom", "card", "dev", str(folder)]
        running.append(subprocess.Popen(command, env=dict(server._environment())))

    yield follow
    for process in running:
        process.send_signal(signal.SIGINT)
        assert process.wait(CAP_S) == 130


def test_a_page_is_loaded_anew_when_its_file_changes_and_keeps_its_count(
    tmp_path: Path, person: Person, follow: Follow
) -> None:
    new_card("tide-clock", tmp_path, "html")
    person.sees_online()
    follow(tmp_path / "tide-clock")
    clock = Framed(person, person.card("Custom card", "Tide clock"))
    expect(clock.card).to_be_attached()
    person.see_all()
    expect(clock.inside.locator("#count")).to_have_text("0")
    clock.inside.get_by_role("button", name="Add one").click()
    expect(clock.card.locator(".card-head .badge")).to_have_text("1")
    page = tmp_path / "tide-clock" / "index.html"
    page.write_text(page.read_text().replace("Add one", "Count the tide"))
    clock.inside.get_by_role("button", name="Count the tide").click()
    expect(clock.inside.locator("#count")).to_have_text("2")


def test_a_page_in_react_is_built_placed_and_built_anew(tmp_path: Path, person: Person, follow: Follow) -> None:
    new_card("tide-log", tmp_path, "react")
    card = tmp_path / "tide-log"
    assert [one.suffix for one in (card / "vendor").iterdir()] == [".tgz"]
    (card / "node_modules").symlink_to(ROOT / "web" / "node_modules")  # what `npm install` would bring
    person.sees_online()
    follow(card)
    log = Framed(person, person.card("Custom card", "Tide log"))
    expect(log.card).to_be_attached()
    person.see_all()
    log.inside.get_by_role("button", name="Add one").click()
    expect(log.inside.get_by_role("status")).to_have_text("1")
    source = card / "src" / "App.tsx"
    source.write_text(source.read_text().replace("Add one", "Log the tide"))
    log.inside.get_by_role("button", name="Log the tide").click()
    expect(log.inside.get_by_role("status")).to_have_text("2")
