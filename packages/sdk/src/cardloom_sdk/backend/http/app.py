"""The ASGI application: one request, one operation of the table, an envelope or a stream.

Needs no framework and runs below any mount point. Spec: session protocol, HTTP binding.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, cast

from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.calls import SessionCall, checked
from cardloom_protocol.session.envelope import success
from cardloom_protocol.session.errors import SessionError, SessionErrorCode
from cardloom_protocol.session.files import file_mime

from ..contract import Backend
from ..handlers import carry_out
from ..host import BackendHost
from ..watching import Changes
from ..workspace_handlers import files_of
from .asgi import AsgiApp, Headers, Receive, Scope, Send, header, query, segments
from .errors import NotAcceptable
from .guard import Guard
from .reply import Reply
from .requests import Router, fields, wants_events, wants_only_events
from .streams import Stream, StreamTimes, send_changes, send_run, send_service, until_client_leaves

_logger = logging.getLogger(__name__)

_router = Router(SESSION_CALLS.values())
_SHOWN_IN_PLACE = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "audio/", "video/")
_ASSET_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"cache-control", b"private, no-cache"),
]


class SessionApp:
    """Serves one host. Knows nothing of who may ask: put a `Guard` or the doors of your server in front."""

    def __init__(self, host: BackendHost, *, times: StreamTimes | None = None) -> None:
        self.host = host
        self._times = times or StreamTimes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._serve(scope, receive, send)
            case "lifespan":
                await self._live(receive, send)
            case _:
                raise RuntimeError("The session protocol is served over HTTP.")

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await self.host.close()
                await send({"type": "lifespan.shutdown.complete"})
                return
            await send({"type": "lifespan.startup.complete"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = Reply(send)
        try:
            call, in_path = _router.find(scope["method"], segments(scope))
            given = await self._given(call, in_path, scope, receive)
            await self._reply(call, given, scope, receive, reply)
        except SessionError as error:
            await reply.refuse(error)
        except Exception as error:  # a request's root: the client is told, the log knows why
            if reply.has_begun and isinstance(error, TimeoutError | OSError):
                return  # the client does not read, or is gone
            _logger.exception("%s %s failed", scope["method"], scope["path"])
            await reply.refuse(SessionError(SessionErrorCode.INTERNAL, "The backend failed."))

    async def _given(
        self, call: SessionCall, in_path: dict[str, Any], scope: Scope, receive: Receive
    ) -> dict[str, Any]:
        if call.reply == "json" and call.name != "run" and wants_only_events(scope):
            raise NotAcceptable()
        if call.capability is not None:
            await self.host.require(call.capability)
        return await fields(call, in_path, scope, receive)

    async def _reply(
        self, call: SessionCall, given: dict[str, Any], scope: Scope, receive: Receive, reply: Reply
    ) -> None:
        match call.name:
            case "follow":
                await self._follow(checked(call, given), scope, receive, reply)
            case "watch":
                await self._watch(scope, receive, reply)
            case "streamService":
                await self._stream_service(checked(call, given), scope, receive, reply)
            case "getAsset":
                await self._send_asset(checked(call, given), reply)
            case "run" if wants_events(scope):
                run = cast(dict[str, Any], (await carry_out(self.host, "run", given)).data)
                await self._follow({"runId": run["runId"]}, scope, receive, reply)
            case _:
                answer = await carry_out(self.host, call.name, given)
                status = 201 if answer.created else 200 if answer.idle else call.status
                await reply.json(status, None if status == 204 else success(answer.data))

    # Streams

    async def _follow(self, given: dict[str, Any], scope: Scope, receive: Receive, reply: Reply) -> None:
        live = self.host.run(given["runId"])
        after = given.get("after") or header(scope, "last-event-id") or None
        asked = query(scope)
        reader = live.log.reader(after)
        release = self.host.open_stream(reader.leave)
        try:
            async with until_client_leaves(receive, reader.leave):
                await send_run(self._stream(scope, reply), reader)
        finally:
            release()
            if asked.get("cancelOnClose") == "1" and not live.ended:
                await self.host.cancel(live.id)

    async def _watch(self, scope: Scope, receive: Receive, reply: Reply) -> None:
        changes = Changes(files_of(self.host))
        try:
            release = self.host.open_stream(changes.close)
        except SessionError:
            changes.close()
            raise
        try:
            async with until_client_leaves(receive, changes.close):
                await send_changes(self._stream(scope, reply), changes)
        finally:
            changes.close()
            release()

    async def _stream_service(self, given: dict[str, Any], scope: Scope, receive: Receive, reply: Reply) -> None:
        services = self.host.backend.services
        if services is None:
            raise SessionError(SessionErrorCode.NOT_SUPPORTED, "This backend has no services.")
        events = services.stream(given["plugin"], given["method"], given.get("args"))
        sending = asyncio.create_task(send_service(self._stream(scope, reply), events))
        try:
            release = self.host.open_stream(lambda: _cancel(sending))
            try:
                async with until_client_leaves(receive, lambda: _cancel(sending)):
                    await asyncio.wait([sending])
            finally:
                release()
            if not sending.cancelled():
                sending.result()
        finally:
            sending.cancel()
            await asyncio.wait([sending])
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()

    def _stream(self, scope: Scope, reply: Reply) -> Stream:
        return Stream(reply.send, self._times, heartbeat=query(scope).get("heartbeat"))

    async def _send_asset(self, given: dict[str, Any], reply: Reply) -> None:
        data = await self.host.backend.sessions.get_asset(given["sessionId"], given["ref"])
        mime = file_mime(given["ref"]) or ""
        shown = mime.startswith(_SHOWN_IN_PLACE)
        kind = mime.encode() if shown else b"application/octet-stream"
        place: Headers = [] if shown else [(b"content-disposition", b"attachment")]
        await reply.bytes(200, data, [(b"content-type", kind), *place, *_ASSET_HEADERS])


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()


def protocol_app(
    backend: Backend, *, token: str | None, hosts: Sequence[str] = (), origins: Sequence[str] = ()
) -> AsgiApp:
    """A backend behind its own guard, to be mounted or served as it is.

    `token` is the bearer token that every request must bring; with None anybody on this machine may ask. `hosts` are
    names under which the server is reached beside those of this machine, `origins` the pages that may call it.
    """
    return Guard(SessionApp(BackendHost(backend)), token=token, hosts=hosts, origins=origins)
