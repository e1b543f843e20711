"""Other real agents of the Agent Client Protocol: they answer, call a tool and go on in the same session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardloom.features.sessions.backends.acp.agent import AcpSettings
from cardloom.features.sessions.backends.acp.backend import AcpBackend
from cardloom_protocol.session import derived_text
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.stores import MemoryStore
from cardloom_sdk.testing.backend_contract import Subject
from cardloom_sdk.testing.session_clients import HostClient
from ensure_clis import PROGRAMS, Program, missing_reason

from ...model_server.scenario import FINAL_TEXT, PLAIN_TEXT
from ...model_server.serving import ModelServer
from ..home import make_home

AGENTS = [program for program in PROGRAMS if program.id in ("gemini-cli", "qwen-code")]
WORDS = {"text": "[[text]] hello", "tool": "[[tool:echo hi]] please"}


@pytest.mark.parametrize("program", AGENTS, ids=lambda program: program.id)
async def test_an_agent_answers_and_calls_a_tool(program: Program, models: ModelServer, tmp_path: Path) -> None:
    if reason := missing_reason(program):
        pytest.skip(reason)
    home = make_home(tmp_path / "home", program, models.url)
    settings = AcpSettings((*program.command, "--acp"), home.project, home.environment)
    host = BackendHost(AcpBackend(settings, MemoryStore()))
    subject = Subject(HostClient(host), WORDS)
    session = await subject.session()
    await subject.whole_run(session, "text")
    run = await subject.run(session, "tool")
    event: Any
    async for _, event in subject.client.follow(run):
        if event["type"] == "ask" and "resolved" not in event:
            allowed = next(one for one in event["options"] if one["kind"] == "allow_once")
            await subject.client.call("answer", runId=run, askId=event["askId"], optionIds=[allowed["id"]])
    history = await subject.history(session)
    assert [message["role"] for message in history] == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    assert [derived_text(history[1]), derived_text(history[-1])] == [PLAIN_TEXT, FINAL_TEXT]
    await host.close()
