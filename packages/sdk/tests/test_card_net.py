"""Web requests of a headless card."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_sdk import CallError, Card, ErrorCode
from cardloom_sdk.testing import CardHost, VirtualTiming, WebReply, WebRequest, settle

API = "https://api.example.org"
MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "name": "reader",
    "displayName": "Reader",
    "version": "1.0.0",
    "protocol": 1,
    "permissions": [{"id": "network", "hosts": ["api.example.org"]}],
    "settings": [{"key": "token", "type": "secret", "label": "Token"}],
}


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


async def test_an_answer_has_status_headers_and_its_body_as_text_bytes_and_json() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.web[f"{API}/a"] = WebReply({"n": ["é"]}, headers={"X-Thing": "1"})
        answer = await card.net.fetch(f"{API}/a?q=1")
        assert (answer.status, answer.ok, answer.url) == (200, True, f"{API}/a?q=1")
        assert answer.headers["x-thing"] == "1"
        assert (answer.text, answer.content, answer.json()) == ('{"n":["é"]}', b'{"n":["\xc3\xa9"]}', {"n": ["é"]})


async def test_any_status_is_an_answer_and_an_empty_body_is_null() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.web[f"{API}/a"] = WebReply(status=404)
        answer = await card.net.fetch(f"{API}/a")
        assert (answer.ok, answer.json()) == (False, None)
        host.outside.web[f"{API}/a"] = WebReply("not json")
        with pytest.raises(CallError, match="NETWORK_ERROR"):
            (await card.net.fetch(f"{API}/a")).json()


@pytest.mark.parametrize(
    ("body", "sent", "content_type"),
    [("text", b"text", None), (b"\x00\xff", b"\x00\xff", None), ({"a": 1}, b'{"a":1}', "application/json")],
)
async def test_a_body_implies_post_and_json_names_itself(body: Any, sent: bytes, content_type: str | None) -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.web[f"{API}/a"] = WebReply()
        await card.net.fetch(f"{API}/a", body=body)
        await card.net.fetch(f"{API}/a", method="PUT", body=body, headers={"Content-Type": "own/type"})
        first, second = host.outside.requests
        assert (first.method, first.body, first.headers.get("content-type")) == ("POST", sent, content_type)
        assert (second.method, second.headers) == ("PUT", {"content-type": "own/type"})


async def test_secrets_are_filled_in_by_the_host_alone() -> None:
    card = make_card()

    def reply(request: WebRequest) -> WebReply:
        return WebReply(status=200 if request.headers["authorization"] == "Bearer t0k" else 401)

    async with CardHost(card) as host:
        host.outside.web[f"{API}/a"] = reply
        headers = {"authorization": "Bearer {{secret:token}}"}
        with pytest.raises(CallError, match="token"):
            await card.net.fetch(f"{API}/a", headers=headers)
        await host.set_settings(secrets={"token": "t0k"})
        assert (await card.net.fetch(f"{API}/a", headers=headers)).status == 200


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://other.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("http://api.example.org/", ErrorCode.HOST_NOT_ALLOWED),
        ("http://localhost/", ErrorCode.PERMISSION_DENIED),
        ("https://me:pw@api.example.org/", ErrorCode.INVALID_PARAMS),
        ("https://api.example.org/silent", ErrorCode.NETWORK_ERROR),
    ],
)
async def test_the_test_host_refuses_as_the_server_does(url: str, code: ErrorCode) -> None:
    card = make_card()
    async with CardHost(card):
        with pytest.raises(CallError) as refusal:
            await card.net.fetch(url)
    assert refusal.value.code is code


async def test_a_streamed_body_comes_piece_by_piece_and_line_by_line() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.web[f"{API}/s"] = WebReply("one\r\ntwo\nпять")
        async with await card.net.stream(f"{API}/s") as answer:
            assert answer.status == 200
            assert [line async for line in answer.lines()] == ["one", "two", "пять"]
        answer = await card.net.stream(f"{API}/s")
        assert b"".join([piece async for piece in answer]) == "one\r\ntwo\nпять".encode()


async def test_text_chunks_are_bytes_as_well_and_an_error_follows_what_came_before() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.web[f"{API}/s"] = WebReply("half", error="it broke off")
        answer = await card.net.stream(f"{API}/s")
        pieces: list[bytes] = []

        async def read() -> None:
            async for piece in answer:
                pieces.append(piece)

        with pytest.raises(CallError, match="it broke off"):
            await read()
        assert pieces == [b"half"]


async def test_leaving_a_stream_aborts_it() -> None:
    card = make_card()
    host = CardHost(card)
    host.answer_with("net.fetch", lambda params: {**HEAD, "requestId": params["requestId"]})
    async with host:
        answer = await card.net.stream(f"{API}/s")
        chunk = {"requestId": answer.request_id, "chunk": "é", "encoding": "text", "done": False}
        await host.event("net.chunk", chunk)
        async for piece in answer:
            assert piece == "é".encode()
            break
        answer.close()
        await host.rest()
        aborted = [call.given for call in host.calls if call.method == "net.abort"]
        assert aborted == [{"requestId": answer.request_id}]
        await host.event("net.chunk", chunk)
        assert [piece async for piece in answer] == []


async def test_a_stream_ends_with_the_connection() -> None:
    card = make_card()
    host = CardHost(card)
    host.answer_with("net.fetch", lambda params: {**HEAD, "requestId": params["requestId"]})
    async with host:
        answer = await card.net.stream(f"{API}/s")
        await host.unmount()
        with pytest.raises(CallError, match="UNAVAILABLE"):
            await anext(answer.lines())


async def test_cancelling_a_request_aborts_it() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.outside.web[f"{API}/a"] = WebReply()
        asking = asyncio.create_task(card.net.fetch(f"{API}/a"))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await settle()
        assert [call.method for call in host.calls if call.method.startswith("net.")] == ["net.fetch", "net.abort"]


HEAD: dict[str, Any] = {"status": 200, "statusText": "OK", "headers": {}, "url": f"{API}/s"}
