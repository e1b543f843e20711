"""One `opencode serve`: started when first needed, behind a password of its own, asked over HTTP, heard on one stream.

Spec: real command-line programs (OpenCode); session protocol, adapters.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import httpx

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import BadRequest, Conflict, NotFound, SessionError
from cardloom_protocol.session.json_text import JsonObject, object_of, read_json, read_object, text_of
from cardloom_protocol.session.sse import SseParser

from .....host import guardian
from .....host.piped import ending
from .....host.processes import Command, Program

UNAVAILABLE: Final = "opencode_unavailable"
"""OpenCode cannot be started, or does not answer."""
REFUSED: Final = "opencode_refused"
"""OpenCode answered with an error of its own."""

START_S: Final = 60.0
_ANSWER_S: Final = 60.0
_SILENCE_S: Final = 60.0  # it gives a sign of life every ten seconds
_RETRY_S: Final = 0.5
_REPEATABLE: Final = ("GET", "PATCH", "DELETE")
_PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0)  # before asking a busy OpenCode again
_STOP_MS: Final = 3000
_KEPT_CHARS: Final = 16 << 10  # of what it prints, for its last words
_LISTENING: Final = re.compile(r"listening on (http://\S+)")
_USER: Final = "opencode"

Listener: TypeAlias = Callable[[JsonObject], None]

RECONNECTED: Final = "cardloom.reconnected"
"""The type of the event that listeners get after a gap in the stream."""
PROGRAM_ENDED: Final = "cardloom.ended"
"""The type of the last event that listeners get when the program is gone; `message` says how it ended."""
ENDED: Final = "opencode_ended"
"""OpenCode ended in the middle. What it had said is in its own store."""


@dataclass(frozen=True, slots=True)
class OpenCodeSettings:
    """How OpenCode is started. `environment` is the whole environment of the program."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    start_s: float = START_S


class OpenCodeServer:
    """The program and the connections to it."""

    def __init__(self, settings: OpenCodeSettings) -> None:
        self._settings = settings
        self._lock = asyncio.Lock()
        self._program: Program | None = None
        self._watching: asyncio.Task[int] | None = None
        self._client: httpx.AsyncClient | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._listeners: dict[object, Listener] = {}
        self._printed = ""

    async def ask(self, method: str, path: str, body: JsonValue = None, *, again: bool = False, **query: str) -> Any:
        """What a route answers. NOT_FOUND, BAD_REQUEST, CONFLICT, or OpenCode's own failure.

        A busy OpenCode breaks off what it does for a request: those that change nothing when they come twice are sent
        again, and with `again` this one too.
        """
        client = await self._connected()
        content = None if body is None else compact_json(body).encode("utf-8")
        headers = None if body is None else {"content-type": "application/json"}
        request = client.build_request(method, path, content=content, headers=headers, params=query or None)
        try:
            response = await _answer(client, request, again=again or method in _REPEATABLE)
        except httpx.HTTPError as error:
            raise await self._why_silent(error) from None
        if response.is_success:
            try:
                return read_json(response.text) if response.text.strip() else None
            except ValueError:
                raise SessionError(REFUSED, "OpenCode answered with no JSON.") from None
        raise _refusal(response)

    async def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener of every event from now on, until it unsubscribes."""
        await self._connected()
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    async def close(self) -> None:
        """End the program."""
        async with self._lock:
            await self._end()

    async def _connected(self) -> httpx.AsyncClient:
        async with self._lock:
            if self._client is not None and self._watching is not None and not self._watching.done():
                return self._client
            await self._end()
            self._client = await self._start()
            ready = asyncio.Event()
            self._hearing = asyncio.create_task(self._hear(self._client, ready))
            try:
                async with asyncio.timeout(self._settings.start_s):
                    await ready.wait()
            except TimeoutError:
                raise SessionError(UNAVAILABLE, "OpenCode's stream of events does not begin.") from None
            return self._client

    async def _start(self) -> httpx.AsyncClient:
        settings, password = self._settings, secrets.token_urlsafe(24)
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._printed = ""

        def heard(data: bytes, _: bool) -> None:
            self._printed = (self._printed + data.decode("utf-8", "replace"))[-_KEPT_CHARS:]
            found = None if address.done() else _LISTENING.search(self._printed)
            if found:
                address.set_result(found[1])

        environment = {**settings.environment, "OPENCODE_SERVER_PASSWORD": password}
        # OpenCode's server does not notice that whoever started it is gone; the guardian does.
        guarded = [sys.executable, "-I", guardian.__file__, *settings.argv]
        argv = [*guarded, "serve", "--hostname", "127.0.0.1", "--port", "0"]
        try:
            program = await Program.start(Command(argv, settings.cwd, environment), heard)
        except OSError as error:
            raise SessionError(UNAVAILABLE, f"OpenCode cannot be started: {error.strerror or error}.") from None
        self._program, self._watching = program, asyncio.create_task(program.wait())
        either: list[asyncio.Future[Any]] = [address, self._watching]
        await asyncio.wait(either, timeout=settings.start_s, return_when=asyncio.FIRST_COMPLETED)
        if not address.done():
            raise SessionError(UNAVAILABLE, f"OpenCode did not start: {self._last_words()}")
        return httpx.AsyncClient(
            base_url=address.result(),
            auth=httpx.BasicAuth(_USER, password),
            trust_env=False,
            timeout=httpx.Timeout(_ANSWER_S, connect=10),
            limits=httpx.Limits(max_connections=None),
        )

    async def _why_silent(self, error: httpx.HTTPError) -> SessionError:
        """What to say of a request that no answer came to: the program may be about to end."""
        if self._watching is not None:
            await asyncio.wait([self._watching], timeout=_RETRY_S)
            if self._watching.done():
                return SessionError(ENDED, self._how_it_ended(self._watching.result()))
        return SessionError(UNAVAILABLE, f"OpenCode does not answer: {type(error).__name__}.")

    def _how_it_ended(self, code: int) -> str:
        return f"OpenCode ended{ending(code)}: {self._last_words()}"

    def _last_words(self) -> str:
        """What it said last, but for where it listens."""
        lines = [line for line in self._printed.splitlines() if line.strip() and _LISTENING.search(line) is None]
        return lines[-1].strip()[:300] if lines else "it said nothing."

    async def _hear(self, client: httpx.AsyncClient, ready: asyncio.Event) -> None:
        """Hear the stream for as long as the program runs; a gap is told, as what happened in it is not."""
        while True:
            try:
                async with client.stream("GET", "/event", timeout=_SILENCE_S) as response:
                    response.raise_for_status()
                    if ready.is_set():
                        self._tell({"type": RECONNECTED, "properties": {}})
                    ready.set()
                    parser = SseParser()
                    async with aclosing(response.aiter_bytes()) as pieces:  # type: ignore[type-var]
                        async for piece in pieces:
                            for frame in parser.feed(piece):
                                self._tell(object_of(read_object(frame.data)))
            except (httpx.HTTPError, BadRequest):
                pass
            if self._watching is None:
                return
            await asyncio.wait([self._watching], timeout=_RETRY_S)
            if self._watching.done():
                properties: JsonObject = {"message": self._how_it_ended(self._watching.result())}
                self._tell({"type": PROGRAM_ENDED, "properties": properties})
                return

    def _tell(self, event: JsonObject) -> None:
        for listener in list(self._listeners.values()):
            listener(event)

    async def _end(self) -> None:
        if self._hearing is not None:
            self._hearing.cancel()
            await asyncio.gather(self._hearing, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()
        if self._program is not None and self._watching is not None:
            await self._program.stop(_STOP_MS)
            await asyncio.gather(self._watching, return_exceptions=True)
        self._client = self._program = self._watching = self._hearing = None


async def _answer(client: httpx.AsyncClient, request: httpx.Request, *, again: bool) -> httpx.Response:
    """The answer to a request, which may go out `again` while OpenCode says 503."""
    response = await client.send(request)
    for pause_s in _PAUSES_S if again else ():
        if response.status_code != 503:
            break
        await asyncio.sleep(pause_s)
        response = await client.send(request)
    return response


def _refusal(response: httpx.Response) -> SessionError:
    body = object_of(read_object(response.text.strip()))
    told = text_of(object_of(body.get("data")).get("message")) or text_of(body.get("message"))
    message = f"OpenCode: {told[:500]}" if told else f"OpenCode answered HTTP {response.status_code}."
    match response.status_code:
        case 400 | 413 | 422:
            return BadRequest(message)
        case 404:
            return NotFound(message)
        case 409:
            return Conflict(message)
        case _:
            return SessionError(REFUSED, message)
