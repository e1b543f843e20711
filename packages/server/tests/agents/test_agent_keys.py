"""What keys leave in an agent's input box, the programs that a person names, and what is checked before a card is made.

Spec: harnesses, keys; agents.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.agents.keys import types_text
from cardloom.features.agents.seats.detection import named_program
from cardloom_protocol.errors import CallError, ErrorCode


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\x1b[O", id="the focus left"),
        pytest.param("\x1b[I", id="the focus came"),
        pytest.param("\x1b[?1;2c", id="what terminal it is"),
        pytest.param("\x1b[12;40R", id="where the cursor is"),
        pytest.param("\x1b]11;rgb:0e0e/1111/1616\x1b\\", id="its colour"),
        pytest.param("\x1b[<35;10;4M", id="the mouse"),
        pytest.param("\x1b[A\x1bOB", id="arrow keys"),
        pytest.param("\x1b\x03\r", id="Escape, Ctrl+C and Enter"),
    ],
)
def test_what_a_terminal_sends_by_itself_is_no_draft(text: str) -> None:
    assert not types_text(text)


@pytest.mark.parametrize("text", ["a", "é", "\x1b[Ix", "\x1b[200~pasted\x1b[201~"])
def test_what_a_person_types_or_pastes_is_a_draft(text: str) -> None:
    assert types_text(text)


def test_a_named_program_is_looked_for_on_the_path_and_its_arguments_follow(tmp_path: Path) -> None:
    program = tmp_path / "aider"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert named_program(["aider", "--yes", ""], {"PATH": str(tmp_path)}) == (str(program), ("--yes", ""))


@pytest.mark.parametrize(("words", "said"), [([], "needs the name"), (["no-such-program"], "no-such-program is not")])
def test_a_program_that_is_not_there_is_named(words: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(CallError, match=said) as refused:
        named_program(words, {"PATH": str(tmp_path)})
    assert refused.value.code is ErrorCode.UNAVAILABLE


@pytest.mark.parametrize(
    "wishes",
    [
        pytest.param({"harness": "pi"}, id="a harness that is not installed"),
        pytest.param({"harness": "command", "arguments": ["no-such-program"]}, id="a command that is not there"),
        pytest.param({"folder": "/no/such/folder"}, id="a folder that is not there"),
    ],
)
async def test_what_cannot_start_is_refused_before_a_card_is_made(
    make_agent: Callable[..., Any], page: Any, workspace_id: str, wishes: dict[str, Any]
) -> None:
    with pytest.raises(Exception, match=r"not installed|no/such/folder"):
        await make_agent(**wishes)
    assert (await page.call("canvas.snapshot", workspaceId=workspace_id))["cards"] == []


async def test_a_command_runs_with_the_arguments_it_was_given(make_agent: Callable[..., Any]) -> None:
    agent = await make_agent(harness="command", arguments=["sh", "-c", "echo given $0; read line", "words"])
    await agent.until(lambda: agent.runtime["status"] == "finished")
    text = (await agent.page.call("agents.readScreen", agentId=agent.id))["text"]
    assert "given words" in text


async def test_undoing_the_removal_of_a_running_agent_starts_it_again(agent: Any, page: Any, workspace_id: str) -> None:
    await page.call("canvas.removeCard", cardId=agent.id, force=True)
    back = await page.call("canvas.restore", workspaceId=workspace_id, cardIds=[agent.id], arrowIds=[])
    assert back["restarted"] == [agent.id]
    await agent.until(lambda: agent.runtime.get("pid"))
