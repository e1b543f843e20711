"""Work that goes on as long as the server does."""

from __future__ import annotations

import asyncio

import pytest

from cardloom import app as module
from cardloom.app import build
from cardloom.settings import Settings
from cardloom_protocol.errors import CallError, ErrorCode


async def test_lasting_work_that_fails_is_told_and_begins_anew(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = [CallError(ErrorCode.UNAVAILABLE, "the disk is full"), RuntimeError("a bug")]
    goes_on = asyncio.Event()

    async def work() -> None:
        if failures:
            raise failures.pop(0)
        goes_on.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "ANEW_S", 0.0)
    app = build(settings)
    app.life.background.append(work)
    await app.start()
    try:
        async with asyncio.timeout(60):
            await goes_on.wait()
    finally:
        await app.stop()
    told = [line for line in caplog.messages if "work" in line]
    assert "the disk is full" in told[0]
    assert told[1].endswith("failed")
