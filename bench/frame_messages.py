"""A card in a frame that makes 200 calls a second: the page's frames meanwhile, and what each call waits."""

from __future__ import annotations

import asyncio
import statistics
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from .browser import chromium
from .canvas_frames import FRAME_MS, HEIGHT, WIDTH, drag, watched
from .canvases import filled
from .processes import cardloom
from .report import Goal, Row, Table
from .sampling import percentile
from .socket_client import Caller

RATE = 200
ROUNDS = 3
CHATTER = Path(__file__).with_name("chatter")
TEXT = f"""
A card in a frame makes {RATE} calls a second, which is all that a card may, while the mouse drags a canvas of 100 cards
in headless Chromium; beside it the same gestures while the card is silent, in turns on the same page. Every call goes
from the frame through the page to the server and back. The goals are ours: 60 frames a second in the median, with a
fifth to spare, and every call answered.
"""


@dataclass(slots=True)
class Seen:
    """What was seen while the card talked and while it was silent: times between frames, and its own account."""

    talking_ms: list[float] = field(default_factory=list)
    silent_ms: list[float] = field(default_factory=list)
    accounts: list[list[float]] = field(default_factory=list)


def measure() -> Table:
    return Table("Calls from a frame", TEXT, _rows(asyncio.run(_measure())))


def _rows(seen: Seen) -> list[Row]:
    talking, silent = statistics.median(seen.talking_ms), statistics.median(seen.silent_ms)
    talking_p95, silent_p95 = percentile(seen.talking_ms, 95), percentile(seen.silent_ms, 95)
    made, answered = (sum(account[number] for account in seen.accounts) for number in (0, 1))
    waited = statistics.median(account[3] for account in seen.accounts)
    what = f"{RATE} calls a second"
    return [
        Row(f"{what}: frame, median", talking, "ms", "silent", silent, silent / talking, Goal("≤", 20)),
        Row(f"{what}: frame, p95", talking_p95, "ms", "silent", silent_p95, silent_p95 / talking_p95),
        Row(f"{what}: answered", 100 * answered / made, "%", "made", 100, answered / made, Goal("≥", 100)),
        Row(f"{what}: wait for an answer, median", waited, "ms", "60 Hz", FRAME_MS, FRAME_MS / waited),
    ]


async def _measure() -> Seen:
    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(chromium())
        folder = await stack.enter_async_context(filled(100, 100))
        server = stack.enter_context(cardloom(folder))
        owner = await Caller.owner(server.port, server.key)
        stack.callback(owner.socket.close)
        card_id = await _chatter(owner)
        page = await browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        await page.goto((await owner.call("client.newCode"))["url"])
        await page.wait_for_selector(".react-flow__node", state="attached")
        await _see(page)
        seen = Seen()
        for _ in range(ROUNDS):
            seen.silent_ms += await watched(page, drag)
            await owner.call("ports.deliver", to=card_id, data=RATE)
            seen.talking_ms += await watched(page, drag)
            await owner.call("ports.deliver", to=card_id, data=0)
            seen.accounts.append(await _account(owner, card_id))
        return seen


async def _chatter(owner: Caller) -> str:
    """Put the card that talks in the middle of the canvas; gives its id."""
    (workspace,) = (await owner.call("workspace.list"))["workspaces"]
    source = {"source": str(CHATTER)}
    review = await owner.call("package.inspect", **source)
    package = await owner.call("package.install", **source, treeHash=review["treeHash"])
    place: dict[str, Any] = {"workspaceId": workspace["id"], "x": 0, "y": -300}
    made = await owner.call("canvas.addCard", kind="custom", packageId=package["packageId"], **place)
    return str(made["id"])


async def _see(page: Page) -> None:
    """Bring the talking card into view and wait until it listens."""
    await page.keyboard.press("Control+k")
    await page.keyboard.type("Chatter")
    await page.keyboard.press("Enter")
    await page.frame_locator("iframe.frame").locator("#told").wait_for()
    await asyncio.sleep(0.5)  # the canvas comes to rest


async def _account(owner: Caller, card_id: str) -> list[float]:
    """What the card tells of its last round: made, answered, refused, median and p95 of the wait in ms."""
    (workspace,) = (await owner.call("workspace.list"))["workspaces"]
    for _ in range(600):
        cards = (await owner.call("canvas.snapshot", workspaceId=workspace["id"]))["cards"]
        status = next(card for card in cards if card["id"] == card_id)["chrome"]["status"]
        if status is not None:
            return [float(part) for part in status["text"].split()]
        await asyncio.sleep(0.05)
    raise TimeoutError("the card did not tell")
