"""Agents of a whole server, with a stand-in for Claude Code in PATH that posts hooks as the real one does."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import App

PROGRAMS = Path(__file__).parent / "programs"
CAP_S = 60.0

# What tests wait for here happens in another process, so they look again and again.
# ruff: noqa: ASYNC110


def said_in(log: Path) -> list[dict[str, Any]]:
    """What the stand-in wrote about itself, in lines that are whole: of the last a part may be there alone."""
    lines = log.read_text().splitlines(keepends=True) if log.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


class Agent:
    """One agent card as a page uses it."""

    def __init__(self, app: App, page: Any, card: dict[str, Any], log: Path) -> None:
        self.id: str = card["id"]
        self.app = app
        self.page = page
        self.statuses: list[str] = []
        self._log = log
        app.directory.listen(self._heard)

    def _heard(self, change: Any) -> None:
        if change.card_id == self.id and change.after is not None:
            status = change.after.status.value
            if not self.statuses or self.statuses[-1] != status:
                self.statuses.append(status)

    @property
    def runtime(self) -> dict[str, Any]:
        runtime = self.app.graph.card(self.id).runtime
        return {} if runtime is None else dict(runtime)

    @property
    def info(self) -> Any:
        return self.app.directory.get(self.id)

    def said(self) -> list[dict[str, Any]]:
        """What the program wrote about itself."""
        return said_in(self._log)

    def prompts(self) -> list[str]:
        return [entry["prompt"] for entry in self.said() if "prompt" in entry]

    async def until(self, holds: Callable[[], Any]) -> Any:
        async with asyncio.timeout(CAP_S):
            while not (found := holds()):
                await asyncio.sleep(0.01)
        return found

    async def is_status(self, status: str) -> None:
        try:
            await self.until(lambda: self.runtime.get("status") == status)
        except TimeoutError:
            raise AssertionError(f"never {status}: {self.statuses}, {self.runtime}") from None

    async def prompt(self, text: str, **more: Any) -> str:
        return str((await self.page.call("agents.prompt", agentId=self.id, text=text, **more))["delivered"])

    async def refused_prompt(self, text: str, **more: Any) -> Any:
        return await self.page.refused("agents.prompt", agentId=self.id, text=text, **more)

    async def queue(self) -> list[dict[str, Any]]:
        return list((await self.page.call("queue.list", cardId=self.id))["prompts"])

    async def type(self, keys: str) -> None:
        await self.page.call("terminal.input", cardId=self.id, data=keys)


@pytest.fixture(autouse=True)
def program_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with only the stand-in among the agents' programs."""
    home, programs = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    shutil.copy(PROGRAMS / "claude", programs / "claude")
    os.symlink(os.path.realpath(sys.executable), programs / "python3")
    for needed in ("sh", "git", "env"):
        found = shutil.which(needed)
        assert found is not None
        os.symlink(os.path.realpath(found), programs / needed)
    log = tmp_path / "program.log"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("SCRIPTED_LOG", str(log))
    return log


@pytest.fixture
async def make_agent(listening: Any, page: Any, workspace_id: str, program_log: Path) -> Callable[..., Any]:
    """Makes agents; they run behind a real socket, since their hooks come in by it."""

    async def make(**more: Any) -> Agent:
        params = {"workspaceId": workspace_id, "harness": "claude-code", "x": 0, "y": 0, **more}
        card = await page.call("agent.create", **params)
        return Agent(listening.app, page, card, program_log)

    return make


@pytest.fixture
async def agent(make_agent: Callable[..., Any]) -> Agent:
    """A running agent."""
    made: Agent = await make_agent()
    await made.until(made.said)
    return made
