"""Agents of the Agent Client Protocol as cards: a terminal of ours shows their talk, keys are prompts and answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.agents.acp_terminal.keys import Chosen, Echoed, Line, Submitted
from cardloom.features.agents.acp_terminal.showing import question, safe, told

FAKE = Path(__file__).parent.parent / "sessions" / "acp" / "fake_agent.py"


@pytest.fixture
async def agent(make_agent: Callable[..., Any]) -> Any:
    made = await make_agent(harness="acp", arguments=[sys.executable, str(FAKE)])
    await made.until(lambda: made.runtime.get("sessionId"))
    return made


def _screen(agent: Any) -> str:
    return str(agent.app.agents.seats.seat(agent.id).text(None))


async def test_a_prompt_makes_a_turn_whose_talk_is_shown(agent: Any) -> None:
    assert await agent.prompt("tool") == "sent"
    await agent.is_status("finished")
    assert agent.statuses == ["working", "finished"]
    assert agent.runtime["reply"]["text"] == "Looking.Both found."
    await agent.until(lambda: "Both found." in _screen(agent))
    assert "> tool" in _screen(agent)
    assert "● look" in _screen(agent)


@pytest.mark.parametrize(("choice", "said"), [("approve", "You said go."), ("deny", "You said no.")])
async def test_what_it_asks_is_answered_by_the_cards_buttons(agent: Any, choice: str, said: str) -> None:
    await agent.prompt("permission")
    await agent.is_status("needs-input")
    asked = agent.runtime["question"]
    assert (asked["action"], asked["choices"]) == ("/", ["approve", "deny"])
    await agent.page.call("agent.answer", cardId=agent.id, choice=choice, questionId=asked["id"])
    await agent.until(lambda: said in _screen(agent))


async def test_an_interrupt_cancels_the_turn(agent: Any) -> None:
    await agent.prompt("hang")
    await agent.is_status("working")
    await agent.until(lambda: "so far" in _screen(agent))
    await agent.page.call("agent.interrupt", cardId=agent.id)
    await agent.is_status("idle")
    await agent.until(lambda: "cancelled" in _screen(agent))
    assert await agent.prompt("more") == "sent"
    await agent.is_status("finished")


async def test_a_failed_turn_tells_why_and_keeps_the_queue(agent: Any) -> None:
    await agent.prompt("fail")
    await agent.is_status("finished")
    assert "no more tokens" in agent.runtime["error"]


async def test_an_agent_that_dies_is_exited_with_its_code(agent: Any) -> None:
    await agent.prompt("die")
    await agent.is_status("exited")
    assert agent.runtime["exitCode"] == 7


async def test_a_program_that_does_not_speak_the_protocol_says_so(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(harness="acp", arguments=[sys.executable, str(FAKE), "--old"])
    await agent.is_status("exited")
    picture = await agent.page.call("terminal.attach", cardId=agent.id)
    assert "does not speak this protocol" in picture["data"]


async def test_a_prompt_of_several_lines_arrives_whole(agent: Any) -> None:
    await agent.prompt("first\nsecond")
    await agent.is_status("finished")
    await agent.prompt("recall")
    await agent.until(lambda: agent.runtime["reply"]["text"] == "first\nsecond")


def test_keys_become_lines_answers_and_interrupts() -> None:
    line = Line()
    assert line.take("a\x7fhi", asks=False) == [Echoed("a"), Echoed("\b \b"), Echoed("h"), Echoed("i")]
    assert line.take("\x1b[A\r", asks=False) == [Submitted("hi")]
    assert line.take("\x1b[200~two\nli", asks=False) == []
    assert line.take("nes\x1b[201~\r", asks=False) == [Echoed("two\nlines"), Submitted("two\nlines")]
    assert line.take("y", asks=True) == [Chosen("approve")]
    assert line.take("\x1b", asks=False) == ["interrupt"]
    assert line.take("\x03", asks=False) == ["leave"]
    assert line.take(" \r", asks=False) == [Echoed(" ")]


def test_nothing_an_agent_says_acts_on_the_terminal() -> None:
    assert safe("a\x1b]0;t\x07b\x9bc\nd") == "a]0;tbc\nd"
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "\x1b[2Jx"}}
    assert told(chunk) == "[2Jx"
    assert "\x1b]" not in question({"title": "\x1b]0;x\x07"}, [{"name": "\x1b]0;y\x07"}])
    assert told({"sessionUpdate": "never_heard_of"}) == ""
