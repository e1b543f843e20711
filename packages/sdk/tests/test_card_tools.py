"""Tools that a headless card offers to agents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_sdk import CallError, Card, ErrorCode, ToolCall
from cardloom_sdk.testing import CardHost, VirtualTiming, settle

MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "name": "shelf",
    "displayName": "Shelf",
    "version": "1.0.0",
    "protocol": 1,
    "tools": [
        {
            "name": "record",
            "description": "Records one.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        },
        {"name": "list", "description": "Lists all.", "inputSchema": {"type": "object"}},
    ],
}


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


async def test_a_handler_gets_the_arguments_and_who_asks() -> None:
    card = make_card()
    seen: list[ToolCall] = []

    @card.tool("record")
    async def record(args: dict[str, Any], call: ToolCall) -> str:
        seen.append(call)
        return f"kept {args['text']}"

    async with CardHost(card) as host:
        assert text(await host.call_tool("record", {"text": "a"}, agent="Claude")) == "kept a"
    assert (seen[0].tool, seen[0].agent_name, seen[0].args) == ("record", "Claude", {"text": "a"})


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "OK"), ("hi", "hi"), ({"a": [1, "б"]}, '{\n  "a": [\n    1,\n    "б"\n  ]\n}'), (5, "5"), (True, "true")],
)
async def test_what_a_handler_gives_is_text_to_the_agent(value: Any, shown: str) -> None:
    card = make_card()
    card.tool("list")(lambda: value)
    async with CardHost(card) as host:
        assert await host.call_tool("list") == {"content": [{"type": "text", "text": shown}]}


async def test_content_goes_as_it_is() -> None:
    card = make_card()
    content = {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}], "isError": True}
    card.tool("list")(lambda: content)
    async with CardHost(card) as host:
        assert await host.call_tool("list") == content


async def test_what_a_handler_raises_reaches_the_agent_and_the_log() -> None:
    card = make_card()

    @card.tool("list")
    def listed() -> None:
        raise LookupError("the shelf is empty")

    async with CardHost(card) as host:
        result = await host.call_tool("list")
        assert (result["isError"], text(result)) == (True, "the shelf is empty")
        assert any("the shelf is empty" in line for _, line in host.shown.log)


async def test_a_result_that_the_host_refuses_is_followed_by_an_error() -> None:
    card = make_card()
    card.tool("list")(lambda: {"content": []})
    async with CardHost(card) as host:
        result = await host.call_tool("list")
        assert result["isError"] is True
        responses = [call for call in host.calls if call.method == "tools.respond"]
        assert len(responses) == 1, "the SDK checks the parameters itself, so only the error is sent"


async def test_arguments_are_checked_before_the_card_sees_them() -> None:
    card = make_card()
    calls: list[Any] = []
    card.tool("record")(calls.append)
    async with CardHost(card) as host:
        with pytest.raises(CallError) as refusal:
            await host.call_tool("record", {"text": 5})
        assert refusal.value.code is ErrorCode.INVALID_PARAMS
        with pytest.raises(CallError, match="NOT_FOUND"):
            await host.call_tool("none")
    assert calls == []


async def test_progress_is_told_and_cut_to_two_hundred_characters() -> None:
    card = make_card()

    @card.tool("list")
    async def listed(_args: Any, call: ToolCall) -> None:
        call.progress("x" * 300)
        call.progress("")

    async with CardHost(card) as host:
        await host.call_tool("list")
        assert host.outside.progress == ["x" * 200], "the second one came too soon for the host"


async def test_a_call_waits_for_a_handler_that_comes_later_and_else_stays_silent() -> None:
    card = make_card()
    async with CardHost(card) as host:
        late = asyncio.create_task(host.call_tool("list", timeout_ms=1000))
        await host.advance(500)
        card.tool("list")(lambda: "here")
        await settle()
        assert text(await late) == "here"
        never = asyncio.create_task(host.call_tool("record", {"text": "a"}, timeout_ms=1000))
        await host.advance(1000)
        with pytest.raises(CallError, match="TIMEOUT"):
            await never
        assert [call.method for call in host.calls if call.method == "tools.respond"] == ["tools.respond"]


async def test_a_call_that_the_agent_takes_back_is_cancelled_and_not_answered() -> None:
    card = make_card()
    cancelled: list[str] = []

    @card.tool("list")
    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append("yes")
            raise

    async with CardHost(card) as host:
        asking = asyncio.create_task(host.call_tool("list"))
        await host.rest()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await host.rest()
        assert cancelled == ["yes"]
        assert [call for call in host.calls if call.method == "tools.respond"] == []


async def test_a_tool_can_be_hidden_and_shown() -> None:
    card = make_card()
    card.tool("list")(lambda: "here")
    async with CardHost(card) as host:
        await card.tools.set_enabled("list", False)
        with pytest.raises(CallError, match="NOT_FOUND"):
            await host.call_tool("list")
        await card.tools.set_enabled("list", True)
        assert text(await host.call_tool("list")) == "here"


def test_a_tool_has_one_handler_and_stands_in_the_manifest() -> None:
    card = make_card()
    card.tool("list")(lambda: None)
    with pytest.raises(ValueError, match="already"):
        card.tool("list")(lambda: None)
    with pytest.raises(ValueError, match="declares no tool 'none'; it has: record, list"):
        card.tool("none")
