"""Real agents on the canvas as sessions: their own logs are the history that a chat shows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from cardloom_sdk.testing.contract_subject import Subject, answer_text, shown
from cardloom_sdk.testing.session_clients import HostClient
from ensure_clis import Program

from ..model_server.scenario import PLAIN_TEXT
from .canvas import CAP_MS, RealAgent
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
    events = await to_its_end(agent, subject.whole_run(agent.id, "text"))
    assert answer_text(events) == PLAIN_TEXT, events
    await same_as_stored(subject, agent.id, events)
    events = await to_its_end(agent, approved(canvas, await subject.run(agent.id, "write")))
    assert events[-1]["status"] == "done", events
    kinds = {part["type"] for message in shown(events) for part in message["parts"]}
    assert {"text", "tool_use", "tool_result"} <= kinds
    await same_as_stored(subject, agent.id, events)
    assert (Path(home.project) / "yes.txt").read_text() == "yes\n"


async def to_its_end(agent: RealAgent, run: Awaitable[list[Any]]) -> list[Any]:
    """The events of a run; one that does not end tells how its agent is."""
    try:
        async with asyncio.timeout(CAP_MS / 1000):
            return await run
    except TimeoutError as error:
        raise AssertionError(f"the run did not end: {agent.runtime}\n{agent.screen()}") from error


async def approved(canvas: HostClient, run_id: str) -> list[Any]:
    """The events of a run that is allowed whatever it asks for, as soon as it asks."""
    events: list[Any] = []
    async for _, event in canvas.follow(run_id):
        events.append(event)
        if event["type"] == "ask" and "resolved" not in event:
            await canvas.call("answer", runId=run_id, askId=event["askId"], optionIds=["approve"])
    return events


async def same_as_stored(subject: Subject, card_id: str, events: Any) -> None:
    told, stored = shown(events), await subject.history(card_id)
    assert [(one["id"], one["parts"]) for one in stored[-len(told) :]] == [(one["id"], one["parts"]) for one in told]
