"""The engine as a person has it: an endpoint from their file, a workspace that is open, a question before a write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.model_server.scenario import FINAL_TEXT
from tests.model_server.serving import serving_models

from cardloom.app import running
from cardloom.features.sessions.backends.configured import FILE
from cardloom.settings import Settings
from cardloom_protocol.session import derived_text

from .run_trace import begun, history, new_session, ran


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
