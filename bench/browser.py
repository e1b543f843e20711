"""The headless Chromium that benchmarks of the page drive, and the journeys too: which one, and how it is started."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def named_browser() -> str | None:
    """The program that CARDLOOM_CHROMIUM names, or one on PATH; None for the one that Playwright brings."""
    return os.environ.get("CARDLOOM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """One browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=named_browser(), args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()
