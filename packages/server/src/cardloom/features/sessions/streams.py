"""Streams of sessions over the canvas's own connection: many on one socket, each no faster than the client reads.

While the client has not read what it was sent, nothing more is taken from a run; what gathers meanwhile is told in
fewer events. Spec: session protocol, back-pressure.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from cardloom_protocol.ids import ConnectionId
from cardloom_protocol.session.call_table import SESSION_CALLS
from cardloom_protocol.session.calls import checked
from cardloom_protocol.session.errors import NotFound, NotSupported, SessionError, SessionErrorCode
from cardloom_protocol.session.limits import session_limit
from cardloom_protocol.session.services import ServiceEvent, service_error_event
from cardloom_sdk.backend import BackendHost, Reader
from cardloom_sdk.backend.watching import Changes
from cardloom_sdk.backend.workspace_handlers import files_of

from ...core.bus import Bus, connection_topic

_log = logging.getLogger(__name__)

_QUIET_MS: Final = session_limit("heartbeatMs")
_UNREAD_CHARS: Final = session_limit("sendBytes")
_PACE_S: Final = 0.03

Events = list[dict[str, Any]]


@dataclass(slots=True)
class _Stream:
    connection_id: ConnectionId
    endings: list[Callable[[], None]] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def leave(self) -> None:
        """Ends all that was begun for the stream."""
        for end in self.endings:
            end()


class Streams:
    """The open streams of all connections."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._streams: dict[str, _Stream] = {}

    async def open(self, host: BackendHost, name: str, params: Mapping[str, Any], connection_id: ConnectionId) -> str:
        """Begins a stream and gives its id. SessionError as over HTTP."""
        call = SESSION_CALLS[name]
        if call.capability is not None:
            await host.require(call.capability)
        given = checked(call, params)
        stream = _Stream(connection_id)
        stream.endings.append(host.open_stream(stream.leave))  # before anything is begun that would have to be left
        try:
            events, leave = await _source(host, name, given)
        except BaseException:
            stream.leave()
            raise
        stream.endings.append(leave)
        stream_id = secrets.token_urlsafe(9)
        self._streams[stream_id] = stream
        stream.task = asyncio.create_task(self._send(stream_id, stream, events))
        return stream_id

    @property
    def open_ids(self) -> list[str]:
        """The streams that are open."""
        return list(self._streams)

    def leave(self, stream_id: str, connection_id: ConnectionId) -> None:
        """Ends a stream of a connection. NOT_FOUND."""
        stream = self._streams.get(stream_id)
        if stream is None or stream.connection_id != connection_id:
            raise NotFound(f"There is no stream {stream_id!r}.")
        self._drop(stream_id)

    def drop_all(self, connection_id: ConnectionId) -> None:
        """Ends the streams of a connection that is gone."""
        for stream_id in [name for name, one in self._streams.items() if one.connection_id == connection_id]:
            self._drop(stream_id)

    def close(self) -> None:
        """Ends all streams."""
        for stream_id in list(self._streams):
            self._drop(stream_id)

    def _drop(self, stream_id: str) -> None:
        stream = self._streams.pop(stream_id)
        stream.leave()
        if stream.task is not None:
            # Behind the task's first step, which is due already: before it nothing would leave the events' source.
            asyncio.get_running_loop().call_soon(stream.task.cancel)

    async def _send(self, stream_id: str, stream: _Stream, events: AsyncGenerator[Events]) -> None:
        topic, error = connection_topic(stream.connection_id), None
        try:
            async with aclosing(events):
                async for batch in events:
                    if stream_id in self._streams:
                        self._tell(stream_id, stream, batch)
                    while True:
                        await asyncio.sleep(_PACE_S)
                        if self._bus.waiting(topic) <= _UNREAD_CHARS:
                            break
        except SessionError as refusal:
            error = {"code": refusal.code, "message": refusal.message}
        except Exception:  # noqa: BLE001 - a task root: the client is told, the log knows why
            _log.exception("a stream of sessions failed")
            error = {"code": SessionErrorCode.INTERNAL, "message": "The backend failed."}
        if self._streams.pop(stream_id, None) is not None:
            stream.leave()
            self._tell(stream_id, stream, [], ended=True, error=error)

    def _tell(self, stream_id: str, stream: _Stream, events: Events, *, ended: bool = False, error: Any = None) -> None:
        data = {"streamId": stream_id, "events": events, "ended": ended, "error": error}
        self._bus.publish("session.stream", data, connection_topic(stream.connection_id))


async def _source(
    host: BackendHost, name: str, given: Mapping[str, Any]
) -> tuple[AsyncGenerator[Events], Callable[[], None]]:
    match name:
        case "follow":
            reader = host.run(given["runId"]).log.reader(given.get("after"))
            return _run_events(given["runId"], reader), reader.leave
        case "watch":
            changes = Changes(files_of(host))
            return _changed_files(changes), changes.close
        case _:
            services = host.backend.services
            if services is None:
                raise NotSupported("services")
            source = services.stream(given["plugin"], given["method"], given.get("args"))
            try:
                first = await anext(source, None)
            except BaseException:  # as when the connection goes: nobody else would leave the service
                await _close(source)
                raise
            return _service_events(first, source), lambda: None


async def _run_events(run_id: str, reader: Reader) -> AsyncGenerator[Events]:
    while not (reader.is_done or reader.has_left):
        batch: Events = [
            {"id": None if one.number is None else f"{run_id}:{one.number}", "event": one.event}
            for one in reader.take()
        ]
        if batch:
            yield batch
        await reader.wait()


async def _changed_files(changes: Changes) -> AsyncGenerator[Events]:
    yield [{"id": None, "event": {"type": "workspace_update", "paths": [""]}}]
    while not changes.is_closed:
        event = await changes.next(_QUIET_MS)
        if event is not None:
            yield [{"id": None, "event": event}]


async def _service_events(first: ServiceEvent | None, source: AsyncIterator[ServiceEvent]) -> AsyncGenerator[Events]:
    try:
        if first is not None:
            yield [{"id": None, "event": first.to_wire()}]
            async for event in source:
                yield [{"id": None, "event": event.to_wire()}]
    except SessionError as error:
        yield [{"id": None, "event": service_error_event(error).to_wire()}]
    finally:
        await _close(source)


async def _close(source: AsyncIterator[ServiceEvent]) -> None:
    close = getattr(source, "aclose", None)
    if close is not None:
        await close()
