"""pi itself behind the session protocol: the contract of backends, and what is pi's own."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cardloom.features.sessions.backends.pi.backend import PiBackend, PiSettings
from cardloom.features.sessions.backends.reaching import reach
from cardloom_protocol.session import NodeInput, derived_text, has
from cardloom_protocol.session.json_text import JsonObject
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.stores import MemoryStore, PiStore, copy_session
from cardloom_sdk.testing.backend_contract import Row, Subject, rows
from cardloom_sdk.testing.session_clients import HostClient
from ensure_clis import PROGRAMS, missing_reason

from ...model_server.serving import ModelServer
from ..home import Home, make_home

PI = next(program for program in PROGRAMS if program.id == "pi")
PI_CAP_S = 120.0
WORDS = {
    "text": "[[text]] hello",
    "tool": "[[write:notes.txt]] please",
    "permission": "[[tool:echo hi]] please",
    "hang": "[[hold]] please",
    "fail": "[[500]] please",
}

# pi asks for no permission by itself: people who want to be asked have an extension like this one.
ASKING = """\
export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    if (event.toolName !== "bash" || !ctx.hasUI) return
    const allowed = await ctx.ui.confirm("Allow bash?", String(event.input.command))
    if (!allowed) return { block: true, reason: "denied" }
  })
}
"""

pytestmark = pytest.mark.skipif(missing_reason(PI) is not None, reason=missing_reason(PI) or "")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, models: ModelServer) -> Home:
    """A home in which pi asks before it runs a command, and gives up at the first failure."""
    made = make_home(tmp_path_factory.mktemp("pi") / "home", PI, models.url)
    settings = made.folder / ".pi" / "agent" / "settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "retry": {"enabled": False}}))
    extension = made.folder / ".pi" / "agent" / "extensions" / "asking.ts"
    extension.parent.mkdir(exist_ok=True)
    extension.write_text(ASKING)
    return made


@pytest.fixture
async def host(home: Home, tmp_path: Path) -> AsyncIterator[BackendHost]:
    settings = PiSettings(PI.command, home.project, tmp_path / "sessions", home.environment)
    host = BackendHost(PiBackend(settings))
    yield host
    await host.close()


@pytest.mark.parametrize("row", [pytest.param(row, id=row.check.__name__) for row in rows()])
async def test_pi_keeps_the_contract(host: BackendHost, row: Row) -> None:
    capabilities = await host.capabilities()
    if all(has(capabilities, need) for need in row.needs):
        await row.check(Subject(HostClient(host), WORDS))


async def test_pi_says_that_it_is_there(host: BackendHost) -> None:
    await reach(host.backend)


async def test_pi_goes_on_with_its_own_session_file(host: BackendHost, home: Home, tmp_path: Path) -> None:
    subject = Subject(HostClient(host), WORDS)
    session = await subject.session(title="Mine")
    await subject.client.call("append", sessionId=session, role="assistant", text="Welcome.")
    await subject.whole_run(session, "text")
    (path,) = (tmp_path / "sessions").glob("*.jsonl")
    before = [json.loads(line) for line in path.read_text().splitlines()]
    answer = before[-1]["message"]
    assert (answer["role"], answer["provider"], answer["stopReason"]) == ("assistant", "scripted", "stop")
    await subject.whole_run(session, "tool")
    after = [json.loads(line) for line in path.read_text().splitlines()]
    assert after[: len(before)] == before
    roles = [message["role"] for message in await subject.history(session)]
    assert roles == ["assistant", "user", "assistant", "user", "assistant", "tool", "assistant"]
    assert (home.project / "notes.txt").exists()


async def test_thinking_and_usage_are_told(host: BackendHost, models: ModelServer) -> None:
    subject = Subject(HostClient(host), {"think": "[[think]] hm"})
    session = await subject.session()
    events = await subject.whole_run(session, "think")
    (_, answer) = await subject.history(session)
    assert [part["type"] for part in answer["parts"]] == ["thinking", "text"]
    usage = models.record.exchanges()[-1].usage
    assert usage is not None
    assert events[-1]["usage"] == answer["meta"]["usage"]
    assert derived_text(answer)


async def test_pi_itself_counts_in_a_session_that_was_copied_from_elsewhere(home: Home, tmp_path: Path) -> None:
    source, target = MemoryStore(), PiStore(tmp_path / "copied", cwd=str(home.project), for_pi=True)
    talk = (await source.create())["id"]
    counted: JsonObject = {"usage": {"input": 3, "output": 4}}
    for role, text, meta in (("user", "Bread?", None), ("assistant", "A day.", counted), ("assistant", "Bake.", None)):
        await source.append_node(talk, NodeInput(role, text=text, meta=meta))
    await copy_session(source, target, talk)
    (path,) = (tmp_path / "copied").glob("*.jsonl")
    asked = b'{"id":"1","type":"get_session_stats"}\n'
    command = [*PI.command, "--mode", "rpc", "--session", str(path)]
    program = await asyncio.create_subprocess_exec(
        *command, cwd=home.project, env=home.environment, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        program.stdin.write(asked)
        async with asyncio.timeout(PI_CAP_S):
            while (answer := json.loads(await program.stdout.readline())).get("id") != "1":
                pass
    finally:
        program.kill()
        await program.wait()
    assert answer["success"], answer
    assert answer["data"]["assistantMessages"] == 2
    assert answer["data"]["tokens"]["total"] == 7
