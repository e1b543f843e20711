"""Calls of cards' tools: checked, answered, timed out, cancelled. Spec: cards, tools for agents; decisions 8, 9."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom.features.cards.tools.service import ToolLimits
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from .conftest import Actor, started

AGENT = {"id": "c_agent", "name": "Claude"}
TIMEOUT_MS = 60_000  # that of a tool: a slow machine answers within it too
TOOLS: list[dict[str, Any]] = [
    {
        "name": "record",
        "description": "Records one.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string", "minLength": 1}, "count": {"type": "integer"}},
            "required": ["text"],
            "additionalProperties": False,
        },
        "timeoutMs": TIMEOUT_MS,
    },
    {"name": "list", "description": "Lists all.", "inputSchema": {"type": "object"}, "readOnly": True},
]
OK = {"content": [{"type": "text", "text": "OK"}]}


async def enter(desk: Any) -> Actor:
    card: Actor = await desk.enter(tools=TOOLS)
    return card


async def calling(desk: Any, card: Actor, tool: str = "record", args: Any = None, **more: Any) -> asyncio.Task[Any]:
    given = {"text": "a"} if args is None else args
    return await started(desk.app.contract.tools.call(CardId(card.id), tool, given, AGENT, **more))


async def test_a_card_hears_the_call_and_its_answer_reaches_the_agent(desk: Any) -> None:
    card = await enter(desk)
    before_ms = desk.app.clock.now_ms()
    task = await calling(desk, card, args={"text": "a", "count": 1.0})
    call = await card.event("tools.call")
    assert (call["tool"], call["args"], call["agent"]) == ("record", {"text": "a", "count": 1.0}, AGENT)
    assert before_ms + TIMEOUT_MS <= call["deadline"] <= desk.app.clock.now_ms() + TIMEOUT_MS
    assert await card.call("tools.respond", callId=call["callId"], result=OK) is None
    assert await task == OK
    assert [name for name, _ in card.client.events] == []


async def test_an_answer_may_hold_pictures_and_say_that_it_is_an_error(desk: Any) -> None:
    card = await enter(desk)
    task = await calling(desk, card)
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    result = {"content": [image, {"type": "text", "text": "x"}], "isError": True}
    await card.call("tools.respond", callId=(await card.event("tools.call"))["callId"], result=result)
    assert await task == result


async def test_a_cards_error_reaches_the_agent_as_one(desk: Any) -> None:
    card = await enter(desk)
    task = await calling(desk, card)
    await card.call("tools.respond", callId=(await card.event("tools.call"))["callId"], error="the shelf is empty")
    assert await task == {"content": [{"type": "text", "text": "the shelf is empty"}], "isError": True}


@pytest.mark.parametrize(
    "args", [{}, {"text": ""}, {"text": "a", "more": 1}, {"text": "a", "count": 1.5}, [], None, "x"]
)
async def test_arguments_that_do_not_fit_never_reach_the_card(desk: Any, args: Any) -> None:
    card = await enter(desk)
    with pytest.raises(CallError) as refusal:
        await desk.app.contract.tools.call(CardId(card.id), "record", args, AGENT)
    assert refusal.value.code is ErrorCode.INVALID_PARAMS
    assert isinstance(refusal.value.data, list)
    await card.call("card.getInfo")
    assert card.client.events == []


async def test_an_unknown_tool_and_an_unknown_card_are_not_found(desk: Any) -> None:
    card = await enter(desk)
    for card_id, tool in ((card.id, "none"), ("c_none", "record"), (await desk.add("note"), "record")):
        with pytest.raises(CallError) as refusal:
            await desk.app.contract.tools.call(CardId(card_id), tool, {"text": "a"}, AGENT)
        assert refusal.value.code is ErrorCode.NOT_FOUND


async def test_past_the_deadline_the_card_is_told_and_the_agent_gets_a_timeout(desk: Any) -> None:
    card = await enter(desk)
    desk.app.contract.tools.limits = ToolLimits(max_timeout_ms=30)
    task = await calling(desk, card)
    call = await card.event("tools.call")
    with pytest.raises(CallError) as refusal:
        await task
    assert refusal.value.code is ErrorCode.TIMEOUT
    assert await card.event("tools.cancel") == {"callId": call["callId"]}
    late = await card.refused("tools.respond", callId=call["callId"], result=OK)
    assert late.code is ErrorCode.NOT_FOUND
    assert (ToolLimits().timeout_ms, ToolLimits().max_timeout_ms) == (30_000, 120_000)


async def test_an_agent_that_takes_its_call_back_is_told_to_the_card(desk: Any) -> None:
    card = await enter(desk)
    task = await calling(desk, card)
    call = await card.event("tools.call")
    task.cancel()
    assert await card.event("tools.cancel") == {"callId": call["callId"]}
    assert (await card.refused("tools.respond", callId=call["callId"], error="x")).code is ErrorCode.NOT_FOUND


async def test_a_refused_answer_leaves_the_call_open_for_another(desk: Any) -> None:
    card = await enter(desk)
    desk.app.contract.tools.limits = ToolLimits(result_units=60)
    task = await calling(desk, card)
    call_id = (await card.event("tools.call"))["callId"]
    large = {"content": [{"type": "text", "text": "x" * 60}]}
    assert (await card.refused("tools.respond", callId=call_id, result=large)).code is ErrorCode.TOO_LARGE
    assert (await card.refused("tools.respond", callId=call_id)).code is ErrorCode.INVALID_PARAMS
    assert (
        await card.refused("tools.respond", callId=call_id, result={"content": []})
    ).code is ErrorCode.INVALID_PARAMS
    await card.call("tools.respond", callId=call_id, error="too long")
    assert (await task)["isError"] is True


async def test_another_card_cannot_answer(desk: Any) -> None:
    card, other = await enter(desk), await enter(desk)
    task = await calling(desk, card)
    call_id = (await card.event("tools.call"))["callId"]
    for method, params in (("tools.respond", {"result": OK}), ("tools.progress", {"message": "x"})):
        assert (await other.refused(method, callId=call_id, **params)).code is ErrorCode.NOT_FOUND
    await card.call("tools.respond", callId=call_id, result=OK)
    await task
    assert (await card.refused("tools.respond", callId=call_id, result=OK)).code is ErrorCode.NOT_FOUND


@pytest.mark.usefixtures("standing_clock")
async def test_progress_reaches_the_agent_at_most_four_times_a_second(desk: Any) -> None:
    card = await enter(desk)
    heard: list[str] = []
    task = await calling(desk, card, on_progress=heard.append)
    call_id = (await card.event("tools.call"))["callId"]
    assert await card.call("tools.progress", callId=call_id, message="half") is None
    refusal = await card.refused("tools.progress", callId=call_id, message="more")
    assert refusal.code is ErrorCode.RATE_LIMITED
    assert 0 < refusal.data["retryAfterMs"] <= 250
    await card.call("tools.respond", callId=call_id, result=OK)
    await task
    assert heard == ["half"]


async def test_a_hidden_tool_is_offered_to_nobody_until_it_is_shown_again(desk: Any) -> None:
    card = await enter(desk)
    tools = desk.app.contract.tools
    changed: list[CardId] = []
    tools.changed.append(changed.append)
    assert [tool["name"] for tool in tools.offered(CardId(card.id))] == ["record", "list"]
    await card.call("tools.setEnabled", tool="record", enabled=False)
    await card.call("tools.setEnabled", tool="record", enabled=False)
    assert [tool["name"] for tool in tools.offered(CardId(card.id))] == ["list"]
    with pytest.raises(CallError) as refusal:
        await tools.call(CardId(card.id), "record", {"text": "a"}, AGENT)
    assert refusal.value.code is ErrorCode.NOT_FOUND
    await card.call("tools.setEnabled", tool="record", enabled=True)
    assert [tool["name"] for tool in tools.offered(CardId(card.id))] == ["record", "list"]
    assert changed == [card.id, card.id]
    assert (await card.refused("tools.setEnabled", tool="none", enabled=True)).code is ErrorCode.NOT_FOUND


@pytest.mark.usefixtures("standing_clock")
async def test_thirty_switches_a_minute_are_enough(desk: Any) -> None:
    card = await enter(desk)
    for number in range(30):
        await card.call("tools.setEnabled", tool="list", enabled=number % 2 == 0)
    assert (await card.refused("tools.setEnabled", tool="list", enabled=True)).code is ErrorCode.RATE_LIMITED


async def test_a_card_that_goes_away_fails_its_calls(desk: Any) -> None:
    card = await enter(desk)
    task = await calling(desk, card)
    await card.event("tools.call")
    card.vanish()
    with pytest.raises(CallError) as refusal:
        await task
    assert refusal.value.code is ErrorCode.UNAVAILABLE


async def test_a_card_without_its_program_is_unavailable(desk: Any) -> None:
    card = await enter(desk)
    card.vanish()
    with pytest.raises(CallError) as refusal:
        await desk.app.contract.tools.call(CardId(card.id), "record", {"text": "a"}, AGENT)
    assert refusal.value.code is ErrorCode.UNAVAILABLE


async def test_a_sleeping_card_is_woken_for_a_call(desk: Any) -> None:
    card = await enter(desk)
    card.vanish()
    awake = asyncio.Event()

    async def wake(card_id: CardId) -> bool:
        assert card_id == card.id
        await awake.wait()
        return True

    desk.app.contract.tools.wake = wake
    task = await calling(desk, card)
    again = await desk.connect(card.id)
    desk.app.sockets.hooks.tell_connected(CardId(card.id), again.client.connection_id)
    awake.set()
    call = await again.event("tools.call")
    await again.call("tools.respond", callId=call["callId"], result=OK)
    assert await task == OK


async def test_an_arrow_that_goes_while_the_card_wakes_ends_the_call_before_the_card_hears(desk: Any) -> None:
    card = await enter(desk)
    card.vanish()
    joined = [True]

    async def wake(card_id: CardId) -> bool:
        again = await desk.connect(card_id)
        desk.app.sockets.hooks.tell_connected(card_id, again.client.connection_id)
        reached.append(again)
        joined.clear()
        return True

    reached: list[Any] = []
    tools = desk.app.contract.tools
    tools.wake = wake
    with pytest.raises(CallError) as refusal:
        async with asyncio.timeout(60):
            await tools.call(CardId(card.id), "record", {"text": "a"}, AGENT, still_may=lambda: bool(joined))
    assert refusal.value.code is ErrorCode.NOT_CONNECTED
    assert [name for name, _ in reached[0].client.events if name == "tools.call"] == []


async def test_a_card_that_does_not_wake_in_time_is_unavailable(desk: Any) -> None:
    card = await enter(desk)
    card.vanish()

    async def never(_card_id: CardId) -> bool:
        await asyncio.Event().wait()
        return True

    desk.app.contract.tools.wake = never
    desk.app.contract.tools.limits = ToolLimits(wake_ms=20)
    with pytest.raises(CallError) as refusal:
        await desk.app.contract.tools.call(CardId(card.id), "record", {"text": "a"}, AGENT)
    assert refusal.value.code is ErrorCode.UNAVAILABLE
    assert ToolLimits().wake_ms == 10_000
