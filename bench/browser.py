"""The headless Chromium that benchmarks of the page drive."""

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


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """One browser: the one that CARDLOOM_CHROMIUM names, one on PATH, or else the one that Playwright brings."""
    named = os.environ.get("CARDLOOM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=named, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()
