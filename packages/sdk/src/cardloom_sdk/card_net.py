"""HTTP by way of the host: it knows the declared hosts, fills secrets into headers, and checks where names lead.

    answer = await card.net.fetch("https://api.example.org/items", headers={"authorization": "Bearer {{secret:key}}"})
    items = answer.json()

Spec: cards, network; cards behaviour, message flow (`net.fetch`, `net.chunk`).
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.frames import default_loads
from cardloom_protocol.jstext import compact_json

from .host_calls import Call, Post

Method: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

_END = object()


class NetResponse:
    """The answer to `net.fetch`; any status is one. Header names are in lower case.

    `truncated` says that the body was longer than 10 MiB and is cut.
    """

    def __init__(self, wire: Mapping[str, Any], body: bytes) -> None:
        self.request_id: str = wire["requestId"]
        self.url: str = wire["url"]
        self.status: int = wire["status"]
        self.status_text: str = wire["statusText"]
        self.headers: Mapping[str, str] = wire["headers"]
        self.truncated: bool = wire.get("truncated", False)
        self.content = body

    @property
    def ok(self) -> bool:
        """Whether the status is from 200 to 299."""
        return 200 <= self.status <= 299

    @property
    def text(self) -> str:
        """The body as text, read as UTF-8."""
        return self.content.decode("utf-8-sig", "replace")

    def json(self) -> Any:
        """The body as a JSON value, None for an empty one. NETWORK_ERROR when it is none."""
        if not self.content.strip():
            return None
        try:
            return default_loads(self.text)
        except (ValueError, RecursionError) as error:
            raise CallError(ErrorCode.NETWORK_ERROR, f"{self.url} did not answer with JSON.") from error


class NetStream(NetResponse):
    """A streamed answer: its head is here, the body comes by iterating, once. Close it, or use `async with`."""

    def __init__(self, wire: Mapping[str, Any], chunks: asyncio.Queue[Any], abandon: Callable[[], None]) -> None:
        super().__init__(wire, b"")
        self._chunks = chunks
        self._abandon = abandon
        self._over = False

    async def __aenter__(self) -> NetStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the stream where it is."""
        if not self._over:
            self._over = True
            self._abandon()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The body as it comes. NETWORK_ERROR when it breaks off, UNAVAILABLE when the host goes away."""
        try:
            while not self._over:
                piece = await self._chunks.get()
                if piece is _END or isinstance(piece, CallError):
                    self._over = True
                    if isinstance(piece, CallError):
                        raise piece
                    return
                yield piece
        finally:
            self.close()

    async def lines(self) -> AsyncIterator[str]:
        """The body line by line, without line ends, read as UTF-8."""
        rest = b""
        async for piece in self:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line.removesuffix(b"\r").decode("utf-8", "replace")
        if rest:
            yield rest.decode("utf-8", "replace")


class Net:
    """The network as the card reaches it. Takes `network` for declared hosts, `network.local` for this computer."""

    def __init__(self, call: Call, post: Post) -> None:
        self._call = call
        self._post = post
        self._prefix = secrets.token_hex(4)
        self._count = itertools.count(1)
        self._streams: dict[str, asyncio.Queue[Any]] = {}

    async def fetch(
        self,
        url: str,
        *,
        method: Method | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | bytes | list[Any] | dict[str, Any] | None = None,
        timeout_ms: int | None = None,
    ) -> NetResponse:
        """Make a request and wait for its whole answer. A body implies POST; a list or a dict is sent as JSON.

        HOST_NOT_ALLOWED beyond the declared hosts, NETWORK_ERROR when no answer came, TIMEOUT, RATE_LIMITED for more
        than six at once. Cancelling ends the request.
        """
        params = self._params(url, method, headers, body, timeout_ms)
        wire = await self._asked({**params, "responseType": "base64"})
        return NetResponse(wire, base64.b64decode(wire.get("body", "")))

    async def stream(
        self,
        url: str,
        *,
        method: Method | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | bytes | list[Any] | dict[str, Any] | None = None,
        timeout_ms: int | None = None,
    ) -> NetStream:
        """Make a request and give its answer as soon as the head is there; at most four at once. As `fetch`."""
        params = self._params(url, method, headers, body, timeout_ms)
        request_id = params["requestId"]
        chunks = self._streams[request_id] = asyncio.Queue()
        try:
            wire = await self._asked({**params, "responseType": "stream"})
        except BaseException:
            self._streams.pop(request_id, None)
            raise
        return NetStream(wire, chunks, lambda: self._abandon(request_id))

    def hear(self, event: str, data: Any) -> None:
        """Follow the pieces of streamed answers."""
        chunks = self._streams.get(data["requestId"]) if event == "net.chunk" else None
        if chunks is None:
            return
        if data["chunk"]:
            encoded = data["encoding"] == "base64"
            chunks.put_nowait(base64.b64decode(data["chunk"]) if encoded else _bytes(data["chunk"]))
        if "error" in data:
            self._finish(data["requestId"], CallError(ErrorCode.NETWORK_ERROR, data["error"]))
        elif data["done"]:
            self._finish(data["requestId"], _END)

    def lost(self) -> None:
        """The host is gone, and with it every stream."""
        for request_id in list(self._streams):
            self._finish(request_id, CallError(ErrorCode.UNAVAILABLE, "The connection to the host is gone."))

    def _params(
        self, url: str, method: Method | None, headers: Mapping[str, str] | None, body: Any, timeout_ms: int | None
    ) -> dict[str, Any]:
        params: dict[str, Any] = {"url": url, "requestId": f"{self._prefix}-{next(self._count)}"}
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        if isinstance(body, bytes):
            params |= {"body": base64.b64encode(body).decode(), "bodyEncoding": "base64"}
        elif isinstance(body, str):
            params["body"] = body
        elif body is not None:
            params["body"] = compact_json(body)
            sent.setdefault("content-type", "application/json")
        if method is not None or body is not None:
            params["method"] = method or "POST"
        if sent:
            params["headers"] = sent
        if timeout_ms is not None:
            params["timeoutMs"] = timeout_ms
        return params

    async def _asked(self, params: dict[str, Any]) -> Any:
        try:
            return await self._call("net.fetch", params)
        except asyncio.CancelledError:
            self._post("net.abort", {"requestId": params["requestId"]})
            raise

    def _abandon(self, request_id: str) -> None:
        if self._streams.pop(request_id, None) is not None:
            self._post("net.abort", {"requestId": request_id})

    def _finish(self, request_id: str, end: object) -> None:
        chunks = self._streams.pop(request_id, None)
        if chunks is not None:
            chunks.put_nowait(end)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
