"""Any backend as an agent of AG-UI: every event is one of the official package's, in an order that it allows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ag_ui.core import Event, RunAgentInput
from pydantic import TypeAdapter

from cardloom_sdk.backend import Backend, BackendHost, Run, StoreSessions
from cardloom_sdk.backend.agui import AguiApp, AguiEvents
from cardloom_sdk.backend.agui.messages import own_id
from cardloom_sdk.testing.asgi_client import AsgiClient
from cardloom_sdk.testing.backends import ScriptedBackend
from cardloom_sdk.testing.memory_backend import MemoryBackend

OFFICIAL: TypeAdapter[Any] = TypeAdapter(Event)


class Front:
    """A front end: keeps its messages and asks a backend to go on."""

    def __init__(self, backend: Backend) -> None:
        self.host = BackendHost(backend)
        self.http = AsgiClient(AguiApp(self.host))
        self.messages: list[dict[str, Any]] = []
        self._runs = 0

    async def run(self, text: str | None = None, **more: Any) -> list[Any]:
        """The events of a run, each checked by the official package."""
        self._runs += 1
        if text is not None:
            self.messages.append({"id": f"u{self._runs}", "role": "user", "content": text})
        given = {"threadId": "t", "runId": f"r{self._runs}", "messages": self.messages, **more}
        RunAgentInput.model_validate(given)
        reply = await self.http.request("POST", "/ag-ui", body=json.dumps(given).encode())
        assert reply.status == 200, reply.body
        frames = [frame for frame in reply.body.decode().split("\n\n") if frame.startswith("data: ")]
        events = [json.loads(frame.removeprefix("data: ")) for frame in frames]
        for event in events:
            OFFICIAL.validate_python(event)
        return events

    async def stored(self) -> list[Any]:
        """What the session holds."""
        return list(await self.host.backend.sessions.history("t"))


def types_of(events: list[Any]) -> list[str]:
    """The types of some events."""
    return [event["type"] for event in events]


async def test_thinking_and_text_arrive_in_their_spans() -> None:
    front = Front(MemoryBackend())
    events = await front.run("hi")
    assert types_of(events) == [
        "RUN_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    stored = await front.stored()
    assert events[0] == {"type": "RUN_STARTED", "threadId": "t", "runId": "r1"}
    assert events[6]["messageId"] == stored[1]["id"]
    assert events[-1]["outcome"] == {"type": "success"}
    assert events[-1]["usage"] == [{"inputTokens": 3, "outputTokens": 5}]
    assert stored[0]["id"] == "u1"


async def test_a_tool_call_and_its_result_are_told_with_one_id() -> None:
    events = await Front(MemoryBackend()).run("tool")
    calls = [event for event in events if event["type"].startswith("TOOL_CALL")]
    assert types_of(calls) == ["TOOL_CALL_START", *["TOOL_CALL_ARGS"] * 3, "TOOL_CALL_END", "TOOL_CALL_RESULT"]
    assert {call["toolCallId"] for call in calls} == {"c1"}
    assert json.loads("".join(call.get("delta", "") for call in calls)) == {"a": 1, "b": 2}
    assert calls[-1]["content"] == "3"
    assert "ACTIVITY_SNAPSHOT" in types_of(events)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"status": "resolved", "payload": {"optionIds": ["yes"]}}, "allowed"),
        ({"status": "resolved", "payload": "no"}, "refused"),
        ({"status": "resolved", "payload": True}, "allowed"),
        ({"status": "resolved", "payload": ["no"]}, "refused"),
        ({"status": "cancelled"}, "refused"),
    ],
)
async def test_a_question_is_an_interrupt_and_the_answer_goes_on(entry: dict[str, Any], said: str) -> None:
    front = Front(MemoryBackend())
    first = await front.run("permission")
    (interrupt,) = first[-1]["outcome"]["interrupts"]
    assert interrupt["message"] == "May I?"
    assert [option["id"] for option in interrupt["metadata"]["options"]] == ["yes", "no"]
    second = await front.run(resume=[{"interruptId": interrupt["id"], **entry}])
    assert second[0] == {"type": "RUN_STARTED", "threadId": "t", "runId": "r2"}
    assert second[-1]["outcome"] == {"type": "success"}
    assert (await front.stored())[-1]["parts"][-1]["text"] == f"You said: {said}"


async def test_a_text_that_an_interrupt_cut_goes_on_in_the_next_run() -> None:
    async def asks_in_between(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        async with sessions.writing(run, parent_id=parent) as reply:
            text = reply.text()
            text.add("before ")
            await run.ask({"kind": "input", "title": "?"})
            text.add("after")

    front = Front(ScriptedBackend(asks_in_between))
    first = await front.run("go")
    assert types_of(first)[-2:] == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    resume = [{"interruptId": first[-1]["outcome"]["interrupts"][0]["id"], "status": "resolved", "payload": "x"}]
    second = await front.run(resume=resume)
    assert types_of(second) == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    assert (await front.stored())[-1]["parts"] == [{"type": "text", "text": "before after"}]


async def test_a_failure_is_an_error_of_the_run() -> None:
    events = await Front(MemoryBackend()).run("fail")
    assert events[-1] == {"type": "RUN_ERROR", "message": "The model went away.", "code": "model_error"}
    assert "TEXT_MESSAGE_END" in types_of(events)


async def test_what_the_client_has_and_the_session_has_not_is_added() -> None:
    front = Front(MemoryBackend())
    call = {"id": "c9", "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}}
    front.messages = [
        {"id": "a b", "role": "user", "content": [{"type": "text", "text": "old"}]},
        {"id": "a2", "role": "assistant", "content": "yes", "toolCalls": [call]},
        {"id": "a3", "role": "tool", "toolCallId": "c9", "content": "seen"},
    ]
    events = await front.run("new")
    assert "MESSAGES_SNAPSHOT" not in types_of(events)
    stored = await front.stored()
    assert [message["role"] for message in stored] == ["user", "assistant", "tool", "user", "assistant"]
    assert stored[0]["id"] == own_id("a b")
    assert stored[1]["parts"][1] == {"type": "tool_use", "data": {"at": 1}, "meta": {"callId": "c9", "name": "look"}}
    await front.run("again")
    assert len(await front.stored()) == 7


async def test_a_client_that_lacks_messages_is_given_all_of_them() -> None:
    front = Front(MemoryBackend())
    await front.run("first")
    front.messages = []
    events = await front.run("second")
    (snapshot,) = [event for event in events if event["type"] == "MESSAGES_SNAPSHOT"]
    assert [message["role"] for message in snapshot["messages"]] == ["user", "assistant", "user"]


async def test_parts_without_an_event_of_their_own_travel_as_custom_ones() -> None:
    async def strange(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        async with sessions.writing(run, "narrator", parent_id=parent) as reply:
            reply.add({"type": "hologram", "data": 1})
            reply.add({"type": "tool_use", "data": {"x": 1}, "meta": {"callId": "", "name": "t"}})
            reply.add({"type": "text", "text": "whole"})
            reply.text().add("second")
        run.emit({"type": "weather", "sky": "blue"})
        run.update_session({"title": "T"})

    events = await Front(ScriptedBackend(strange)).run("go")
    customs = {event["name"]: event["value"] for event in events if event["type"] == "CUSTOM"}
    assert customs["part"]["value"] == {"type": "hologram", "data": 1}
    assert customs["weather"]["sky"] == "blue"
    assert customs["session_update"] == {"title": "T"}
    texts = [event for event in events if event["type"] == "TEXT_MESSAGE_START"]
    assert len({text["messageId"] for text in texts}) == 2
    assert {text["role"] for text in texts} == {"assistant"}


async def test_a_client_that_leaves_ends_the_run() -> None:
    front = Front(MemoryBackend())
    given = {"threadId": "t", "runId": "r", "messages": [{"id": "u", "role": "user", "content": "hang"}]}
    async with front.http.open("POST", "/ag-ui", body=json.dumps(given).encode()) as stream:
        while b"TEXT_MESSAGE_CONTENT" not in await stream.read():
            pass
    live = front.host.run("r")
    while not live.ended:
        await live.log.more()
    assert live.log.state.status == "cancelled"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b'{"threadId":"t","runId":"r"}', 400),
        (b'{"threadId":"","runId":"r","messages":[]}', 400),
        (b'{"threadId":"t","runId":"r","messages":[{"id":"a","role":"assistant","content":"x"}]}', 400),
        (b'{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"x","status":"resolved"}]}', 404),
    ],
)
async def test_what_makes_no_sense_is_refused(body: bytes, status: int) -> None:
    reply = await Front(MemoryBackend()).http.request("POST", "/ag-ui", body=body)
    assert reply.status == status
    assert reply.json["ok"] is False


@pytest.mark.parametrize("fault", [RuntimeError("secret"), PermissionError("secret")])
async def test_a_fault_of_the_backend_is_told_without_its_inside(fault: Exception) -> None:
    class Faulty(MemoryBackend):
        async def start(self) -> None:
            raise fault

    body = b'{"threadId":"t","runId":"r","messages":[{"id":"a","role":"user","content":"x"}]}'
    reply = await Front(Faulty()).http.request("POST", "/ag-ui", body=body)
    assert (reply.status, b"secret" in reply.body) == (500, False)


def test_a_replayed_message_closes_what_it_had_open() -> None:
    events = AguiEvents("t", "r")
    start = {"type": "message_start", "messageId": "m", "role": "assistant"}
    part = {"type": "part_start", "messageId": "m", "part": 0, "value": {"type": "text", "text": "a"}}
    first = [*events.translated(start), *events.translated(part)]
    second = [*events.translated(start), *events.translated(part)]
    assert types_of(first) == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]
    assert types_of(second) == ["TEXT_MESSAGE_END", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]
