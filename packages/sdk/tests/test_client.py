"""The client of a running server: calls, canvases that stay up to date, reconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cardloom_protocol.connection import HostConnection, RequestReceived
from cardloom_sdk import CallError, Client, ErrorCode, Server
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.channel import Channel, ChannelClosed
from cardloom_sdk.testing import MemoryChannel, VirtualTiming, settle


class FakeServer:
    """A server with one canvas in memory. `away` refuses connections."""

    def __init__(self) -> None:
        self.away: CallError | None = None
        self.seq = 0
        self.cards: list[dict[str, Any]] = []
        self.asked: list[tuple[str, Any]] = []
        self.keys: list[str] = []
        self.before_answer: Callable[[str], None] = lambda _method: None
        self._channel: MemoryChannel | None = None
        self._connection = HostConnection("cardloom")
        self._tasks: list[asyncio.Task[None]] = []

    async def dial(self, _base_url: str, path: str, key: str) -> Channel:
        assert path == "/ws"
        self.keys.append(key)
        if self.away is not None:
            raise self.away
        ours, theirs = MemoryChannel.pair()
        self._channel, self._connection = ours, HostConnection("cardloom")
        self._connection.ready = True
        self._tasks.append(asyncio.create_task(self._serve(ours)))
        return theirs

    def change(self, *changes: dict[str, Any], seq: int | None = None) -> None:
        """Change the canvas and tell it."""
        for change in changes:
            if change["op"] == "putCard":
                self.cards.append(change["card"])
        self.seq = self.seq + 1 if seq is None else seq
        self.tell("canvas.changed", {"workspaceId": "w", "seq": self.seq, "by": None, "changes": list(changes)})

    def tell(self, name: str, data: Any) -> None:
        assert self._channel is not None
        self._channel._outbox.put_nowait(self._connection.send_event(name, data))

    async def drop(self) -> None:
        """Close the connection."""
        assert self._channel is not None
        await self._channel.close(1001)
        await settle()

    async def _serve(self, channel: MemoryChannel) -> None:
        connection = self._connection
        while True:
            try:
                text = await channel.receive()
            except ChannelClosed:
                return
            for event in connection.receive_text(text, 0):
                assert isinstance(event, RequestReceived)
                request = event.request
                self.asked.append((request.method, request.given))
                try:
                    result = self._answer(request.method, request.given)
                except CallError as error:
                    await channel.send(connection.send_error(request.id, error))
                    continue
                self.before_answer(request.method)
                await channel.send(connection.send_result(request.id, result))

    def _answer(self, method: str, params: Any) -> Any:
        match method:
            case "client.hello":
                return {"pageId": "p_1", "workspaces": [], "packages": []}
            case "canvas.subscribe" if params["workspaceId"] == "w":
                cards = [dict(card) for card in self.cards]
                return {"workspace": {"id": "w"}, "seq": self.seq, "cards": cards, "arrows": [], "dialogs": []}
            case "canvas.unsubscribe" | "workspace.list":
                return {}
            case _:
                raise CallError(ErrorCode.NOT_FOUND, "there is no such thing")


def card(card_id: str) -> dict[str, Any]:
    return {"op": "putCard", "card": {"id": card_id, "name": card_id, "x": 0}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    fake = FakeServer()
    monkeypatch.setattr("cardloom_sdk.client.dial", fake.dial)
    return fake


def make(timing: VirtualTiming | None = None) -> Client:
    keys = iter(["first", "second", "third", "fourth"])
    return Client(
        lambda: Server("http://127.0.0.1:1", lambda: next(keys)),
        timing=timing or VirtualTiming(),
        backoff=BackOff(first_ms=100, last_ms=200, chance=lambda: 0.5),
    )


def subscriptions(server: FakeServer) -> int:
    return sum(method == "canvas.subscribe" for method, _ in server.asked)


async def test_it_greets_and_calls(server: FakeServer) -> None:
    async with make() as client:
        assert client.hello["pageId"] == "p_1"
        assert await client.call("workspace.list") == {}
        with pytest.raises(CallError) as refused:
            await client.call("card.stop", {"cardId": "c"})
    assert refused.value.code is ErrorCode.NOT_FOUND
    assert server.asked[0] == ("client.hello", {"client": "sdk", "protocol": 1, "name": "Cardloom SDK"})


async def test_parameters_that_do_not_fit_are_refused_before_they_are_sent(server: FakeServer) -> None:
    async with make() as client:
        with pytest.raises(CallError) as refused:
            await client.call("card.stop", {})
    assert refused.value.code is ErrorCode.INVALID_PARAMS
    assert [method for method, _ in server.asked] == ["client.hello"]


async def test_a_canvas_follows_its_changes(server: FakeServer) -> None:
    server.cards = [{"id": "old", "name": "old", "x": 0}]
    async with make() as client:
        canvas = await client.subscribe("w")
        assert await client.subscribe("w") is canvas
        waiting = asyncio.create_task(canvas.wait_for(lambda shown: "new" in shown.cards))
        server.change(card("new"))
        assert set((await waiting).cards) == {"old", "new"}
        await client.unsubscribe(canvas)
    assert server.asked[-1][0] == "canvas.unsubscribe"


async def test_changes_between_picture_and_answer_are_not_lost(server: FakeServer) -> None:
    def interfere(method: str) -> None:
        if method == "canvas.subscribe":
            server.change(card("between"))

    server.before_answer = interfere
    async with make() as client:
        canvas = await client.subscribe("w")
        assert set(canvas.mirror.cards) == {"between"}
        assert subscriptions(server) == 1


async def test_a_hole_makes_the_canvas_subscribe_again(server: FakeServer) -> None:
    async with make() as client:
        canvas = await client.subscribe("w")
        server.cards.append({"id": "missed", "name": "missed", "x": 0})
        server.change(card("seen"), seq=5)
        await canvas.wait_for(lambda shown: shown.seq == 5)
        assert set(canvas.mirror.cards) == {"missed", "seen"}
        assert subscriptions(server) == 2


async def test_a_gap_mark_makes_every_canvas_subscribe_again(server: FakeServer) -> None:
    async with make() as client:
        canvas = await client.subscribe("w")
        server.seq, server.cards = 9, [{"id": "x", "name": "x", "x": 0}]
        server.tell("stream.gap", {})
        await canvas.wait_for(lambda shown: shown.seq == 9)


async def test_a_lost_server_is_found_again_with_its_new_key_and_canvases_catch_up(server: FakeServer) -> None:
    timing = VirtualTiming()
    async with make(timing) as client:
        canvas = await client.subscribe("w")
        server.away = CallError(ErrorCode.UNAVAILABLE, "nobody answers")
        await server.drop()
        assert not client.online
        with pytest.raises(CallError) as away:
            await client.call("workspace.list")
        assert away.value.code is ErrorCode.UNAVAILABLE
        await timing.advance(100)
        server.away, server.seq, server.cards = None, 42, [{"id": "later", "name": "later", "x": 0}]
        await timing.advance(200)
        await client.until_online()
        await canvas.wait_for(lambda shown: shown.seq == 42)
        assert set(canvas.mirror.cards) == {"later"}
    assert server.keys == ["first", "second", "third"]
    hellos = [params for method, params in server.asked if method == "client.hello"]
    assert hellos[1]["pageId"] == "p_1"


async def test_a_call_under_way_fails_when_the_server_goes(server: FakeServer) -> None:
    async with make() as client:
        server._tasks[0].cancel()
        await settle()
        waiting = asyncio.create_task(client.call("workspace.list"))
        await settle()
        await server.drop()
        with pytest.raises(CallError) as lost:
            await waiting
    assert lost.value.code is ErrorCode.UNAVAILABLE


async def test_a_workspace_that_does_not_exist_is_refused(server: FakeServer) -> None:
    async with make() as client:
        with pytest.raises(CallError) as refused:
            await client.subscribe("w_none")
        assert refused.value.code is ErrorCode.NOT_FOUND


async def test_a_first_connection_that_fails_is_told(server: FakeServer) -> None:
    server.away = CallError(ErrorCode.PERMISSION_DENIED, "not this key")
    with pytest.raises(CallError, match="not this key"):
        async with make():
            raise AssertionError("never reached")


async def test_listeners_hear_their_event_until_they_stop(server: FakeServer) -> None:
    async with make() as client:
        heard: list[Any] = []
        stop = client.on("ui.toast", heard.append)
        server.tell("ui.toast", {"message": "a"})
        await settle()
        stop()
        stop()  # which does nothing more
        server.tell("ui.toast", {"message": "b"})
        await settle()
        assert heard == [{"message": "a"}]


async def test_waiting_for_what_never_comes_times_out(server: FakeServer) -> None:
    async with make() as client:
        canvas = await client.subscribe("w")
        with pytest.raises(CallError) as late:
            await canvas.wait_for(lambda shown: False, timeout_ms=1)
    assert late.value.code is ErrorCode.TIMEOUT


async def test_after_closing_calls_fail(server: FakeServer) -> None:
    async with make() as client:
        pass
    with pytest.raises(CallError):
        await client.call("workspace.list")
