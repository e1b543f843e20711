"""Endpoints that misbehave: the run says so in its events, and what came is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from cardloom.features.sessions.backends.engine.endpoint import Patience
from cardloom_protocol.session import Conflict

from ..run_trace import begun, history, new_session, ran, texts
from .conftest import MakeEngine
from .scripted_transport import (
    Held,
    Naps,
    Scripted,
    chat_call,
    chat_end,
    chat_words,
    endpoint,
    frame,
    refused,
    streamed,
)

KEY = "sk-very-secret"


async def test_an_endpoint_that_is_not_there_fails_the_run_and_keeps_the_prompt(engine_of: MakeEngine) -> None:
    naps = Naps()
    host = engine_of(endpoint(Scripted(httpx.ConnectError("refused")), naps=naps))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["status"] == "error"
    assert trace.events[-1]["error"]["code"] == "model_unreachable"
    assert [role for role, _ in await texts(host, session)] == ["user", "assistant"]
    assert len(naps.seconds) == 3
    assert [event["kind"] for event in trace.of("activity")] == ["retry"] * 3


async def test_words_before_a_cut_are_kept_with_an_error_part(engine_of: MakeEngine) -> None:
    host = engine_of(streamed(*chat_words("These ", "words "), httpx.ReadError("gone")))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["error"]["code"] == "model_cut_off"
    parts = (await history(host, session))[-1]["parts"]
    assert [part["type"] for part in parts] == ["text", "error"]
    assert parts[0]["text"] == "These words "
    assert trace.of("message_end")[-1]["message"]["parts"] == parts


@pytest.mark.parametrize("dialect", ["chat", "responses", "messages"])
async def test_a_stream_that_just_ends_was_cut_off(engine_of: MakeEngine, dialect: Any) -> None:
    event = frame({"type": "ping", "choices": []})
    host = engine_of(endpoint(Scripted(streamed(event)), dialect=dialect))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"]["code"] == "model_cut_off"


@pytest.mark.parametrize("dialect", ["chat", "responses", "messages"])
@pytest.mark.parametrize("junk", [b"data: {not json\n\n", b"data: [1]\n\n", b"<html>busy</html>"])
async def test_garbage_in_a_stream_fails_the_run(engine_of: MakeEngine, dialect: Any, junk: bytes) -> None:
    host = engine_of(endpoint(Scripted(streamed(junk)), dialect=dialect))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["error"]["code"] == "model_garbled"
    assert (await texts(host, session))[0] == ("user", "hello")


async def test_a_stream_without_a_sign_of_life_times_out(engine_of: MakeEngine) -> None:
    silent = streamed(*chat_words("Wait "), httpx.ReadTimeout("silent"))
    host = engine_of(endpoint(Scripted(silent), patience=Patience(silence_s=7)))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["error"] == {"code": "model_timeout", "message": "test gave no sign of life for 7 s."}
    assert (await texts(host, session))[-1][1].startswith("Wait ")


async def test_an_endpoint_that_never_answers_times_out(engine_of: MakeEngine) -> None:
    class Hanging(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.Event().wait()
            raise AssertionError

    host = engine_of(endpoint(Hanging(), patience=Patience(connect_s=0.01, silence_s=0.01)))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"]["code"] == "model_timeout"


async def test_a_busy_endpoint_is_asked_again_after_the_time_it_names(engine_of: MakeEngine) -> None:
    naps = Naps()
    transport = Scripted(refused(429, **{"retry-after": "3"}), refused(503), streamed(*chat_words("ok"), *chat_end()))
    host = engine_of(endpoint(transport, naps=naps))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["status"] == "done"
    assert naps.seconds == [3.0, 1.0]
    assert (await texts(host, session))[-1] == ("assistant", "ok")
    assert len(await history(host, session)) == 2


@pytest.mark.parametrize(
    ("status", "code", "requests"),
    [
        (429, "model_rate_limited", 4),
        (500, "model_failed", 4),
        (401, "model_unauthorized", 1),
        (404, "model_refused", 1),
    ],
)
async def test_a_refusal_names_its_reason(engine_of: MakeEngine, status: int, code: str, requests: int) -> None:
    transport = Scripted(refused(status, "that is why"))
    host = engine_of(endpoint(transport))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"]["code"] == code
    assert "that is why" in trace.events[-1]["error"]["message"]
    assert len(transport.requests) == requests


async def test_an_error_inside_the_stream_fails_the_run(engine_of: MakeEngine) -> None:
    host = engine_of(streamed(*chat_words("half "), frame({"error": {"message": "overloaded"}})))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"] == {"code": "model_failed", "message": "test failed: overloaded"}


async def test_the_key_reaches_the_endpoint_and_nobody_else(
    engine_of: MakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    transport = Scripted(refused(401, f"the key {KEY} is wrong"))
    host = engine_of(endpoint(transport, key=KEY))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert transport.requests[0].headers["authorization"] == f"Bearer {KEY}"
    shown = repr((trace.events, await history(host, session), await host.backend.capabilities()))
    assert "the key … is wrong" in shown
    assert KEY not in shown
    assert KEY not in caplog.text


async def test_a_redirect_is_not_followed_with_the_key(engine_of: MakeEngine) -> None:
    transport = Scripted(httpx.Response(307, headers={"location": "http://elsewhere.test/"}))
    host = engine_of(endpoint(transport, key=KEY))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"]["code"] == "model_refused"
    assert [request.url.host for request in transport.requests] == ["models.test"]


async def test_an_answer_without_an_end_is_ended_and_kept(engine_of: MakeEngine) -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield chat_words("on ")[0]

    answer = httpx.Response(200, stream=Endless())
    host = engine_of(endpoint(Scripted(answer), patience=Patience(answer_chars=30)))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["error"]["code"] == "model_too_long"
    assert (await history(host, session))[-1]["parts"][0]["text"] == "on " * 10


async def test_a_stream_that_says_nothing_for_ever_is_ended(engine_of: MakeEngine) -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield frame({"choices": []})

    answer = httpx.Response(200, stream=Endless())
    host = engine_of(endpoint(Scripted(answer), patience=Patience(answer_frames=30)))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"]["code"] == "model_too_long"


@pytest.mark.parametrize("told", [b"\xb2", b"Wed, 21 Oct 2015 07:28:00 GMT", b"-1", b"1e3"])
async def test_a_waiting_time_that_is_no_number_of_seconds_counts_for_nothing(
    engine_of: MakeEngine, told: bytes
) -> None:
    busy = httpx.Response(429, headers=[(b"retry-after", told)], json={})
    naps = Naps()
    host = engine_of(endpoint(Scripted(busy, streamed(*chat_words("ok"), *chat_end())), naps=naps))
    trace = await ran(host, await new_session(host), "hello")
    assert (trace.events[-1]["status"], naps.seconds) == ("done", [0.5])


@pytest.mark.parametrize("count", ["1e999", "1e300", "9" * 400, "-1", '"7"', "true"])
async def test_a_count_of_tokens_that_cannot_be_is_none(engine_of: MakeEngine, count: str) -> None:
    end = frame(f'{{"choices":[{{"delta":{{}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":{count}}}}}')
    host = engine_of(streamed(*chat_words("ok"), end))
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["status"] == "done"
    assert "usage" not in trace.events[-1]
    assert (await history(host, session))[-1]["parts"] == [{"type": "text", "text": "ok"}]


async def test_half_a_character_in_the_history_reaches_the_endpoint_escaped(engine_of: MakeEngine) -> None:
    transport = Scripted(streamed(*chat_words("ok"), *chat_end()))
    host = engine_of(endpoint(transport))
    trace = await ran(host, await new_session(host), "half \ud800")
    assert trace.events[-1]["status"] == "done"
    assert rb"half \ud800" in transport.requests[-1].content
    assert transport.requests[-1].headers["content-type"] == "application/json"


async def test_calls_that_a_server_gives_one_place_are_kept_apart(engine_of: MakeEngine) -> None:
    def call(call_id: str, name: str, arguments: str) -> bytes:
        function = {"name": name, "arguments": arguments}
        return frame({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": call_id, "function": function}]}}]})

    pieces = [call("a", "first", '{"x":'), call("a", "first", "1}"), call("", "", ""), call("b", "second", "{}")]
    transport = Scripted(streamed(*pieces, *chat_end("tool_calls")), streamed(*chat_words("ok"), *chat_end()))
    host = engine_of(endpoint(transport))
    session = await new_session(host)
    await ran(host, session, "hello")
    calls = (await history(host, session))[1]["parts"]
    assert [(part["meta"]["name"], part["data"]) for part in calls] == [("first", {"x": 1}), ("second", {})]


async def test_an_error_without_an_end_is_read_at_its_beginning(engine_of: MakeEngine) -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b"x" * 4096

    host = engine_of(endpoint(Scripted(httpx.Response(400, stream=Endless()))))
    trace = await ran(host, await new_session(host), "hello")
    assert trace.events[-1]["error"]["code"] == "model_refused"


async def test_broken_arguments_become_a_result_that_the_model_reads(engine_of: MakeEngine) -> None:
    transport = Scripted(streamed(*chat_call("read_file", '{"path": "a')), streamed(*chat_words("sorry"), *chat_end()))
    tools = {"files_of": lambda _workspace: None}
    host = engine_of(endpoint(transport), **tools)
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["status"] == "done"
    messages = await history(host, session)
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[1]["parts"][0]["data"] == '{"path": "a'
    assert messages[2]["parts"][0]["meta"] == {"callId": "c1", "name": "read_file", "error": True}
    # What goes back to the endpoint is a history that it takes.
    call = transport.body()["messages"][-2]["tool_calls"][0]
    assert call["function"]["arguments"] == "{}"


async def test_a_model_that_never_stops_calling_tools_is_ended(engine_of: MakeEngine) -> None:
    class Again(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return streamed(*chat_call("nothing", "{}"))

    host = engine_of(endpoint(Again()), max_steps=3)
    session = await new_session(host)
    trace = await ran(host, session, "hello")
    assert trace.events[-1]["error"]["code"] == "too_many_steps"
    assert len(await history(host, session)) == 1 + 3 * 2


async def test_a_second_run_in_a_busy_session_is_refused_and_the_first_goes_on(engine_of: MakeEngine) -> None:
    held = Held()
    host = engine_of(streamed(*chat_words("one "), held, *chat_words("two"), *chat_end()))
    session = await new_session(host)
    trace = await begun(host, session, "hello")
    await trace.until("part_delta")
    with pytest.raises(Conflict) as refusal:
        await begun(host, session, "again")
    assert refusal.value.details == {"runId": trace.live.id}
    held.set()
    await trace.end()
    assert await texts(host, session) == [("user", "hello"), ("assistant", "one two")]


async def test_cancelling_keeps_what_was_said_and_closes_the_connection(engine_of: MakeEngine) -> None:
    answer = streamed(*chat_words("one ", "two "), Held())
    host = engine_of(answer)
    session = await new_session(host)
    trace = await begun(host, session, "hello")
    await trace.until("part_delta", delta="two ")
    assert await host.cancel(trace.live.id)
    end = await trace.end()
    assert end["status"] == "cancelled"
    assert await host.cancel(trace.live.id) is False
    assert (await texts(host, session))[-1] == ("assistant", "one two ")
    assert answer.is_closed
