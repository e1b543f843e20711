"""Questions from other cards, and the answers a headless card gives."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_sdk import CallError, Card, ErrorCode, Question
from cardloom_sdk.testing import CardHost, VirtualTiming, settle

from .test_card_messages import MANIFEST


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


async def test_a_question_is_answered_with_what_the_handler_gives() -> None:
    card = make_card()
    seen: list[Question] = []

    @card.on_request("lookup")
    async def lookup(query: str, question: Question) -> int:
        seen.append(question)
        return len(query)

    async with CardHost(card) as host:
        assert await host.ask("lookup", "four", sender="c_asker") == 4
    assert (seen[0].sender, seen[0].input, seen[0].data) == ("c_asker", "lookup", "four")


async def test_what_a_handler_raises_reaches_the_asker() -> None:
    card = make_card()

    @card.on_request("lookup")
    def lookup(_query: str) -> int:
        raise LookupError("the shelf is empty")

    async with CardHost(card) as host:
        with pytest.raises(CallError, match="the shelf is empty") as caught:
            await host.ask("lookup", "x")
    assert caught.value.code is ErrorCode.INTERNAL


async def test_an_answer_the_host_refuses_is_followed_by_an_error_that_says_why() -> None:
    card = make_card()
    card.on_request("lookup")(lambda _query: "not a number")
    async with CardHost(card) as host:
        with pytest.raises(CallError, match="answer to lookup"):
            await host.ask("lookup", "x")
        assert [call.method for call in host.calls if call.method == "ports.respond"] == ["ports.respond"] * 2


async def test_without_a_handler_the_answer_comes_fifty_milliseconds_before_the_deadline() -> None:
    card = make_card()
    async with CardHost(card) as host:
        asking = asyncio.create_task(host.ask("lookup", "x", timeout_ms=1000))
        await settle()
        await host.advance(949)
        assert not asking.done()
        await host.advance(1)
        with pytest.raises(CallError, match="no handler for input lookup"):
            await asking


async def test_a_question_waits_for_a_handler_that_comes_later() -> None:
    card = make_card()
    async with CardHost(card) as host:
        asking = asyncio.create_task(host.ask("lookup", "abc", timeout_ms=1000))
        await host.advance(500)
        card.on_request("lookup")(len)
        await settle()
        assert await asking == 3


async def test_past_the_deadline_the_handler_is_cancelled_and_nothing_is_sent() -> None:
    card = make_card()
    cancelled: list[bool] = []

    @card.on_request("lookup")
    async def endless(_query: str) -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return 0

    async with CardHost(card) as host:
        asking = asyncio.create_task(host.ask("lookup", "x", timeout_ms=1000))
        await host.advance(1000)
        assert cancelled == [True]
        assert [call for call in host.calls if call.method == "ports.respond"] == []
        asking.cancel()


async def test_questions_are_answered_beside_each_other() -> None:
    card = make_card()
    gate = asyncio.Event()

    @card.on_request("lookup")
    async def lookup(query: str) -> int:
        if query == "slow":
            await gate.wait()
        return len(query)

    async with CardHost(card) as host:
        slow = asyncio.create_task(host.ask("lookup", "slow"))
        await settle()
        assert await host.ask("lookup", "quick!") == 6
        gate.set()
        assert await slow == 4


async def test_a_second_handler_for_one_input_is_refused() -> None:
    card = make_card()
    card.on_request("lookup")(len)
    with pytest.raises(ValueError, match="already"):
        card.on_request("lookup")(len)


async def test_an_answer_that_nobody_waits_for_any_more_is_dropped_silently() -> None:
    card = make_card()
    card.on_request("lookup")(len)
    async with CardHost(card) as host:
        question: Any = {
            "requestId": "gone",
            "from": "c",
            "input": "lookup",
            "data": "x",
            "deadline": 1_700_000_030_000,
        }
        await host.event("ports.request", question)
        assert [call.method for call in host.calls if call.method == "ports.respond"] == ["ports.respond"]
        assert host.shown.log == []
