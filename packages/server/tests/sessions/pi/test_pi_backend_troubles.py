"""What pi seldom does: dies, prints junk, refuses, asks odd things. Nothing is lost, and its file stays whole."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cardloom.features.sessions.backends.pi.adopting import Adoption
from cardloom.features.sessions.backends.pi.backend import PiBackend, PiSettings
from cardloom.features.sessions.backends.pi.rpc import PiRpc
from cardloom.features.sessions.backends.pi.scratch import branch_text
from cardloom_protocol.session import BadRequest, Conflict, JsonObject, NotFound, SessionError
from cardloom_protocol.session.codecs.pi import parse_pi
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.stores import PiStore

from ..run_trace import begun, history, new_session, ran, texts

FAKE = (sys.executable, str(Path(__file__).with_name("fake_pi.py")))


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[BackendHost]:
    host = BackendHost(PiBackend(PiSettings(FAKE, tmp_path, tmp_path / "sessions", dict(os.environ))))
    yield host
    await host.close()


async def test_a_pi_that_dies_leaves_what_it_had_said(host: BackendHost, tmp_path: Path) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "die")
    assert trace.events[-1]["error"] == {"code": "pi_ended", "message": "pi ended with 3: out of luck"}
    answer = (await history(host, session))[-1]
    assert answer["id"] == trace.of("message_start")[0]["messageId"]
    assert [part["type"] for part in answer["parts"]] == ["text", "error"]
    assert (await ran(host, session, "again")).events[-1]["status"] == "done"
    assert [role for role, _ in await texts(host, session)] == ["user", "assistant", "user", "assistant"]


async def test_lines_that_are_no_records_mean_nothing(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "junk")
    assert trace.events[-1]["status"] == "done"
    assert (await texts(host, session))[-1] == ("assistant", "line\u2028separator stays ")


async def test_a_refused_prompt_is_a_failed_run_that_keeps_the_prompt(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "refuse")
    assert trace.events[-1]["error"] == {"code": "pi_refused", "message": "pi refuses prompt: not today"}
    assert await texts(host, session) == [("user", "refuse")]


async def test_a_command_of_an_extension_needs_no_run(host: BackendHost) -> None:
    trace = await ran(host, await new_session(host), "/handled")
    assert trace.events[-1]["status"] == "done"
    assert trace.of("message_start") == []


async def test_a_pi_that_is_not_there_refuses_the_run_and_stores_nothing(tmp_path: Path) -> None:
    gone = PiSettings(("/no/such/pi",), tmp_path, tmp_path / "sessions", {})
    host = BackendHost(PiBackend(gone))
    session = await new_session(host)
    with pytest.raises(SessionError) as refusal:
        await begun(host, session, "hello")
    assert refusal.value.code == "pi_unavailable"
    assert await history(host, session) == []
    await host.close()


async def test_questions_of_extensions_take_options_and_words(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await begun(host, session, "select")
    asked = await trace.answer(optionIds=["1"])
    assert [option["label"] for option in asked["options"]] == ["red", "blue"]
    await trace.end()
    assert (await texts(host, session))[-1] == ("assistant", "you chose blue ")
    trace = await begun(host, session, "input")
    await trace.answer(text="Ann")
    await trace.end()
    assert (await texts(host, session))[-1] == ("assistant", "you said Ann ")


async def test_a_failed_try_stays_in_the_history_before_the_one_that_worked(host: BackendHost) -> None:
    session = await new_session(host)
    trace = await ran(host, session, "retry")
    assert trace.events[-1]["status"] == "done"
    assert [event["kind"] for event in trace.of("activity")] == ["retry"]
    _, failed, compaction, answer = await history(host, session)
    assert failed["parts"][-1] == {"type": "error", "text": "529 overloaded", "meta": {"code": "error"}}
    assert compaction["parts"][0]["meta"]["hint"] == "pi.compaction"
    assert answer["id"] == trace.of("message_start")[-1]["messageId"]
    assert trace.events[-1]["usage"] == {"input": 6, "output": 4}


async def test_only_a_direct_answer_can_be_made_anew(host: BackendHost) -> None:
    session = await new_session(host)
    greeting = await host.backend.sessions.append(session, {"role": "assistant", "text": "Hi."})
    with pytest.raises(BadRequest):
        await begun(host, session, swipeOf=greeting["id"])
    with pytest.raises(NotFound):
        await begun(host, session, swipeOf="ghost")


async def test_entries_are_adopted_once_as_they_are(tmp_path: Path) -> None:
    store = PiStore(tmp_path, cwd="/w", hide_service_entries=True)
    session = (await store.create())["id"]
    message: JsonObject = {"role": "assistant", "content": []}
    entry: JsonObject = {"type": "message", "id": "e1", "parentId": None, "message": message, "own": 1}
    await store.adopt(session, [entry])
    assert (await store.file(session)).entries[-1].data == entry
    with pytest.raises(Conflict):
        await store.adopt(session, [entry])
    assert len((await store.file(session)).entries) == 1


def test_a_copy_for_pi_holds_one_branch_in_a_form_that_it_reads() -> None:
    lines = [
        '{"type":"session","version":3,"id":"s","cwd":"/w"}',
        '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}',
        '{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[]}}',
        '{"type":"message","id":"c","parentId":"a","message":{"role":"assistant","content":[],"usage":{"input":1}}}',
        '{"type":"message","id":"d","parentId":"d","message":{"role":"user","content":"loop"}}',
    ]
    file = parse_pi("\n".join(lines))
    copied = branch_text(file, "b").splitlines()
    assert copied[:2] == lines[:2]
    assert json.loads(copied[2])["message"]["usage"]["totalTokens"] == 0
    assert branch_text(file, "c").splitlines() == [lines[0], lines[1], lines[3]]
    assert branch_text(file, "d").splitlines() == [lines[0], lines[4]]
    assert branch_text(file, None).splitlines() == [lines[0]]
    with pytest.raises(NotFound):
        branch_text(file, "ghost")


def test_entries_hang_below_what_clients_were_told() -> None:
    adoption = Adoption("user")
    adoption.tell("answer")
    adoption.tell("result")
    entries: list[JsonObject] = [
        {"type": "thinking_level_change", "id": "1", "parentId": "0"},
        {"type": "message", "id": "2", "parentId": "1", "message": {"role": "system"}},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user"}},
        {"type": "message", "id": "4", "parentId": "3", "message": {"role": "assistant"}},
        {"type": "message", "id": "5", "parentId": "4", "message": {"role": "system"}},
        {"type": "label", "id": "6", "parentId": "5"},
        {"type": "message", "id": "7", "parentId": "6", "message": {"role": "toolResult"}},
        {"type": "message", "id": "8", "parentId": "7", "message": {"role": "assistant"}},
    ]
    taken = adoption.take(entries)
    assert [(entry["id"], entry["parentId"]) for entry in taken] == [
        ("answer", "user"),
        ("6", "answer"),
        ("result", "6"),
    ]
    assert adoption.cursor == "7"
    assert adoption.take(entries[-1:]) == []  # nobody has heard of it yet
    adoption.tell("last")
    (last,) = adoption.take(entries[-1:])
    assert (last["id"], last["parentId"]) == ("last", "result")


async def test_a_pi_that_reads_nothing_is_not_waited_for_without_end(tmp_path: Path) -> None:
    deaf = (sys.executable, "-c", "import time; time.sleep(600)")
    rpc = await PiRpc.start(deaf, tmp_path, dict(os.environ), answer_s=0.2)
    async with asyncio.timeout(60):
        with pytest.raises(SessionError, match="did not answer prompt"):
            await rpc.ask("prompt", message="x" * (4 << 20))
        await rpc.close()
        with pytest.raises(SessionError, match="pi ended"):
            await rpc.ask("prompt", message="x")
    assert rpc._waiting == {}
