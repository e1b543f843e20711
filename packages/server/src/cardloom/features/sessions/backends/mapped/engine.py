"""Requests to a mapped engine: routes with the fields of a call in them, answers, and streams of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import httpx

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import BadRequest, Conflict, NotFound, NotSupported, SessionError
from cardloom_protocol.session.json_text import read_json
from cardloom_protocol.session.sse import SseParser

from ..bodies import TooLarge, read_start, read_whole
from ..connecting import CONNECT_S, http_client
from ..keys import KeyOf, no_key
from .language import MISSING, Found, filled, filled_path
from .mapping import EngineMapping, Route

UNREACHABLE: Final = "engine_unreachable"
"""No connection to the engine, or silence. Retry."""
CUT_OFF: Final = "engine_cut_off"
"""The engine's stream ended before its run did. What came is kept."""
REFUSED: Final = "engine_refused"
"""The engine answered with an error of its own."""
GARBLED: Final = "engine_garbled"
"""The engine's answer is not what the mapping says."""

SILENCE_S: Final = 120.0
_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"


class Engine:
    """One engine at one address. `key` fills `{key}` in the mapping's headers, which are not sent without one."""

    def __init__(
        self,
        mapping: EngineMapping,
        url: str,
        key: KeyOf = no_key,
        *,
        silence_s: float = SILENCE_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.mapping = mapping
        self._url = url.rstrip("/")
        self._key = key
        self._client = http_client(silence_s, transport=transport)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def ask(self, route_name: str, fields: Mapping[str, JsonValue]) -> Found:
        """The data of a route's answer. NOT_SUPPORTED where the mapping has no such route."""
        route = self._route(route_name)
        async with self.opened(route_name, fields, _JSON) as response:
            try:
                content = await read_whole(response)
            except TooLarge:
                raise SessionError(GARBLED, f"The answer of {self.mapping.name} is too large.") from None
            except httpx.HTTPError as error:
                raise self._broken(error) from None
        if route.result is None or not content.strip():
            return MISSING
        try:
            document = read_json(content.decode("utf-8"))
        except ValueError:
            raise SessionError(GARBLED, f"{self.mapping.name} answered {route_name} with no JSON.") from None
        return route.result.of(document)

    @asynccontextmanager
    async def opened(
        self, route_name: str, fields: Mapping[str, JsonValue], accept: str = _EVENTS
    ) -> AsyncGenerator[httpx.Response, None]:
        """An answer with a good status whose body is still to come."""
        request = self._request(self._route(route_name), fields, accept, await self._key())
        try:
            async with asyncio.timeout(CONNECT_S + SILENCE_S):
                response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._broken(error) from None
        try:
            if not response.is_success:
                raise await self._refusal(response)
            yield response
        finally:
            await response.aclose()

    async def events(self, response: httpx.Response) -> AsyncGenerator[tuple[str, JsonValue], None]:
        """The names and data of a stream's events. Data that is no JSON is a text."""
        parser = SseParser()
        try:
            async for piece in response.aiter_bytes():
                for frame in parser.feed(piece):
                    yield frame.event or "message", _data(frame.data)
        except BadRequest:  # a frame without an end
            raise SessionError(GARBLED, f"The stream of {self.mapping.name} makes no sense.") from None
        except httpx.TimeoutException as error:
            raise self._broken(error) from None
        except httpx.HTTPError:
            raise self.cut_off() from None

    def cut_off(self) -> SessionError:
        """The error of a stream that ended too early."""
        return SessionError(CUT_OFF, f"The stream of {self.mapping.name} ended before the run did.")

    def _route(self, name: str) -> Route:
        route = self.mapping.routes.get(name)
        if route is None:
            raise NotSupported(name)
        return route

    def _request(self, route: Route, fields: Mapping[str, JsonValue], accept: str, key: str | None) -> httpx.Request:
        headers = {"accept": accept}
        for name, text in self.mapping.headers.items():
            if "{key}" not in text:
                headers[name] = text
            elif key is not None:
                headers[name] = text.replace("{key}", key)
        content = None
        if route.body is not None:
            found = filled(route.body, fields)
            content = compact_json(None if found is MISSING else found).encode("utf-8")
            if not any(name.lower() == "content-type" for name in headers):
                headers["content-type"] = _JSON
        path = filled_path(route.path, fields)
        return self._client.build_request(route.verb, self._url + path, content=content, headers=headers)

    async def _refusal(self, response: httpx.Response) -> SessionError:
        try:
            told = self.mapping.error.text(_data((await read_start(response)).decode("utf-8", "replace")))
        except httpx.HTTPError:
            told = None
        key = await self._key()
        if told and key:
            told = told.replace(key, "…")
        message = (
            f"{self.mapping.name}: {told[:500]}"
            if told
            else f"{self.mapping.name} answered HTTP {response.status_code}."
        )
        match response.status_code:
            case 400 | 413 | 415 | 422:
                return BadRequest(message)
            case 404 | 410:
                return NotFound(message)
            case 409 | 412 | 423:
                return Conflict(message)
            case 501:
                return NotSupported("", message)
            case _:
                return SessionError(REFUSED, message)

    def _broken(self, error: BaseException) -> SessionError:
        return SessionError(UNREACHABLE, f"{self.mapping.name} cannot be reached: {type(error).__name__}.")


def _data(text: str) -> JsonValue:
    try:
        return read_json(text)
    except ValueError:
        return text
