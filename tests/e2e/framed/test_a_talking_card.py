"""A card that makes as many calls as it may: all are answered, and the page goes on working."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from ..hostile.hosting import Hosted
from ..person import Person
from ..running_server import ROOT, free_port
from .conftest import Framed

Sit = Callable[..., Person]

RATE = 200


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server whose only package talks, over one empty workspace."""
    (tmp_path / "project").mkdir()
    shutil.copytree(ROOT / "bench" / "chatter", tmp_path / "packages" / "chatter")
    hosted = Hosted(tmp_path / "data", tmp_path / "packages", free_port())
    hosted.call("workspace.create", name="Project", path=str(tmp_path / "project"))
    yield hosted
    hosted.end()


def test_two_hundred_calls_a_second_are_all_answered_while_a_person_works(hosted: Hosted, sit_down: Sit) -> None:
    person = sit_down(hosted.address())
    person.add("Chatter")
    person.see_all()
    chatter = Framed(person, person.card("Custom card", "Chatter"), "Chatter")
    told = chatter.inside.locator("#told")
    expect(told).to_have_text("silent")
    (workspace,) = hosted.call("workspace.list")["workspaces"]
    (card,) = hosted.call("canvas.snapshot", workspaceId=workspace["id"])["cards"]
    hosted.call("ports.deliver", to=card["id"], data=RATE)
    expect(told).to_have_text("talking")
    person.add("Note")
    note = person.card("Note", "Note")
    person.write_note(note, "written meanwhile")
    person.rename(note, "Log")
    person.move(person.card("Note", "Log"), (40, 160))
    expect(person.card("Note", "Log").get_by_role("document")).to_contain_text("written meanwhile")
    expect(told).to_have_text("talking")
    hosted.call("ports.deliver", to=card["id"], data=0)
    expect(told).to_have_text(re.compile(r"^\d+ \d+ 0 "))
    made, answered, *_ = (told.text_content() or "").split()
    assert made == answered
    assert int(made) > RATE
