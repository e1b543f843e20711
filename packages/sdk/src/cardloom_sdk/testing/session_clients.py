"""Clients of the session protocol for tests: one asks a host directly, one over HTTP. Both say the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.envelope import opened
from cardloom_protocol.session.events import AnyRunEvent, WorkspaceUpdateEvent, is_workspace_update_event
from cardloom_protocol.session.json_text import read_json
from cardloom_protocol.session.requesting import request_of
from cardloom_protocol.session.sse import SseParser, event_of

from ..backend.handlers import carry_out
from ..backend.host import BackendHost
from ..backend.watching import Changes
from ..backend.workspace_handlers import files_of
from .asgi_client import AsgiClient

HEARTBEAT_MS = 15_000


class SessionClient(Protocol):
    """What a client can do, whatever carries it. Refusals are `SessionError`."""

    async def call(self, name: str, /, **given: Any) -> Any:
        """The data of an operation's answer."""

    def follow(self, run_id: str, after: str | None = None) -> AsyncIterator[tuple[str, AnyRunEvent]]:
        """The events of a run, each with the id to go on behind."""

    def watch(self) -> AsyncIterator[WorkspaceUpdateEvent]:
        """What changes in the workspace."""


class HostClient:
    """Asks a host directly."""

    def __init__(self, host: BackendHost) -> None:
        self.host = host

    async def call(self, name: str, /, **given: Any) -> Any:
        """The data of an operation's answer."""
        return (await carry_out(self.host, name, given)).data

    async def follow(self, run_id: str, after: str | None = None) -> AsyncIterator[tuple[str, AnyRunEvent]]:
        """The events of a run, each with the id to go on behind."""
        reader, last = self.host.run(run_id).log.reader(after), after or ""
        while not reader.is_done:
            for one in reader.take():
                last = last if one.number is None else f"{run_id}:{one.number}"
                yield last, one.event
            await reader.wait()

    async def watch(self) -> AsyncIterator[WorkspaceUpdateEvent]:
        """What changes in the workspace."""
        await self.host.require("workspace.files.watch")
        changes = Changes(files_of(self.host))
        try:
            yield {"type": "workspace_update", "paths": [""]}
            while True:
                event = await changes.next(HEARTBEAT_MS)
                if event is not None:
                    yield event
        finally:
            changes.close()


class HttpClient:
    """Asks over HTTP, without a socket."""

    def __init__(self, client: AsgiClient) -> None:
        self.http = client

    async def call(self, name: str, /, **given: Any) -> Any:
        """The data of an operation's answer."""
        request = request_of(SESSION_CALLS[name], given)
        reply = await self.http.request(request.verb, request.path, headers=request.headers, body=request.body)
        if reply.status == 204:
            return None
        if reply.headers.get("content-type") != "application/json":
            return reply.body
        return opened(read_json(reply.body.decode("utf-8")))

    async def follow(self, run_id: str, after: str | None = None) -> AsyncIterator[tuple[str, AnyRunEvent]]:
        """The events of a run, each with the id to go on behind."""
        given = {"runId": run_id} | ({} if after is None else {"after": after})
        async for last_id, event in self._events("follow", given):
            yield last_id or after or "", event

    async def watch(self) -> AsyncIterator[WorkspaceUpdateEvent]:
        """What changes in the workspace."""
        async for _, event in self._events("watch", {}):
            if is_workspace_update_event(event):
                yield event

    async def _events(self, name: str, given: dict[str, Any]) -> AsyncIterator[tuple[str, AnyRunEvent]]:
        request, parser = request_of(SESSION_CALLS[name], given), SseParser()
        async with self.http.open(request.verb, request.path, headers=request.headers) as stream:
            await stream.begin()
            refusal = b""
            while piece := await stream.read():
                if stream.status != 200:
                    refusal += piece
                    continue
                for frame in parser.feed(piece):
                    event = event_of(frame)
                    if event is not None:
                        yield frame.id, event
            if refusal:
                opened(read_json(refusal.decode("utf-8")))
