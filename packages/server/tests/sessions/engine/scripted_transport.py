"""An HTTP transport that answers with the bytes that a test wants, broken ones too. No socket is opened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx

from cardloom.features.sessions.backends.engine.endpoint import Dialect, Endpoint, EndpointSettings, Patience

EVENT_STREAM = {"content-type": "text/event-stream"}


class Held(asyncio.Event):
    """A place in a stream where nothing comes until it is set."""


class Pieces(httpx.AsyncByteStream):
    """Bytes one after the other; an exception among them is raised, a `Held` waited for."""

    def __init__(self, pieces: Sequence[bytes | Exception | Held]) -> None:
        self.pieces = pieces
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, Held):
                await piece.wait()
            else:
                yield piece

    async def aclose(self) -> None:
        self.closed = True


class Scripted(httpx.AsyncBaseTransport):
    """Answers each request with the next of the answers; the last one serves again."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def body(self, at: int = -1) -> dict[str, Any]:
        """What a request asked."""
        found: dict[str, Any] = json.loads(self.requests[at].content)
        return found


def streamed(*pieces: bytes | Exception | Held, status: int = 200) -> httpx.Response:
    """An event stream of these pieces."""
    return httpx.Response(status, headers=EVENT_STREAM, stream=Pieces(pieces))


def refused(status: int, message: str = "no", **headers: str) -> httpx.Response:
    """An error body."""
    return httpx.Response(status, json={"error": {"message": message}}, headers=headers)


def frame(data: Any) -> bytes:
    """One frame."""
    return f"data: {json.dumps(data) if not isinstance(data, str) else data}\n\n".encode()


def chat_words(*words: str) -> list[bytes]:
    """Chunks of chat completions with these words."""
    return [frame({"choices": [{"index": 0, "delta": {"content": word}}]}) for word in words]


def chat_call(name: str, arguments: str, call_id: str = "c1") -> list[bytes]:
    """Chunks of chat completions that call a tool, and the end of that answer."""
    function = {"name": name, "arguments": arguments}
    call = {"index": 0, "id": call_id, "function": function}
    delta = {"index": 0, "delta": {"tool_calls": [call]}}
    return [frame({"choices": [delta]}), *chat_end("tool_calls")]


def chat_end(reason: str = "stop") -> list[bytes]:
    """The end of an answer by chat completions."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    last = {"index": 0, "delta": {}, "finish_reason": reason}
    return [frame({"choices": [last]}), frame({"choices": [], "usage": usage}), frame("[DONE]")]


class Naps:
    """A sleep that takes no time and remembers what was asked of it."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def endpoint(
    transport: httpx.AsyncBaseTransport | None,
    *,
    dialect: Dialect = "chat",
    url: str = "http://models.test/v1",
    key: str | None = None,
    naps: Naps | None = None,
    patience: Patience | None = None,
) -> Endpoint:
    """An endpoint called `test` with the model `m`."""

    async def key_of() -> str | None:
        return key

    settings = EndpointSettings(
        "test",
        dialect,
        url,
        key_of,
        models=({"id": "m", "thinking": ["low", "high"]},),
        patience=patience or Patience(),
    )
    return Endpoint(settings, transport=transport, sleep=naps or Naps())
