"""What OpenCode seldom does: dies, loses its stream, refuses, asks several things. Nothing is lost."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cardloom.features.sessions.backends.opencode.backend import OpenCodeBackend
from cardloom.features.sessions.backends.opencode.server import OpenCodeSettings
from cardloom_protocol.session import BadRequest, NotFound, NotSupported, SessionError
from cardloom_sdk.backend import BackendHost

from ..run_trace import begun, history, new_session, ran, texts

FAKE = (sys.executable, str(Path(__file__).with_name("fake_opencode.py")))


def host_of(folder: Path, *argv: str) -> BackendHost:
    return BackendHost(OpenCodeBackend(OpenCodeSettings(argv, folder, dict(os.environ))))


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[BackendHost]:
    host = host_of(tmp_path, *FAKE)
    yield host
    await host.close()


async def test_words_tokens_and_ids_are_those_that_are_stored(host: BackendHost) -> None:
    session = await new_session(host, title="Mine")
    trace = await ran(host, session, "hello")
    user, answer = await history(host, session)
    assert trace.events[0]["userMessageId"] == user["id"]
    assert trace.of("message_start")[0]["messageId"] == answer["id"]
    assert trace.of("message_end")[0]["message"] == answer
    assert trace.events[-1]["usage"] == {"input": 7, "output": 3} == answer["meta"]["usage"]
    assert (await host.backend.sessions.get(session))["messageCount"] == 2


async def test_a_server_that_dies_ends_the_run_and_is_started_again(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "die")
    assert trace.events[-1]["error"] == {"code": "opencode_ended", "message": "OpenCode ended with 3: out of luck"}
    assert trace.of("part_delta")[0]["delta"] == "so "
    again = await new_session(host)
    assert (await ran(host, again, "hello")).events[-1]["status"] == "done"


async def test_a_server_that_dies_of_a_prompt_says_how_it_ended(host: BackendHost) -> None:
    with pytest.raises(SessionError) as caught:
        await ran(host, await new_session(host), "drop dead")
    assert (caught.value.code, caught.value.message) == ("opencode_ended", "OpenCode ended with 4: out of the blue")


async def test_of_what_a_server_prints_only_the_end_is_kept(host: BackendHost) -> None:
    await ran(host, await new_session(host), "gossip")
    server = host.backend._server  # type: ignore[attr-defined]
    async with asyncio.timeout(60):
        while not server._printed.endswith("out of breath\n"):  # noqa: ASYNC110 - a pipe of another program
            await asyncio.sleep(0.01)
    assert len(server._printed) < 20_000


async def test_what_is_said_in_a_gap_of_the_stream_is_read_afterwards(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "gap")
    assert trace.events[-1]["status"] == "done"
    assert (await texts(host, session))[-1] == ("assistant", "before and after")
    assert trace.of("part_end")[-1]["value"]["text"] == "before and after"


async def test_a_run_that_is_over_before_the_stream_is_back_is_over(host: BackendHost) -> None:
    session = await new_session(host)
    await ran(host, session, "hello")
    trace = await ran(host, session, "hole")
    assert trace.events[-1]["status"] == "done"
    assert trace.events[0]["userMessageId"] == (await history(host, session))[2]["id"]
    assert (await texts(host, session))[-1] == ("assistant", "fine ")


async def test_a_refused_prompt_is_the_answer_to_the_request(host: BackendHost) -> None:
    session = await new_session(host)
    with pytest.raises(BadRequest, match="not today"):
        await begun(host, session, "refuse")
    with pytest.raises(NotFound):
        await begun(host, "ses_ghost", "hello")
    with pytest.raises(NotSupported):
        await begun(host, session, parts=[{"type": "custom", "meta": {"hint": "x"}}])


async def test_a_server_that_is_busy_is_asked_again_and_its_stream_awaited(tmp_path: Path) -> None:
    host = host_of(tmp_path, *FAKE, "--busy")
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["status"] == "done"
    assert trace.of("message_start")
    await host.close()


async def test_a_prompt_that_a_busy_server_may_have_taken_is_not_sent_again(host: BackendHost) -> None:
    session = await new_session(host)
    with pytest.raises(SessionError, match="HTTP 503"):
        await begun(host, session, "busy")
    assert await history(host, session) == []


async def test_questions_are_put_one_after_the_other(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await begun(host, session, "question")
    first = await trace.answer(optionIds=["0", "1"])
    assert (first["title"], first["multiple"]) == ("Which colour?", True)
    await trace.answer(text="Ann")
    await trace.end()
    assert '"answers": [["red", "blue"], ["Ann"]]' in (await texts(host, session))[-1][1]
    trace = await begun(host, session, "question")
    await trace.answer(cancelled=True)
    await trace.end()
    assert '"kind": "reject"' in (await texts(host, session))[-1][1]


async def test_a_sub_agents_permission_is_asked_too(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await begun(host, session, "sub")
    asked = await trace.answer(optionIds=["always"])
    assert asked["title"] == "bash: rm *"
    await trace.end()
    assert (await texts(host, session))[-1] == ("assistant", "always ")


async def test_rest_that_is_told_before_the_answer_begins_does_not_end_the_run(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "early")
    assert [message["role"] for message in await history(host, session)] == ["user", "assistant"]
    assert trace.of("message_end")


async def test_retries_and_lists_of_things_to_do_are_activities_and_odd_parts_are_kept(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "retry")
    assert trace.of("activity")[0]["kind"] == "retry"
    trace = await ran(host, session, "odd")
    assert trace.of("activity")[0]["data"] == [{"content": "first"}]
    parts = (await history(host, session))[-1]["parts"]
    assert [part["type"] for part in parts] == ["custom", "text"]
    assert parts[0]["meta"]["hint"] == "opencode.patch"


@pytest.mark.parametrize(
    ("argv", "words"), [(("/no/such/opencode",), "No such file"), ((*FAKE, "--broken"), "no such provider")]
)
async def test_a_server_that_does_not_start_says_why(tmp_path: Path, argv: tuple[str, ...], words: str) -> None:
    host = host_of(tmp_path, *argv)
    with pytest.raises(SessionError) as refusal:
        await host.backend.sessions.list()
    assert refusal.value.code == "opencode_unavailable"
    assert words in refusal.value.message
    await host.close()
