"""The engine as a person has it: an endpoint from their file, a workspace that is open, a question before a write."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.model_server.scenario import FINAL_TEXT
from tests.model_server.serving import serving_models

from cardloom.app import running
from cardloom.features.sessions.backends.configured import FILE
from cardloom.settings import Settings
from cardloom_protocol.session import NotSupported, derived_text
from cardloom_sdk.testing.session_clients import HostClient

from .run_trace import begun, history, new_session, ran

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "backends.md"


async def test_a_model_writes_into_the_open_workspace_once_it_is_allowed(
    tmp_path: Path, clients_of: Callable[..., Any]
) -> None:
    project, data = tmp_path / "project", tmp_path / "data"
    project.mkdir()
    data.mkdir()
    with serving_models() as models:
        endpoints = [{"id": "scripted", "url": f"{models.url}/v1"}]
        document = {"engine": {"endpoints": endpoints, "defaultModel": "scripted/scripted-1"}}
        (data / FILE).write_text(json.dumps(document))
        async with running(Settings(data)) as app, clients_of(app) as clients:
            page = await clients.page()
            await page.call("workspace.create", name="Project", path=str(project))
            host = app.sessions.find(None).host
            session = await new_session(host)
            trace = await begun(host, session, "[[write:notes.txt]] please")
            asked = await trace.until("ask")
            assert not (project / "notes.txt").exists()
            trace.live.answer(asked["askId"], {"optionIds": ["allow_once"]})
            assert (await trace.end())["status"] == "done"
            assert (project / "notes.txt").read_text() == "hello\n"
            assert derived_text((await history(host, session))[-1]) == FINAL_TEXT
            # What lies outside is out of reach, and the model is told so.
            outside = await begun(host, session, "[[write:../outside.txt]] please")
            await outside.answer(optionIds=["allow_once"])
            assert (await outside.end())["status"] == "done"
            assert not (tmp_path / "outside.txt").exists()
            assert (await history(host, session))[-2]["parts"][0]["meta"]["error"] is True
        # The sessions are there after a restart, and the talk goes on.
        async with running(Settings(data)) as app:
            host = app.sessions.find(None).host
            before = len(await history(host, session))
            await ran(host, session, "[[text]] still there?")
            assert len(await history(host, session)) == before + 2


async def test_plug_ins_of_the_data_folder_are_services_of_the_engine(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    for name, text in (("clock", code), ("broken", "raise RuntimeError")):
        (tmp_path / "services" / name).mkdir(parents=True)
        (tmp_path / "services" / name / "plugin.py").write_text(text)
    async with running(Settings(tmp_path)) as app:
        client = HostClient(app.sessions.find(None).host)
        assert (await client.call("capabilities"))["services"] == {"clock": {"methods": ["add"], "streams": ["tick"]}}
        assert await client.call("callService", plugin="clock", method="add", args=[1, 2]) == 3
        for plugin in ("broken", "ghost"):
            with pytest.raises(NotSupported):
                await client.call("callService", plugin=plugin, method="add")
        services = client.host.backend.services
        assert services is not None
        stream = services.stream("clock", "tick", {"seconds": 0})
        assert [(await anext(stream)).to_wire() for _ in range(2)] == [
            {"name": "tick", "payload": 1},
            {"name": "tick", "payload": 2},
        ]
        # Left open: a server that stops ends it.
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_a_start_sweeps_what_killed_writers_of_session_files_left(tmp_path: Path) -> None:
    folder = tmp_path / "data/sessions/canvas"
    folder.mkdir(parents=True)
    left, young = folder / ".0123456789ab.tmp", folder / ".aaaaaaaaaaaa.tmp"
    for path in (left, young):
        path.touch()
    os.utime(left, (1, 1))
    async with running(Settings(tmp_path / "data")), asyncio.timeout(60):
        while left.exists():  # noqa: ASYNC110 - a file tells nobody that it goes
            await asyncio.sleep(0.01)
    assert young.exists()
