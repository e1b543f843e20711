"""One server, one browser, and a card that does its worst on a canvas of the product itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.browser import ARGUMENTS, named_browser
from playwright.sync_api import Browser, BrowserContext

from ..person import CAP_MS
from ..running_server import free_port
from .attacking import Attacker
from .hosting import Hosted

CARD = Path(__file__).parent / "card"


@pytest.fixture(scope="session")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server whose only package is the hostile card."""
    home = tmp_path_factory.mktemp("hostile")
    shutil.copytree(CARD, home / "packages" / "hostile")
    hosted = Hosted(home / "data", home / "packages", free_port())
    yield hosted
    hosted.end()


@pytest.fixture(scope="session")
def netlog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the browser writes down what its network does."""
    return tmp_path_factory.mktemp("netlog") / "net.json"


@pytest.fixture(scope="session")
def person_browser(
    browser: Browser, netlog: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """A browser as a person has it: a lasting profile, in which pages may be looked up and connected to beforehand.

    No name leads anywhere but to this machine.
    """
    arguments = [argument for argument in ARGUMENTS if argument != "--disable-background-networking"]
    arguments += [
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost",
        "--allow-loopback-in-peer-connection",
        f"--log-net-log={netlog}",
    ]
    context = browser.browser_type.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=named_browser(),
        args=arguments,
        ignore_default_args=["--disable-background-networking"],
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(CAP_MS)
    yield context
    context.close()


@pytest.fixture
def attacker(person_browser: BrowserContext, hosted: Hosted, netlog: Path, tmp_path: Path) -> Attacker:
    """Carries out attacks, each in a page and a workspace of its own."""
    return Attacker(person_browser, hosted, netlog, tmp_path)
