"""Both ends of a connection, on good, torn and hostile input."""

import json
import random
from typing import Any

import pytest

from cardloom_protocol.connection import (
    ClientConnection,
    EventReceived,
    HostConnection,
    ProtocolViolation,
    ReplyNow,
    RequestReceived,
    ResponseReceived,
    SendNow,
)
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import ErrorResponse, Request, Response, encode_error, encode_request, encode_result
from cardloom_protocol.limits import CARD_LIMITS


def small(**limits: int) -> dict[str, int]:
    return {**CARD_LIMITS, **limits}


def call(request_id: int, method: str = "host.log", params: Any = None) -> str:
    return encode_request(Request(request_id, method, params))


def refusal(host: HostConnection, text: str, now_ms: int = 0) -> dict[str, Any]:
    [event] = host.receive_text(text, now_ms)
    assert isinstance(event, ReplyNow)
    error: dict[str, Any] = json.loads(event.text)["error"]
    assert event.error.code == error["code"]
    return error


def test_a_call_travels_and_its_answer_comes_back() -> None:
    host, client = HostConnection(), ClientConnection()
    request_id, text = client.call("ports.emit", {"port": "out", "data": 1})
    assert text is not None
    [received] = host.receive_text(text, 0)
    assert received == RequestReceived(Request(1, "ports.emit", {"port": "out", "data": 1}))
    assert host.in_flight == 1
    assert client.receive_text(host.send_result(request_id, {"delivered": 2})) == [
        ResponseReceived(1, Response(1, {"delivered": 2}))
    ]
    assert (host.in_flight, client.pending) == (0, [])


def test_a_refusal_and_an_event_come_back() -> None:
    host, client = HostConnection(), ClientConnection()
    _, text = client.call("agents.get", {"agentId": "x"})
    host.receive_text(text or "", 0)
    answer = host.send_error(1, CallError(ErrorCode.NOT_FOUND, "No such agent."))
    assert client.receive_text(answer) == [ResponseReceived(1, ErrorResponse(1, "NOT_FOUND", "No such agent."))]
    [event] = client.receive_text(host.send_event("ui.menu", {"id": "a"}))
    assert isinstance(event, EventReceived)
    assert event.event.value == {"id": "a"}
    assert host.send_event_text("ui.menu", '{"id":"a"}') == host.send_event("ui.menu", {"id": "a"})


def test_an_answer_is_given_once() -> None:
    host = HostConnection()
    host.receive_text(call(1), 0)
    host.send_result(1)
    with pytest.raises(KeyError):
        host.send_result(1)


def test_a_code_of_another_protocol_is_carried_verbatim() -> None:
    host = HostConnection()
    host.receive_text(call(1), 0)
    assert json.loads(host.send_failure(1, "SESSION_LOCKED", "Busy."))["error"]["code"] == "SESSION_LOCKED"


@pytest.mark.parametrize("message", [b"{}", "", "{", "NaN", '{"ns":"nscard"', "[" * 100_000, "\ud800"])
def test_what_is_no_json_text_ends_the_connection(message: Any) -> None:
    [event] = HostConnection().receive_text(message, 0)
    assert isinstance(event, ProtocolViolation)


@pytest.mark.parametrize("message", ["1", "[]", "null", "{}", '{"ns":"nscard","v":1,"kind":"req","id":0}'])
def test_a_message_that_nobody_could_be_told_about_is_dropped(message: str) -> None:
    assert HostConnection().receive_text(message, 0) == []


def test_a_malformed_envelope_with_an_id_is_answered() -> None:
    host = HostConnection()
    assert refusal(host, '{"ns":"nscard","v":2,"kind":"req","id":4,"method":"a.b"}')["code"] == "PROTOCOL_MISMATCH"
    assert refusal(host, '{"ns":"nscard","v":1,"kind":"req","id":4,"method":"ab"}')["code"] == "METHOD_NOT_FOUND"
    assert refusal(host, call(4, params=1).replace("1}", "1e999}"))["code"] == "BAD_REQUEST"
    assert refusal(host, call(4, params=json.loads("[" * 66 + "]" * 66)))["code"] == "BAD_REQUEST"
    assert host.in_flight == 0


def test_an_id_used_twice_at_once_ends_the_connection() -> None:
    host = HostConnection()
    host.receive_text(call(1), 0)
    [event] = host.receive_text(call(1), 0)
    assert isinstance(event, ProtocolViolation)


def test_too_many_requests_are_told_when_to_come_again() -> None:
    host = HostConnection(limits=small(requestBurst=2, requestsPerSecond=10))
    for number in (1, 2):
        host.receive_text(call(number), 0)
    assert refusal(host, call(3)) == {
        "code": "RATE_LIMITED",
        "message": "Too many requests: try again in 100 ms.",
        "data": {"retryAfterMs": 100},
    }
    assert host.receive_text(call(3), 100) == [RequestReceived(Request(3, "host.log", None))]


def test_more_than_the_allowed_calls_in_flight_are_refused() -> None:
    host = HostConnection(limits=small(inFlightRequests=2))
    for number in (1, 2):
        host.receive_text(call(number), 0)
    assert refusal(host, call(3))["code"] == "RATE_LIMITED"
    host.send_result(1)
    assert len(host.receive_text(call(3), 0)) == 1
    assert host.in_flight == 2


def test_sizes_are_those_of_the_method() -> None:
    limits = small(messageBytes=200, largeMessageBytes=400)
    host = HostConnection(limits=limits)
    body = "x" * 200
    assert refusal(host, call(1, "ports.emit", body))["code"] == "TOO_LARGE"
    assert len(host.receive_text(call(1, "net.fetch", body), 0)) == 1
    assert refusal(host, call(2, "net.fetch", body * 2))["code"] == "TOO_LARGE"
    assert json.loads(host.send_result(1, body))["ok"] is True
    host.receive_text(call(3, "host.log"), 0)
    assert json.loads(host.send_result(3, body))["error"]["code"] == "TOO_LARGE"
    assert host.in_flight == 0


def test_the_size_of_a_result_is_measured_as_javascript_does() -> None:
    exact = len(encode_result(1, "")) + 100
    host = HostConnection(limits=small(messageBytes=exact))
    for text, fits in (("\u00e9" * 100, True), ("\u00e9" * 101, False), ("\U0001f600" * 50, True)):
        host.receive_text(call(1), 0)
        assert json.loads(host.send_result(1, text))["ok"] is fits


def test_a_result_that_is_not_json_leaves_the_call_to_be_answered() -> None:
    host = HostConnection()
    host.receive_text(call(1), 0)
    with pytest.raises(ValueError):
        host.send_result(1, float("nan"))
    assert json.loads(host.send_error(1, CallError(ErrorCode.INTERNAL, "x")))["ok"] is False


def test_calls_beyond_the_window_wait_in_order() -> None:
    client = ClientConnection(limits=small(inFlightRequests=2))
    texts = [client.call("host.log", number)[1] for number in range(5)]
    assert [text is None for text in texts] == [False, False, True, True, True]
    assert client.pending == [1, 2, 3, 4, 5]
    assert client.withdraw(4)
    assert not client.withdraw(1)
    [_, following] = client.receive_text(encode_result(2, None))
    assert isinstance(following, SendNow)
    assert json.loads(following.text)["id"] == 3
    [_, following] = client.receive_text(encode_error(ErrorResponse(1, "BUSY", "x")))
    assert isinstance(following, SendNow)
    assert json.loads(following.text)["id"] == 5
    assert client.pending == [3, 5]


def test_a_call_that_cannot_be_sent_fails_at_once() -> None:
    client = ClientConnection(limits=small(largeMessageBytes=200))
    with pytest.raises(CallError) as caught:
        client.call("host.log", float("nan"))
    assert caught.value.code is ErrorCode.BAD_REQUEST
    with pytest.raises(CallError) as caught:
        client.call("host.log", "x" * 200)
    assert caught.value.code is ErrorCode.TOO_LARGE
    assert client.call("host.log")[0] == 3
    assert client.pending == [3]


@pytest.mark.parametrize("message", ["", "{", "1", "null", '{"ns":"other","v":1,"kind":"evt","event":"a"}'])
def test_the_client_drops_what_is_malformed_or_foreign(message: str) -> None:
    assert ClientConnection().receive_text(message) == []


@pytest.mark.parametrize("request_id", ["7", "1.5", "-1", "1e308", "true", '"1"'])
def test_an_answer_nobody_waits_for_is_dropped(request_id: str) -> None:
    client = ClientConnection()
    client.call("host.log")
    text = f'{{"ns":"nscard","v":1,"kind":"res","id":{request_id},"ok":true}}'
    assert client.receive_text(text) == []
    assert client.pending == [1]


def torn(rng: random.Random, text: str) -> str:
    """A message as a broken peer might send it."""
    at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    match rng.randrange(5):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + text[to:]
        case 2:
            return text[:at] + rng.choice('{}[]",:0e-\\u\ud800\x00') + text[at:]
        case 3:
            return text[:at] + text
        case _:
            return text


@pytest.mark.parametrize("seed", range(40))
def test_torn_messages_never_raise_and_never_leak_a_place(seed: int) -> None:
    rng = random.Random(seed)
    host, client = HostConnection(limits=small(inFlightRequests=8)), ClientConnection()
    waiting: set[int] = set()
    for number in range(200):
        params: Any = {"k": rng.choice([None, 1e20, "\ud83d", ["x" * 50], {}])}
        text = torn(rng, call(rng.randrange(1, 500), rng.choice(["host.log", "a.b", "c"]), params))
        for event in host.receive_text(text, number * 10):
            if isinstance(event, RequestReceived):
                waiting.add(event.request.id)
            elif isinstance(event, ReplyNow):
                assert json.loads(event.text)["ok"] is False
        assert host.in_flight == len(waiting) <= 8
        if waiting and rng.random() < 0.6:
            answered = waiting.pop()
            client.receive_text(torn(rng, host.send_result(answered, {"n": number})))
    assert client.pending == []
