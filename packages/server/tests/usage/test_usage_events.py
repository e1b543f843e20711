"""What pages hear of a scan of the agents' logs."""

from __future__ import annotations

import pytest

from cardloom.features.usage import service

from .making_logs import T0_MS, claude_answer
from .reading_desk import Desk


async def test_pages_hear_that_logs_were_read_anew_and_of_no_scan_that_found_nothing(desk: Desk) -> None:
    desk.log(claude_answer(2))
    desk.at(60)
    await desk.page.call("usage.scan")
    assert (await desk.page.event("usage.changed"))["scannedAt"] >= T0_MS
    await desk.page.call("usage.scan")
    assert "usage.changed" not in [name for name, _ in desk.page.events]


async def test_a_scan_that_takes_long_tells_how_far_it_is(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "SLOW_SCAN_S", -1.0)
    desk.log(claude_answer(2))
    await desk.page.call("usage.scan")
    told = await desk.page.event("usage.progress", lambda told: told["done"] == told["total"])
    assert told["total"] > 0
