"""Tools for agents with a real client over real HTTP. Spec: cards, tools for agents; decisions 9, 36, 37."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from mcp_types import ImageContent

from cardloom.features.cards.tools.service import ToolLimits
from cardloom.transport.mcp.file_tools import FILE_TOOLS
from cardloom_protocol.errors import ErrorCode

from .conftest import Actor
from .seat import CAP_S, ERAS, Seat, refused, said, seat_of, soon, tools_of, use

TOOLS: list[dict[str, Any]] = [
    {
        "name": "record",
        "title": "Record",
        "description": "Records one.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string", "minLength": 1}},
            "required": ["text"],
            "additionalProperties": False,
        },
    },
    {"name": "list", "description": "Lists all.", "inputSchema": {"type": "object"}, "readOnly": True},
]
OK = {"content": [{"type": "text", "text": "OK"}]}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
async def seat(desk: Any, listening: Any) -> Seat:
    return await seat_of(desk, listening)


async def card_with_tools(desk: Any, **more: Any) -> Actor:
    card: Actor = await desk.enter(name="decision-log", tools=TOOLS, **more)
    return card


async def answer(card: Actor, result: dict[str, Any] = OK) -> dict[str, Any]:
    """Answer the next call, and give it."""
    call: dict[str, Any] = await card.event("tools.call")
    await card.call("tools.respond", callId=call["callId"], result=result)
    return call


def calls_to(card: Actor) -> list[Any]:
    """The calls that reached a card and that nobody took."""
    return [data for name, data in card.client.events if name == "tools.call"]


@pytest.mark.parametrize("mode", ERAS)
async def test_the_tools_of_a_joined_card_are_listed_and_answer(desk: Any, seat: Seat, mode: str) -> None:
    card = await card_with_tools(desk)
    await seat.join(card.id)
    async with seat.client(mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "cardloom"
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed is True
        tools = await tools_of(client)
        shown = tools["decision_log_record"]
        assert (shown.title, shown.description) == ("Record", "Records one.")
        assert shown.input_schema == TOOLS[0]["inputSchema"]
        assert shown.annotations is None
        hints = tools["decision_log_list"].annotations
        assert hints is not None
        assert hints.read_only_hint is True
        answering = asyncio.create_task(answer(card))
        assert await use(client, "decision_log_record", text="a") == "OK"
        call = await answering
        assert (call["tool"], call["args"]) == ("record", {"text": "a"})
        assert call["agent"] == {"id": seat.id, "name": "Claude"}


async def test_pictures_and_errors_of_cards_reach_the_agent(desk: Any, seat: Seat) -> None:
    card = await card_with_tools(desk)
    await seat.join(card.id)
    async with seat.client() as client:
        image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
        answering = asyncio.create_task(answer(card, {"content": [image], "isError": True}))
        result = await client.call_tool("decision_log_list", {})
        await answering
        assert result.is_error is True
        assert result.content == [ImageContent(data="aGk=", mime_type="image/png")]


async def test_a_card_that_no_arrow_joins_offers_nothing(desk: Any, seat: Seat) -> None:
    card = await card_with_tools(desk)
    await desk.add("note")
    async with seat.client() as client:
        assert set(await tools_of(client)) == {
            "canvas_list",
            "canvas_connect",
            "canvas_disconnect",
            "canvas_spawn_card",
            "canvas_remove_card",
            "ports_list",
            *FILE_TOOLS,
        }
        assert (await refused(client, "decision_log_record", text="a")).startswith("NOT_FOUND")
        await use(client, "canvas_connect", b=card.id)
        assert "decision_log_record" not in await tools_of(client), "the owner has not confirmed"
        arrow = desk.app.graph.arrow_between(seat.id, card.id)
        await desk.page.call("canvas.updateArrow", arrowId=arrow.id, confirm=True)
        assert "decision_log_record" in await tools_of(client)
    assert calls_to(card) == []


@pytest.mark.parametrize("args", [{}, {"text": ""}, {"text": "a", "more": 1}])
async def test_arguments_that_do_not_fit_are_refused_before_the_card_sees_them(
    desk: Any, seat: Seat, args: dict[str, Any]
) -> None:
    card = await card_with_tools(desk)
    await seat.join(card.id)
    async with seat.client() as client:
        assert (await refused(client, "decision_log_record", **args)).startswith("INVALID_PARAMS")
    assert calls_to(card) == []


async def test_past_the_deadline_the_agent_reads_a_timeout_and_the_card_is_told(desk: Any, seat: Seat) -> None:
    card = await card_with_tools(desk)
    await seat.join(card.id)
    desk.app.contract.tools.limits = ToolLimits(timeout_ms=30)
    async with seat.client() as client:
        assert (await refused(client, "decision_log_list")).startswith("TIMEOUT")
    call = await card.event("tools.call")
    assert await card.event("tools.cancel") == {"callId": call["callId"]}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_that_the_agent_takes_back_is_told_to_the_card(desk: Any, seat: Seat, mode: str) -> None:
    card = await card_with_tools(desk)
    await seat.join(card.id)
    async with seat.client(mode) as client:
        calling = asyncio.create_task(client.call_tool("decision_log_list", {}))
        call = await card.event("tools.call")
        calling.cancel()
        assert await card.event("tools.cancel") == {"callId": call["callId"]}
        answering = asyncio.create_task(answer(card))
        assert await use(client, "decision_log_list") == "OK"
        await answering


@pytest.mark.parametrize("taken", ["arrow", "card"])
async def test_a_call_ends_with_its_arrow_and_the_card_is_told(desk: Any, seat: Seat, taken: str) -> None:
    card, other = await card_with_tools(desk), await card_with_tools(desk)
    arrow_id = await seat.join(card.id)
    other_id = await seat.join(other.id)
    async with seat.client() as client:
        calling = asyncio.create_task(refused(client, "decision_log_list", card=card.id))
        call = await card.event("tools.call")
        await desk.page.call("canvas.disconnect", arrowId=other_id)
        assert not calling.done()
        if taken == "arrow":
            await desk.page.call("canvas.disconnect", arrowId=arrow_id)
            assert (await calling).startswith("NOT_CONNECTED")
            assert await card.event("tools.cancel") == {"callId": call["callId"]}
        else:
            await desk.page.call("canvas.removeCard", cardId=card.id)
            assert (await calling).startswith(("NOT_CONNECTED", "UNAVAILABLE"))


@pytest.mark.parametrize("mode", ERAS)
async def test_progress_reaches_the_agent_before_the_answer(desk: Any, seat: Seat, mode: str) -> None:
    card = await card_with_tools(desk)
    await seat.join(card.id)
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        heard.append((progress, message))

    async with seat.client(mode) as client:
        calling = asyncio.create_task(client.call_tool("decision_log_list", {}, progress_callback=hear))
        call = await card.event("tools.call")
        await card.call("tools.progress", callId=call["callId"], message="half")
        await card.call("tools.respond", callId=call["callId"], result=OK)
        assert said(await calling) == "OK"
        assert heard == [(1, "half")]


@pytest.mark.parametrize("mode", ERAS)
async def test_an_agent_hears_that_its_tools_changed(desk: Any, seat: Seat, mode: str) -> None:
    card = await card_with_tools(desk)
    changed = asyncio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            changed.set()

    async def next_change() -> None:
        await soon(changed)
        changed.clear()

    async with seat.client(mode, message_handler=hear) as client:
        listening: asyncio.Task[None] | None = None
        if mode == "auto":
            ready = asyncio.Event()

            async def listen() -> None:
                async with client.listen(tools_list_changed=True) as stream:
                    ready.set()
                    async for _ in stream:
                        changed.set()

            listening = asyncio.create_task(listen())
            await soon(ready)
        assert "decision_log_list" not in await tools_of(client)
        arrow_id = await seat.join(card.id)
        await next_change()
        assert "decision_log_list" in await tools_of(client)
        await card.call("tools.setEnabled", tool="list", enabled=False)
        await next_change()
        assert "decision_log_list" not in await tools_of(client)
        await desk.page.call("canvas.disconnect", arrowId=arrow_id)
        await next_change()
        assert "decision_log_record" not in await tools_of(client)
        await desk.page.call("workspace.close", workspaceId=desk.id)
        if listening is not None:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


async def test_two_cards_of_a_package_are_told_apart_by_an_argument(desk: Any, seat: Seat) -> None:
    one, two = await card_with_tools(desk), await card_with_tools(desk)
    await desk.page.call("canvas.updateCard", cardId=one.id, title="Plans")
    await desk.page.call("canvas.updateCard", cardId=two.id, title="Facts")
    await seat.join(one.id)
    async with seat.client() as client:
        assert "card" not in (await tools_of(client))["decision_log_record"].input_schema["properties"]
        await seat.join(two.id)
        schema = (await tools_of(client))["decision_log_record"].input_schema
        assert schema["properties"]["card"]["enum"] == [one.id, two.id, "Plans", "Facts"]
        assert f"{two.id} (Facts)" in schema["properties"]["card"]["description"]
        assert schema["required"] == ["text", "card"]
        for named, meant in ((two.id, two), ("Plans", one)):
            answering = asyncio.create_task(answer(meant))
            assert await use(client, "decision_log_record", text="a", card=named) == "OK"
            assert (await answering)["args"] == {"text": "a"}
        for wrong in ({}, {"card": "Other"}, {"card": seat.id}):
            assert "choose one" in await refused(client, "decision_log_record", text="a", **wrong)
    assert (calls_to(one), calls_to(two)) == ([], [])


async def asked(url: str, headers: dict[str, str], path: str = "/mcp") -> httpx.Response:
    async with httpx.AsyncClient(timeout=CAP_S) as http:
        return await http.post(f"{url}{path}", json=HELLO, headers={**ACCEPT, **headers})


async def test_nobody_comes_in_but_an_agent_with_its_token(desk: Any, seat: Seat, listening: Any) -> None:
    good = {"Authorization": f"Bearer {seat.token}"}
    assert (await asked(listening.url, good)).status_code == 200
    card_token = listening.app.tokens.issue(seat.id)
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {seat.token}"},
        {"Authorization": f"Bearer {card_token}"},
        listening.key_header,
        {**good, "Origin": listening.url},
        {**good, "Origin": "null"},
        {**good, "Origin": "https://evil.example"},
        {**good, "Host": f"evil.example:{listening.port}"},
    ):
        refusal = await asked(listening.url, headers)
        assert (refusal.status_code, refusal.content) == (403, b""), headers
    assert (await asked(listening.url, {}, f"/mcp?token={seat.token}")).status_code == 403
    async with httpx.AsyncClient(timeout=CAP_S) as http:
        assert (await http.post(f"{listening.url}/call", json={}, headers=good)).status_code == 403


async def test_a_new_token_ends_the_earlier_one_and_a_removed_card_ends_both(
    desk: Any, seat: Seat, listening: Any
) -> None:
    again = await desk.page.call("agent.token", cardId=seat.id)
    assert (await asked(listening.url, {"Authorization": f"Bearer {seat.token}"})).status_code == 403
    good = {"Authorization": f"Bearer {again['token']}"}
    assert (await asked(listening.url, good)).status_code == 200
    await desk.page.call("canvas.removeCard", cardId=seat.id, force=True)
    assert (await asked(listening.url, good)).status_code == 403


async def test_a_new_token_ends_the_session_that_the_earlier_one_began(desk: Any, seat: Seat, listening: Any) -> None:
    headers = {**ACCEPT, "Authorization": f"Bearer {seat.token}"}
    headers["mcp-session-id"] = (await asked(listening.url, headers)).headers["mcp-session-id"]
    async with httpx.AsyncClient(timeout=CAP_S) as http:
        async with http.stream("GET", seat.url, headers=headers) as stream:
            assert stream.status_code == 200
            again = await desk.page.call("agent.token", cardId=seat.id)
            async with asyncio.timeout(CAP_S):
                assert b"".join([part async for part in stream.aiter_raw()]).strip() in (b"", b": ping")
        fresh = {**headers, "Authorization": f"Bearer {again['token']}"}
        assert (await http.post(seat.url, json=HELLO | {"method": "tools/list"}, headers=fresh)).status_code == 404


async def test_a_new_token_ends_the_streams_that_the_earlier_one_opened(desk: Any, seat: Seat) -> None:
    async with seat.client() as client, client.listen(tools_list_changed=True) as stream:
        await desk.page.call("agent.token", cardId=seat.id)
        async with asyncio.timeout(CAP_S):
            assert [change async for change in stream] == []


async def test_another_agents_token_does_not_open_a_session(desk: Any, seat: Seat, listening: Any) -> None:
    other = await seat_of(desk, listening)
    begun = await asked(listening.url, {"Authorization": f"Bearer {seat.token}"})
    session = {"mcp-session-id": begun.headers["mcp-session-id"]}
    stolen = await asked(listening.url, {"Authorization": f"Bearer {other.token}", **session})
    assert stolen.status_code == 404


async def test_only_a_terminal_seats_an_agent(desk: Any, listening: Any) -> None:
    refusal = await desk.page.refused("agent.token", cardId=await desk.add("note"))
    assert refusal.code is ErrorCode.INVALID_PARAMS


async def test_the_server_ends_while_agents_listen(desk: Any, seat: Seat, listening: Any) -> None:
    async with httpx.AsyncClient(timeout=CAP_S) as http:
        headers = {**ACCEPT, "Authorization": f"Bearer {seat.token}"}
        begun = await http.post(seat.url, json=HELLO, headers=headers)
        headers["mcp-session-id"] = begun.headers["mcp-session-id"]
        async with http.stream("GET", seat.url, headers=headers) as stream:
            assert stream.status_code == 200
            listening.app.mcp.close()
            async with asyncio.timeout(CAP_S):
                assert b"".join([part async for part in stream.aiter_raw()]).strip() in (b"", b": ping")
        assert (await http.post(seat.url, json=HELLO, headers=headers)).status_code == 503
