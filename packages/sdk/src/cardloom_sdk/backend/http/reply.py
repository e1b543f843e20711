"""Answering a request: an envelope, bytes, or the refusal that has to be the whole answer."""

from __future__ import annotations

from typing import Any

from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session.envelope import failure
from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.json_text import as_json

from .asgi import Headers, Message, Send
from .errors import MethodNotAllowed, status_of

_JSON: Headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]


class Reply:
    """The answer to one request; knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    @property
    def has_begun(self) -> bool:
        """Whether something was sent, so that no other answer can be given."""
        return self._begun

    async def send(self, message: Message) -> None:
        """Sends a message of the answer."""
        self._begun = True
        await self._send(message)

    async def json(self, status: int, body: Any, headers: Headers | None = None) -> None:
        """Sends a body as JSON; None is no body at all."""
        if body is None:
            await self.bytes(status, b"", headers or [])
        else:
            await self.bytes(status, compact_json(as_json(body)).encode("utf-8"), [*_JSON, *(headers or [])])

    async def bytes(self, status: int, data: bytes, headers: Headers) -> None:
        """Sends a body of bytes."""
        length: Headers = [] if status == 204 else [(b"content-length", str(len(data)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
        await self.send({"type": "http.response.body", "body": data})

    async def refuse(self, error: SessionError) -> None:
        """Sends a refusal, unless the answer has begun: then nothing else can be said."""
        if self._begun:
            return
        headers: Headers = []
        if isinstance(error, MethodNotAllowed):
            headers.append((b"allow", ", ".join(error.verbs).encode()))
        if error.code == "unauthorized":
            headers.append((b"www-authenticate", b"Bearer"))
        await self.json(status_of(error), failure(error), headers)
