"""A failing suite in a real terminal becomes tasks: terminal, Test Radar, to-do list and note on a real server."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from cardloom.cli.demo import lay_out
from cardloom.settings import Settings

CAP_S = 60.0

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the sample is run by a shell script")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A server with the packages that come along, in a home without anybody's shell set-up."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return Settings(tmp_path / "data")


async def test_what_fails_becomes_tasks_and_what_is_mended_is_ticked_off(
    listening: Any, desk: Any, tmp_path: Path
) -> None:
    assert listening.port
    project = lay_out(tmp_path / "demo")
    await desk.page.call("workspace.update", workspaceId=desk.id, path=str(project))
    terminal = await desk.add("terminal", content={"shell": "shell-bash"})
    todo, note = await desk.add("todo"), await desk.add("note")
    packages = (await desk.page.call("package.list"))["packages"]
    radar = await desk.put(next(one["packageId"] for one in packages if one["name"] == "test-radar"))
    for a, b in ((terminal, radar), (radar, todo), (radar, note)):
        await desk.page.call("canvas.connect", a=a, b=b)
    await desk.answer(accepted=True)
    await desk.until(lambda: (desk.card(radar)["chrome"]["status"] or {}).get("text") == "watching")
    await desk.page.call("terminal.attach", cardId=terminal)
    await desk.until(lambda: desk.runtime(terminal).get("integration"))

    def items() -> list[tuple[str, str]]:
        return [(item["text"], item["status"]) for item in desk.card(todo)["content"]["items"]]

    async with asyncio.timeout(CAP_S):
        await desk.page.call("terminal.input", cardId=terminal, data="./run-tests\r")
        await desk.until(lambda: len(items()) == 3)
        assert items() == [
            ("logs in with sso", "error"),
            ("pays with a saved card", "error"),
            ("a refund keeps the fee", "error"),
        ]
        await desk.until(lambda: desk.card(note)["content"]["text"])
        chrome = desk.card(radar)["chrome"]
        assert (chrome["overview"]["primary"], chrome["overview"]["secondary"]) == ("3 failing", "12 passing")
        auth = project / "shop" / "auth.py"
        auth.write_text(auth.read_text().replace('rpartition("@")[2]', 'rpartition("@")[2].lower()'))
        await desk.page.call("terminal.input", cardId=terminal, data="./run-tests\r")
        await desk.until(lambda: ("logs in with sso", "done") in items())
        await desk.until(lambda: "fixed: `tests/test_auth.py" in desk.card(note)["content"]["text"])
    assert len(items()) == 3
    assert desk.card(radar)["chrome"]["badge"]["count"] == 2
