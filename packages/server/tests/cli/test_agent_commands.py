"""The commands about agents, with a stand-in for Claude Code among the server's programs."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardloom_sdk import Client, find_server

from .running_cli import CAP_S, Cli

PROGRAM = Path(__file__).parent.parent / "agents" / "programs" / "claude"


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """A command line with a server that finds the stand-in, and no other agent."""
    folder = tmp_path_factory.mktemp("agents")
    for name in ("home", "bin", "project"):
        (folder / name).mkdir()
    shutil.copy(PROGRAM, folder / "bin" / "claude")
    os.symlink(os.path.realpath(sys.executable), folder / "bin" / "python3")
    for needed in ("sh", "git", "env"):
        os.symlink(os.path.realpath(str(shutil.which(needed))), folder / "bin" / needed)
    cli = Cli(folder / "data")
    cli.environment |= {"HOME": str(folder / "home"), "PATH": str(folder / "bin"), "CARDLOOM_PORT": str(_free_port())}
    server = cli.start("up", str(folder / "project"))
    assert server.stdout is not None
    while "#code=" not in server.stdout.readline():
        assert server.poll() is None
    yield cli
    server.terminate()
    server.communicate(timeout=CAP_S)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


_numbers = itertools.count(1)


@pytest.fixture
def agent(agents: Cli) -> str:
    """The name of a running agent of this test's own."""
    return str(agents.json("agent", "new", "claude-code", "--title", f"Helper {next(_numbers)}")["name"])


def _until(holds: Callable[[], Any]) -> Any:
    """Wait for what happens in other processes."""
    ends_at = time.monotonic() + CAP_S
    while time.monotonic() < ends_at:
        if found := holds():
            return found
        time.sleep(0.05)
    raise AssertionError("it never came to that")


def _one(cli: Cli, name: str) -> Any:
    return next(card for card in cli.json("agents") if card["name"] == name)


def test_without_agents_the_list_tells_how_to_make_one(agents: Cli, tmp_path: Path) -> None:
    made = agents.json("call", "workspace.create", json.dumps({"name": "Empty", "path": str(tmp_path)}))
    assert agents.json("agents", "--workspace", "Empty") == []
    assert "cardloom agent new" in agents("agents", "--workspace", "Empty")[1]
    agents.json("call", "workspace.close", json.dumps({"workspaceId": made["id"]}))


def test_harnesses_are_listed_with_their_version_or_how_to_get_them(agents: Cli) -> None:
    found = {one["id"]: one for one in agents.json("agent", "harnesses")}
    assert found["claude-code"]["version"] == "2.1.332"
    assert found["codex-cli"]["found"] is False
    code, text, _ = agents("agent", "harnesses")
    first = text.splitlines()[1]
    assert code == 0
    assert "claude-code" in first
    assert "codex is not installed" in text


def test_a_new_agent_runs_and_is_listed(agents: Cli, agent: str) -> None:
    code, text, _ = agents("agents")
    assert code == 0
    assert text.splitlines()[0].split()[:4] == ["ID", "NAME", "HARNESS", "STATUS"]
    assert agent in text
    assert "claude-code" in text
    assert _one(agents, agent)["runtime"]["status"] == "idle"


def test_a_second_agent_stands_beside_the_first(agents: Cli, agent: str) -> None:
    first = _one(agents, agent)
    second = agents.json("agent", "new", "claude-code", "--title", "Other", "--model", "opus")
    assert second["x"] >= first["x"] + first["w"]
    assert second["content"]["model"] == "opus"


def test_an_unknown_harness_and_a_missing_program_are_named(agents: Cli) -> None:
    code, _, err = agents("agent", "new", "clawed")
    assert code == 2
    assert "'clawed'" in err
    assert "claude-code" in err
    code, _, err = agents("agent", "new", "codex-cli")
    assert code != 0
    assert "codex is not installed" in err


def test_a_prompt_is_sent_and_its_reply_printed(agents: Cli, agent: str) -> None:
    code, out, err = agents("prompt", agent, "hello", "--wait")
    assert (code, out) == (0, "Done: hello")
    assert "Sent." in err
    assert agents.json("prompt", agent, "again", "--wait")["reply"] == "Done: again"


def test_a_prompt_from_standard_input_may_have_several_lines(agents: Cli, agent: str) -> None:
    code, out, _ = agents("prompt", agent, "-", "--wait", given="one\ntwo\n")
    assert (code, out) == (0, "Done: one\ntwo")


def test_a_prompt_without_text_is_refused(agents: Cli, agent: str) -> None:
    assert agents("prompt", agent, " ")[0] == 2
    assert agents("prompt", agent, "-", given="")[0] == 2


def test_a_prompt_for_no_agent_is_refused_by_name(agents: Cli, agent: str) -> None:
    code, _, err = agents("prompt", "Nobody", "hello")
    assert code == 1
    assert "Nobody" in err
    assert agent in err


def test_a_prompt_stands_in_the_input_box_until_somebody_sends_it(agents: Cli, agent: str) -> None:
    assert agents.json("prompt", agent, "look first", "--insert")["delivered"] == "inserted"
    assert _one(agents, agent)["runtime"]["status"] == "idle"


def test_prompts_wait_while_the_agent_works_and_can_be_seen_and_taken_away(agents: Cli, agent: str) -> None:
    agents("prompt", agent, "slow one")
    assert agents.json("prompt", agent, "second")["delivered"] == "queued"
    assert agents.json("prompt", agent, "third")["delivered"] == "queued"
    code, _, err = agents("prompt", agent, "never", "--when-busy", "fail")
    assert code == 1
    assert "works" in err
    waiting = agents.json("agent", "queue", agent)
    assert [one["text"] for one in waiting] == ["second", "third"]
    code, text, _ = agents("agent", "queue", agent, "--cancel", waiting[0]["id"])
    assert code == 0
    assert "second" not in text
    assert "third" in text
    assert "you" in text
    code, _, err = agents("agent", "queue", agent, "--cancel", waiting[0]["id"])
    assert (code, "waits no more" in err) == (1, True)


def test_waiting_for_a_queued_prompt_waits_for_its_own_turn(agents: Cli, agent: str) -> None:
    agents("prompt", agent, "slow one")
    waiting = agents.start("prompt", agent, "second", "--wait")
    _until(lambda: [one["text"] for one in agents.json("agent", "queue", agent)] == ["second"])
    _press(agents, agent, "\r")
    out, err = waiting.communicate(timeout=CAP_S)
    assert (waiting.returncode, out.strip()) == (0, "Done: second")
    assert "Queued" in err


def test_a_question_is_shown_and_answered_once(agents: Cli, agent: str) -> None:
    assert agents("answer", agent, "approve")[0] == 1
    agents("prompt", agent, "ask me")
    assert agents("wait", agent, "--until", "needs-input")[0] == 0
    assert "rm -rf build" in agents("agents")[1]
    code, text, _ = agents("answer", agent)
    assert (code, text) == (0, "rm -rf build\n(answer with: approve, always, deny)")
    assert agents.json("answer", agent, "approve")["choice"] == "approve"
    assert agents("wait", agent, "--until", "finished")[0] == 0
    code, _, err = agents("answer", agent, "deny")
    assert code == 1
    assert "asks nothing now" in err


def test_a_denied_question_and_an_interrupted_turn_fail_who_waits_for_them(agents: Cli, agent: str) -> None:
    agents("prompt", agent, "ask me")
    agents("wait", agent, "--until", "needs-input")
    assert agents("answer", agent, "deny")[0] == 0
    assert agents("wait", agent, "--until", "idle,finished")[1] == f"{agent} is idle."
    waiting = agents.start("prompt", agent, "slow one", "--wait")
    agents("wait", agent, "--until", "working")
    assert agents("interrupt", agent)[0] == 0
    out, _ = waiting.communicate(timeout=CAP_S)
    assert (waiting.returncode, out.strip()) == (1, f"{agent} is idle.")


def test_waiting_ends_with_its_time_and_knows_its_words(agents: Cli, agent: str) -> None:
    code, out, _ = agents("wait", agent, "--until", "working", "--timeout", "1")
    assert (code, out) == (1, f"{agent} is idle.")
    code, _, err = agents("wait", agent, "--until", "done")
    assert code == 2
    assert "needs-input" in err


def test_an_agent_is_ended_and_started_again(agents: Cli, agent: str) -> None:
    assert agents("agent", "stop", agent)[:2] == (0, f"{agent} has ended.")
    assert _one(agents, agent)["runtime"]["status"] == "exited"
    code, _, err = agents("prompt", agent, "hello")
    assert code != 0
    assert "does not run" in err
    assert agents("agent", "start", agent, "--fresh", "--prompt", "at once")[:2] == (0, f"{agent} runs.")
    assert agents("wait", agent)[0] == 0
    assert agents("agent", "start", agent)[0] == 1


def test_a_workspace_narrows_the_search(agents: Cli, agent: str) -> None:
    code, _, err = agents("agents", "--workspace", "elsewhere")
    assert code == 1
    assert "elsewhere" in err


def _press(cli: Cli, name: str, keys: str) -> None:
    card = _one(cli, name)

    async def press() -> None:
        async with Client(lambda: find_server(cli.home)) as client:
            await client.call("terminal.input", {"cardId": card["id"], "data": keys})

    asyncio.run(press())
