"""A WebSocket client that costs next to nothing, so that what is measured is the server.

It knows as much of the protocol as a benchmark on one machine needs: unfragmented frames, no extensions.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any, Self, cast

Frame = Callable[[bytes], None]
CAP_S = 60.0


class Socket(asyncio.Protocol):
    """One connection. `on_text` is called with every text frame's bytes, or with its first `peek` bytes."""

    def __init__(self, peek: int | None = None) -> None:
        self.on_text: Frame = lambda _: None
        self._peek = peek
        self._buffer = bytearray()
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport

    @classmethod
    async def open(cls, port: int, path: str, token: str = "", peek: int | None = None) -> Self:
        """Connect and shake hands."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(lambda: cls(peek), "127.0.0.1", port)
        head = [
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==",
            *([f"Authorization: Bearer {token}"] if token else []),
        ]
        socket._transport.write("\r\n".join((*head, "", "")).encode())
        await socket._open
        return socket

    def send(self, text: str) -> None:
        """Send one text frame. Its mask is zero, which leaves the text as it is."""
        data = text.encode()
        size = len(data)
        if size < 126:
            head = bytes((0x81, 0x80 | size))
        elif size < 1 << 16:
            head = b"\x81\xfe" + size.to_bytes(2, "big")
        else:
            head = b"\x81\xff" + size.to_bytes(8, "big")
        self._transport.write(head + b"\0\0\0\0" + data)

    def close(self) -> None:
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._open.done():
            self._open.set_exception(ConnectionError("the server closed the socket during the handshake"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._open.done():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in self._buffer[:end]:
                self._open.set_exception(ConnectionError(self._buffer[:end].decode()))
                return
            del self._buffer[: end + 4]
            self._open.set_result(None)
        self._take_frames()

    def _take_frames(self) -> None:
        buffer, at = self._buffer, 0
        while len(buffer) - at >= 2:
            start, size = at + 2, buffer[at + 1]
            if size == 126:
                start, size = at + 4, int.from_bytes(buffer[at + 2 : at + 4], "big")
            elif size == 127:
                start, size = at + 10, int.from_bytes(buffer[at + 2 : at + 10], "big")
            if len(buffer) < start + size:
                break
            if buffer[at] == 0x81:
                self.on_text(bytes(buffer[start : start + (size if self._peek is None else min(size, self._peek))]))
            at = start + size
        if at:
            del buffer[:at]


class Caller:
    """Calls over a socket, and its events by name."""

    def __init__(self, socket: Socket, ns: str) -> None:
        self.socket = socket
        self.on_event: Callable[[str, Any], None] = lambda _name, _data: None
        self._ns = ns
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        socket.on_text = self._take

    @classmethod
    async def owner(cls, port: int, key: str) -> Self:
        """A connection of the owner that has said hello."""
        caller = cls(await Socket.open(port, "/ws", key), "cardloom")
        await caller.call("client.hello", client="sdk", protocol=1)
        return caller

    @classmethod
    async def card(cls, port: int, token: str) -> Self:
        """A connection of a card that has shaken hands."""
        caller = cls(await Socket.open(port, "/ws/card", token), "nscard")
        await caller.call("host.ready", sdkVersion="1.3.0", protocol=1)
        return caller

    async def call(self, method: str, **params: Any) -> Any:
        """The result of a call; RuntimeError when it is refused."""
        number = next(self._ids)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self.socket.send(request(self._ns, number, method, params))
        async with asyncio.timeout(CAP_S):
            return await answer

    async def answer_of(self, method: str, **params: Any) -> bytes:
        """The text of the answer to a call, which is not looked into."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def take(text: bytes) -> None:
            if b'"kind":"res"' in text[:60]:
                answer.set_result(text)

        self.socket.on_text = take
        self.socket.send(request(self._ns, next(self._ids), method, params))
        try:
            async with asyncio.timeout(CAP_S):
                return await answer
        finally:
            self.socket.on_text = self._take

    def post(self, method: str, **params: Any) -> None:
        """Make a call whose answer nobody waits for."""
        self.socket.send(request(self._ns, next(self._ids), method, params))

    def _take(self, text: bytes) -> None:
        envelope = json.loads(text)
        if envelope["kind"] == "evt":
            self.on_event(envelope["event"], envelope.get("data"))
            return
        answer = self._answers.pop(envelope["id"], None)
        if answer is None:
            return
        if envelope["ok"]:
            answer.set_result(envelope.get("result"))
        else:
            answer.set_exception(RuntimeError(str(envelope["error"])))


def request(ns: str, number: int, method: str, params: dict[str, Any]) -> str:
    """The text of a call."""
    envelope = {"ns": ns, "v": 1, "kind": "req", "id": number, "method": method, "params": params}
    return json.dumps(envelope, separators=(",", ":"))
