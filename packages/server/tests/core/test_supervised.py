"""What a feature starts beside its calls: faults are told, and nothing outlives the feature."""

from __future__ import annotations

import asyncio
import logging

import pytest

from cardloom.core.supervised import Supervised
from cardloom_protocol.errors import CallError, ErrorCode

_LOG = logging.getLogger("supervised")


async def test_a_fault_is_told_and_the_other_work_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    beside, done = Supervised(_LOG, "a clock's work"), asyncio.Event()

    async def fails() -> None:
        raise ValueError("no spring")

    async def goes_on() -> None:
        await asyncio.sleep(0)
        done.set()

    beside.start(fails())
    beside.start(goes_on())
    await beside.settle()
    assert done.is_set()
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [("ERROR", "a clock's work failed")]
    assert "no spring" in caplog.text


async def test_a_refusal_is_told_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    beside = Supervised(_LOG, "a clock's work")

    async def refused() -> None:
        raise CallError(ErrorCode.NOT_FOUND, "there is no clock")

    beside.start(refused())
    await beside.settle()
    [record] = caplog.records
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert "there is no clock" in record.getMessage()


async def test_the_end_cancels_what_is_under_way_and_waits_for_it() -> None:
    beside, ended = Supervised(_LOG, "a clock's work"), asyncio.Event()

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()

    task = beside.start(for_ever())
    await asyncio.sleep(0)
    await beside.end()
    assert ended.is_set()
    assert task.cancelled()
