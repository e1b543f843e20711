"""A real agent of the Agent Client Protocol, `opencode acp`, behind the contract of backends."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from cardloom.features.sessions.backends.acp.agent import AcpSettings
from cardloom.features.sessions.backends.acp.backend import AcpBackend
from cardloom.features.sessions.backends.reaching import reach
from cardloom_protocol.session import derived_text, has
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.stores import MemoryStore
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.session_clients import HostClient
from ensure_clis import PROGRAMS, missing_reason

from ...model_server.serving import ModelServer
from ..home import Home, make_home

OPENCODE = next(program for program in PROGRAMS if program.id == "opencode")
WORDS = {
    "text": "[[text]] hello",
    "permission": "[[tool:echo hi]] please",
    "hang": "[[hold]] please",
    "fail": "[[400]] please",
}

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(missing_reason(OPENCODE) is not None, reason=missing_reason(OPENCODE) or ""),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, models: ModelServer) -> Home:
    return make_home(tmp_path_factory.mktemp("acp") / "home", OPENCODE, models.url)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(home: Home) -> AsyncIterator[BackendHost]:
    """One agent for all tests: it takes seconds to start."""
    settings = AcpSettings((*OPENCODE.command, "acp"), home.project, home.environment)
    host = BackendHost(AcpBackend(settings, MemoryStore()))
    yield host
    await host.close()


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.check.__name__) for row in rows() if row.words and set(row.words) <= set(WORDS)]
)
async def test_an_agent_keeps_the_contract_of_runs(host: BackendHost, row: Row) -> None:
    capabilities = await host.capabilities()
    if all(has(capabilities, need) for need in row.needs):
        await row.check(Subject(HostClient(host), WORDS))


async def test_an_agent_says_that_it_is_there(host: BackendHost) -> None:
    await reach(host.backend)


async def test_calls_thoughts_and_usage_are_told(host: BackendHost) -> None:
    subject = Subject(HostClient(host), {**WORDS, "think": "[[think]] hm"})
    session = await subject.session()
    events = await subject.whole_run(session, "think")
    assert [part["type"] for part in (await subject.history(session))[-1]["parts"]] == ["thinking", "text"]
    assert events[-1]["usage"]
    run = await subject.run(session, "permission")
    async for _, event in subject.client.follow(run):
        if event["type"] == "ask" and "resolved" not in event:
            await subject.client.call("answer", runId=run, askId=event["askId"], optionIds=["once"])
    call, result, last = (await subject.history(session))[-3:]
    assert call["parts"][-1]["data"]["command"] == "echo hi"
    assert result["parts"][0]["text"] == "hi\n"
    assert derived_text(last)
