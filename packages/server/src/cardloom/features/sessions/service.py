"""The backends of this server and what clients ask of them over the canvas's own connection.

Over HTTP the same hosts are served by `cardloom_sdk.backend.http`. Spec: session protocol; decisions 32, 39, 40.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardloom_protocol.ids import ConnectionId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.envelope import failure, success
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_protocol.session.json_text import object_of
from cardloom_sdk.backend import Backend, BackendHost
from cardloom_sdk.backend.handlers import carry_out

from ...core.bus import OWNERS, Bus
from .run_watch import RunWatch
from .streams import Streams

_log = logging.getLogger(__name__)

_CHANGING: Final = frozenset(
    (
        *("create", "rename", "delete", "append", "fork", "swipe"),
        *("editMessage", "deleteMessage", "hideMessage", "setModel", "setProfile"),
    )
)
"""What other pages should hear of, so that all show the same."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One backend. `kind` says what it is: engine, pi, opencode, acp, http, …"""

    id: str
    title: str
    kind: str
    host: BackendHost

    def to_wire(self) -> dict[str, str]:
        """The backend as a list shows it."""
        return {"id": self.id, "title": self.title, "kind": self.kind}


class SessionsService:
    """All backends by id; the first one is meant where none is named."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.entries: dict[str, Entry] = {}
        self.streams = Streams(bus)
        self.watch = RunWatch(bus)
        bus.listen_detach(self.streams.drop_all)

    def add(self, backend_id: str, title: str, kind: str, backend: Backend) -> Entry:
        """Takes a backend in. ValueError for an id in use."""
        if backend_id in self.entries:
            raise ValueError(f"there is a backend {backend_id} already")
        entry = self.entries[backend_id] = Entry(backend_id, title, kind, BackendHost(backend))
        entry.host.run_began.append(lambda live: self.watch.began(backend_id, live))
        entry.host.answered.append(lambda name, given, data: self._tell(backend_id, name, given, data))
        return entry

    async def remove(self, backend_id: str) -> None:
        """Ends a backend with its runs. NOT_FOUND."""
        entry = self.find(backend_id)
        del self.entries[backend_id]
        await entry.host.close()

    def find(self, backend_id: str | None) -> Entry:
        """The backend of that id, or the first one. NOT_FOUND where there is none."""
        found = next(iter(self.entries.values()), None) if backend_id is None else self.entries.get(backend_id)
        if found is None:
            raise NotFound("There is no backend." if backend_id is None else f"There is no backend {backend_id!r}.")
        return found

    async def call(self, name: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The envelope of an operation that answers once."""
        try:
            entry = self.find(params.get("backend"))
            data = (await carry_out(entry.host, name, params)).data
        except SessionError as error:
            return failure(error)
        return success(data)

    def _tell(self, backend_id: str, name: str, given: Mapping[str, Any], data: JsonValue) -> None:
        """Tell the pages of what was changed, by whichever door the request came."""
        if name in _CHANGING:
            session_id = object_of(data).get("id") if name in ("create", "fork") else given.get("sessionId")
            self._bus.publish("session.changed", {"backend": backend_id, "sessionId": session_id}, OWNERS)

    async def stream(self, name: str, params: Mapping[str, Any], connection_id: ConnectionId) -> Mapping[str, Any]:
        """The envelope of an operation that streams, with the id of the stream."""
        try:
            host = self.find(params.get("backend")).host
            return success({"streamId": await self.streams.open(host, name, params, connection_id)})
        except SessionError as error:
            return failure(error)

    async def close(self) -> None:
        """Ends all streams and all backends with their runs; one that fails or takes long keeps no other from it."""
        self.streams.close()
        entries = list(self.entries.values())
        outcomes = await asyncio.gather(*(entry.host.close() for entry in entries), return_exceptions=True)
        for entry, outcome in zip(entries, outcomes, strict=True):
            if isinstance(outcome, Exception):
                _log.error("the backend %s failed while it was ended", entry.id, exc_info=outcome)
        await self.watch.close()
