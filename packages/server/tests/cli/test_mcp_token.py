"""`cardloom mcp token` lets a program be an agent."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from cardloom_sdk import Client, find_server

from .running_cli import CAP_S, Cli


def test_a_program_with_the_printed_token_sees_the_canvas(served: Cli) -> None:
    async def terminal() -> str:
        async with Client(lambda: find_server(served.home)) as client:
            home = client.hello["workspaces"][0]["id"]
            params = {"workspaceId": home, "kind": "terminal", "x": 0, "y": 0, "title": "Claude"}
            return str((await client.call("canvas.addCard", params))["id"])

    card_id = asyncio.run(terminal())
    code, out, _ = served("mcp", "token", "Claude")
    assert code == 0
    url, header = out.strip().splitlines()
    name, value = header.split(": ")

    async def seen() -> Any:
        async with (
            httpx2.AsyncClient(headers={name: value}, timeout=CAP_S) as http,
            McpClient(streamable_http_client(url, http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    assert "canvas_list" in asyncio.run(seen())
    told = served.json("mcp", "token", card_id)
    assert (told["cardId"], told["url"]) == (card_id, url)
    assert told["token"] not in value
