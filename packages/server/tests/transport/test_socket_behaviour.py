"""Sockets: bad frames, slow and silent peers, and cards' connections, against a real server socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from cardloom.core.bus import OWNERS
from cardloom.core.call import Call
from cardloom.core.clock import SystemClock
from cardloom.settings import Settings
from cardloom_protocol.limits import CARD_LIMITS, limit

CAP_S = 60.0


SOON_GREETED = {"hello_timeout_ms": 300}
SOON_READ = {"stall_timeout_ms": 400}


@pytest.fixture
def settings(tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    """A server that lets little wait, and loses patience quickly where a test says so."""
    little = replace(Settings(tmp_path / "data"), outbox_events=50, outbox_bytes=400_000)
    return replace(little, **getattr(request, "param", {}))


class Page:
    """A greeted page over a real socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.events: list[Any] = []
        self._last_id = 0

    def request(self, method: str, **params: Any) -> tuple[int, str]:
        self._last_id += 1
        envelope = {"ns": "cardloom", "v": 1, "kind": "req", "id": self._last_id, "method": method, "params": params}
        return self._last_id, json.dumps(envelope)

    async def call(self, method: str, **params: Any) -> Any:
        request_id, text = self.request(method, **params)
        await self.socket.send(text)
        return await self.answer(request_id)

    async def answer(self, request_id: int) -> Any:
        async with asyncio.timeout(CAP_S):
            while True:
                message = json.loads(await self.socket.recv())
                if message["kind"] == "evt":
                    self.events.append(message)
                elif message["id"] == request_id:
                    return message.get("result") if message["ok"] else message["error"]

    async def event(self, name: str) -> Any:
        async with asyncio.timeout(CAP_S):
            while True:
                for index, event in enumerate(self.events):
                    if event["event"] == name:
                        return self.events.pop(index)["data"]
                message = json.loads(await self.socket.recv())
                if message["kind"] == "evt":
                    self.events.append(message)


@asynccontextmanager
async def a_page(listening: Any, **options: Any) -> AsyncIterator[Page]:
    async with connect(
        f"{listening.ws_url}/ws", additional_headers=listening.key_header, max_size=None, compression=None, **options
    ) as socket:
        page = Page(socket)
        await page.call("client.hello", client="page", protocol=1)
        yield page


@asynccontextmanager
async def a_raw_peer(
    listening: Any, before_answer: Callable[[], None] = lambda: None
) -> AsyncIterator[tuple[asyncio.StreamReader, Callable[[int, str], None]]]:
    """A greeted client that reads only when told to: what comes, and what sends a request of an id and a method.

    `before_answer` is called once the greeting was sent and before the server read it.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", listening.port, limit=1 << 15)
    handshake = [
        "GET /ws HTTP/1.1",
        f"Host: 127.0.0.1:{listening.port}",
        f"Authorization: Bearer {listening.app.owner_key}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]
    writer.write("\r\n".join([*handshake, "", ""]).encode())

    def write(request_id: int, method: str, **params: Any) -> None:
        envelope = {"ns": "cardloom", "v": 1, "kind": "req", "id": request_id, "method": method, "params": params}
        text = json.dumps(envelope).encode()
        writer.write(b"\x81" + bytes([0xFE, *len(text).to_bytes(2, "big")]) + b"\0\0\0\0" + text)

    async with asyncio.timeout(CAP_S):
        assert b"101" in await reader.readline()
        write(1, "client.hello", client="sdk", protocol=1)
        before_answer()
        await reader.readuntil(b'"pageId"')
    try:
        yield reader, write
    finally:
        writer.close()


def stand_still(for_ms: int) -> None:
    """As if nothing of this process had gone on for a while: what was due meanwhile is late all at once."""
    loop = asyncio.get_running_loop()
    time_s = loop.time
    loop.time = lambda: time_s() + for_ms / 1000  # type: ignore[method-assign]  # the loop goes with its test


async def closed_with(socket: ClientConnection) -> int | None:
    async with asyncio.timeout(CAP_S):
        await socket.wait_closed()
    return socket.close_code


async def test_binary_frames_end_the_connection_with_a_reason(listening: Any) -> None:
    async with a_page(listening) as page:
        await page.socket.send(b"\x00\x01")
        assert await closed_with(page.socket) == 1003
        assert "binary" in (page.socket.close_reason or "")


@pytest.mark.parametrize("text", ["{", "", "nonsense", '{"a":NaN}', "[" * 100_000])
async def test_what_is_not_json_ends_the_connection_with_a_reason(listening: Any, text: str) -> None:
    async with a_page(listening) as page:
        await page.socket.send(text)
        assert await closed_with(page.socket) == 1002
        assert "JSON" in (page.socket.close_reason or "")


async def test_a_frame_beyond_every_limit_ends_the_connection_and_no_other(listening: Any) -> None:
    async with a_page(listening) as other, a_page(listening) as page:
        with suppress(ConnectionError, ConnectionClosed):
            await page.socket.send("x" * (41 << 20))
        assert await closed_with(page.socket) == 1009
        assert await other.call("workspace.list") == {"workspaces": []}


@pytest.mark.parametrize(
    ("envelope", "code"),
    [
        ({"method": "no.such"}, "METHOD_NOT_FOUND"),
        ({"method": "nonsense"}, "METHOD_NOT_FOUND"),
        ({"method": "workspace.list", "v": 2}, "PROTOCOL_MISMATCH"),
        ({"method": "workspace.list", "ns": "nscard"}, "BAD_REQUEST"),
        ({"method": "workspace.list", "extra": 1}, "BAD_REQUEST"),
        ({"method": "workspace.open", "params": {"workspaceId": 5}}, "INVALID_PARAMS"),
        ({"method": "workspace.open", "params": [1]}, "INVALID_PARAMS"),
        ({"method": "workspace.open", "params": {"workspaceId": "w", "more": 1}}, "INVALID_PARAMS"),
        ({"method": "workspace.open", "params": {"workspaceId": "w" * 5000}}, "INVALID_PARAMS"),
    ],
)
async def test_a_wrong_request_is_refused_and_the_connection_goes_on(
    listening: Any, envelope: dict[str, Any], code: str
) -> None:
    async with a_page(listening) as page:
        await page.socket.send(json.dumps({"ns": "cardloom", "v": 1, "kind": "req", "id": 77, **envelope}))
        assert (await page.answer(77))["code"] == code
        assert await page.call("workspace.list") == {"workspaces": []}


async def test_params_that_are_too_deep_are_refused(listening: Any) -> None:
    async with a_page(listening) as page:
        deep: Any = 1
        for _ in range(70):
            deep = [deep]
        assert (await page.call("workspace.open", workspaceId=deep))["code"] == "BAD_REQUEST"


async def test_an_envelope_nobody_could_be_told_about_is_dropped(listening: Any) -> None:
    async with a_page(listening) as page:
        for text in ("[]", "5", '"x"', "null", '{"ns":"cardloom","v":1,"kind":"req","id":0,"method":"workspace.list"}'):
            await page.socket.send(text)
        assert await page.call("workspace.list") == {"workspaces": []}


async def test_a_flood_of_calls_is_rate_limited_with_a_time_to_wait(
    listening: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SystemClock, "steady_ms", lambda _: 1000)  # it all comes at once, however slow the machine is
    async with a_page(listening) as page:
        requests = [page.request("workspace.list") for _ in range(CARD_LIMITS["requestBurst"] + 20)]
        refused = []
        for request_id, text in requests:
            await page.socket.send(text)
            answer = await page.answer(request_id)
            if "code" in answer:
                refused.append(answer)
        assert len(refused) == 21  # the greeting was the first call
        assert {answer["code"] for answer in refused} == {"RATE_LIMITED"}
        assert all(answer["data"]["retryAfterMs"] > 0 for answer in refused)


async def test_an_id_that_still_waits_for_its_answer_cannot_be_used_again(listening: Any) -> None:
    release = asyncio.Event()

    async def wait(_: Call) -> dict[str, Any]:
        await release.wait()
        return {}

    listening.app.handlers.by_name["workspace.list"] = wait
    async with a_page(listening) as page:
        text = json.dumps({"ns": "cardloom", "v": 1, "kind": "req", "id": 9, "method": "workspace.list"})
        await page.socket.send(text)
        await page.socket.send(text)
        assert await closed_with(page.socket) == 1002
    release.set()


async def test_a_fault_of_ours_is_told_by_a_reference_and_nothing_else(
    listening: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_: Call) -> dict[str, Any]:
        raise RuntimeError("secret detail")

    async def no_json(_: Call) -> object:
        return object()

    listening.app.handlers.by_name["workspace.list"] = fail
    listening.app.handlers.by_name["client.newCode"] = no_json
    async with a_page(listening) as page:
        for method in ("workspace.list", "client.newCode"):
            error = await page.call(method)
            assert error["code"] == "INTERNAL"
            assert "secret" not in error["message"]
            reference = error["message"].rstrip(".").split()[-1]
            assert reference in caplog.text
    assert "secret detail" in caplog.text


@pytest.mark.parametrize("settings", [SOON_GREETED], indirect=True)
async def test_a_socket_that_says_nothing_is_closed(listening: Any) -> None:
    async with connect(f"{listening.ws_url}/ws", origin=listening.url) as socket:
        assert await closed_with(socket) == 4408
    async with connect(f"{listening.ws_url}/ws", additional_headers=listening.key_header) as socket:
        assert await closed_with(socket) == 4408


async def test_a_greeting_that_came_while_the_server_stood_still_is_in_time(listening: Any) -> None:
    async with a_raw_peer(listening, lambda: stand_still(2 * limit("helloTimeoutMs"))) as (reader, write):
        write(2, "no.such")
        async with asyncio.timeout(CAP_S):
            await reader.readuntil(b"METHOD_NOT_FOUND")


async def test_a_page_that_falls_behind_gets_one_gap_and_a_new_picture_is_whole(listening: Any, tmp_path: Path) -> None:
    app = listening.app
    async with a_page(listening) as page, a_page(listening) as other:
        workspace = await other.call("workspace.create", name="W", path=str(tmp_path))
        await page.call("canvas.subscribe", workspaceId=workspace["id"])
        note = await other.call("canvas.addCard", workspaceId=workspace["id"], kind="note", x=0, y=0)
        for number in range(300):  # more than the system's own buffers hold, in one turn of the loop
            app.canvas.commits.patch_runtime(note["id"], {"n": number, "text": "x" * 100_000})
        await page.event("stream.gap")
        snapshot = await page.call("canvas.subscribe", workspaceId=workspace["id"])
        assert snapshot["cards"][0]["runtime"]["n"] == 299
        await other.call("canvas.updateCard", cardId=note["id"], x=1)
        while (change := await page.event("canvas.changed"))["seq"] <= snapshot["seq"]:
            pass
        assert change["seq"] == snapshot["seq"] + 1


@pytest.mark.parametrize("settings", [SOON_READ], indirect=True)
async def test_a_peer_that_stops_reading_is_let_go_and_harms_nobody(listening: Any) -> None:
    app = listening.app
    async with a_page(listening) as page, a_raw_peer(listening):
        async with asyncio.timeout(CAP_S):
            while app.sockets.count > 1:
                app.bus.publish("ui.toast", {"message": "x" * 100_000}, OWNERS)
                await page.event("ui.toast")
        assert await page.call("workspace.list") == {"workspaces": []}


async def test_a_peer_is_not_blamed_for_a_server_that_stood_still(listening: Any) -> None:
    text = "x" * 12_000_000  # more than the system's own buffers hold: what follows waits for the peer

    async def long_answer(_: Call) -> dict[str, Any]:
        return {"text": text}

    listening.app.handlers.by_name["workspace.list"] = long_answer
    async with a_raw_peer(listening) as (reader, write):
        write(2, "workspace.list")
        await reader.readuntil(b'"text":"')
        listening.app.bus.publish("ui.toast", {"message": "later"}, OWNERS)
        for _ in range(5):
            await asyncio.sleep(0)
        stand_still(2 * limit("stallTimeoutMs"))
        async with asyncio.timeout(CAP_S):
            assert (await reader.readexactly(len(text))).count(b"x") == len(text)
            await reader.readuntil(b"later")
            write(3, "no.such")
            await reader.readuntil(b"METHOD_NOT_FOUND")


async def test_what_a_page_asked_for_last_is_done_though_it_has_left(listening: Any, tmp_path: Path) -> None:
    async with a_page(listening) as other:
        workspace = await other.call("workspace.create", name="W", path=str(tmp_path))
        note = await other.call("canvas.addCard", workspaceId=workspace["id"], kind="note", x=0, y=0)
        await other.call("canvas.subscribe", workspaceId=workspace["id"])
        async with a_page(listening) as page:
            protocol = page.socket.protocol
            for x in (1, 2, 3):
                protocol.send_text(page.request("canvas.updateCard", cardId=note["id"], x=x)[1].encode())
            protocol.send_close(1001)
            page.socket.transport.write(b"".join(protocol.data_to_send()))  # it all comes at once, as to a busy server
            await closed_with(page.socket)
        while (await other.event("canvas.changed"))["changes"][0]["fields"]["x"] != 3:
            pass


async def test_what_would_go_on_for_a_page_that_has_left_is_ended(listening: Any) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(_: Call) -> dict[str, Any]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    listening.app.handlers.by_name["workspace.list"] = wait
    async with a_page(listening) as page:
        await page.socket.send(page.request("workspace.list")[1])
        await begun.wait()
    async with asyncio.timeout(CAP_S):
        await ended.wait()


async def test_the_server_says_that_it_is_closing(listening: Any) -> None:
    async with a_page(listening) as page:
        listening.app.say_goodbye()
        assert await page.event("server.closing") == {}
        await listening.app.sockets.end_all()
        assert await closed_with(page.socket) == 1001
        assert listening.app.sockets.count == 0
