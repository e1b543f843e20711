"""A person looks at what agents cost: all logs there are, one agent's day, what a card caused, and a budget for it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, expect

from .person import Person
from .running_server import ROOT, RunningServer

SAMPLES = ROOT / "packages" / "server" / "tests" / "usage" / "samples"
AGENTS = {"Claude Code": "claude197", "Codex CLI": "codex", "Qwen Code": "qwen"}
SCRIPTED_CLAUDE = ROOT / "packages" / "server" / "tests" / "agents" / "programs" / "claude"


@pytest.fixture
def logs(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which three agents have worked, with a program on its PATH that plays Claude Code."""
    for name in AGENTS.values():
        shutil.copytree(SAMPLES / name / "home", home, dirs_exist_ok=True)
    programs = home / "programs"
    programs.mkdir()
    shutil.copy(SCRIPTED_CLAUDE, programs / "claude")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return home


def answered(name: str, count: str) -> int:
    """What the server that answered a sample's agent counted, without what the agent does not log."""
    lines = (json.loads(text) for text in (SAMPLES / name / "oracle.jsonl").read_text().splitlines())
    return sum(line["usage"][count] for line in lines if not line["aux"] and not line["aborted"])


def test_usage_is_looked_at_and_limited(logs: Path, server: RunningServer, sit_down: Callable[..., Person]) -> None:
    person = sit_down(server.address())
    person.button("Usage…").click()
    window = person.page.get_by_role("dialog", name="Usage")
    sees_all_logs(person, window)
    keeps_them_as_files(person, window)
    person.page.keyboard.press("Escape")
    expect(window).not_to_be_visible()

    session = works(server, logs)
    chip = person.page.get_by_role("button", name=re.compile(r"^Today \$0\.90"))
    expect(chip).to_have_text("$0.90")
    expect(person.button("Usage…")).to_contain_text("$0.90")
    sees_the_timeline(person, chip)
    sets_a_budget(person)
    a_note_causes_work(person, server, logs, session)
    looks_around(person)


def sees_all_logs(person: Person, window: Locator) -> None:
    expect(window).to_contain_text("No requests in this period.")
    window.get_by_role("button", name="All time").click()
    window.get_by_role("button", name="All logs here").click()
    for agent, name in AGENTS.items():
        has(window, agent, "Input", f"{answered(name, 'uncached'):,}")
        has(window, agent, "Cache read", f"{answered(name, 'cache_read'):,}")
    has(window, "Qwen Code", "Cache write", "not reported")
    has(window, "Total", "Input", f"{sum(answered(name, 'uncached') for name in AGENTS.values()):,}")
    expect(window.locator("footer")).to_contain_text("Prices: ")

    window.get_by_role("button", name="Input").click()
    expect(window.get_by_role("columnheader", name="Input")).to_have_attribute("aria-sort", "descending")
    details = window.get_by_role("region", name="In detail by")
    details.get_by_role("button", name="Model", exact=True).click()
    expect(details.get_by_role("rowheader").first).not_to_have_text(re.compile("Claude Code|Codex CLI|Qwen Code"))
    details.get_by_role("button", name="Agent", exact=True).click()

    chart = window.get_by_role("region", name="By day").get_by_role("group", name="By day")
    chart.focus()
    person.page.keyboard.press("End")
    person.page.keyboard.press("ArrowLeft")
    expect(window.get_by_role("status").filter(has_text="Requests: ")).to_be_visible()
    person.look("all-logs")


def has(window: Locator, line: str, head: str, value: str) -> None:
    """Wait until a line of the table has a value below the head of a column."""
    row = window.get_by_role("row").filter(has=window.page.get_by_role("rowheader", name=re.compile(f"^{line}")))
    expect(row).to_be_visible()
    heads = [text.strip(" ↓↑") for text in window.get_by_role("columnheader").all_inner_texts()]
    expect(row.get_by_role("cell").nth(heads.index(head) - 1)).to_have_text(value, use_inner_text=True)


def keeps_them_as_files(person: Person, window: Locator) -> None:
    with person.page.expect_download() as download:
        window.get_by_role("button", name="Save as CSV").click()
    text = Path(download.value.path()).read_text()
    assert f",{answered('codex', 'uncached')}," in text
    with person.page.expect_download() as download:
        window.get_by_role("button", name="Save as JSON").click()
    report = json.loads(Path(download.value.path()).read_text())
    assert report["total"]["inputTokens"] == sum(answered(name, "uncached") for name in AGENTS.values())


def works(server: RunningServer, home: Path) -> str:
    """An agent makes two requests in a turn that a person asked for; gives its session."""
    server.cardloom("agent", "new", "claude-code", "--title", "Builder", "--prompt", "slow work")
    server.cardloom("wait", "Builder", "--until", "working", "--timeout", "40")
    (session,) = (path.name for path in (home / "sessions").iterdir())
    writes_log(home, session, "first", "second")
    ends_turn(server)
    return session


def ends_turn(server: RunningServer) -> None:
    """The scripted program goes on with its Enter key."""
    server.cardloom("prompt", "Builder", "on", "--when-busy", "send")
    server.cardloom("wait", "Builder", "--until", "finished", "--timeout", "40")


def writes_log(home: Path, session: str, *requests: str) -> None:
    """What Claude Code writes down: at list prices each of these requests costs 45 cents."""
    path = home / ".claude" / "projects" / "-project" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        for key in requests:
            file.write(json.dumps(logged(session, "user", f"u-{key}", role="user", content="go")) + "\n")
            usage = {"input_tokens": 100_000, "output_tokens": 10_000}
            answer = {"id": key, "model": "claude-sonnet-4-5", "role": "assistant", "content": [], "usage": usage}
            file.write(json.dumps(logged(session, "assistant", f"a-{key}", **answer)) + "\n")


def logged(session: str, kind: str, uuid: str, **message: Any) -> dict[str, Any]:
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "isSidechain": False,
        "sessionId": session,
        "type": kind,
        "uuid": uuid,
        "timestamp": stamp,
        "cwd": "/home/user/project",
        "message": message,
    }


def sees_the_timeline(person: Person, chip: Locator) -> None:
    chip.click()
    window = person.page.get_by_role("dialog", name="Timeline of Builder")
    requests = window.locator("[data-request=bar]")
    expect(requests).to_have_count(2)
    expect(window.locator("[data-status=working]").first).to_be_attached()
    expect(window.locator("[data-counted=true]")).to_have_count(1)
    window.get_by_role("group", name="Requests").focus()
    person.page.keyboard.press("ArrowLeft")
    facts = window.get_by_role("region", name=re.compile("^Request "))
    expect(facts).to_contain_text("claude-sonnet-4-5")
    expect(facts).to_contain_text("100,000")
    expect(facts).to_contain_text("not reported")
    window.get_by_role("button", name="1 h").click()
    expect(window.get_by_role("group", name="Requests")).to_have_attribute("aria-busy", "false")
    expect(requests).to_have_count(2)
    window.get_by_role("button", name="All that happened").click()
    expect(window.get_by_role("group", name="Requests")).to_have_attribute("aria-busy", "false")
    person.look("timeline")
    person.page.keyboard.press("Escape")
    expect(window).not_to_be_visible()


def sets_a_budget(person: Person) -> None:
    person.add("Budget")
    card = person.page.get_by_role("group", name="Budget: Budget", exact=True)
    card.get_by_role("button", name="Set limits…").click()
    window = person.page.get_by_role("dialog", name=re.compile("^Budgets of "))
    window.get_by_role("button", name="Save").click()
    expect(window.get_by_role("alert")).to_contain_text("needs a limit")
    window.get_by_role("textbox", name="Limit in dollars").fill("1")
    window.get_by_role("combobox", name="Each").select_option("day")
    person.look("budget-form")
    window.get_by_role("button", name="Save").click()
    expect(window).not_to_be_visible()
    expect(card.get_by_role("meter", name="Today: 90 % spent")).to_be_visible()
    expect(card).to_contain_text("$0.90 of $1.00")
    expect(person.button("Today: 90 % spent")).to_be_visible()


def a_note_causes_work(person: Person, server: RunningServer, home: Path, session: str) -> None:
    """A card prompts the agent, and what that costs stands on the arrow; then the budget is spent and cards wait."""
    person.add("Note")
    person.see_all()
    note = person.card("Note", "Note")
    builder = person.page.get_by_role("group", name="Agent: Builder", exact=True)
    person.draw_arrow(note, builder)
    person.write_note(note, "slow, for the note")
    server.cardloom("wait", "Builder", "--until", "working", "--timeout", "40")
    is_told = person.toast_to_come("of the budget is spent")
    writes_log(home, session, "third")
    ends_turn(server)
    person.see_all()
    expect(person.page.locator(".arrow-cost")).to_have_text("$0.45")
    is_told()
    budget = person.page.get_by_role("group", name="Budget: Budget", exact=True)
    expect(budget).to_contain_text("Cards are paused")
    person.button(re.compile("^Inbox: ")).click()
    inbox = person.page.get_by_role("dialog", name="Inbox")
    notice = inbox.get_by_role("listitem").filter(has_text="Budget: Today")
    expect(notice).to_contain_text("135 % is spent · Cards are paused")
    person.look("inbox")
    notice.get_by_role("button", name="Seen").click()
    expect(notice).not_to_be_visible()
    person.page.keyboard.press("Escape")
    person.click_arrow(person.arrow("Note", "Builder"))
    expect(person.fact("Caused today")).to_contain_text("$0.45")
    person.look("paused")
    person.button("Usage…").click()
    window = person.page.get_by_role("dialog", name="Usage")
    days = window.get_by_role("region", name="By day")
    days.get_by_role("button", name="Sender").click()
    expect(days.get_by_role("listitem").filter(has_text="Note")).to_contain_text("$0.45")
    window.get_by_role("region", name="In detail by").get_by_role("button", name="Sender").click()
    has(window, "Note", "Cost", "$0.45")
    has(window, "person", "Cost", "$0.90")
    has(window, "Total", "Cost", "$1.35")
    person.page.keyboard.press("Escape")


def looks_around(person: Person) -> None:
    """The same in the other looks, sizes and languages."""
    page = person.page
    for language, code, name in (("English", "en", "Usage…"), ("Русский", "ru", "Расход…"), ("中文", "zh", "用量…")):
        page.keyboard.press("Control+k")
        page.get_by_role("combobox").fill(language)
        page.keyboard.press("Enter")
        expect(page.locator("html")).to_have_attribute("lang", code)
        looks: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1920), ("dark", 1280))
        for scheme, width in looks:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 1080 if width == 1920 else 800})
            person.button(name).click()
            expect(page.get_by_role("dialog").get_by_role("table")).to_be_visible()
            person.look(f"usage-{code}-{scheme}-{width}")
            page.keyboard.press("Escape")
