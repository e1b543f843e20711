"""One model endpoint over HTTP: asks, waits, tries again, and gives what the model says piece by piece.

Nothing is retried once a piece has come, for it would be said twice. The key goes into a header and nowhere else: what
an endpoint says about it in an error is blotted out. Spec: session protocol, run; issue: model servers that misbehave.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias

import httpx

from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session.errors import BadRequest, SessionError
from cardloom_protocol.session.info import ModelInfo
from cardloom_protocol.session.json_text import JsonObject, list_of, object_of, read_object, text_of
from cardloom_protocol.session.sse import SseFrame, SseParser

from ..bodies import TooLarge, read_start, read_whole
from ..connecting import CONNECT_S, http_client
from ..keys import KeyOf, no_key
from .conversation import Conversation
from .dialects import chat, messages, responses
from .dialects.reading import Unreadable, error_text
from .failures import RETRIED, ModelFault, fault, fault_of_status
from .speech import CallPiece, Failed, Speech, Thoughts, Words

Dialect: TypeAlias = Literal["chat", "responses", "messages"]
Retrying: TypeAlias = Callable[[int, float], None]
"""Told before each new try: its number, and the seconds until then."""

_DIALECTS: Final = {"chat": chat, "responses": responses, "messages": messages}
_MAX_MODELS_BYTES: Final = 8 << 20
_MAX_WAIT_S: Final = 30.0


class Reader(Protocol):
    """Reads one stream of a dialect. `is_over`: the answer is complete."""

    is_over: bool

    def read(self, frame: SseFrame) -> list[Speech]: ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited – for a connection, for the next sign of life –, how often, and for how long an answer."""

    connect_s: float = CONNECT_S
    silence_s: float = 120.0
    tries: int = 4
    first_wait_s: float = 0.5
    answer_chars: int = 8 << 20
    answer_frames: int = 1 << 20


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where models are, how they are spoken to, and what is known of them without asking.

    `url` is the address before `/chat/completions` and the like. `thinking` are the levels that its models take;
    `models`, where given, are all there are.
    """

    id: str
    dialect: Dialect
    url: str
    key: KeyOf = no_key
    headers: dict[str, str] = field(default_factory=dict)
    thinking: tuple[str, ...] = ("low", "medium", "high")
    models: tuple[ModelInfo, ...] | None = None
    patience: Patience = Patience()


class Endpoint:
    """Asks one endpoint. `transport` and `sleep` are for tests."""

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self._dialect = _DIALECTS[settings.dialect]
        self._sleep = sleep
        patience = settings.patience
        self._client = http_client(patience.silence_s, patience.connect_s, transport=transport)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def models(self) -> list[ModelInfo]:
        """The models on offer, under the endpoint's own ids."""
        if self.settings.models is not None:
            return list(self.settings.models)
        async with self._open("GET", "/models", None, lambda _try, _wait: None) as response:
            body = read_object((await self._body(response)).decode("utf-8", "replace").strip())
        if body is None:
            raise fault(ModelFault.GARBLED, f"What {self.settings.id} gives as its models is no JSON object.")
        return [self._model(object_of(one)) for one in list_of(body.get("data")) if text_of(object_of(one).get("id"))]

    async def say(self, told: Conversation, retrying: Retrying) -> AsyncGenerator[Speech, None]:
        """What the model says to a conversation. Ends when the answer is complete; else a `SessionError`."""
        reader: Reader = self._dialect.Reader()
        frame_count, chars = 0, 0
        body = self._dialect.request(told)
        async with (
            self._open("POST", self._dialect.PATH, body, retrying) as response,
            aclosing(self._frames(response)) as frames,
        ):
            async for frame in frames:
                frame_count += 1
                if frame_count > self.settings.patience.answer_frames:
                    raise self._too_long()
                for one in self._read(reader, frame):
                    if isinstance(one, Failed):
                        message = _blot(one.message, await self.settings.key())
                        raise fault(ModelFault.FAILED, f"{self.settings.id} failed: {message[:500]}")
                    chars += len(one.text) if isinstance(one, Words | Thoughts | CallPiece) else 0
                    if chars > self.settings.patience.answer_chars:
                        raise self._too_long()
                    yield one
        if not reader.is_over:
            raise self._cut_off() if frame_count else self._garbled()

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, body: JsonObject | None, retrying: Retrying
    ) -> AsyncIterator[httpx.Response]:
        response = await self._send(method, path, body, retrying)
        try:
            yield response
        finally:
            await response.aclose()

    async def _send(self, method: str, path: str, body: JsonObject | None, retrying: Retrying) -> httpx.Response:
        """An answer with a good status whose body is still to be read; tries again where that may help."""
        patience, key = self.settings.patience, await self.settings.key()
        wait_s, tries = patience.first_wait_s, 0
        while True:
            tries += 1
            try:
                async with asyncio.timeout(patience.connect_s + patience.silence_s):
                    response = await self._client.send(self._request(method, path, body, key), stream=True)
            except (httpx.TimeoutException, TimeoutError):
                raise self._silent() from None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                failure = fault(
                    ModelFault.UNREACHABLE, f"{self.settings.id} cannot be reached: {type(error).__name__}."
                )
                advised_s: float | None = None
            else:
                if response.is_success:
                    return response
                failure, advised_s = await self._refusal(response, key), _retry_after(response)
                if response.status_code not in RETRIED:
                    raise failure
            if tries >= patience.tries or (advised_s or 0) > _MAX_WAIT_S:
                raise failure
            pause_s = wait_s if advised_s is None else advised_s
            retrying(tries + 1, pause_s)
            await self._sleep(pause_s)
            wait_s = min(wait_s * 2, _MAX_WAIT_S)

    def _request(self, method: str, path: str, body: JsonObject | None, key: str | None) -> httpx.Request:
        headers = {"accept": "text/event-stream, application/json", **self.settings.headers}
        headers |= self._dialect.headers(key)
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = compact_json(body).encode("utf-8")  # halves of characters are escaped, as no UTF-8 holds them
        url = self.settings.url.rstrip("/") + path
        return self._client.build_request(method, url, content=content, headers=headers)

    async def _refusal(self, response: httpx.Response, key: str | None) -> SessionError:
        try:
            raw = await read_start(response)
        except httpx.HTTPError:
            raw = b""
        finally:
            await response.aclose()
        body = read_object(raw.decode("utf-8", "replace").strip())
        told = error_text(body) if body is not None else ""
        return fault_of_status(self.settings.id, response.status_code, _blot(told, key))

    async def _body(self, response: httpx.Response) -> bytes:
        try:
            return await read_whole(response, _MAX_MODELS_BYTES)
        except TooLarge:
            raise self._garbled() from None
        except httpx.TimeoutException:
            raise self._silent() from None
        except httpx.HTTPError:
            raise self._cut_off() from None

    async def _frames(self, response: httpx.Response) -> AsyncGenerator[SseFrame, None]:
        parser = SseParser()
        try:
            async for piece in response.aiter_bytes():
                for frame in parser.feed(piece):
                    yield frame
        except BadRequest:  # a frame without an end
            raise self._garbled() from None
        except httpx.TimeoutException:
            raise self._silent() from None
        except httpx.HTTPError:
            raise self._cut_off() from None

    def _read(self, reader: Reader, frame: SseFrame) -> list[Speech]:
        try:
            return reader.read(frame)
        except Unreadable:
            raise self._garbled() from None

    def _model(self, told: JsonObject) -> ModelInfo:
        model: ModelInfo = {"id": text_of(told["id"]), "provider": self.settings.id}
        name = text_of(told.get("display_name")) or text_of(told.get("name"))
        if name and name != model["id"]:
            model["name"] = name
        if self.settings.thinking:
            model["thinking"] = list(self.settings.thinking)
        return model

    def _silent(self) -> SessionError:
        seconds = f"{self.settings.patience.silence_s:g} s"
        return fault(ModelFault.TIMEOUT, f"{self.settings.id} gave no sign of life for {seconds}.")

    def _garbled(self) -> SessionError:
        return fault(ModelFault.GARBLED, f"What {self.settings.id} sends is no answer of its interface.")

    def _too_long(self) -> SessionError:
        return fault(ModelFault.TOO_LONG, f"The answer of {self.settings.id} goes on without an end.")

    def _cut_off(self) -> SessionError:
        return fault(ModelFault.CUT_OFF, f"The connection to {self.settings.id} ended before the answer did.")


def _retry_after(response: httpx.Response) -> float | None:
    told = response.headers.get("retry-after", "").strip()
    return float(told) if told.isascii() and told.isdigit() else None


def _blot(text: str, key: str | None) -> str:
    return text.replace(key, "…") if key else text
