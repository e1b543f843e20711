"""Which agents are found here, although one of their programs does not answer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from cardloom.features.agents.harnesses.table import HARNESSES
from cardloom.features.agents.seats import detection
from cardloom.features.agents.seats.detection import Detector, Found

# Other processes are waited for.
# ruff: noqa: ASYNC110


def _program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho $$ >> {folder}/asked\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def detector(tmp_path: Path) -> Detector:
    """Finds a program that answers and one that never does."""
    _program(tmp_path, "claude", "echo '2.1.332 (Claude Code)'")
    _program(tmp_path, "opencode", "sleep 600")
    names = ("opencode", "claude-code", "pi", "command")
    return Detector({name: HARNESSES[name] for name in names}, {"PATH": f"{tmp_path}:{os.defpath}"})


def _told(found: list[Found]) -> list[tuple[str, str | None, bool]]:
    return [(one.harness.id, one.version, one.problem is None) for one in found]


async def test_a_program_that_does_not_answer_is_one_of_unknown_version(
    detector: Detector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await detector.one(HARNESSES["claude-code"])  # it answers, however long that takes on a slow machine
    monkeypatch.setattr(detection, "VERSION_WAIT_S", 1.0)
    assert _told(await detector.all()) == [
        ("opencode", None, True),
        ("claude-code", "2.1.332", True),
        ("pi", None, False),
        ("command", None, True),
    ]
    asked = [int(pid) for pid in (tmp_path / "asked").read_text().split()]
    async with asyncio.timeout(60):
        while any(_runs(pid) for pid in asked):  # neither it nor what it started is left
            await asyncio.sleep(0.01)


async def test_a_version_is_found_behind_what_a_program_says_first(tmp_path: Path) -> None:
    _program(
        tmp_path, "claude", "echo 'no configuration'; sleep 0.2; echo '2.1.332 (Claude Code)'; echo; yes | head -9"
    )
    detector = Detector(HARNESSES, {"PATH": f"{tmp_path}:{os.defpath}"})
    assert (await detector.one(HARNESSES["claude-code"])).version == "2.1.332"


def _runs(group: int) -> bool:
    """Whether a process of that group runs."""
    for one in psutil.process_iter(["status"]):
        with contextlib.suppress(ProcessLookupError):
            if one.info["status"] != psutil.STATUS_ZOMBIE and os.getpgid(one.pid) == group:
                return True
    return False


async def test_who_goes_before_the_slowest_program_answered_leaves_what_was_found(
    detector: Detector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = asyncio.create_task(detector.all())
    async with asyncio.timeout(60):
        while "claude-code" not in detector._known:
            await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    monkeypatch.setattr(detection, "VERSION_WAIT_S", 0.2)
    asked_before = len((tmp_path / "asked").read_text().split())
    assert [one.harness.id for one in await detector.all()][:2] == ["opencode", "claude-code"]
    assert len((tmp_path / "asked").read_text().split()) - asked_before <= 1  # Claude Code is not asked again


async def test_a_program_that_does_not_answer_is_ended_where_there_are_no_process_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path, "opencode", "exec sleep 600")
    start, started = asyncio.create_subprocess_exec, []

    async def starting(*words: Any, **options: Any) -> asyncio.subprocess.Process:
        started.append(await start(*words, **options))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", starting)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "killpg")
    monkeypatch.setattr(detection, "VERSION_WAIT_S", 0.2)
    assert await detection._version(str(tmp_path / "opencode"), (), {"PATH": os.defpath}) is None
    assert [one.returncode for one in started] == [-signal.SIGKILL]
