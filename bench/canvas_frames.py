"""Frames of the canvas in a real browser while somebody pans and zooms; beside an empty canvas in the same browser."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from playwright.async_api import Browser, Page

from .browser import chromium
from .canvases import filled
from .processes import cardloom
from .report import Goal, Row, Table
from .sampling import percentile
from .socket_client import Caller

SIZES = ((500, 600), (2000, 2400))
ROUNDS = 2
GESTURE_S = 1.0
FRAME_MS = 1000 / 60
WIDTH, HEIGHT = 1280, 800
GOALS = {500: Goal("≤", 20), 2000: Goal("≤", 40)}
TEXT = f"""
Times between frames by `requestAnimationFrame` in headless Chromium at {WIDTH}×{HEIGHT}, drawn by the processor, while
the mouse drags the canvas and the wheel zooms it: from far away, where all cards are in view as blocks, through the
tiles to where a few are in view in full, and back. Beside it: the same gestures on an empty canvas (xyflow, our page
around it), and the frame of a 60 Hz screen, which no browser goes below here. All pages take turns in one browser. The
goals are ours: 60 frames a second in the median at 500 cards, with a fifth to spare, and half of that at 2,000.
"""
Gesture: TypeAlias = Callable[[Page], Awaitable[None]]

_WATCH = """() => {
  window.benchFrames = [];
  let last = performance.now();
  const look = (now) => {
    window.benchFrames.push(now - last);
    last = now;
    window.benchRaf = requestAnimationFrame(look);
  };
  window.benchRaf = requestAnimationFrame((now) => { last = now; window.benchRaf = requestAnimationFrame(look); });
}"""
_STOP = "() => { cancelAnimationFrame(window.benchRaf); return window.benchFrames; }"


@dataclass(slots=True)
class Shown:
    """A page on a canvas: how long it took to draw it, and the times of its frames by gesture."""

    page: Page
    drawn_ms: float
    pan_ms: list[float] = field(default_factory=list)
    zoom_ms: list[float] = field(default_factory=list)

    async def round(self) -> None:
        """Drag and zoom for a while each."""
        await self.page.bring_to_front()
        self.pan_ms += await watched(self.page, drag)
        self.zoom_ms += await watched(self.page, _zoom)


async def watched(page: Page, gesture: Gesture) -> list[float]:
    """The times between a page's frames while somebody does something."""
    await page.evaluate(_WATCH)
    await gesture(page)
    frames: list[float] = await page.evaluate(_STOP)
    return frames


def measure() -> Table:
    return Table("Frames of the canvas", TEXT, asyncio.run(_measure()))


async def _measure() -> list[Row]:
    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(chromium())
        empty = await stack.enter_async_context(_shown(browser, 0, 0))
        full = [await stack.enter_async_context(_shown(browser, *size)) for size in SIZES]
        for _ in range(ROUNDS):
            for shown in (empty, *full):
                await shown.round()
    return [
        row for (cards, arrows), shown in zip(SIZES, full, strict=True) for row in _rows(cards, arrows, shown, empty)
    ]


def _rows(cards: int, arrows: int, shown: Shown, empty: Shown) -> list[Row]:
    what = f"{cards:,} cards, {arrows:,} arrows"
    rows = []
    for gesture, ours, peers in (
        ("panning", shown.pan_ms, empty.pan_ms),
        ("zooming", shown.zoom_ms, empty.zoom_ms),
    ):
        median = statistics.median(ours)
        p95, bare_p95 = percentile(ours, 95), percentile(peers, 95)
        rows.append(Row(f"{what}: {gesture}, median", median, "ms", "60 Hz", FRAME_MS, FRAME_MS / median, GOALS[cards]))
        rows.append(Row(f"{what}: {gesture}, p95", p95, "ms", "empty canvas", bare_p95, bare_p95 / p95))
    drawn = empty.drawn_ms
    rows.append(
        Row(f"{what}: page open and drawn", shown.drawn_ms, "ms", "empty canvas", drawn, drawn / shown.drawn_ms)
    )
    return rows


@asynccontextmanager
async def _shown(browser: Browser, cards: int, arrows: int) -> AsyncIterator[Shown]:
    async with filled(cards, arrows) as folder:
        with cardloom(folder) as server:
            owner = await Caller.owner(server.port, server.key)
            address = (await owner.call("client.newCode"))["url"]
            page = await browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            started = time.perf_counter()
            await page.goto(address)
            await page.wait_for_selector(".react-flow__node" if cards else ".react-flow__pane", state="attached")
            await page.wait_for_function(
                "count => document.querySelectorAll('.react-flow__node').length >= count", arg=min(cards, 100)
            )
            await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            drawn_ms = (time.perf_counter() - started) * 1000
            await asyncio.sleep(0.5)  # the first fit moves the canvas
            yield Shown(page, drawn_ms)
            owner.socket.close()


async def drag(page: Page) -> None:
    """Drag the canvas to and fro by its middle button, which works over cards too."""
    await page.mouse.move(WIDTH / 2, HEIGHT / 2)
    await page.mouse.down(button="middle")
    until, step = time.perf_counter() + GESTURE_S, 0
    while time.perf_counter() < until:
        step += 1
        swing = step % 40
        shift = (swing if swing < 20 else 40 - swing) * 12
        await page.mouse.move(WIDTH / 2 + shift, HEIGHT / 2 + shift / 3)
    await page.mouse.up(button="middle")


async def _zoom(page: Page) -> None:
    """Zoom in until cards are read, and out again."""
    await page.mouse.move(WIDTH / 2, HEIGHT / 2)
    until, turns = time.perf_counter() + GESTURE_S, 0
    while time.perf_counter() < until:
        turns += 1
        await page.mouse.wheel(0, -110 if turns % 40 < 20 else 110)
        await asyncio.sleep(0.01)
    for _ in range(turns % 40 if turns % 40 < 20 else 40 - turns % 40):
        await page.mouse.wheel(0, 110)
