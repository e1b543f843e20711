"""Questions from card to card and their answers."""

from __future__ import annotations

import asyncio
from typing import Any

from cardloom.features.ports.questions import QuestionLimits
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from .conftest import Board, Program, port

LOOKUP = port("lookup", "ns:text", mode="request", response={"type": "ns:json"})


async def ask(asker: Program, to: Program, data: Any = "flaky", **more: Any) -> asyncio.Task[Any]:
    """Ask, and give what will be the answer."""
    return asyncio.create_task(asker.call("ports.request", to=to.id, input="lookup", data=data, **more))


async def refusal(asking: asyncio.Task[Any]) -> CallError:
    try:
        await asking
    except CallError as error:
        return error
    raise AssertionError("the question was answered")


async def test_a_question_is_answered_along_an_arrow_of_either_direction(board: Board) -> None:
    asker, answerer = await board.custom(), await board.custom(takes=(LOOKUP,))
    await board.connect(answerer, asker)
    asking = await ask(asker, answerer)
    request = await answerer.client.event("ports.request")
    assert (request["from"], request["input"], request["data"]) == (asker.id, "lookup", "flaky")
    await answerer.call("ports.respond", requestId=request["requestId"], data={"hits": ["a"]})
    assert await asking == {"data": {"hits": ["a"]}}
    entry = (await board.journal())[-1]
    assert (entry["kind"], entry["outcome"], entry["from"], entry["to"]) == (
        "request",
        "accepted",
        asker.id,
        answerer.id,
    )


async def test_a_handlers_failure_reaches_the_asker_with_its_message(board: Board) -> None:
    asker, answerer = await board.custom(), await board.custom(takes=(LOOKUP,))
    await board.connect(asker, answerer)
    asking = await ask(asker, answerer)
    request = await answerer.client.event("ports.request")
    await answerer.call("ports.respond", requestId=request["requestId"], error="the index is broken \ud83d")
    error = await refusal(asking)
    assert (error.code, error.message) == (ErrorCode.INTERNAL, "the index is broken \ud83d")
    entry = (await board.journal())[-1]
    assert (entry["kind"], entry["outcome"], entry["code"]) == ("request", "refused", "INTERNAL")


async def test_an_answer_that_does_not_fit_is_refused_and_another_may_follow(board: Board) -> None:
    asker, answerer = await board.custom(), await board.custom(takes=(LOOKUP,))
    await board.connect(asker, answerer)
    asking = await ask(asker, answerer)
    request = await answerer.client.event("ports.request")
    error = await answerer.refused("ports.respond", requestId=request["requestId"], data="no JSON object")
    assert error.code is ErrorCode.INVALID_PARAMS
    await answerer.call("ports.respond", requestId=request["requestId"], data=[])
    assert await asking == {"data": []}


async def test_only_the_asked_card_answers_and_only_once(board: Board) -> None:
    asker, answerer, other = await board.custom(), await board.custom(takes=(LOOKUP,)), await board.custom()
    await board.connect(asker, answerer)
    asking = await ask(asker, answerer)
    request_id = (await answerer.client.event("ports.request"))["requestId"]
    assert (await other.refused("ports.respond", requestId=request_id, data={})).code is ErrorCode.NOT_FOUND
    await answerer.call("ports.respond", requestId=request_id, data={})
    await asking
    assert (await answerer.refused("ports.respond", requestId=request_id, data={})).code is ErrorCode.NOT_FOUND


async def test_silence_until_the_deadline_is_a_timeout(board: Board) -> None:
    asker, answerer = await board.custom(), await board.custom(takes=(LOOKUP,))
    await board.connect(asker, answerer)
    asking = await ask(asker, answerer, timeoutMs=100)
    request = await answerer.client.event("ports.request")
    assert request["deadline"] <= board.app.clock.now_ms() + 100
    assert (await refusal(asking)).code is ErrorCode.TIMEOUT
    late = await answerer.refused("ports.respond", requestId=request["requestId"], data={})
    assert late.code is ErrorCode.NOT_FOUND


async def test_what_cannot_be_asked_says_why(board: Board) -> None:
    asker = await board.custom()
    answerer = await board.custom(takes=(LOOKUP, port("stream", "ns:text")))
    error = await asker.refused("ports.request", to=answerer.id, input="lookup", data="x")
    assert error.code is ErrorCode.NOT_CONNECTED
    await board.connect(asker, answerer)
    error = await asker.refused("ports.request", to=answerer.id, input="other", data="x")
    assert error.code is ErrorCode.NOT_FOUND
    error = await asker.refused("ports.request", to=answerer.id, input="stream", data="x")
    assert error.code is ErrorCode.INVALID_PARAMS
    error = await asker.refused("ports.request", to=answerer.id, input="lookup", data=5)
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_a_card_that_does_not_run_and_is_not_woken_is_unavailable(board: Board) -> None:
    asker = await board.custom()
    asleep = await board.custom(takes=(LOOKUP,), running=False)
    await board.connect(asker, asleep)
    error = await asker.refused("ports.request", to=asleep.id, input="lookup", data="x")
    assert error.code is ErrorCode.UNAVAILABLE


async def test_a_sleeping_card_is_woken_for_a_question(board: Board) -> None:
    asker = await board.custom()
    asleep = await board.custom(takes=(LOOKUP,), running=False)
    await board.connect(asker, asleep)

    waits = asyncio.Event()

    async def wake(card_id: CardId) -> bool:
        waits.set()
        await board.app.catch_up.wait_connected(card_id)
        return True

    board.app.questions.wake = wake
    asking = await ask(asker, asleep)
    await waits.wait()
    await asleep.start()
    request = await asleep.client.event("ports.request")
    await asleep.call("ports.respond", requestId=request["requestId"], data={})
    assert await asking == {"data": {}}


async def test_a_card_that_does_not_wake_in_time_is_unavailable(board: Board) -> None:
    asker = await board.custom()
    asleep = await board.custom(takes=(LOOKUP,), running=False)
    await board.connect(asker, asleep)

    async def never(_card_id: CardId) -> bool:
        await asyncio.Event().wait()
        return True

    board.app.questions.wake = never
    board.app.questions._limits = QuestionLimits(wake_ms=10)
    error = await asker.refused("ports.request", to=asleep.id, input="lookup", data="x")
    assert error.code is ErrorCode.UNAVAILABLE


async def test_a_card_that_stops_or_goes_fails_what_waits_for_it_at_once(board: Board) -> None:
    asker, answerer = await board.custom(), await board.custom(takes=(LOOKUP,))
    await board.connect(asker, answerer)
    asking = await ask(asker, answerer)
    await answerer.client.event("ports.request")
    await answerer.stop()
    assert (await refusal(asking)).code is ErrorCode.UNAVAILABLE
    await answerer.start()
    asking = await ask(asker, answerer)
    await answerer.client.event("ports.request")
    await board.page.call("canvas.removeCard", cardId=answerer.id, force=True)
    assert (await refusal(asking)).code is ErrorCode.UNAVAILABLE
