"""A person works with agents: makes one, writes to it, answers it, queues, interrupts, and guards a dangerous one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .person import Person, middle
from .running_server import ROOT, RunningServer

PROGRAM = ROOT / "packages" / "server" / "tests" / "agents" / "programs" / "claude"
GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")


@pytest.fixture
def project(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository, and a program on the PATH that plays Claude Code."""
    programs = home / "programs"
    programs.mkdir()
    shutil.copy(PROGRAM, programs / "claude")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (folder / "fee.py").write_text("FEE = 1\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder


def make_agent(person: Person, title: str, *, branch: str | None = None, dangerous: bool = False) -> Locator:
    """Fill in the window for a new agent and wait until its program shows itself."""
    person.choose("Add card", "Agent…")
    window = person.page.get_by_role("dialog", name="New agent")
    expect(window.get_by_role("radio", name="Claude Code")).to_be_checked()
    window.get_by_label("Title").fill(title)
    if branch is not None:
        window.get_by_role("radio", name="A new git worktree").check()
        window.get_by_label("Branch").fill(branch)
    if dangerous:
        window.get_by_role("checkbox", name="Dangerous mode").check()
        expect(window.get_by_role("alert")).to_contain_text("without asking you")
    person.look(f"new-agent-{title.lower()}")
    window.get_by_role("button", name="Create and start").click()
    expect(window).to_have_count(0)
    agent = person.card("Agent", title)
    expect(person.screen(agent)).to_contain_text("scripted")
    person.let_rest()
    return agent


def prompt(agent: Locator, text: str) -> None:
    """Write to an agent and press Enter."""
    box = agent.get_by_role("textbox", name=re.compile("^Prompt to "))
    box.fill(text)
    box.press("Enter")
    expect(box).to_have_value("")


def sees(agent: Locator, status: str) -> None:
    expect(agent.get_by_role("button", name=f"Status: {status}", exact=True)).to_be_visible()


def test_a_day_with_agents(project: Path, server: RunningServer, sit_down: Callable[..., Person]) -> None:
    person = sit_down(server.address())
    fixer = make_agent(person, "Fixer", branch="fix/refund")
    expect(fixer.get_by_text("fix/refund")).to_be_visible()
    answers_a_permission(person, fixer)
    sees_what_changed(fixer, server)
    queues_and_interrupts(person, fixer)
    a_reply_goes_into_a_note(person, fixer)
    guards_a_dangerous_one(person)
    looks_from_afar(person, sit_down, server)


def answers_a_permission(person: Person, fixer: Locator) -> None:
    """Once by the banner, once by a key, once from the inbox."""
    prompt(fixer, "ask first")
    banner = fixer.get_by_role("alert")
    expect(banner.get_by_label("The exact action")).to_have_text("rm -rf build")
    expect(person.button("1 waits for you")).to_be_visible()
    person.look("a-permission")
    banner.get_by_role("button", name="Approve").click()
    sees(fixer, "finished")
    expect(banner).to_have_count(0)

    fixer.locator(".card-title").click()
    prompt(fixer, "ask again")
    expect(banner).to_be_visible()
    person.page.keyboard.press("Alt+KeyN")
    sees(fixer, "idle")
    expect(person.screen(fixer)).to_contain_text("refused")

    prompt(fixer, "ask a third time")
    expect(banner).to_be_visible()
    person.button("Inbox: 1 waiting").click()
    inbox = person.page.get_by_role("dialog", name="Inbox")
    expect(inbox).to_contain_text("rm -rf build")
    inbox.get_by_role("button", name="Always").click()
    person.page.keyboard.press("Escape")
    sees(fixer, "finished")


def sees_what_changed(fixer: Locator, server: RunningServer) -> None:
    """The folder of its own is looked at when a turn ends."""
    (tree,) = (server.data / "worktrees").glob("*/*")
    (tree / "fee.py").write_text("FEE = 2\nVAT = 3\n")
    prompt(fixer, "change the fee")
    expect(fixer.get_by_text("1 file", exact=True)).to_be_visible()
    expect(fixer.get_by_text("+2", exact=True)).to_be_visible()
    expect(fixer.get_by_text("−1", exact=True)).to_be_visible()


def queues_and_interrupts(person: Person, fixer: Locator) -> None:
    page = person.page
    prompt(fixer, "slow work")
    sees(fixer, "working")
    for text in ("second", "third"):
        prompt(fixer, text)
    rows = fixer.get_by_role("region", name="Waiting prompts").get_by_role("listitem")
    expect(rows).to_have_count(2)
    rows.last.focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(rows.first).to_contain_text("third")
    person.drag(middle(rows.last), (middle(rows.first)[0], middle(rows.first)[1] - 12))
    expect(rows.first).to_contain_text("second")
    rows.last.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("third, edited")
    page.keyboard.press("Enter")
    expect(rows.last).to_contain_text("third, edited")
    person.look("waiting-prompts")
    fixer.get_by_role("button", name="Interrupt the turn").click()
    sees(fixer, "idle")
    expect(rows).to_have_count(2)  # whoever interrupts wants nothing more to go out
    rows.first.hover()
    rows.first.get_by_role("button", name="Send now").click()
    expect(rows).to_have_count(0)  # its turn ends, and the other one follows by itself
    expect(person.screen(fixer)).to_contain_text("third, edited")


def a_reply_goes_into_a_note(person: Person, fixer: Locator) -> None:
    person.add("Note")
    note = person.card("Note", "Note")
    person.see_all()
    person.draw_arrow(fixer, note)
    prompt(fixer, "write it down")
    expect(note).to_contain_text("Done: write it down")
    fixer.get_by_role("button", name="Last reply").click()
    expect(fixer.get_by_role("region", name="Last reply of Fixer")).to_contain_text("Done: write it down")
    fixer.get_by_role("button", name="Last reply").click()
    prompt(fixer, "fail now")
    expect(fixer.get_by_text("The last turn failed: rate_limit")).to_be_visible()


def guards_a_dangerous_one(person: Person) -> None:
    """What a card sends it is read first: refused, then sent."""
    wild = make_agent(person, "Wild", dangerous=True)
    expect(wild.get_by_text("dangerous", exact=True)).to_be_visible()
    person.add("Sticky")
    person.see_all()
    sticky = person.page.locator(".card.kind-sticky")
    person.draw_arrow(sticky, wild)
    question = person.page.get_by_role("alertdialog", name="Send this prompt to “Wild”?")
    for text, answer in (("delete it all", "Refuse"), ("tidy up", "Send prompt")):
        writes(person, sticky, text)
        expect(question.get_by_label("The prompt")).to_have_text(text)
        expect(question.get_by_role("button", name="Refuse")).to_be_focused()
        person.look("a-prompt-for-a-dangerous-agent")
        question.get_by_role("button", name=answer).click()
        expect(question).to_have_count(0)
    expect(person.screen(wild)).to_contain_text("working on 'tidy up")
    expect(person.screen(wild)).not_to_contain_text("delete it all")
    wild.get_by_role("button", name="End the program").click()
    sees(wild, "ended")


def writes(person: Person, sticky: Locator, text: str) -> None:
    """Write on a sticky what shall stand there from now on."""
    sticky.dblclick()
    person.page.keyboard.press("Control+a")
    person.page.keyboard.type(text)
    person.page.keyboard.press("Enter")


def looks_from_afar(person: Person, sit_down: Callable[..., Person], server: RunningServer) -> None:
    """The overview of all agents, a tile, and another page in the light."""
    page = person.page
    person.button("Agents").click()
    overview = page.get_by_role("complementary", name="Agents")
    expect(overview.get_by_role("region", name="Finished")).to_contain_text("Fixer")
    expect(overview.get_by_role("region", name="At rest")).to_contain_text("Wild")
    person.look("agents")
    overview.get_by_role("button", name=re.compile("^Fixer")).click()
    expect(page.locator(".card.is-selected .card-title")).to_have_text("Fixer")
    other = sit_down(server.another_address(), width=1920, height=1080, scheme="light")
    expect(other.screen(other.card("Agent", "Fixer"))).to_contain_text("write it down")
    other.see_all()
    other.look("agents-light")
