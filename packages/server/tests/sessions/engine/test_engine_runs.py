"""The engine against a model that answers by script, over each of its interfaces."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.model_server.scenario import FINAL_TEXT, PLAIN_TEXT
from tests.model_server.serving import ModelServer, serving_models

from cardloom.features.sessions.backends.engine.endpoint import Dialect, Endpoint, EndpointSettings
from cardloom.features.sessions.backends.engine.file_tools import file_tools
from cardloom.features.sessions.backends.engine.toolbox import Permissions
from cardloom_protocol.session import derived_text

from ..run_trace import begun, history, new_session, ran, texts
from .conftest import MakeEngine
from .memory_files import MemoryFiles
from .scripted_transport import Scripted, chat_call, chat_end, chat_words, endpoint, streamed

DIALECTS: tuple[Dialect, ...] = ("chat", "responses", "messages")


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServer]:
    with serving_models() as server:
        yield server


def real(models: ModelServer, dialect: Dialect) -> Endpoint:
    return Endpoint(EndpointSettings("scripted", dialect, f"{models.url}/v1"))


def with_files(files: MemoryFiles) -> dict[str, Any]:
    return {"files_of": lambda _workspace: (files, True)}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_words_stream_and_are_stored_as_they_were_sent(
    engine_of: MakeEngine, models: ModelServer, dialect: Dialect
) -> None:
    host = engine_of(real(models, dialect), **with_files(MemoryFiles()))
    session = await new_session(host, model={"model": "scripted/scripted-1"})
    trace = await ran(host, session, "[[text]] hi")
    assert trace.events[-1]["status"] == "done"
    message = (await history(host, session))[-1]
    assert (
        derived_text(message)
        == PLAIN_TEXT
        == trace.deltas(message["id"], 0)
        == trace.of("part_end")[0]["value"]["text"]
    )
    assert trace.of("message_start")[0]["messageId"] == message["id"]
    assert len(trace.of("part_delta")) > 1
    assert message["meta"]["model"] == "scripted/scripted-1"
    exchange = models.record.exchanges()[-1]
    assert exchange.usage is not None
    assert trace.events[-1]["usage"] == message["meta"]["usage"]
    assert message["meta"]["usage"]["output"] == exchange.usage.output + exchange.usage.reasoning


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_thinking_is_a_part_before_the_words(
    engine_of: MakeEngine, models: ModelServer, dialect: Dialect
) -> None:
    host = engine_of(real(models, dialect), **with_files(MemoryFiles()))
    session = await new_session(host, model={"model": "scripted/scripted-1", "thinking": "low"})
    await ran(host, session, "[[think]] hm")
    parts = (await history(host, session))[-1]["parts"]
    assert [part["type"] for part in parts] == ["thinking", "text"]
    assert parts[0]["text"]
    # The thought goes back with its signature to the one interface that wants it; the others take the history too.
    assert (await ran(host, session, "[[text]] more")).events[-1]["status"] == "done"


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_tool_call_is_asked_for_carried_out_and_answered(
    engine_of: MakeEngine, models: ModelServer, dialect: Dialect
) -> None:
    files = MemoryFiles()
    host = engine_of(real(models, dialect), **with_files(files))
    session = await new_session(host, model={"model": "scripted/scripted-1"})
    trace = await begun(host, session, "[[write:notes.txt]] please")
    asked = await trace.answer(optionIds=["allow_once"])
    assert asked["title"] == "Write notes.txt?"
    assert (await trace.end())["status"] == "done"
    assert files.files["notes.txt"] == b"hello\n"
    _, call, result, last = await history(host, session)
    assert derived_text(last) == FINAL_TEXT
    use = next(part for part in call["parts"] if part["type"] == "tool_use")
    assert use["data"] == {"path": "notes.txt", "content": "hello\n"}
    assert result["parts"][0]["meta"]["callId"] == use["meta"]["callId"] == asked["callId"]
    assert result["role"] == "tool"
    resolved = next(event for event in trace.of("ask") if "resolved" in event)
    assert resolved["resolved"] == {"optionIds": ["allow_once"]}
    deltas = trace.deltas(call["id"], call["parts"].index(use))
    assert '"path"' in deltas


async def test_a_rejected_call_does_nothing_and_the_model_is_told(engine_of: MakeEngine) -> None:
    files = MemoryFiles()
    call = streamed(*chat_call("write_file", '{"path": "a", "content": "x"}'))
    host = engine_of(call, streamed(*chat_words("pity"), *chat_end()), **with_files(files))
    session = await new_session(host)
    trace = await begun(host, session, "write")
    await trace.answer(optionIds=["reject_once"])
    assert (await trace.end())["status"] == "done"
    assert files.files == {}
    result = (await history(host, session))[2]["parts"][0]
    assert result["meta"]["error"] is True


async def test_no_answer_in_time_means_no(engine_of: MakeEngine) -> None:
    files = MemoryFiles()
    call = streamed(*chat_call("write_file", '{"path": "a", "content": "x"}'))
    hasty = {**with_files(files), "permissions": Permissions(ask_timeout_ms=20)}
    host = engine_of(call, streamed(*chat_words("pity"), *chat_end()), **hasty)
    session = await new_session(host)
    trace = await ran(host, session, "write")
    assert trace.events[-1]["status"] == "done"
    assert trace.of("ask")[-1]["resolved"]["timeout"] is True
    assert files.files == {}


async def test_allowed_for_the_session_is_not_asked_again_there(engine_of: MakeEngine) -> None:
    def write() -> Any:
        return streamed(*chat_call("write_file", '{"path": "a", "content": "x"}'))

    def bye() -> Any:
        return streamed(*chat_words("bye"), *chat_end())

    host = engine_of(write(), bye(), write(), bye(), write(), bye(), **with_files(MemoryFiles()))
    session = await new_session(host)
    trace = await begun(host, session, "write")
    await trace.answer(optionIds=["allow_always"])
    await trace.end()
    assert (await ran(host, session, "again")).of("ask") == []
    other = await begun(host, await new_session(host), "elsewhere")
    await other.answer(optionIds=["allow_once"])
    await other.end()


async def test_cancelling_at_a_question_settles_it_and_stores_no_result(engine_of: MakeEngine) -> None:
    files = MemoryFiles()
    call = streamed(*chat_call("write_file", '{"path": "a", "content": "x"}'))
    transport = Scripted(call, streamed(*chat_words("on"), *chat_end()))
    host = engine_of(endpoint(transport), **with_files(files))
    session = await new_session(host)
    trace = await begun(host, session, "write")
    await trace.until("ask")
    await host.cancel(trace.live.id)
    assert (await trace.end())["status"] == "cancelled"
    assert trace.of("ask")[-1]["resolved"] == {"cancelled": True}
    assert files.files == {}
    # The next request tells the model that its call was never answered.
    await ran(host, session, "go on")
    tool = [message for message in transport.body()["messages"] if message["role"] == "tool"]
    assert len(tool) == 1
    assert "no result" in tool[0]["content"]


async def test_regenerating_makes_an_alternative_from_the_same_history(engine_of: MakeEngine) -> None:
    transport = Scripted(streamed(*chat_words("one"), *chat_end()), streamed(*chat_words("two"), *chat_end()))
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    await ran(host, session, "hello")
    first = (await history(host, session))[-1]
    trace = await ran(host, session, swipeOf=first["id"])
    assert trace.events[-1]["status"] == "done"
    found = await history(host, session)
    assert [derived_text(message) for message in found] == ["hello", "two"]
    assert found[-1]["swipes"] == {"active": 1, "count": 2}
    assert [one["role"] for one in transport.body()["messages"]] == ["system", "user"]


async def test_a_greeting_stands_before_the_first_words_and_the_model_sees_it(engine_of: MakeEngine) -> None:
    transport = Scripted(streamed(*chat_words("fine"), *chat_end()))
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    await host.backend.sessions.append(session, {"role": "assistant", "text": "Welcome."})
    await ran(host, session, "hello")
    assert await texts(host, session) == [("assistant", "Welcome."), ("user", "hello"), ("assistant", "fine")]
    assert [one["content"] for one in transport.body()["messages"][1:]] == ["Welcome.", "hello"]


async def test_a_disabled_message_is_not_told_to_the_model(engine_of: MakeEngine) -> None:
    transport = Scripted(streamed(*chat_words("ok"), *chat_end()))
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    message = await host.backend.sessions.append(session, {"text": "secret plan"})
    await host.backend.sessions.hide_message(session, message["id"], True)
    await ran(host, session, "hello")
    assert "secret plan" not in str(transport.body())


async def test_a_run_from_an_older_message_sees_that_branch_alone(engine_of: MakeEngine) -> None:
    transport = Scripted(*(streamed(*chat_words(word), *chat_end()) for word in ("one", "two", "three")))
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    await ran(host, session, "first")
    fork = (await history(host, session))[-1]["id"]
    await ran(host, session, "second")
    await ran(host, session, "other", parentId=fork)
    assert [one["content"] for one in transport.body()["messages"][1:]] == ["first", "one", "other"]
    assert [text for _, text in await texts(host, session)] == ["first", "one", "other", "three"]


async def test_an_image_beside_the_session_reaches_the_model(engine_of: MakeEngine) -> None:
    transport = Scripted(streamed(*chat_words("a dot"), *chat_end()))
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    ref = await host.backend.sessions.put_asset(session, "dot.png", b"\x89PNG")
    parts = [{"type": "text", "text": "what is it?"}, {"type": "image", "meta": {"ref": ref, "mime": "image/png"}}]
    await ran(host, session, parts=parts)
    content = transport.body()["messages"][-1]["content"]
    address = f"data:image/png;base64,{base64.b64encode(bytes([0x89]) + b'PNG').decode()}"
    assert content[1] == {"type": "image_url", "image_url": {"url": address}}


async def test_the_stop_reason_of_a_cut_answer_is_told(engine_of: MakeEngine) -> None:
    host = engine_of(streamed(*chat_words("long"), *chat_end("length")))
    trace = await ran(host, await new_session(host), "tell me all")
    assert trace.events[-1]["stopReason"] == "length"


async def test_file_tools_read_in_pages_and_edit_one_place(tmp_path: Path) -> None:
    files = MemoryFiles({"a.txt": b"one\ntwo\nthree", "bin": b"\x00\xff"})
    tools = {tool.name: tool for tool in file_tools(files, can_write=True)}
    assert (await tools["list_files"].call({})).text == "a.txt\nbin"
    assert (await tools["read_file"].call({"path": "a.txt", "offset": 2, "limit": 1})).text == "two\n[1 more lines]"
    assert (await tools["read_file"].call({"path": "bin"})).is_error
    assert (await tools["search_files"].call({"text": "t"})).text == "a.txt:2: two\na.txt:3: three"
    assert (await tools["search_files"].call({"text": "nowhere"})).text == "Nothing was found."
    assert (await tools["search_files"].call({"text": ""})).is_error
    assert (await tools["read_file"].call({"path": "../etc"})).is_error
    assert (await tools["edit_file"].call({"path": "a.txt", "old": "o", "new": "0"})).is_error
    assert not (await tools["edit_file"].call({"path": "a.txt", "old": "two", "new": "2"})).is_error
    assert files.files["a.txt"] == b"one\n2\nthree"
    assert set(tools) - {tool.name for tool in file_tools(files, can_write=False)} == {"write_file", "edit_file"}
