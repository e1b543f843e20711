"""Carries out one attack in a fresh page of the product, and tells what came of it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import BrowserContext, Error, Page, expect

from .hosting import Hosted
from .ways_out import Outcome, Way
from .weakened import Weakness
from .witness import Witness, witness

CAP_S: Final = 40.0
NAMES: Final = itertools.count(1)
_HEAR: Final = """
  window.heardFromFrames = [];
  addEventListener("message", (event) => {
    if (event.data && typeof event.data.rtc === "string") window.heardFromFrames.push(event.data);
  });
"""


class Attacker:
    """Attacks one way out at a time; `weakness` takes a defence away first."""

    def __init__(self, browser: BrowserContext, hosted: Hosted, netlog: Path, folder: Path) -> None:
        self._browser = browser
        self._hosted = hosted
        self._netlog = netlog
        self._folder = folder

    def attack(self, way: Way, weakness: Weakness) -> Outcome:
        """Put the card on an empty canvas, wait until it is through, and look around.

        With a defence taken away the attack has all the time it needs to succeed.
        """
        self._hosted.weakened.weakness = weakness
        self._hosted.weakened.reached.clear()
        try:
            with witness() as watching:
                return self._carry_out(way, watching, succeeds=weakness != Weakness())
        finally:
            for page in self._browser.pages[1:]:
                page.close()
            self._hosted.weakened.weakness = Weakness()

    def _carry_out(self, way: Way, watching: Witness, *, succeeds: bool) -> Outcome:
        self._folder.mkdir(exist_ok=True)
        workspace = self._hosted.call("workspace.create", name=way.name, path=str(self._folder))
        home = workspace["id"]
        try:
            page = self._browser.new_page()
            console: list[str] = []
            page.on("console", lambda message: console.append(message.text))
            page.add_init_script(_HEAR)
            url = self._hosted.app.address.url
            self._browser.add_cookies([{"name": "planted", "value": "yes", "url": url}])
            page.add_init_script(f"sessionStorage.setItem('cardloom.workspace', '{home}')")
            other = self._add(home, {}, x=600)
            page.goto(self._hosted.address())
            page.evaluate("navigator.clipboard.writeText('copied by the person')")
            place = page.locator(f'[data-card-id="{other}"] iframe')
            expect(page.locator(f'[data-card-id="{other}"]')).to_contain_text("waiting")
            token = (place.get_attribute("src") or "").split("/")[2]
            name = f"prefetched-{next(NAMES)}.localhost"
            plan = {
                "attack": way.name,
                "http": watching.http,
                "ws": watching.http.replace("http", "ws", 1),
                "udp": f"stun:127.0.0.1:{watching.udp_port}",
                "name": name,
                "other": token,
                "key": self._hosted.app.owner_key,
            }
            card = self._add(home, plan, x=160)
            return self._outcome(way, card, page, console, watching, name, succeeds=succeeds)
        finally:
            self._hosted.call("workspace.remove", workspaceId=home)

    def _add(self, workspace_id: str, plan: dict[str, str], x: int) -> str:
        (package,) = self._hosted.call("package.list")["packages"]
        content = {"spawnInit": plan} if plan else {}
        card = self._hosted.call(
            "canvas.addCard",
            workspaceId=workspace_id,
            kind="custom",
            packageId=package["packageId"],
            content=content,
            x=x,
            y=0,
        )
        return str(card["id"])

    def _said(self, card: str) -> str:
        found = self._hosted.app.graph.find_card(card)
        status = None if found is None else found.chrome.status
        return "" if status is None else str(status["text"])

    def _outcome(
        self, way: Way, card: str, page: Page, console: list[str], watching: Witness, name: str, *, succeeds: bool
    ) -> Outcome:
        outcome = Outcome(witness=watching.seen)

        def look() -> bool:
            outcome.said = self._said(card)
            outcome.reached = list(self._hosted.weakened.reached)
            outcome.heard, outcome.touched = _heard(page)
            stopped = way.ends != "" and any(way.ends in line for line in console)
            ended = outcome.said.startswith("tried:") or stopped
            return way.leaks(outcome) or (ended and (way.is_logged or not succeeds))

        _wait(page, look, lambda: (outcome, console))
        # Whatever was on its way out before this has come to the witness when this has.
        connections = watching.seen.count("connection")
        after = page.context.new_page()
        after.goto(f"{watching.http}/afterwards")
        look()
        assert any("/afterwards" in seen for seen in watching.seen)
        requests = [seen for seen in watching.seen if seen != "connection" and "/afterwards" not in seen]
        outcome.witness = ["connection"] * connections + [seen for seen in requests if "favicon" not in seen]
        awaited = name if succeeds and way.is_logged else ""
        outcome.looked_up = name in self._log_until(after, f"{watching.http}/written-down", awaited)
        return outcome

    def _log_until(self, page: Page, address: str, awaited: str) -> str:
        """The browser's own log, once it holds what is awaited and a visit that came after everything else."""
        until = time.monotonic() + CAP_S
        while f'"{address}"' not in (log := self._netlog.read_text(errors="replace")) or awaited not in log:
            assert time.monotonic() < until, f"the browser's log holds no visit of {address} or no {awaited!r}"
            page.goto(address)
        return log


def _heard(page: Page) -> tuple[list[dict[str, str]], bool]:
    """What frames told the top page, and whether one wrote into its document; nothing once the page was left."""
    try:
        found: Any = page.evaluate("[window.heardFromFrames ?? [], document.documentElement.dataset.touched === 'yes']")
    except Error:  # the page is being left this very moment
        return [], False
    return found[0], found[1]


def _wait(page: Page, look: Callable[[], bool], told: Callable[[], object]) -> None:
    """Let the page work until what is looked for is there."""
    until = time.monotonic() + CAP_S
    while not look():
        assert time.monotonic() < until, f"the attack did not come to an end: {told()}"
        page.wait_for_timeout(50)
