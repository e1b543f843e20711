"""Another server of this protocol as a backend: its capabilities are ours, its runs are carried on here.

A run keeps its id on both sides, so do messages and questions. A stream that breaks is taken up again where it ended;
the run there goes on meanwhile. Spec: session protocol, reconnect; issue: http backend.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, cast

from cardloom_protocol.session.capabilities import Capabilities
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_protocol.session.events import run_status
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of
from cardloom_protocol.session.messages import Usage
from cardloom_protocol.session.sse import event_of
from cardloom_sdk.backend import Ask, Backend, Run

from .client import UNREACHABLE, ProtocolClient
from .sessions import (
    RemoteCatalogs,
    RemoteModels,
    RemoteProfiles,
    RemoteServices,
    RemoteSessions,
    RemoteWorkspace,
)

KNOWN_FOR_S: Final = 60.0
TRIES: Final = 6
_FIRST_WAIT_S: Final = 0.25
_ASK_FIELDS: Final = frozenset(Ask.__annotations__) - {"timeoutMs"}  # the time runs where the question was put


class HttpBackend(Backend):
    """The server behind a client."""

    def __init__(self, client: ProtocolClient, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._client = client
        self._sleep = sleep
        self._known: tuple[float, Capabilities] | None = None
        self.sessions = RemoteSessions(client)
        self.models = RemoteModels(client)
        self.profiles = RemoteProfiles(client)
        self.catalogs = RemoteCatalogs(client)
        self.workspace = RemoteWorkspace(client)
        self.services = RemoteServices(client)

    async def capabilities(self) -> Capabilities:
        """What the server there can do, asked for once a minute; what was known before while it does not answer."""
        now = asyncio.get_running_loop().time()
        if self._known is None or now - self._known[0] > KNOWN_FOR_S:
            try:
                found = cast(Capabilities, object_of(await self._client.call("capabilities")))
            except SessionError:
                if self._known is None:
                    raise
                found = self._known[1]
            self._known = (now, found)
        return self._known[1]

    async def run(self, run: Run) -> None:
        """See the contract."""
        await self._client.call("run", {**run.given, "runId": run.id})
        asks: dict[str, asyncio.Task[None]] = {}
        try:
            async with aclosing(self._events(run.id)) as events:
                async for event in events:
                    match event.get("type"):
                        case "run_end":
                            self._end(run, event)
                            return
                        case "ask":
                            self._hear_ask(run, event, asks)
                        case _:
                            run.emit(event)
        finally:
            for task in asks.values():
                task.cancel()
            await asyncio.gather(*asks.values(), return_exceptions=True)

    async def cancel(self, run: Run) -> None:
        """Ends the run there; its last events come by its stream."""
        try:
            await self._client.call("cancel", {"runId": run.id})
        except SessionError:
            run.interrupt()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _events(self, run_id: str) -> AsyncGenerator[JsonObject, None]:
        """The events of a run to its end, over as many connections as it takes."""
        last_id: str | None = None
        tries, wait_s = 0, _FIRST_WAIT_S
        while True:
            try:
                async with aclosing(self._client.frames("follow", {"runId": run_id}, last_id)) as frames:
                    async for frame in frames:
                        event = event_of(frame)
                        if event is None or event.get("runId") != run_id:
                            continue
                        tries, wait_s, last_id = 0, _FIRST_WAIT_S, frame.id or last_id
                        yield event
                        if event["type"] == "run_end":
                            return
            except NotFound:
                raise SessionError(UNREACHABLE, "The other server does not know this run any more.") from None
            except SessionError as error:
                if error.code != UNREACHABLE or tries >= TRIES:
                    raise
            if tries >= TRIES:
                raise SessionError(UNREACHABLE, "The stream of the run breaks again and again.")
            tries += 1
            await self._sleep(wait_s)
            wait_s *= 2

    def _hear_ask(self, run: Run, event: JsonObject, asks: dict[str, asyncio.Task[None]]) -> None:
        ask_id = text_of(event.get("askId"))
        if "resolved" in event:
            run.settle_ask(ask_id, cast(Any, event["resolved"]))
        elif ask_id not in asks:  # a replay tells of open questions once more
            asks[ask_id] = asyncio.create_task(self._ask(run, event, ask_id))

    async def _ask(self, run: Run, event: JsonObject, ask_id: str) -> None:
        ask = {name: value for name, value in event.items() if name in _ASK_FIELDS}
        answer = await run.ask(cast(Ask, ask), ask_id=ask_id)
        given = {name: value for name, value in answer.items() if name in ("optionIds", "text", "cancelled")}
        try:
            await self._client.call("answer", {"runId": run.id, "askId": ask_id, **given})
        except SessionError:
            return  # settled there meanwhile

    def _end(self, run: Run, event: JsonObject) -> None:
        if object_of(event.get("usage")):
            run.usage = cast(Usage, event["usage"])
        run.stop_reason = text_of(event.get("stopReason")) or None
        match run_status(event):
            case "error":
                error = object_of(event.get("error"))
                raise SessionError(text_of(error.get("code")) or "internal", text_of(error.get("message")))
            case "cancelled":
                raise asyncio.CancelledError  # as a run ends that is cancelled here
            case "done":
                return
