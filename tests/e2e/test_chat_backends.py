"""One small journey with every kind of backend that needs no program of others; only what each can do is offered."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from packages.server.tests.sessions.mapped.dreams_server import KEY, Dreams
from playwright.sync_api import Browser, Locator, Page, expect
from tests.model_server.scenario import FINAL_TEXT, HELD_TEXT, PLAIN_TEXT
from tests.model_server.serving import serving_models

from cardloom_sdk.backend.http import protocol_app
from cardloom_sdk.testing.memory_backend import MemoryBackend

from .person import CAP_MS
from .running_server import ROOT, RunningServer, free_port
from .serving_apps import serving
from .test_chat_journey import chats_of, messages, rest, say

TESTS = ROOT / "packages" / "server" / "tests"
CLAUDE = TESTS / "agents" / "programs" / "claude"
ACP_AGENT = TESTS / "sessions" / "acp" / "fake_agent.py"
TOKEN = "a-token-of-a-test"

EDITS = {"New", "Edit", "Actions", "Delete…"}


@dataclass(frozen=True, slots=True)
class Case:
    """A backend by its name in the menu: what to say to it, what it answers, and what it offers beside that."""

    name: str
    text: tuple[str, str]
    ask: tuple[str, str]
    hang: tuple[str, str]
    offers: set[str]


CASES = (
    Case(
        "Cardloom",
        ("[[text]] hello", PLAIN_TEXT),
        ("[[write:notes.txt]] please", FINAL_TEXT),
        ("[[hold]] wait", HELD_TEXT.strip()),
        EDITS | {"Answer anew", "Model", "Profile", "Attach files", "Files"},
    ),
    Case(
        "Far",
        ("hello", "You said: hello"),
        ("permission", "You said: allowed"),
        ("hang", "You said: hang"),
        EDITS | {"Answer anew", "Model", "Profile", "Attach files", "Files"},
    ),
    Case("Dreams", ("hello", "hello"), ("act", "act"), ("hang", "hang"), EDITS | {"Model"}),
    Case(
        "Agent of a protocol",
        ("hello", "one two three"),
        ("permission", "You said go."),
        ("hang", "so far"),
        EDITS | {"Answer anew", "Attach files"},
    ),
    Case("Agents on the canvas", ("hello", "Done: hello"), ("ask me", "Done: ask me"), ("slow work", ""), set()),
)


@pytest.fixture(scope="module")
def place(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The chats of one server to which every backend is attached."""
    home = tmp_path_factory.mktemp("backends")
    project, programs = home / "project", home / "programs"
    for folder in (project, programs):
        folder.mkdir()
    (home / ".bashrc").write_text("PS1='$ '\n")
    shutil.copy(CLAUDE, programs / "claude")
    with ExitStack() as life:
        patch = life.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        models = life.enter_context(serving_models())
        far = life.enter_context(serving(protocol_app(MemoryBackend(), token=TOKEN)))
        dreams = life.enter_context(serving(Dreams().app))
        server = RunningServer(["up", str(project)], home / "data", home, free_port())
        life.callback(server.end)
        address = server.address()
        ask(server, "session.saveEndpoint", endpointId="local", dialect="chat", url=f"{models.url}/v1")
        ask(server, "session.saveBackend", backendId="far", kind="http", title="Far", url=far, key=TOKEN)
        mapping = (ROOT / "examples" / "backends" / "dreams.json").read_text()
        given: dict[str, Any] = {"kind": "mapped", "title": "Dreams", "url": dreams, "key": KEY, "mappingText": mapping}
        ask(server, "session.saveBackend", backendId="dreams", **given)
        (workspace,) = ask(server, "workspace.list")["workspaces"]
        ask(server, "agent.create", workspaceId=workspace["id"], harness="claude-code", title="Fixer", x=0, y=0)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="en-GB")
        life.callback(context.close)
        context.set_default_timeout(CAP_MS)
        page = context.new_page()
        page.goto(chats_of(address))
        set_up_an_agent(page, project)
        yield page


def ask(server: RunningServer, method: str, **params: Any) -> Any:
    return json.loads(server.cardloom("call", method, json.dumps(params)))


def set_up_an_agent(page: Page, folder: Path) -> None:
    """As a person does it: a wrong command first, whose state says what is missing."""
    page.get_by_role("button", name="Backend", exact=True).click()
    page.get_by_role("menuitem", name="Set up backends…").click()
    window = page.get_by_role("dialog")
    window.get_by_role("button", name="Add: Agent (ACP)").click()
    window.get_by_label("Command").fill("no-such-agent --acp")
    expect(window.get_by_label("Folder")).to_have_value(str(folder))
    window.get_by_label("Name", exact=True).fill("Agent of a protocol")
    window.get_by_role("button", name="Add", exact=True).click()
    row = window.get_by_role("listitem").filter(has_text="Agent of a protocol")
    expect(row).to_contain_text("missing")
    expect(row).to_contain_text("no-such-agent")
    window.get_by_role("button", name="Change “Agent of a protocol”").click()
    window.get_by_label("Command").fill(f'"{sys.executable}" "{ACP_AGENT}"')
    window.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("answers")
    for name in ("Far", "Dreams"):
        expect(window.get_by_role("listitem").filter(has_text=name)).to_contain_text("answers")
    window.get_by_role("button", name="Close").click()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.lower().replace(" ", "-"))
def test_a_backend_is_talked_to_and_only_what_it_can_do_is_offered(place: Page, case: Case) -> None:
    page = place
    page.get_by_role("button", name="Backend", exact=True).click()
    page.get_by_role("menuitemradio", name=re.compile(f"^{case.name}")).click()
    if "New" in case.offers:
        page.get_by_role("navigation", name="Sessions").get_by_role("button", name="New", exact=True).click()
    expect(page.get_by_role("textbox", name="Write a message")).to_be_visible()
    expect(messages(page)).to_have_count(0)

    text, answer = case.text
    say(page, text)
    expect(answers(page).last).to_contain_text(answer)
    rest(page)

    text, answer = case.ask
    say(page, text)
    page.get_by_role("alertdialog").get_by_role("button", name="Allow", exact=True).click()
    expect(answers(page).last).to_contain_text(answer)
    rest(page)
    assert offered(page, case.offers) == case.offers

    # A run goes on while the page is loaded again, and ends when it is told to.
    text, answer = case.hang
    say(page, text)
    begun = answers(page).last if answer else messages(page).last
    expect(begun).to_contain_text(answer or text)
    page.reload()
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "true")
    expect(begun).to_contain_text(answer or text)
    page.get_by_role("button", name="Stop").click()
    rest(page)
    expect(page.get_by_role("log").get_by_text("Stopped.")).to_be_visible()


def answers(page: Page) -> Locator:
    """What the backend said, and not the person."""
    return page.get_by_role("log", name="Messages").get_by_role("article", name="Assistant")


def offered(page: Page, expected: set[str]) -> set[str]:
    """What a person can do beside talking, by the names of the buttons; what is expected may come a little late."""
    last, sessions = messages(page).last, page.get_by_role("navigation", name="Sessions")
    menu = sessions.get_by_role("button", name=re.compile("^Actions for"))
    last.hover()
    places = {name: page.get_by_role("button", name=name, exact=True) for name in ("Model", "Profile", "Attach files")}
    places |= {name: last.get_by_role("button", name=name, exact=True) for name in ("Edit", "Answer anew")}
    places["Files"] = page.get_by_role("button", name="Show or hide the files")
    places["New"] = sessions.get_by_role("button", name="New", exact=True)
    places["Actions"] = menu
    for name in expected & places.keys():
        expect(places[name].first).to_be_attached()
    found = {name for name, place in places.items() if place.count()}
    if "Actions" in found:
        menu.first.click()
        expect(page.get_by_role("menu")).to_be_visible()
        if page.get_by_role("menuitem", name="Delete…").count():
            found.add("Delete…")
        page.keyboard.press("Escape")
    return found
