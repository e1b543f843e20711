"""The cards of the scenarios about questions, tools, the network, permissions, agents and the log."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

from cardloom_sdk import Card
from cardloom_sdk.card_tools import ToolCall
from cardloom_sdk.testing import settle

from .stage import Stage, outcome

# Questions


async def port_request(stage: Stage) -> None:
    card = await stage.meet()

    @card.on_request("ask")
    def answer(question: int) -> Any:
        if question == 3:
            raise ValueError("no")
        return None if question == 1 else {"x": 1}

    for _ in range(3):
        await stage.host(**{"from": "c9", "deadline": stage.deadline(5000)})
        await stage.sdk()


async def port_request_no_handler(stage: Stage) -> None:
    await stage.meet()
    await stage.host(deadline=stage.deadline(120))
    await stage.timing.advance(69)
    early = await stage.sent_count()
    await stage.timing.advance(1)
    await stage.sdk()
    stage.see(answeredAfterMs="about 70", ok=early == 0)


async def port_request_bad_reply(stage: Stage) -> None:
    card = await stage.meet()
    card.on_request("ask")(lambda _question: object())
    await stage.host(deadline=stage.deadline(5000))
    await stage.sdk()


# Tools


async def tool_call(stage: Stage) -> None:
    card = await stage.meet()
    text_null = {"content": [{"type": "text", "text": "null"}]}  # in Python nothing and null are one value
    full = {"content": [{"type": "text", "text": "x"}], "isError": True}
    results = {"str": "text", "undef": None, "obj": {"a": [1]}, "nul": text_null, "list": [1], "full": full}
    for tool, result in results.items():
        card.tool(tool)(giving(result))
    for tool, text in (("throws", "boom"), ("throwsStr", "plain")):
        card.tool(tool)(failing(text))

    @card.tool("prog")
    def progressing(args: Any, call: ToolCall) -> Any:
        call.progress("p" * 300)
        call.progress("")
        return args

    for messages in (1, 1, 1, 1, 1, 1, 2, 2, 3):
        await stage.host(args={"q": 1}, agent=None, deadline=stage.deadline(5000))
        for _ in range(messages):
            await stage.sdk()


def giving(result: Any) -> Callable[[], Any]:
    return lambda: result


def failing(text: str) -> Callable[[], Any]:
    def handler() -> Any:
        raise ValueError(text)

    return handler


async def tool_call_invalid_result(stage: Stage) -> None:
    card = await stage.meet()
    card.tool("bad")(lambda: {"content": []})
    card.tool("late")(lambda: "fine")
    await stage.host(deadline=stage.deadline(5000))
    await stage.sdk()
    await stage.host(deadline=stage.deadline(5000))
    await stage.sdk()
    await stage.host()
    await stage.sdk()


def slow_tool(card: Card) -> dict[str, bool]:
    seen = {"cancelled": False}

    @card.tool("slow")
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen["cancelled"] = True
            raise

    return seen


async def tool_call_cancel(stage: Stage) -> None:
    slow = slow_tool(await stage.meet())
    await stage.host(deadline=stage.deadline(5000))
    await stage.host()
    assert slow["cancelled"]
    stage.see(sdkSentAfterHandshake=await stage.sent_count())


async def tool_call_deadline(stage: Stage) -> None:
    slow = slow_tool(await stage.meet())
    await stage.host(deadline=stage.deadline(20))
    await stage.timing.advance(20)
    await settle()
    assert slow["cancelled"]
    stage.see(sdkSentAfterHandshake=await stage.sent_count())


async def tool_call_before_handler(stage: Stage) -> None:
    card = await stage.meet()
    for _ in range(2):
        await stage.host(deadline=stage.deadline(1000))
    stage.see(sdkSentAfterHandshake=await stage.sent_count())
    card.tool("t")(lambda: "now")
    await stage.sdk()
    await stage.timing.advance(1000)
    card.tool("u")(lambda: "never")
    stage.see(sdkSentAfterHandshake=1 + await stage.sent_count())


# The network


async def net_stream(stage: Stage) -> None:
    card = await stage.meet()
    headers = {"X-A": "1"}
    fetching = stage.start(card.net.stream("https://a.example.com/x", headers=headers))
    request_id = (await stage.sdk())["params"]["requestId"]
    await stage.host(requestId=request_id)
    await stage.host_result(requestId=request_id)
    for _ in range(4):
        await stage.host(requestId=request_id)
    stream = await fetching
    stage.see(lines=[line async for line in stream.lines()])


async def net_stream_error(stage: Stage) -> None:
    card = await stage.meet()
    fetching = stage.start(card.net.stream("https://a.example.com"))
    request_id = (await stage.sdk())["params"]["requestId"]
    await stage.host_result(requestId=request_id)
    await stage.host(requestId=request_id)
    stream = await fetching
    got: list[str] = []

    async def read() -> None:
        async for piece in stream:
            got.append(piece.decode())

    stage.see(got=got, thenThrows=await outcome(read()))


# Files


async def fs_watch(stage: Stage) -> None:
    card = await stage.meet()
    got: list[str] = []
    watching = stage.start(card.fs.watch("src", lambda change: got.append(change.path), recursive=True))
    await stage.sdk()
    for _ in range(2):
        await stage.host(type="change")  # the record leaves the kind of a change out
    await stage.host()
    await stage.host(type="change")
    stopping = stage.start(outcome((await watching)()))
    await stage.sdk()
    await stage.host(type="change")
    await stage.host()
    assert await stopping == "ok"
    stage.see(got=got)


# Permissions, agents and the log


async def permissions_request(stage: Stage) -> None:
    card = await stage.meet()
    asked = stage.start(card.permissions.request("fs.write"))
    await stage.sdk()
    await stage.host()
    await stage.sdk()
    await stage.host()
    has = card.permissions.has
    stage.see(resolved=list(await asked), hasImplied=has("fs.read"), hasOther=has("network"))


async def topics(stage: Stage) -> None:
    card = await stage.meet()
    stops = [card.on_agent_status(lambda _: None) for _ in range(2)]
    await stage.sdk()
    await stage.host()
    for stop in stops:
        stop()
    await stage.sdk()
    await stage.host()
    card.storage.on_changed(lambda _: None)
    await stage.sdk()


async def output_topic(stage: Stage) -> None:
    card = await stage.meet()
    card.on("agents.output", lambda _: None)
    stop_one = card.on_agent_output(["a", "b"], lambda _: None)
    stop_two = card.on_agent_output(["b", "c"], lambda _: None)
    await stage.sdk()
    await stage.host()
    for stop in (stop_one, stop_two):
        stop()
        await stage.sdk()
        await stage.host()


async def topic_not_granted(stage: Stage) -> None:
    card = await stage.meet()
    card.on_agent_turn(lambda _: None)
    await stage.sdk()
    await stage.host()
    await stage.sdk()


async def logs(stage: Stage) -> None:
    card = await stage.meet_unseen()
    for number in range(60):
        stage.start(outcome(card.log(f"line {number}")))
    sent = await stage.sent_count()
    stage.see(logged=60, sent=sent)
    await stage.skip(sent)
    for request_id in range(2, 2 + sent):
        stage.answer(request_id)
    await stage.timing.advance(1000)
    stage.start(outcome(card.log("x" * 3000, "warn")))
    dropped = (await stage.sdk())["params"]
    stage.answer(51)
    line = (await stage.sdk())["params"]
    count = re.search(r"\d+", dropped["message"])
    assert count is not None
    told = [dropped["level"], f"<dropped {count[0]}>"]
    stage.see(laterMessages=[told, [line["level"], len(line["message"])]])
