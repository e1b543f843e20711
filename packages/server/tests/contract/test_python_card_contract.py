"""A card written with the Python SDK against a real server: what it keeps, sets, fetches, offers and asks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cardloom_protocol.ids import CardId
from cardloom_sdk import CallError, Card, MenuItem, StorageChange
from cardloom_sdk.channel import dial

from .conftest import CAP_S, manifest_of
from .web import Reply, Witness

MANIFEST = manifest_of(
    name="all-round",
    permissions=["network.local", "canvas.spawn", {"id": "cards.connected", "optional": True}],
    settings=[
        {"key": "count", "type": "number", "label": "Count", "default": 3},
        {"key": "token", "type": "secret", "label": "Token"},
    ],
    tools=[{"name": "record", "description": "Records one.", "inputSchema": {"type": "object"}}],
)


class Stage:
    """A server with a socket, a workspace, and cards that run in this process."""

    def __init__(self, desk: Any, listening: Any) -> None:
        self.desk = desk
        self.listening = listening

    @asynccontextmanager
    async def playing(self, card: Card) -> AsyncIterator[str]:
        """Let a card live for a while; gives its id."""
        made = await self.desk.page.call("card.run", workspaceId=self.desk.id, manifest=MANIFEST)
        channel = await dial(self.listening.url, "/ws/card", made["token"])
        ready = asyncio.Event()
        card.on_ready(ready.set)
        life = asyncio.create_task(card.attend(channel))
        try:
            async with asyncio.timeout(CAP_S):
                await ready.wait()
            await self.desk.show(made["cardId"])
            yield made["cardId"]
        finally:
            await channel.close()
            await life
            card.stop_handlers()


@pytest.fixture
async def stage(desk: Any, listening: Any) -> Stage:
    return Stage(desk, listening)


async def test_it_keeps_values_and_hears_of_those_that_another_card_of_its_package_wrote(stage: Stage) -> None:
    one, other = Card(MANIFEST), Card(MANIFEST)
    heard: asyncio.Queue[StorageChange] = asyncio.Queue()
    other.storage.package.on_changed(heard.put_nowait)
    async with stage.playing(one), stage.playing(other):
        await other.subscribed()
        await one.storage.set("k", "own")
        await one.storage.package.set("k", [1])
        async with asyncio.timeout(CAP_S):
            assert await heard.get() == StorageChange("k", deleted=False)
        assert (await other.storage.get("k"), await other.storage.package.get("k")) == (None, [1])
        assert (await one.storage.usage()).keys == 1


async def test_it_changes_its_settings_and_learns_of_the_owners_changes(stage: Stage) -> None:
    card = Card(MANIFEST)
    changed = asyncio.Event()
    async with stage.playing(card) as card_id:
        await card.settings.set(count=5)
        assert card.settings.values == {"count": 5}
        card.settings.on_changed(changed.set)
        save = {"cardId": card_id, "values": {"count": 6}, "secrets": {"token": "t0k"}}
        await stage.desk.page.call("card.setSettings", **save)
        async with asyncio.timeout(CAP_S):
            await changed.wait()
        assert (card.settings.values["count"], card.settings.has_secret("token")) == (6, True)
        with pytest.raises(CallError, match="count"):
            await card.settings.set(count="six")


async def test_its_tools_answer_agents(stage: Stage) -> None:
    card = Card(MANIFEST)

    @card.tool("record")
    async def record(args: dict[str, Any], call: Any) -> str:
        call.progress("half")
        return f"{call.agent_name} recorded {args['text']}"

    heard: list[str] = []
    async with stage.playing(card) as card_id:
        result = await stage.desk.app.contract.tools.call(
            CardId(card_id), "record", {"text": "a"}, {"id": "c_agent", "name": "Claude"}, on_progress=heard.append
        )
        assert result == {"content": [{"type": "text", "text": "Claude recorded a"}]}
        assert heard == ["half"]


async def test_it_reaches_the_web_whole_and_piece_by_piece_and_leaves_a_stream(stage: Stage) -> None:
    web = Witness()
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    web.on("/json", '{"a": [1]}')
    web.replies["/lines"] = Reply(pieces=(b"one\ntw", b"o\n"), chunked=True)
    web.replies["/endless"] = Reply(pieces=(b"first", asyncio.Event()))
    card = Card(MANIFEST)
    async with stage.playing(card) as card_id:
        await stage.desk.page.call("card.setSettings", cardId=card_id, values={}, secrets={"token": "t0k"})
        answer = await card.net.fetch(f"{url}/json", headers={"X-Key": "{{secret:token}}"}, body={"q": 1})
        assert answer.json() == {"a": [1]}
        assert (web.asked[0].method, web.asked[0].headers["x-key"], web.asked[0].body) == ("POST", "t0k", b'{"q":1}')
        stream = await card.net.stream(f"{url}/lines")
        assert [line async for line in stream.lines()] == ["one", "two"]
        async with await card.net.stream(f"{url}/endless") as endless:
            assert await anext(aiter(endless)) == b"first"
        async with asyncio.timeout(CAP_S):
            await web.gone.wait()
        with pytest.raises(CallError, match="HOST_NOT_ALLOWED"):
            await card.net.fetch(f"{stage.listening.url}/health")
    server.close()


async def test_it_asks_the_owner_and_the_canvas(stage: Stage) -> None:
    card = Card(MANIFEST)
    chosen: asyncio.Queue[str] = asyncio.Queue()
    card.ui.on_menu(chosen.put_nowait)
    async with stage.playing(card) as card_id:
        asking = asyncio.create_task(card.permissions.request("cards.connected"))
        await stage.desk.answer(accepted=True)
        assert await asking == {"cards.connected"}
        assert card.permissions.has("cards.connected")
        asking_again = asyncio.create_task(card.ui.confirm("Go?", "Really"))
        await stage.desk.answer(accepted=False)
        assert await asking_again is False
        await card.ui.set_menu([MenuItem("go", "Go")])
        await stage.desk.page.call("card.chooseMenu", cardId=card_id, itemId="go")
        async with asyncio.timeout(CAP_S):
            assert await chosen.get() == "go"
        note = await card.spawn("note", title="Report", init="# Done")
        assert stage.desk.card(note)["content"] == {"text": "# Done"}
        await card.focus(note)
        assert (await stage.desk.page.event("canvas.focus"))["cardId"] == note
        assert await card.request_resize(500, 400) == (500, 400)
