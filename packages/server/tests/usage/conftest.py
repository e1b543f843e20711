"""A home with logs, and a server that reads them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.app import running
from cardloom.core.clock import VirtualClock
from cardloom.settings import Settings

from .making_logs import T0_MS, Home
from .reading_desk import Desk


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.store.close()


@pytest.fixture
async def desk(
    settings: Settings, clients_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Desk]:
    folder, project = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    project.mkdir()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    clock = VirtualClock(T0_MS - 60_000)
    async with running(settings, clock) as app, clients_of(app) as clients:
        page = await clients.page()
        home = (await page.call("workspace.create", name="Project", path=str(project)))["id"]
        made = Desk(app, clock, page, home, folder)
        await made.begin()
        yield made
