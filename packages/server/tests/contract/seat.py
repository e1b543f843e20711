"""An agent at a terminal card, with a real MCP client over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, Tool

CAP_S = 60.0
ERAS = ("auto", "legacy")


class Seat:
    """One agent."""

    def __init__(self, desk: Any, card_id: str, url: str, token: str) -> None:
        self.desk = desk
        self.id = card_id
        self.url = url
        self.token = token

    async def join(self, card_id: str) -> str:
        """Draw an arrow as the owner; gives its id."""
        arrow = await self.desk.page.call("canvas.connect", a=self.id, b=card_id)
        return str(arrow["id"])

    @asynccontextmanager
    async def client(self, mode: str = "auto", **more: Any) -> AsyncIterator[Client]:
        """A client that holds the agent's token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=CAP_S) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode, **more) as client,
        ):
            yield client


async def seat_of(desk: Any, listening: Any) -> Seat:
    """A new terminal with a token; `listening` serves."""
    assert listening.port
    card_id = await desk.add("terminal", title="Claude")
    made = await desk.page.call("agent.token", cardId=card_id)
    assert made["url"] == f"{listening.url}/mcp"
    return Seat(desk, card_id, made["url"], made["token"])


async def tools_of(client: Client) -> dict[str, Tool]:
    """The tools by name."""
    return {tool.name: tool for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def use(client: Client, name: str, **args: Any) -> str:
    """The text that a tool answers."""
    result = await client.call_tool(name, args)
    assert not result.is_error, said(result)
    return said(result)


async def refused(client: Client, name: str, **args: Any) -> str:
    """The text with which a tool says that it did not."""
    result = await client.call_tool(name, args)
    assert result.is_error, said(result)
    return said(result)


def said(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def soon(event: asyncio.Event) -> None:
    """Wait for something that happens elsewhere."""
    async with asyncio.timeout(CAP_S):
        await event.wait()
