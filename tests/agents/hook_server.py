"""The place where a harness's hooks post to, for one agent under test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

Hooked = Callable[[str, dict[str, object]], str]


class HookServer:
    """Calls `hooked(event, payload)` for each post and sends what it gives. HTTP/1.1, one request a connection."""

    def __init__(self, hooked: Hooked) -> None:
        self._hooked = hooked
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """Listen; the address ends without a slash, and an event's name goes behind it."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/hooks"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
            if headers.get("expect") == "100-continue":
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = await self._body(reader, headers)
            event = head[0].split(" ")[1].split("?")[0].rsplit("/", 1)[1]
            answer = self._hooked(event, _payload(body)).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n" % len(answer) + answer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _body(self, reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await reader.readexactly(int(headers.get("content-length", "0")))
        body = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return body


def _payload(body: bytes) -> dict[str, object]:
    """The JSON object of a post; an empty one where it is none."""
    try:
        value = json.loads(body.decode("utf-8-sig") or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
