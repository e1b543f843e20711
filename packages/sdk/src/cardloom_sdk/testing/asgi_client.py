"""Asking an ASGI application without a socket: whole answers, and streams that are read as fast as a test likes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from cardloom_protocol.session.json_text import JsonObject, object_of, read_json

from ..backend.http.asgi import AsgiApp, Message


@dataclass(frozen=True, slots=True)
class AsgiReply:
    """A whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> JsonObject:
        """The body as an object."""
        return object_of(read_json(self.body.decode("utf-8")))


class AsgiStream:
    """An answer that is being read. What is not read makes the application wait."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue(maxsize=1)
        self._left = asyncio.Event()
        self._over = asyncio.Event()
        self._ended = False

    async def read(self) -> bytes:
        """The next bytes; none when the stream is over, and EOFError for whoever asks again."""
        if self._ended:
            raise EOFError("the stream is over")
        while True:
            message = await self._messages.get()
            if message is None:
                self._ended = True
                return b""
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = _headers(message)
            elif message.get("body"):
                return bytes(message["body"])

    async def begin(self) -> None:
        """Waits for status and headers."""
        message = await self._messages.get()
        if message is not None:
            self.status, self.headers = message["status"], _headers(message)

    async def gone_by_server(self) -> None:
        """Returns when the application has ended the answer, read or not."""
        await self._over.wait()

    def leave(self) -> None:
        """Goes away."""
        self._left.set()

    async def take(self, message: Message) -> None:
        """For the application: hands a message over, or forgets it when nobody is there any more."""
        if not self._left.is_set():
            putting = asyncio.ensure_future(self._messages.put(message))
            leaving = asyncio.ensure_future(self._left.wait())
            await asyncio.wait([putting, leaving], return_when=asyncio.FIRST_COMPLETED)
            putting.cancel()
            leaving.cancel()

    async def gone(self) -> None:
        """For the application: returns when the client has left."""
        await self._left.wait()

    def end(self) -> None:
        """For the application: nothing more comes."""
        self._over.set()
        self._ending = asyncio.ensure_future(self._messages.put(None))


class AsgiClient:
    """Asks one application. `token` goes along as bearer token, `root` is the mount point in front of every path."""

    def __init__(self, app: AsgiApp, *, token: str | None = None, root: str = "") -> None:
        self._app = app
        self._root = root
        self._headers = {"host": "127.0.0.1:1"} | ({} if token is None else {"authorization": f"Bearer {token}"})

    async def request(
        self, verb: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> AsgiReply:
        """The whole answer to a request."""
        async with self.open(verb, path, headers=headers, body=body) as stream:
            data = b""
            while piece := await stream.read():
                data += piece
            return AsgiReply(stream.status, stream.headers, data)

    @asynccontextmanager
    async def open(
        self, verb: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> AsyncIterator[AsgiStream]:
        """An answer to be read piece by piece; leaving the block leaves the stream."""
        stream = AsgiStream()
        serving = asyncio.create_task(
            self._serve(stream, verb, path, {**self._headers, **(headers or {})}, body or b"")
        )
        try:
            yield stream
        finally:
            stream.leave()
            await serving

    async def _serve(self, stream: AsgiStream, verb: str, path: str, headers: Mapping[str, str], body: bytes) -> None:
        where, _, query = path.partition("?")
        sent = False

        async def receive() -> Message:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            await stream.gone()
            return {"type": "http.disconnect"}

        scope: dict[str, Any] = {
            "type": "http",
            "method": verb,
            "scheme": "http",
            "path": self._root + where,
            "raw_path": (self._root + where).encode("ascii"),
            "root_path": self._root,
            "query_string": query.encode("ascii"),
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
        }
        try:
            await self._app(scope, receive, stream.take)
        finally:
            stream.end()


def _headers(message: Message) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
