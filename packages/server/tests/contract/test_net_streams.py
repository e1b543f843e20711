"""Web requests of cards: streams, how many at once, how long, with which permission. Spec: cards, network."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

from cardloom.features.cards.net.service import NetLimits
from cardloom_protocol.errors import ErrorCode

from .conftest import started
from .fetching import API, NETWORK, Web, enter
from .web import Reply


async def test_a_streams_head_comes_first_then_its_chunks_then_its_end(desk: Any, web: Web) -> None:
    more = asyncio.Event()
    web.secure.replies["/s"] = Reply(
        headers=("Content-Type: text/event-stream",), pieces=(b"one \xd0", more, b"\xbf", b"\xff")
    )
    card = await enter(desk)
    answer = await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    assert (answer["status"], answer["requestId"], "body" in answer) == (200, "s1", False)
    assert await card.event("net.chunk") == {"requestId": "s1", "chunk": "one ", "encoding": "text", "done": False}
    more.set()
    assert (await card.event("net.chunk"))["chunk"] == "п"
    last = await card.event("net.chunk")
    assert (base64.b64decode(last["chunk"]), last["encoding"]) == (b"\xff", "base64")
    assert await card.event("net.chunk") == {"requestId": "s1", "chunk": "", "encoding": "text", "done": True}


async def test_a_stream_that_breaks_off_ends_with_an_error(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"half",), chunked=True, close_early=True)
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    last = await card.event("net.chunk", lambda chunk: chunk["done"])
    assert last["error"]


async def test_a_stream_can_be_aborted(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    await card.event("net.chunk")
    assert await card.call("net.abort", requestId="s1") is None
    assert (await card.event("net.chunk"))["error"] == "the request was aborted"
    async with asyncio.timeout(60):
        await web.secure.gone.wait()
    assert await card.call("net.abort", requestId="s1") is None, "one that is over is nothing to abort"


async def test_a_stream_waits_while_its_card_reads_nothing(desk: Any, web: Web) -> None:
    desk.app.contract.net.limits = NetLimits(unread_chars=100_000)
    web.secure.replies["/s"] = Reply(pieces=(b"x" * 60_000,) * 40, chunked=True)
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s1")
    card.client._pump.cancel()
    outbox = card.client.line.outbox
    for _ in range(200):
        await asyncio.sleep(0.001)
    assert outbox.unread_event_chars < 400_000
    body = ""
    async with asyncio.timeout(60):
        while (text := await outbox.next()) is not None:
            chunk = json.loads(text)["data"]
            body += chunk["chunk"]
            if chunk["done"]:
                break
    assert body == "x" * 60_000 * 40


async def test_four_streams_and_six_requests_at_once(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    card = await enter(desk)
    for number in range(4):
        await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId=f"s{number}")
    refusal = await card.refused("net.fetch", url=f"{API}/s", responseType="stream")
    assert (refusal.code, refusal.data) == (ErrorCode.RATE_LIMITED, {"retryAfterMs": 1000})
    waiting = [await started(card.call("net.fetch", url=f"{API}/slow", requestId=f"r{n}")) for n in range(2)]
    assert (await card.refused("net.fetch", url=f"{API}/slow")).code is ErrorCode.RATE_LIMITED
    other = await enter(desk, name="other-card")
    web.secure.on("/a", "free")
    assert (await other.call("net.fetch", url=f"{API}/a"))["body"] == "free"
    await card.call("net.abort", requestId="s0")
    assert (await card.call("net.fetch", url=f"{API}/a"))["body"] == "free"
    for number in range(2):
        await card.call("net.abort", requestId=f"r{number}")
    for outcome in await asyncio.gather(*waiting, return_exceptions=True):
        assert getattr(outcome, "code", None) is ErrorCode.USER_CANCELLED


async def test_a_request_id_is_used_once_at_a_time(desk: Any, web: Web) -> None:
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    card = await enter(desk)
    waiting = await started(card.call("net.fetch", url=f"{API}/slow", requestId="r"))
    refusal = await card.refused("net.fetch", url=f"{API}/slow", requestId="r")
    assert refusal.code is ErrorCode.INVALID_PARAMS
    other = await enter(desk, name="other-card")
    await other.call("net.abort", requestId="r")
    assert not waiting.done()
    await card.call("net.abort", requestId="r")
    with pytest.raises(Exception, match="aborted"):
        await waiting


async def test_no_answer_in_time_is_a_timeout(desk: Any, web: Web) -> None:
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    desk.app.contract.net.limits = NetLimits(timeout_ms=50)
    card = await enter(desk)
    assert (await card.refused("net.fetch", url=f"{API}/slow")).code is ErrorCode.TIMEOUT
    for timeout_ms in (999, 120_001):
        refusal = await card.refused("net.fetch", url=f"{API}/slow", timeoutMs=timeout_ms)
        assert refusal.code is ErrorCode.INVALID_PARAMS
    assert NetLimits().timeout_ms == 30_000


async def test_nobody_listening_is_a_network_error(desk: Any, web: Web) -> None:
    card = await enter(desk, {"id": "network.local"})
    refusal = await card.refused("net.fetch", url="http://localhost:9/")
    assert refusal.code is ErrorCode.NETWORK_ERROR


@pytest.mark.usefixtures("standing_clock")
async def test_a_hundred_and_twenty_requests_a_minute(desk: Any, web: Web) -> None:
    web.secure.on("/a")
    card = await enter(desk)
    for _ in range(120):
        await card.call("net.fetch", url=f"{API}/a")
    refusal = await card.refused("net.fetch", url=f"{API}/a")
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 60_000


# Permission


async def test_the_network_needs_one_of_its_permissions(desk: Any, web: Web) -> None:
    card = await enter(desk, "agents.read")
    for method, params in (("net.fetch", {"url": f"{API}/a"}), ("net.abort", {"requestId": "r"})):
        refusal = await card.refused(method, **params)
        assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "network"})


async def test_a_declared_host_without_its_grant_is_denied_whatever_else_is_granted(desk: Any, web: Web) -> None:
    card = await enter(desk, {**NETWORK, "optional": True}, "network.local")
    refusal = await card.refused("net.fetch", url=f"{API}/a")
    assert (refusal.code, refusal.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "network"})


async def test_revoking_ends_what_is_under_way(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    web.secure.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    web.plain.replies["/slow"] = Reply(pieces=(asyncio.Event(),))
    card = await enter(desk, NETWORK, "network.local")
    await card.call("net.fetch", url=f"{API}/s", responseType="stream", requestId="s")
    slow = await started(card.call("net.fetch", url=f"{API}/slow"))
    local = await started(card.call("net.fetch", url=f"http://localhost:{web.plain.port}/slow", requestId="local"))
    await web.secure.reached(2)
    await web.plain.reached(1)
    await card.grant("network", granted=False)
    with pytest.raises(Exception, match="needs the permission network"):
        await slow
    assert (await card.event("net.chunk", lambda chunk: chunk["done"]))["error"]
    assert not local.done()
    await card.call("net.abort", requestId="local")
    await asyncio.gather(local, return_exceptions=True)


async def test_requests_end_with_the_card(desk: Any, web: Web) -> None:
    web.secure.replies["/s"] = Reply(pieces=(b"one", asyncio.Event()))
    card = await enter(desk)
    await card.call("net.fetch", url=f"{API}/s", responseType="stream")
    card.vanish()
    async with asyncio.timeout(60):
        await web.secure.gone.wait()
    assert desk.app.contract.net._running == {}
