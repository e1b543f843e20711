"""A real `opencode serve` behind the session protocol: the contract of backends, and what is OpenCode's own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from cardloom.features.sessions.backends.opencode.backend import OpenCodeBackend
from cardloom.features.sessions.backends.opencode.server import OpenCodeSettings
from cardloom.features.sessions.backends.reaching import reach
from cardloom_protocol.session import NotSupported, has
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.session_clients import HostClient
from ensure_clis import PROGRAMS, missing_reason

from ...model_server.serving import ModelServer
from ..home import Home, make_home

OPENCODE = next(program for program in PROGRAMS if program.id == "opencode")
WORDS = {
    "text": "[[text]] hello",
    "tool": "[[write]] please",
    "permission": "[[tool:echo hi]] please",
    "hang": "[[hold]] please",
    "fail": "[[400]] please",
}
BEYOND = {
    "every_part_and_flag_comes_back": "a message holds what a person can say",
    "a_greeting_needs_no_run": "only a person's words are taken without a run",
    "an_id_is_taken_once": "all ids are OpenCode's own",
    "arguments_of_a_tool_arrive_as_the_json_that_is_stored": "every tool that the script calls asks first",
}

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(missing_reason(OPENCODE) is not None, reason=missing_reason(OPENCODE) or ""),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, models: ModelServer) -> Home:
    return make_home(tmp_path_factory.mktemp("opencode") / "home", OPENCODE, models.url)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(home: Home) -> AsyncIterator[BackendHost]:
    """One server for all tests: it takes seconds to start."""
    host = BackendHost(OpenCodeBackend(OpenCodeSettings(OPENCODE.command, home.project, home.environment)))
    yield host
    await host.close()


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.check.__name__) for row in rows() if row.check.__name__ not in BEYOND]
)
async def test_opencode_keeps_the_contract(host: BackendHost, row: Row) -> None:
    capabilities = await host.capabilities()
    if all(has(capabilities, need) for need in row.needs):
        await row.check(Subject(HostClient(host), WORDS))


async def test_opencode_says_that_it_is_there(host: BackendHost) -> None:
    await reach(host.backend)


async def test_what_opencode_has_no_place_for_is_refused(host: BackendHost) -> None:
    subject = Subject(HostClient(host), WORDS)
    session = await subject.session()
    for given in ({"role": "assistant", "text": "Hi."}, {"id": "own", "text": "x"}):
        with pytest.raises(NotSupported):
            await subject.client.call("append", sessionId=session, **given)
    with pytest.raises(NotSupported):
        await subject.session(id="own")
    assert await subject.history(session) == []


async def test_results_of_calls_are_a_message_behind_them(host: BackendHost) -> None:
    subject = Subject(HostClient(host), WORDS)
    session = await subject.session()
    run = await subject.run(session, "permission")
    events = []
    async for _, event in subject.client.follow(run):
        events.append(event)
        if event["type"] == "ask" and "resolved" not in event:
            await subject.client.call("answer", runId=run, askId=event["askId"], optionIds=["once"])
    history = await subject.history(session)
    assert len(history) == 4, events
    _, call, result, last = history
    use = call["parts"][-1]
    assert (use["type"], use["data"]["command"]) == ("tool_use", "echo hi")
    assert result["role"] == "tool"
    assert result["parts"][0]["meta"] == {**use["meta"], "error": False}
    assert result["parts"][0]["text"] == "hi\n"
    assert last["role"] == "assistant"
