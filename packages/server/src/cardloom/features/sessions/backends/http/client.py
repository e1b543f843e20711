"""A client of the session protocol over HTTP, built from the same table of operations as the servers.

The token goes to the configured address and nowhere else: no redirects, no proxies. Spec: session protocol, routes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.calls import SessionCall
from cardloom_protocol.session.envelope import opened
from cardloom_protocol.session.errors import BadRequest, SessionError, SessionErrorCode
from cardloom_protocol.session.json_text import JsonObject, read_json
from cardloom_protocol.session.requesting import request_of
from cardloom_protocol.session.sse import SseFrame, SseParser

from ..bodies import TooLarge, read_start, read_whole
from ..connecting import CONNECT_S, http_client
from ..keys import KeyOf, no_key

UNREACHABLE: Final = "backend_unreachable"
"""No connection to the other server, or it broke. Retry."""

_SILENCE_S: Final = 60.0  # a server of this protocol gives a sign of life every 15 s


class ProtocolClient:
    """Asks one server. `url` is where the protocol is mounted there."""

    def __init__(
        self,
        url: str,
        key: KeyOf = no_key,
        *,
        silence_s: float = _SILENCE_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._client = http_client(silence_s, transport=transport)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def call(self, name: str, given: Mapping[str, Any] | None = None) -> Any:
        """The data of an operation's answer; bytes where it answers with bytes. The server's own error otherwise."""
        call = SESSION_CALLS[name]
        async with self._sent(call, given or {}, "application/json") as response:
            try:
                content = await read_whole(response)
            except TooLarge:
                raise SessionError(SessionErrorCode.INTERNAL, f"The answer of {self.url} is too large.") from None
            except httpx.HTTPError as error:
                raise self._broken(error) from None
            if response.is_success and call.reply == "bytes":
                return content
            if response.is_success and not content:
                return None
            return self._opened(response, content)

    async def frames(
        self, name: str, given: Mapping[str, Any], last_id: str | None = None
    ) -> AsyncGenerator[SseFrame, None]:
        """The frames of a stream until the server ends it. The server's own error when it gives none."""
        headers = {} if last_id is None else {"last-event-id": last_id}
        parser = SseParser()
        async with self._sent(SESSION_CALLS[name], given, "text/event-stream", headers) as response:
            try:
                if not response.is_success:
                    self._opened(response, await read_start(response))
                async for piece in response.aiter_bytes():
                    for frame in parser.feed(piece):
                        yield frame
            except BadRequest as error:
                raise SessionError(SessionErrorCode.INTERNAL, f"The stream of {self.url} is broken.") from error
            except httpx.HTTPError as error:
                raise self._broken(error) from None

    @asynccontextmanager
    async def _sent(
        self, call: SessionCall, given: Mapping[str, Any], accept: str, headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[httpx.Response, None]:
        made = request_of(call, given)
        key = await self._key()
        sent = {**made.headers, "accept": accept, **(headers or {})}
        if key is not None:
            sent["authorization"] = f"Bearer {key}"
        request = self._client.build_request(made.verb, self.url + made.path, headers=sent, content=made.body)
        try:
            async with asyncio.timeout(CONNECT_S + _SILENCE_S):
                response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._broken(error) from None
        try:
            yield response
        finally:
            await response.aclose()

    def _opened(self, response: httpx.Response, content: bytes) -> JsonValue:
        try:
            envelope = read_json(content.decode("utf-8"))
        except ValueError:
            message = f"{self.url} answered HTTP {response.status_code} with something else than this protocol."
            raise SessionError(SessionErrorCode.INTERNAL, message) from None
        return opened(envelope)

    def _broken(self, error: BaseException) -> SessionError:
        return SessionError(UNREACHABLE, f"{self.url} cannot be reached: {type(error).__name__}.")


def fields_of(**given: Any) -> JsonObject:
    """The fields that are there; None means not given."""
    return {name: value for name, value in given.items() if value is not None}
