"""The SDK's client and cards against real servers that end and come back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from cardloom_sdk import Card, Client, find_server
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.card_run import be
from cardloom_sdk.channel import Channel, dial

from .conftest import CAP_S
from .own_cards import MANIFEST


def quick() -> BackOff:
    return BackOff(first_ms=20, last_ms=200)


async def test_a_client_finds_a_server_that_came_back_and_shows_what_is_there(
    start_server: Any, tmp_path: Path
) -> None:
    home = tmp_path / "data"
    server = start_server()
    await asyncio.to_thread(server.wait_until_open)
    async with Client(lambda: find_server(home), backoff=quick()) as client:
        workspace_id = client.hello["workspaces"][0]["id"]
        canvas = await client.subscribe(workspace_id)
        note = await client.call("canvas.addCard", {"workspaceId": workspace_id, "kind": "note", "x": 0, "y": 0})
        await canvas.wait_for(lambda shown: note["id"] in shown.cards, timeout_ms=60_000)
        server.kill()
        again = start_server()
        await asyncio.to_thread(again.wait_until_open)
        async with asyncio.timeout(CAP_S):
            await client.until_online()
        await client.call("canvas.updateCard", {"cardId": note["id"], "x": 77})
        shown = await canvas.wait_for(lambda shown: shown.cards[note["id"]]["x"] == 77, timeout_ms=60_000)
        assert list(shown.cards) == [note["id"]]


async def test_a_card_comes_back_after_a_restart_of_its_server(start_server: Any, tmp_path: Path) -> None:
    home = tmp_path / "data"
    server = start_server()
    await asyncio.to_thread(server.wait_until_open)
    card_id: str | None = None

    async def connect() -> Channel:
        """Ask for a token each time, as a program does whose server may have ended."""
        nonlocal card_id
        found = find_server(home)
        async with Client(lambda: found) as client:
            params = {"workspaceId": client.hello["workspaces"][0]["id"], "manifest": MANIFEST}
            made = await client.call("card.run", {**params, **({} if card_id is None else {"cardId": card_id})})
        card_id = made["cardId"]
        return await dial(found.url, "/ws/card", made["token"])

    card = Card(MANIFEST)
    ready: asyncio.Queue[str] = asyncio.Queue()
    heard: asyncio.Queue[str] = asyncio.Queue()
    card.on_ready(lambda: ready.put_nowait(card.context.card_id))
    card.on_message("in")(heard.put_nowait)
    life = asyncio.create_task(be(card, connect, quick()))
    async with asyncio.timeout(CAP_S):
        first = await ready.get()
        server.kill()
        again = start_server()
        await asyncio.to_thread(again.wait_until_open)
        assert await ready.get() == first
        async with Client(lambda: find_server(home)) as client:
            await client.call("ports.deliver", {"to": first, "data": "still here"})
        assert await heard.get() == "still here"
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)
