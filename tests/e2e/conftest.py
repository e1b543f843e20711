"""A server, a browser, and people who sit in front of it. Spec: issue of the foundation, the first vertical.

CARDLOOM_CHROMIUM names the browser; else one on PATH is taken, else the one Playwright brings.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from bench.browser import ARGUMENTS, named_browser
from playwright.sync_api import Browser, Page, expect, sync_playwright

from .person import CAP_MS, Person
from .running_server import ROOT, RunningServer, free_port

SCREENSHOTS = Path(__file__).parent / "screenshots"

StartServer: TypeAlias = Callable[..., RunningServer]
Sit: TypeAlias = Callable[..., Person]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the journeys last: while the browser is up, its event loop is in the way of tests that are coroutines."""
    here = Path(__file__).parent
    items.sort(key=lambda item: here in item.path.parents)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for all journeys; each page has its own storage."""
    expect.set_options(timeout=CAP_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named_browser(), args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's home folder, with a plain prompt in its shell."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".bashrc").write_text("PS1='$ '\n")
    return home


@pytest.fixture
def folder(home: Path) -> Path:
    """The folder of the workspace that is open at the start."""
    folder = home / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def sample_project(home: Path) -> Path:
    """A person's own copy of the project whose tests fail."""
    copy = home / "shop"
    shutil.copytree(
        ROOT / "examples" / "demo-project", copy, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache")
    )
    return copy


@pytest.fixture
def start_server(home: Path) -> Iterator[StartServer]:
    """Starts servers: `start_server("up", str(folder))`. They end with the test."""
    started: list[RunningServer] = []

    def start(*command: str) -> RunningServer:
        server = RunningServer(command, home / "data", home, free_port())
        started.append(server)
        return server

    yield start
    for server in started:
        server.end()


@pytest.fixture
def server(start_server: StartServer, folder: Path) -> RunningServer:
    """A server with one empty workspace over `folder`."""
    return start_server("up", str(folder))


@pytest.fixture
def sit_down(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Sit]:
    """Opens a page for another person: `sit_down(server.address(), width=1920, scheme="light")`.

    What a page complains about fails the test, except what `person.expects` names.
    """
    people: list[Person] = []
    where = SCREENSHOTS / re.sub(r"^test_", "", request.path.stem)

    def sit(
        address: str,
        width: int = 1280,
        height: int = 800,
        scheme: str = "dark",
        expects: str = "",
        motion: bool = False,
    ) -> Person:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="light" if scheme == "light" else "dark",
            reduced_motion="no-preference" if motion else "reduce",
            locale="en-GB",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(CAP_MS)
        person = Person(context.new_page(), where)
        people.append(person)
        if expects:
            person.expects(expects)
        person.open(address)
        return person

    yield sit
    failed = any(getattr(request.node, f"failed_{phase}", False) for phase in ("setup", "call"))
    for number, person in enumerate(people):
        if failed:
            person.look(f"failed-{request.node.name}-{number}")
        person.page.context.close()
    complaints: Sequence[str] = [complaint for person in people for complaint in person.complaints]
    assert not complaints, f"the page complained: {complaints}"


@pytest.fixture
def person(server: RunningServer, sit_down: Sit) -> Person:
    """A person in front of the empty workspace: it has been read, and what is pressed now is heard."""
    person = sit_down(server.address())
    expect(person.page.get_by_text("An empty canvas")).to_be_visible()
    return person


@pytest.fixture
def page(person: Person) -> Page:
    """The page of `person`."""
    return person.page


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell the fixtures how the test went, so that they can take a picture of what went wrong."""
    report = yield
    setattr(item, f"failed_{report.when}", report.failed)
    return report
