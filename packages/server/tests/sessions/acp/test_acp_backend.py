"""An agent of the Agent Client Protocol: the contract of backends, what it remembers, and how it goes wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.sessions.backends.acp.agent import AcpSettings
from cardloom.features.sessions.backends.acp.backend import AcpBackend
from cardloom.host.piped import PipedProgram
from cardloom.host.processes import Command
from cardloom_protocol.session import NodePatch, SessionError, has
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.stores import MemoryStore
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.session_clients import HostClient

from ..run_trace import begun, history, new_session, ran, texts

FAKE = (sys.executable, str(Path(__file__).with_name("fake_agent.py")))
WORDS = {word: word for word in ("text", "tool", "permission", "hang", "fail")}


def host_of(folder: Path, *argv: str) -> BackendHost:
    return BackendHost(AcpBackend(AcpSettings(argv, folder, dict(os.environ)), MemoryStore()))


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[BackendHost]:
    host = host_of(tmp_path, *FAKE)
    yield host
    await host.close()


@pytest.mark.parametrize("row", [pytest.param(row, id=row.check.__name__) for row in rows()])
async def test_an_agent_keeps_the_contract(host: BackendHost, row: Row) -> None:
    capabilities = await host.capabilities()
    if all(has(capabilities, need) for need in row.needs):
        await row.check(Subject(HostClient(host), WORDS))


async def test_results_are_a_message_between_calls_and_the_next_words(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "tool")
    messages = await history(host, session)
    assert [message["role"] for message in messages] == ["user", *["assistant", "tool"] * 2, "assistant"]
    assert [part["type"] for part in messages[1]["parts"]] == ["text", "tool_use"]
    assert messages[2]["parts"][0]["text"] == "found c1"
    assert messages[3]["parts"][0]["meta"] == {"callId": "c2", "name": "look"}
    assert trace.events[-1]["usage"] == {"input": 5, "output": 3}
    assert trace.events[-1]["stopReason"] == "end_turn"


async def test_thoughts_plans_and_images_are_told(host: BackendHost) -> None:
    session = await new_session(host)
    await ran(host, session, "think")
    parts = (await history(host, session))[-1]["parts"]
    assert parts == [{"type": "thinking", "text": "Hm, well."}, {"type": "text", "text": "Yes."}]
    trace = await ran(host, session, "plan")
    assert trace.of("activity")[0]["data"][0]["content"] == "first"
    assert (await history(host, session))[-1]["parts"][0]["meta"]["url"] == "data:image/png;base64,AAAA"


async def test_an_agent_goes_on_in_its_own_session_and_is_told_nothing_twice(host: BackendHost) -> None:
    session = await new_session(host)
    await ran(host, session, "hello")
    await ran(host, session, "recall")
    assert (await texts(host, session))[-1] == ("assistant", "hello")


async def test_after_an_edit_an_agent_is_told_what_was_said(host: BackendHost) -> None:
    session = await new_session(host)
    await host.backend.sessions.append(session, {"role": "assistant", "text": "Welcome."})
    await ran(host, session, "hello")
    user = (await history(host, session))[1]
    await host.backend.sessions.edit_message(session, user["id"], NodePatch(text="goodbye"))
    await ran(host, session, "recall")
    recalled = (await texts(host, session))[-1][1]
    assert "assistant: Welcome." in recalled
    assert "user: goodbye" in recalled
    assert "hello" not in recalled


async def test_making_an_answer_anew_is_a_branch_that_the_agent_has_not_heard(host: BackendHost) -> None:
    session = await new_session(host)
    await ran(host, session, "hello")
    await ran(host, session, "recall")
    answer = (await history(host, session))[-1]
    trace = await ran(host, session, swipeOf=answer["id"])
    assert trace.events[-1]["status"] == "done"
    again = (await history(host, session))[-1]
    assert again["swipes"] == {"active": 1, "count": 2}
    assert "user: hello" in again["parts"][0]["text"]


async def test_an_agent_that_dies_leaves_what_it_had_said_and_is_started_again(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "die")
    assert trace.events[-1]["error"] == {"code": "acp_ended", "message": "The agent ended with 7: out of luck"}
    parts = (await history(host, session))[-1]["parts"]
    assert [part["type"] for part in parts] == ["text", "error"]
    await ran(host, session, "recall")
    assert "user: die" in (await texts(host, session))[-1][1]


@pytest.mark.parametrize(
    "argv",
    [("/no/such/agent",), (*FAKE, "--old"), (sys.executable, "-c", "print('hello')"), (sys.executable, "-c", "")],
)
async def test_a_program_that_is_no_agent_refuses_the_run_and_stores_nothing(tmp_path: Path, argv: Any) -> None:
    host = host_of(tmp_path, *argv)
    session = await new_session(host)
    with pytest.raises(SessionError) as refusal:
        await begun(host, session, "hello")
    assert refusal.value.code == "acp_unavailable"
    assert await history(host, session) == []
    await host.close()


async def test_a_program_that_is_gone_before_the_first_word_is_no_agent_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = PipedProgram.start

    async def gone_at_once(command: Command) -> PipedProgram:
        program = await start(command)
        await program.wait()
        return program

    monkeypatch.setattr(PipedProgram, "start", gone_at_once)
    host = host_of(tmp_path, sys.executable, "-c", "raise SystemExit('no license')")
    session = await new_session(host)
    with pytest.raises(SessionError, match="no license") as refusal:
        await begun(host, session, "hello")
    assert refusal.value.code == "acp_unavailable"
    await host.close()


async def test_a_rejected_permission_reaches_the_agent(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await begun(host, session, "permission")
    asked = await trace.answer(optionIds=["no"])
    assert (asked["title"], asked["callId"], asked["data"]) == ("Delete everything", "p1", {"path": "/"})
    await trace.end()
    assert (await texts(host, session))[-1] == ("assistant", "You said no.")
