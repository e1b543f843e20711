"""Agents on the canvas with their real programs: what a person and a card do with them, and what both are told.

Spec: issue of the agents, real runs; decisions 22 to 24.
"""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ensure_clis import Program

from ..model_server.scenario import PLAIN_TEXT
from ..model_server.serving import ModelServer
from ..recorded_agents.scenes import (
    ANSWERED,
    APPROVED,
    EXITED,
    FAILED,
    FINISHED,
    IDLE,
    INTERRUPTED,
    KILLED,
    MANNERS,
    NEEDS_INPUT,
    WORKING,
    Manners,
)
from .canvas import CAP_MS, RealAgent, check_turns, served
from .home import Home


@pytest.fixture
async def agent(program: Program, home: Home, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RealAgent]:
    """An agent that does not run yet, on the canvas of a server that a person with that home started."""
    cap_ms = 2 * CAP_MS  # a prompt that gives up says why before that
    async with served(home, monkeypatch, first_port=28_000, cap_ms=cap_ms) as canvas:
        yield await RealAgent.create(canvas.app, canvas.clients, canvas.page, canvas.workspace_id, program.id)


@pytest.fixture
def manners(program: Program) -> Manners:
    return MANNERS[program.id]


async def test_a_day_with_an_agent(agent: RealAgent, manners: Manners, home: Home, models: ModelServer) -> None:
    await first_prompt(agent, manners)
    await permission(agent, manners, home.project)
    await breaking_off(agent, manners)
    await queue(agent, models)
    await failing(agent, manners)
    if manners.delegates:
        await delegating(agent)
    await leaving_and_coming_back(agent, manners)
    await dying(agent)
    await unasked(agent, home.project)
    for path, text in home.configuration().items():
        assert "cardloom" not in text.lower(), f"{path} names us"


async def first_prompt(agent: RealAgent, manners: Manners) -> None:
    await agent.call("agent.start", prompt="[[text]] hello")
    await agent.until(lambda: agent.seat.shows_something, "to show something")
    await agent.shows(*ANSWERED)
    await check_turns(agent)
    if manners.hooked:
        await agent.until(lambda: agent.runtime["reply"], "to reply")
        reply = await agent.call("agents.lastReply")
        assert PLAIN_TEXT in reply["text"]
        assert reply["at"] <= agent.runtime["lastTurn"]["endedAt"]


async def permission(agent: RealAgent, manners: Manners, project: Path) -> None:
    await asked(agent, manners, "[[tool:echo yes > yes.txt]] go")
    await agent.call("agent.answer", choice="approve")
    await agent.shows(*APPROVED)
    assert (project / "yes.txt").read_text() == "yes\n"
    await check_turns(agent)

    await asked(agent, manners, "[[tool:echo no > no.txt]] go")
    await agent.call("agent.answer", choice="deny")
    await agent.shows(*manners.denied)
    assert not (project / "no.txt").exists()
    await check_turns(agent)


async def asked(agent: RealAgent, manners: Manners, prompt: str) -> None:
    await begin(agent, prompt)
    await agent.shows(WORKING, NEEDS_INPUT)
    question = agent.runtime["question"]
    assert not manners.hooked or question["action"] in prompt
    assert {"approve", "deny"} <= set(question["choices"])
    await check_turns(agent)
    await agent.quiet()


async def breaking_off(agent: RealAgent, manners: Manners) -> None:
    await begin(agent, "[[slow:talk]]")
    await agent.until(lambda: "talk2" in agent.screen(), "to talk")
    await agent.call("agent.interrupt")
    await agent.shows(*INTERRUPTED)

    await begin(agent, "[[slow:more]]")
    await agent.until(lambda: "more2" in agent.screen(), "to talk more")
    await agent.break_off(*manners.escape)
    await agent.shows(*INTERRUPTED)
    await check_turns(agent)


async def queue(agent: RealAgent, models: ModelServer) -> None:
    await begin(agent, "[[hold]] wait")
    await agent.shows(WORKING)
    assert [await agent.prompt(f"[[text]] {word}") for word in ("first", "second")] == ["queued", "queued"]
    assert [one["text"] for one in (await agent.call("queue.list"))["prompts"]] == ["[[text]] first", "[[text]] second"]
    await agent.until(lambda: models.record.exchanges()[-1].scenario == "hold", "to ask the model")
    models.record.release()
    await agent.shows(*ANSWERED, *ANSWERED, *ANSWERED)
    prompts = [exchange.prompt for exchange in models.record.exchanges() if not exchange.aside]
    assert [word for prompt in prompts[-3:] for word in ("wait", "first", "second") if word in prompt][-2:] == [
        "first",
        "second",
    ]
    await check_turns(agent)


async def failing(agent: RealAgent, manners: Manners) -> None:
    await begin(agent, f"[[{manners.refused}]] fail")
    await agent.shows(*FAILED)
    assert agent.runtime["error"]
    await check_turns(agent)


async def delegating(agent: RealAgent) -> None:
    await begin(agent, "[[sub]] delegate")
    await agent.shows(*ANSWERED)
    await check_turns(agent)


async def leaving_and_coming_back(agent: RealAgent, manners: Manners) -> None:
    session = agent.runtime["sessionId"]
    await agent.quiet()
    agent.scene()
    await agent.type_keys(manners.leave, "\r")
    await agent.until(lambda: agent.statuses[-1:] == [EXITED], "to leave")
    # A busy Claude Code lets a sub-agent go on beside it, and takes its answer in another turn before it leaves.
    assert agent.statuses == [EXITED] or manners.delegates
    assert agent.runtime["exitCode"] == 0
    agent.scene()
    await agent.call("agent.start")
    await agent.shows(IDLE)
    agent.scene()
    assert await agent.prompt("[[text]] again") == "sent"
    await agent.shows(*ANSWERED)
    assert agent.runtime["sessionId"] == session
    await check_turns(agent)


async def dying(agent: RealAgent) -> None:
    await begin(agent, "[[hold]] wait for ever")
    await agent.shows(WORKING)
    os.kill(agent.runtime["pid"], signal.SIGKILL)
    await agent.shows(*KILLED)
    await check_turns(agent)


async def unasked(agent: RealAgent, project: Path) -> None:
    await agent.call("agent.configure", dangerous=True)
    agent.scene()
    await agent.call("agent.start", prompt="[[run:echo free > free.txt]] go")
    await agent.until(lambda: WORKING in agent.statuses, "to begin")
    # A busy Claude Code may draw its dialog for a moment before our hook's answer closes it.
    await agent.until(lambda: agent.statuses[-1:] == [FINISHED], "to finish by itself")
    assert (project / "free.txt").read_text() == "free\n"
    await check_turns(agent)


async def begin(agent: RealAgent, prompt: str) -> None:
    """Begin a scene with a prompt, when the one before has come to rest."""
    await agent.quiet()
    agent.scene()
    assert await agent.prompt(prompt) == "sent"
