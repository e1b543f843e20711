"""Programs that do not do what agents do, folders that go, keys that come too late: each is a clear state."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from cardloom.features.agents.prompts import typist
from cardloom.features.agents.seats.seat import Seat

# Other processes are waited for, and made ready, before anything waits on the event loop.
# ruff: noqa: ASYNC221

FLOOD_CAP_S = 600  # a hundred megabytes through a machine that does much else
VERSION = 'case "$*" in --version) echo "2.1.332 (Claude Code)"; exit;; esac\n'


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], None]:
    """Puts a script in the place of the stand-in."""

    def put(script: str) -> None:
        path = tmp_path / "bin" / "claude"
        path.write_text(f"#!/bin/sh\n{VERSION}{script}\n")
        path.chmod(0o755)
        for needed in ("sleep", "head", "yes", "touch"):
            link = tmp_path / "bin" / needed
            if not link.exists():
                os.symlink(str(shutil.which(needed, path=os.defpath)), link)

    return put


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts give up after a moment."""
    monkeypatch.setattr(typist, "SHOW_WAIT_MS", 300)
    monkeypatch.setattr(typist, "READY_WAIT_MS", 300)
    monkeypatch.setattr(typist, "BEGUN_WAIT_MS", 300)


def _seat(agent: Any) -> Seat:
    seat: Seat = agent.app.agents.seats.seat(agent.id)
    return seat


async def test_a_program_that_crashes_at_start_is_exited_with_its_code_and_can_be_started_again(
    make_agent: Callable[..., Any], program: Callable[[str], None], tmp_path: Path
) -> None:
    program("echo 'no configuration'; exit 3")
    agent = await make_agent()
    await agent.is_status("exited")
    assert (agent.runtime["exitCode"], agent.runtime["evidence"]["note"]) == (3, "ended with 3")
    assert (await agent.refused_prompt("hello")).code == "UNAVAILABLE"
    assert "no configuration" in (await agent.page.call("terminal.attach", cardId=agent.id))["data"]
    shutil.copy(Path(__file__).parent / "programs" / "claude", tmp_path / "bin" / "claude")
    await agent.page.call("agent.start", cardId=agent.id)
    await agent.is_status("idle")
    assert await agent.prompt("hello") == "sent"


async def test_a_program_that_cannot_be_run_ends_at_once(make_agent: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "bin" / "claude"
    path.write_bytes(b"\x7fELF not really")
    path.chmod(0o755)
    agent = await make_agent()
    await agent.is_status("exited")
    assert agent.runtime["exitCode"] in (126, 127, 2)


async def test_a_program_that_shows_nothing_gets_no_prompt_and_says_so(
    make_agent: Callable[..., Any], program: Callable[[str], None], impatient: None
) -> None:
    program("while :; do sleep 1; done")
    agent = await make_agent()
    await agent.until(lambda: agent.runtime.get("started"))
    refusal = await agent.refused_prompt("hello")
    assert refusal.code == "UNAVAILABLE"
    assert "began no turn" in refusal.message
    assert agent.runtime["status"] == "idle"
    entries = (await agent.page.call("journal.list", workspaceId=agent.app.graph.card(agent.id).workspace_id))[
        "entries"
    ]
    assert [(one["code"], one["preview"]) for one in entries if one["kind"] == "prompt"] == [("UNAVAILABLE", "hello")]


async def test_a_first_prompt_that_was_not_delivered_waits_with_the_reason_and_is_not_typed_again_by_itself(
    make_agent: Callable[..., Any], program: Callable[[str], None], impatient: None
) -> None:
    program("while :; do sleep 1; done")
    agent = await make_agent(harness="claude-code", start=False)
    await agent.page.call("agent.start", cardId=agent.id)
    prompts, seat = agent.app.agents.prompts, _seat(agent)
    await prompts.accept(agent.id, "first", _owner())
    assert [one.text for one in (await prompts.queues._store.load())[agent.id]] == ["first"]  # accepted is on disk
    await agent.until(lambda: prompts.waiting(agent.id)[0].problem)
    (waiting,) = await agent.queue()
    assert (waiting["text"], waiting["state"], "began no turn" in waiting["problem"]) == ("first", "unsure", True)
    typed_at_ms = seat.keys_at_ms
    for event in ("UserPromptSubmit", "Stop"):  # its hooks come late
        seat.hook(event, {"session_id": seat.state.session_id}, seat.life, agent.app.clock.now_ms())
    await agent.is_status("finished")
    await prompts._beside.settle()
    assert seat.keys_at_ms == typed_at_ms
    assert [one["state"] for one in await agent.queue()] == ["unsure"]


def _owner() -> Any:
    from cardloom.features.agents.prompts.model import Sender

    return Sender()


async def test_a_program_that_will_not_end_is_ended(
    make_agent: Callable[..., Any], program: Callable[[str], None], tmp_path: Path
) -> None:
    program(f"trap '' TERM HUP INT; touch {tmp_path}/ready; while :; do sleep 1; done")
    agent = await make_agent()
    await agent.until((tmp_path / "ready").exists)
    pid = agent.runtime["pid"]
    await agent.page.call("agent.stop", cardId=agent.id)
    await agent.is_status("exited")
    assert agent.runtime["exitCode"] == 128 + signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_hundred_megabytes_of_output_leave_everything_else_answering_and_no_memory_taken(
    make_agent: Callable[..., Any], program: Callable[[str], None], tmp_path: Path
) -> None:
    program(
        f"while ! test -e {tmp_path}/go; do sleep 0.1; done\n"
        "yes 'a line of words that is printed without end' | head -c 104857600; echo; echo over; sleep 600"
    )
    agent = await make_agent()
    seat = _seat(agent)
    await agent.until(lambda: agent.runtime.get("started"))
    server = psutil.Process()  # it runs in the tests' own process
    before, most, answered = server.memory_info().rss, 0, 0
    (tmp_path / "go").touch()
    async with asyncio.timeout(FLOOD_CAP_S):
        while seat.picture().offset < 104_857_600:
            assert await agent.queue() == []  # a call of a page is answered all the time
            answered, most = answered + 1, max(most, server.memory_info().rss)
            await asyncio.sleep(0.05)
    assert answered > 5
    assert most - before < 48 << 20
    assert seat._ear.kept_chars < 10_000
    await agent.until(lambda: "over" in seat.text(5))
    await agent.page.call("agent.stop", cardId=agent.id)
    await agent.is_status("exited")


async def test_hooks_out_of_order_and_twice_leave_no_false_turn(agent: Any) -> None:
    seat = _seat(agent)

    def hook(event: str, **payload: Any) -> None:
        given = {"session_id": seat.state.session_id, **payload}
        seat.hook(event, given, seat.life, agent.app.clock.now_ms())

    hook("PostToolUse", tool_name="Bash", tool_use_id="t9")  # of a turn that nothing told of
    hook("Notification", message="Claude needs your permission", notification_type="permission_prompt")
    assert agent.runtime["status"] in ("idle", "working")
    hook("UserPromptSubmit", prompt="x")
    hook("UserPromptSubmit", prompt="x")
    await agent.is_status("working")
    hook("Stop", last_assistant_message="done")
    hook("Stop", last_assistant_message="done")
    await agent.is_status("finished")
    hook("PostToolUse", tool_name="Bash", tool_use_id="t9")
    hook("PermissionRequest")
    hook("Nonsense", tool_input=[None], session_id=7)
    await agent.until(lambda: agent.statuses.count("working") == 1)
    await agent.prompt("hello")
    await agent.until(lambda: agent.prompts() == ["hello"])


async def test_a_program_that_is_replaced_while_its_prompt_is_typed_gets_no_enter(
    agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat, real_sleep = _seat(agent), asyncio.sleep

    async def replaced_meanwhile(_: float) -> None:
        monkeypatch.setattr(asyncio, "sleep", real_sleep)
        await agent.page.call("agent.stop", cardId=agent.id)
        await agent.page.call("agent.start", cardId=agent.id, fresh=True)
        await agent.until(lambda: sum("argv" in entry for entry in agent.said()) == 2)

    agent_typist = agent.app.agents.prompts._hands.typist(seat)
    await seat.until(agent_typist._takes_input, 60_000)
    monkeypatch.setattr(asyncio, "sleep", replaced_meanwhile)
    refusal = await agent.refused_prompt("for the first one")
    assert refusal.code == "UNAVAILABLE"
    assert "ended while the prompt was typed" in refusal.message
    assert await agent.prompt("for the second one") == "sent"
    assert agent.prompts() == ["for the second one"]


async def test_a_folder_that_is_gone_is_named_and_nothing_starts(agent: Any, tmp_path: Path) -> None:
    await agent.page.call("agent.stop", cardId=agent.id)
    shutil.rmtree(tmp_path / "project")
    refusal = await agent.page.refused("agent.start", cardId=agent.id)
    assert refusal.code == "FS_ERROR"
    assert str(tmp_path / "project") in refusal.message
    (tmp_path / "project").mkdir()
    await agent.page.call("agent.start", cardId=agent.id)
    await agent.is_status("idle")


async def test_a_folder_that_goes_while_the_agent_runs_leaves_it_running(agent: Any, tmp_path: Path) -> None:
    await agent.prompt("hello")
    await agent.is_status("finished")
    shutil.rmtree(tmp_path / "project")
    assert await agent.page.call("agent.diff", cardId=agent.id) is None
    await agent.page.call("agent.interrupt", cardId=agent.id)
    assert _seat(agent).alive


@pytest.mark.parametrize("branch", ["", "-x", "a..b", "a b", "x.lock", "x/", "@{1}", "~", "../../out", "a\x00b"])
async def test_a_worktree_needs_a_name_for_its_branch(
    make_agent: Callable[..., Any], repository: Path, branch: str
) -> None:
    with pytest.raises(Exception, match="INVALID_PARAMS"):
        await make_agent(worktree={"branch": branch})


@pytest.fixture
def repository(tmp_path: Path, workspace_id: str) -> Path:
    """The workspace's folder as a repository with one commit."""
    folder = tmp_path / "project"
    (folder / "file.txt").write_text("one\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "one"]):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)
    return folder


async def test_a_worktree_outside_a_repository_says_what_it_needs(make_agent: Callable[..., Any]) -> None:
    with pytest.raises(Exception, match="needs a git repository with a commit"):
        await make_agent(worktree={"branch": "feature"})


async def test_a_worktree_may_take_a_branch_that_exists_but_not_one_in_use(
    make_agent: Callable[..., Any], repository: Path
) -> None:
    subprocess.run(["git", "-C", str(repository), "branch", "feature/a"], check=True)
    agent = await make_agent(worktree={"branch": "feature/a"})
    kept = agent.app.graph.card(agent.id).content["worktree"]
    assert kept["branch"] == "feature/a"
    assert (Path(kept["path"]) / "file.txt").read_text() == "one\n"
    await agent.until(lambda: [one["cwd"] for one in agent.said() if "cwd" in one] == [kept["path"]])
    for taken in ("feature/a", "main"):
        with pytest.raises(Exception, match="git made no worktree"):
            await make_agent(worktree={"branch": taken})
    home = agent.app.graph.card(agent.id).workspace_id
    assert [card.id for card in agent.app.graph.cards_of(home)] == [agent.id]
    await agent.page.call("canvas.removeCard", cardId=agent.id, force=True)
    shutil.rmtree(kept["path"])  # by hand: git still takes the branch for checked out there
    other = await make_agent(worktree={"branch": "feature/a"})
    assert (Path(other.app.graph.card(other.id).content["worktree"]["path"]) / "file.txt").exists()


async def test_a_worktree_whose_folder_is_gone_comes_back_with_its_branch(
    make_agent: Callable[..., Any], repository: Path
) -> None:
    agent = await make_agent(worktree={"branch": "fresh"})
    await agent.until(agent.said)
    await agent.page.call("agent.stop", cardId=agent.id)
    path = Path(agent.app.graph.card(agent.id).content["worktree"]["path"])
    shutil.rmtree(path)
    await agent.page.call("agent.start", cardId=agent.id)
    assert (path / "file.txt").exists()
    (path / "new.txt").write_text("x\n")
    (path / "file.txt").write_text("two\nthree\n")
    changes = await agent.page.call("agent.diff", cardId=agent.id)
    assert changes == {"branch": "fresh", "files": 2, "added": 2, "removed": 1}


async def test_an_agent_whose_workspace_closes_while_it_starts_does_not_run(
    make_agent: Callable[..., Any], workspace_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await make_agent(start=False)
    detector, asked, go_on = agent.app.agents.seats.detector, asyncio.Event(), asyncio.Event()
    found = await detector.one(_seat(agent).harness)

    async def slowly(_: Any) -> Any:
        asked.set()
        await go_on.wait()
        return found

    monkeypatch.setattr(detector, "one", slowly)
    starting = asyncio.create_task(agent.page.refused("agent.start", cardId=agent.id))
    await asked.wait()
    await agent.page.call("workspace.close", workspaceId=workspace_id)
    go_on.set()
    assert (await starting).code == "UNAVAILABLE"
    assert agent.app.agents.seats.find(agent.id) is None
    assert agent.said() == []
