"""Real agents on the canvas as sessions: their own logs are the history that a chat shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardloom_sdk.testing.contract_subject import Subject, answer_text, shown
from cardloom_sdk.testing.session_clients import HostClient
from ensure_clis import Program

from ..model_server.scenario import PLAIN_TEXT
from .canvas import RealAgent
from .home import Home
from .test_real_runs import agent

__all__ = ["agent"]

WITH_LOGS = ("claude-code", "pi")


@pytest.fixture(autouse=True)
def only_with_logs(program: Program) -> None:
    """Leave out the programs whose logs are not read."""
    if program.id not in WITH_LOGS:
        pytest.skip(f"the log of {program.id} is not read")


async def test_what_an_agent_did_is_told_as_its_log_keeps_it(agent: RealAgent, home: Home) -> None:
    canvas = HostClient(agent.sessions.find("canvas").host)
    subject = Subject(canvas, {"text": "[[text]] hello", "write": "[[tool:echo yes > yes.txt]] go"})
    await agent.call("agent.start")
    events = await subject.whole_run(agent.id, "text")
    assert answer_text(events) == PLAIN_TEXT, events
    await same_as_stored(subject, agent.id, events)
    run_id = await subject.run(agent.id, "write")
    events = []
    async for _, event in canvas.follow(run_id):
        events.append(event)
        asked: Any = event
        if event["type"] == "ask" and "resolved" not in event:
            await canvas.call("answer", runId=run_id, askId=asked["askId"], optionIds=["approve"])
    assert asked["status"] == "done", events
    kinds = {part["type"] for message in shown(events) for part in message["parts"]}
    assert {"text", "tool_use", "tool_result"} <= kinds
    await same_as_stored(subject, agent.id, events)
    assert (Path(home.project) / "yes.txt").read_text() == "yes\n"


async def same_as_stored(subject: Subject, card_id: str, events: Any) -> None:
    told, stored = shown(events), await subject.history(card_id)
    assert [(one["id"], one["parts"]) for one in stored[-len(told) :]] == [(one["id"], one["parts"]) for one in told]
