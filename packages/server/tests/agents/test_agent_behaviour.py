"""Agents as people use them: started, prompted, answered, interrupted, ended, and back after the server."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.agents.harnesses.shape import KeyWrite
from cardloom.features.agents.seats import answering
from cardloom.features.agents.seats.seat import Seat


async def test_a_program_that_says_nothing_is_shown_as_started(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(harness="command", arguments=["sh", "-c", "read line"])
    await agent.until(lambda: agent.runtime.get("started") and agent.runtime["pid"])
    assert agent.runtime["status"] == "idle"


async def test_a_prompt_makes_a_turn_that_ends_with_the_reply(agent: Any) -> None:
    assert await agent.prompt("hello") == "sent"
    await agent.is_status("finished")
    assert agent.statuses == ["working", "finished"]
    assert agent.runtime["reply"]["text"] == "Done: hello"
    assert agent.runtime["evidence"]["source"] == "hook"
    reply = await agent.page.call("agents.lastReply", agentId=agent.id)
    assert reply["text"] == "Done: hello"
    info = await agent.page.call("agents.get", agentId=agent.id)
    assert info["status"] == "finished"
    assert info["lastTurn"]["endedAs"] == "finished"
    assert info["lastTurn"]["startedAt"] <= info["lastTurn"]["endedAt"]
    assert "turnStartedAt" not in info


async def test_a_permission_question_names_the_exact_action_and_is_approved(agent: Any) -> None:
    await agent.prompt("ask me")
    await agent.is_status("needs-input")
    question = agent.runtime["question"]
    assert question["action"] == "rm -rf build"
    assert question["choices"] == ["approve", "always", "deny"]
    await agent.page.call("agent.answer", cardId=agent.id, choice="approve", questionId=question["id"])
    await agent.is_status("finished")
    assert agent.statuses == ["working", "needs-input", "working", "finished"]
    refusal = await agent.page.refused("agent.answer", cardId=agent.id, choice="approve", questionId=question["id"])
    assert refusal.code == "BUSY"


async def test_a_denied_question_ends_the_turn_in_idle(agent: Any) -> None:
    await agent.prompt("ask me")
    await agent.is_status("needs-input")
    await agent.page.call("agent.answer", cardId=agent.id, choice="deny")
    await agent.is_status("idle")
    assert agent.info.last_turn.ended_as == "needs-input"
    await agent.until(lambda: [entry["pressed"] for entry in agent.said() if "pressed" in entry] == ["\x1b"])


async def test_an_answer_waits_for_the_dialog_to_be_drawn(
    agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, dialog = asyncio.Event(), answering._dialog

    def look(seat: Seat) -> str | None:
        looked.set()
        return dialog(seat)

    monkeypatch.setattr(answering, "_dialog", look)
    monkeypatch.setattr(answering, "DRAWN_WAIT_MS", 20_000)
    os.mkfifo(tmp_path / "home" / "draw")
    await agent.prompt("ask me late")
    await agent.is_status("needs-input")
    answered = asyncio.create_task(agent.page.call("agent.answer", cardId=agent.id, choice="approve"))
    await looked.wait()
    assert not answered.done()
    with (tmp_path / "home" / "draw").open("r+b", buffering=0) as draw:
        draw.write(b".")
        await answered
        await agent.is_status("finished")
    assert agent.statuses == ["working", "needs-input", "working", "finished"]


async def test_an_answer_is_given_again_to_a_dialog_that_took_no_key(agent: Any) -> None:
    await agent.prompt("ask me, numb")
    await agent.is_status("needs-input")
    await agent.page.call("agent.answer", cardId=agent.id, choice="approve")
    await agent.is_status("finished")
    assert [one for one in agent.said() if "lost" in one or "pressed" in one] == [{"lost": "1"}, {"pressed": "1"}]
    assert agent.statuses == ["working", "needs-input", "working", "finished"]


async def test_a_question_whose_dialog_takes_no_answer_stays_open(agent: Any) -> None:
    await agent.prompt("ask me, stone")
    await agent.is_status("needs-input")
    refusal = await agent.page.refused("agent.answer", cardId=agent.id, choice="approve")
    assert refusal.code == "UNAVAILABLE"
    assert agent.runtime["question"]["action"] == "rm -rf build"
    assert agent.statuses == ["working", "needs-input", "working", "needs-input"]
    await agent.page.call("agent.answer", cardId=agent.id, choice="approve")
    await agent.is_status("finished")


async def test_an_interrupt_ends_the_turn_in_idle(agent: Any) -> None:
    await agent.prompt("slow work")
    await agent.is_status("working")
    await agent.page.call("agent.interrupt", cardId=agent.id)
    await agent.is_status("idle")


async def test_interrupt_keys_that_a_busy_program_missed_are_pressed_again(agent: Any) -> None:
    await agent.prompt("slow and dull work")
    await agent.is_status("working")
    seat = agent.app.agents.seats.seat(agent.id)
    seat.harness = dataclasses.replace(seat.harness, interrupt=(KeyWrite(b"\x1b"), KeyWrite(b"\x1b", 50)))
    await agent.page.call("agent.interrupt", cardId=agent.id)
    await agent.until(lambda: "interrupted" in seat.text(None))
    await agent.is_status("idle")
    assert agent.statuses == ["working", "idle"]


async def test_two_prompts_for_a_working_agent_go_out_one_a_turn(agent: Any) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    assert await agent.prompt("second") == "queued"
    assert await agent.prompt("third") == "queued"
    assert [one["text"] for one in await agent.queue()] == ["second", "third"]
    assert agent.runtime["queued"] == 2
    await agent.type("\r")
    await agent.until(lambda: agent.prompts() == ["slow one", "second", "third"])
    await agent.until(lambda: agent.runtime["queued"] == 0)


async def test_a_waiting_prompt_gives_way_to_what_a_person_writes_in_the_input_box(agent: Any) -> None:
    await agent.prompt("slow one")
    await agent.is_status("working")
    await agent.prompt("second")
    await agent.type("\r")
    await agent.type("my own words")  # before the program has told that its turn is over
    await agent.until(lambda: agent.app.agents.prompts.waiting(agent.id)[0].problem)
    (waiting,) = await agent.queue()
    assert waiting["problem"] == "somebody is writing in this agent's input box"
    assert agent.prompts() == ["slow one"]


async def test_a_turn_that_fails_keeps_the_queue(agent: Any) -> None:
    await agent.prompt("slow fail")
    await agent.is_status("working")
    await agent.prompt("later")
    await agent.type("\r")
    await agent.is_status("finished")
    await agent.until(lambda: agent.runtime["error"])
    assert [one["text"] for one in await agent.queue()] == ["later"]
    assert agent.prompts() == ["slow fail"]


async def test_a_program_that_dies_in_a_turn_is_exited_with_its_code(agent: Any) -> None:
    await agent.prompt("die now")
    await agent.is_status("exited")
    assert agent.runtime["exitCode"] == 7
    assert "working" in agent.statuses
    refusal = await agent.refused_prompt("again")
    assert refusal.code == "UNAVAILABLE"


async def test_a_second_start_continues_the_session(agent: Any) -> None:
    await agent.prompt("hello")
    await agent.is_status("finished")
    first = agent.runtime["sessionId"]
    await agent.page.call("agent.stop", cardId=agent.id)
    await agent.is_status("exited")
    await agent.page.call("agent.start", cardId=agent.id)
    await agent.until(lambda: sum("argv" in entry for entry in agent.said()) == 2)
    starts = [entry["argv"] for entry in agent.said() if "argv" in entry]
    assert starts[1][starts[1].index("--resume") + 1] == first


async def test_a_session_that_is_not_there_gives_way_to_a_fresh_one_unseen(agent: Any) -> None:
    await agent.page.call("agent.stop", cardId=agent.id)
    await agent.is_status("exited")
    agent.statuses.clear()
    await agent.page.call("agent.start", cardId=agent.id)  # nothing was ever said in it, so it was never saved
    await agent.until(lambda: sum("argv" in entry for entry in agent.said()) == 3)
    await agent.until(lambda: "scripted" in agent.app.agents.seats.seat(agent.id).text(None))
    assert agent.runtime["status"] == "idle"
    assert "exited" not in agent.statuses
    assert await agent.prompt("hello") == "sent"
    await agent.is_status("finished")


async def test_the_launch_writes_nothing_but_its_own_private_files(agent: Any, tmp_path: Any) -> None:
    (start,) = [entry for entry in agent.said() if "argv" in entry]
    assert start["mode"].endswith("600")
    assert not any("CLAUDECODE" in name for name in start["environment"])
    assert sorted(path.name for path in (tmp_path / "home").iterdir()) == ["sessions"]
    assert not any("token" in word.lower() or "Bearer" in word for word in start["argv"])


async def test_the_first_prompt_goes_with_the_launch(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(prompt="at once")
    await agent.until(lambda: agent.runtime.get("reply"))
    assert agent.runtime["reply"]["text"] == "Done: at once"
    assert [entry for entry in agent.said() if entry.get("argument")]


async def test_several_lines_arrive_as_one_prompt_without_any_key_in_it(agent: Any) -> None:
    await agent.prompt("first\nsecond\x1b[201~\x1b[A\x03 end\ud83d\n")
    await agent.is_status("finished")
    assert agent.prompts() == ["first\nsecond[A end"]


async def test_an_enter_that_was_swallowed_is_pressed_again(agent: Any) -> None:
    assert await agent.prompt("deaf") == "sent"
    assert agent.prompts() == ["deaf"]


async def test_a_dangerous_agent_is_allowed_by_its_hook(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(dangerous=True)
    await agent.prompt("ask me")
    await agent.is_status("finished")
    assert agent.statuses == ["working", "finished"]


async def test_a_missing_program_is_named_with_the_way_to_get_it(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(harness="codex-cli", start=False)
    refusal = await agent.page.refused("agent.start", cardId=agent.id)
    assert refusal.code == "UNAVAILABLE"
    assert "codex is not installed" in refusal.message
    assert "npm" in refusal.data["install"]
    listed = (await agent.page.call("agent.harnesses"))["harnesses"]
    assert next(one for one in listed if one["id"] == "claude-code")["version"] == "2.1.332"
    assert listed[0]["found"]


async def test_a_first_prompt_is_in_the_journal_and_agents_have_names_of_their_own(
    make_agent: Callable[..., Any], workspace_id: str
) -> None:
    agent, other = await make_agent(prompt="look around"), await make_agent()
    names = [agent.app.graph.card(one.id).name for one in (agent, other)]
    assert names == ["Claude Code", "Claude Code 2"]
    entries = (await agent.page.call("journal.list", workspaceId=workspace_id))["entries"]
    told = [(one["to"], one["preview"], one["outcome"]) for one in entries if one["kind"] == "prompt"]
    assert told == [(agent.id, "look around", "accepted")]


async def test_a_prompt_right_after_a_start_with_a_prompt_waits_for_that_turn(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(prompt="slow first")  # its program has not told of a turn yet
    assert await agent.prompt("second") == "queued"
    assert (await agent.refused_prompt("third", whenBusy="fail")).code == "BUSY"
    await agent.is_status("working")
    await agent.type("\r")
    await agent.until(lambda: agent.prompts() == ["slow first", "second"])
