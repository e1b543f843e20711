"""The examples on a real canvas, as a person meets them. `make pictures` keeps a picture of each."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from ..hostile.hosting import CAP_S, Hosted
from ..person import Person
from ..pictures import EXAMPLES, keep_picture
from ..running_server import ROOT, free_port
from .conftest import Framed

Sit = Callable[..., Person]


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server with the examples over one empty workspace."""
    (tmp_path / "project").mkdir()
    hosted = Hosted(tmp_path / "data", EXAMPLES, free_port())
    hosted.call("workspace.create", name="Project", path=str(tmp_path / "project"))
    yield hosted
    hosted.end()


@pytest.fixture
def issue_server() -> Iterator[str]:
    """A server that answers as GitHub does to who has the token s3cret; gives its address."""
    program = EXAMPLES / "issue-board" / "tests" / "issue_server.py"
    process = subprocess.Popen([sys.executable, str(program), "0", "s3cret"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process.stdout.readline().split()[0]
    process.kill()
    process.wait(CAP_S)


class Board:
    """A canvas, a person in front of it, and its cards by name."""

    def __init__(self, hosted: Hosted, sit_down: Sit) -> None:
        self.hosted = hosted
        self.person = sit_down(hosted.address(), width=1920, height=1200)  # all cards fit in their own size
        self.person.sees_online()
        (self.workspace,) = (one["id"] for one in hosted.call("workspace.list")["workspaces"])

    def add(self, name: str, *, x: int = 0) -> Framed:
        """Put an example on the canvas."""
        packages = self.hosted.call("package.list")["packages"]
        (package,) = (one for one in packages if one["displayName"] == name)
        place = {"workspaceId": self.workspace, "x": x, "y": 0}
        self.hosted.call("canvas.addCard", kind="custom", packageId=package["packageId"], **place)
        return Framed(self.person, self.person.card("Custom card", name), name)

    def put(self, kind: str, x: int, y: int = 0, **content: Any) -> str:
        """Put a card of the canvas's own on it; gives its id."""
        place = {"workspaceId": self.workspace, "x": x, "y": y}
        card_id: str = self.hosted.call("canvas.addCard", kind=kind, content=content, **place)["id"]
        return card_id

    def id_of(self, name: str) -> str:
        return next(str(card["id"]) for card in self.cards() if card["name"] == name)

    def cards(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.hosted.call("canvas.snapshot", workspaceId=self.workspace)["cards"]
        return found

    def join(self, a: str, b: str, direction: str = "forward") -> None:
        self.hosted.call("canvas.connect", a=a, b=b, direction=direction)

    def allow(self, title: str) -> None:
        """Say yes to a question for permissions or to start a program."""
        question = self.person.page.get_by_role("alertdialog", name=title)
        question.get_by_role("button", name="Allow").click()
        expect(question).to_have_count(0)


class Agent:
    """An agent at a terminal that uses its tools over HTTP."""

    def __init__(self, board: Board) -> None:
        self.id = board.put("terminal", 600, 460)
        made = board.hosted.call("agent.token", cardId=self.id)
        self._url = made["url"]
        self._headers = {
            "Authorization": f"Bearer {made['token']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self._ask("initialize", client)

    def tools(self) -> set[str]:
        return {tool["name"] for tool in self._ask("tools/list", {})["tools"]}

    def waits_for(self, name: str, *, offered: bool) -> None:
        """Wait until a tool is offered, or no longer: a card tells it on its own time."""
        until = time.monotonic() + CAP_S
        while (name in self.tools()) is not offered:
            assert time.monotonic() < until, f"{name} is {'not ' if offered else ''}offered"

    def use(self, name: str, **args: Any) -> str:
        result = self._ask("tools/call", {"name": name, "arguments": args})
        return str(result["content"][0]["text"])

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url, body, self._headers), timeout=CAP_S) as answer:
            session_id = answer.headers.get("mcp-session-id")
            text = answer.read().decode()
        if session_id is not None:
            self._headers["mcp-session-id"] = session_id
        *_, data = (line.removeprefix("data: ") for line in text.splitlines() if line.startswith(("data: ", "{")))
        return json.loads(data)["result"]


@pytest.fixture
def board(hosted: Hosted, sit_down: Sit) -> Board:
    return Board(hosted, sit_down)


def test_the_inspector_shows_converts_sends_reads_asks_and_answers(board: Board) -> None:
    inspector = board.add("Message inspector")
    note = board.put("note", 600, text="- [ ] bread")
    board.person.see_all()
    peers = inspector.inside.get_by_role("region", name="Joined cards")
    expect(peers).to_contain_text("No card is joined")
    board.join(board.id_of("Message inspector"), note, "both")
    messages = inspector.inside.get_by_role("region", name="Messages")
    expect(messages).to_contain_text("Note · text → any · ns:markdown → ns:any")
    expect(messages).to_contain_text("- [ ] bread")
    expect(peers).to_contain_text("Append gets it as ns:markdown (identity)")
    inspector.inside.get_by_role("button", name="Send to all").click()
    board.allow("“Message inspector” asks for permission")
    expect(inspector.inside.get_by_role("region", name="Send").get_by_role("status")).to_have_text("1 card took it")
    expect(board.person.card("Note", "Note").get_by_role("document")).to_contain_text("salt")
    expect(messages.get_by_role("listitem")).to_have_count(2)
    inspector.inside.get_by_role("button", name="Read: Text").click()
    expect(peers.get_by_role("status")).to_contain_text("bread")
    keep_picture(board.person, inspector.card, "message-inspector")


def test_an_agent_ticks_the_checklist_off_and_the_person_lets_it_ship(board: Board) -> None:
    checklist = board.add("Release checklist")
    agent = Agent(board)
    board.join(agent.id, board.id_of("Release checklist"))
    board.person.see_all()
    expect(checklist.inside.get_by_role("checkbox")).to_have_count(4)
    agent.waits_for("release_checklist_list", offered=True)
    agent.waits_for("release_checklist_ship", offered=False)
    assert {"release_checklist_list", "release_checklist_add", "release_checklist_check"} <= agent.tools()
    steps = json.loads(agent.use("release_checklist_list"))
    checklist.inside.get_by_role("checkbox", name="Tests pass").press("Space")
    for step in steps[1:3]:
        agent.use("release_checklist_check", id=step["id"], note="by hand")
    expect(checklist.card.locator(".card-head .badge")).to_have_text("1")
    keep_picture(board.person, checklist.card, "release-checklist")
    agent.use("release_checklist_check", id=steps[3]["id"])
    expect(checklist.card).to_contain_text("Ready to ship")
    agent.waits_for("release_checklist_ship", offered=True)
    checklist.inside.get_by_role("button", name="Ship").click()
    question = board.person.page.get_by_role("alertdialog", name="“Release checklist” asks")
    told = board.person.toast_to_come("is shipped")
    question.get_by_role("button", name="Ship").click()
    told()
    expect(checklist.inside.get_by_role("checkbox", checked=True)).to_have_count(0)


def test_the_board_fetches_issues_with_a_secret_that_it_never_sees(board: Board, issue_server: str) -> None:
    issues = board.add("Issue board")
    todo = board.put("todo", 700)
    board.join(board.id_of("Issue board"), todo)
    board.person.see_all()
    expect(issues.inside.get_by_role("alert")).to_contain_text("Name a repository in the settings.")
    values = {"server": issue_server, "repository": "acme/pantry"}
    board.hosted.call("card.setSettings", cardId=board.id_of("Issue board"), values=values)
    board.allow("“Issue board” asks for permission")
    expect(issues.inside.get_by_role("alert")).to_have_text("The server answered with 401.")
    secrets = {"token": "s3cret"}
    board.hosted.call("card.setSettings", cardId=board.id_of("Issue board"), values={}, secrets=secrets)
    open_issues = issues.inside.get_by_role("region", name="Open")
    expect(open_issues.get_by_role("button")).to_have_text(["#12 Salt is out of stock"])
    expect(issues.inside.get_by_role("region", name="In progress")).to_contain_text("Count jars at night · ada")
    expect(issues.inside.get_by_role("alert")).to_have_count(0)
    keep_picture(board.person, issues.card, "issue-board")
    grant = {"workspaceId": board.workspace, "permission": "cards.connected", "granted": True}
    board.hosted.call("grant.set", packageId=board.cards()[0]["content"]["packageId"], **grant)
    issues.inside.get_by_role("button", name="Refresh").click()
    expect(issues.card.locator(".card-head .badge")).to_have_text("2")


def test_the_log_watcher_tells_what_it_found(board: Board, tmp_path: Path) -> None:
    log = tmp_path / "project" / "app.log"
    log.write_text("INFO up\n")
    watcher = board.add("Log watcher")
    board.allow("Start “Log watcher”?")
    board.person.see_all()
    expect(watcher.card).to_contain_text("0 found")
    with log.open("a") as file:
        file.write("ERROR the disk is full\n")
    expect(watcher.card).to_contain_text("1 found")
    keep_picture(board.person, watcher.card, "log-watcher")


PUBLISHED = Path(__file__).parent / "published"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A card written for the published SDK, built against ours: its imports name another package, nothing else."""
    card = tmp_path / "pantry-watch"
    shutil.copytree(PUBLISHED, card)
    source = card / "src" / "main.ts"
    theirs = source.read_text()
    source.write_text(theirs.replace("@neurosquad/card-sdk", "@cardloom/card-sdk"))
    modules = ROOT / "web" / "node_modules"
    (card / "node_modules").symlink_to(modules)
    subprocess.run(["node", str(modules / "vite" / "bin" / "vite.js"), "build"], cwd=card, check=True)
    (card / "node_modules").unlink()
    return card


def test_a_card_for_the_published_sdk_runs_with_nothing_but_its_import_changed(board: Board, published: Path) -> None:
    call = board.hosted.call
    place = {"source": str(published)}
    call("package.install", **place, treeHash=call("package.inspect", **place)["treeHash"])
    pantry, inspector = board.add("Pantry watch"), board.add("Message inspector", x=500)
    own, other = board.id_of("Pantry watch"), board.id_of("Message inspector")
    note, agent = board.put("note", 1000), Agent(board)
    board.person.see_all()
    expect(pantry.card).to_contain_text("created true")
    pantry.inside.get_by_role("button", name="Send").click()
    expect(pantry.inside.get_by_role("status")).to_have_text("alone")
    board.join(own, other)
    board.join(own, note, "both")
    board.join(agent.id, own)
    expect(pantry.inside.locator("#peers")).to_contain_text("Message inspector (custom, downstream) takes any")
    expect(pantry.inside.locator("#peers")).to_contain_text("Note (note, ")
    pantry.inside.get_by_role("button", name="Send").click()
    board.allow("“Pantry watch” asks for permission")
    expect(pantry.inside.get_by_role("status")).to_have_text("2 took it with cards.connected")
    expect(inspector.inside.get_by_role("region", name="Messages")).to_contain_text("## Low on salt 3")
    expect(board.person.card("Note", "Note").get_by_role("document")).to_contain_text("Low on salt 3")
    expect(pantry.inside.locator("#seen")).to_contain_text("note on text: ## Low on salt 3")
    pantry.inside.get_by_role("button", name="Ask").click()
    expect(pantry.inside.get_by_role("status")).to_have_text("found 1")
    pantry.inside.get_by_role("button", name="Wrong").click()
    expect(pantry.inside.get_by_role("status")).to_have_text('refused at ""')
    assert json.loads(agent.use("pantry_watch_record", what="salt")) == {"used": 1}
    expect(pantry.inside.get_by_role("listitem")).to_have_text(["salt by Terminal"])
    call("card.setSettings", cardId=own, values={"threshold": 5})
    expect(pantry.inside.get_by_role("status")).to_have_text("threshold 5")
    call("preferences.set", language="ru")
    expect(pantry.inside.get_by_role("button", name="Отправить")).to_be_visible()
    call("preferences.set", language="en")
    board.person.page.reload()
    expect(pantry.inside.get_by_role("listitem")).to_have_text(["salt by Terminal"])
    expect(pantry.card).to_contain_text("reloaded true")
