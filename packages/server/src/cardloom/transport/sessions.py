"""The session protocol over HTTP at `/protocol/v1`: its own key at the door, one application a backend behind it.

`/protocol/v1/…` is the first backend, `/protocol/v1/backends/<id>/…` any of them, `/protocol/v1/backends` their list.
Spec: decisions 32, 37, 38.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from cardloom_protocol.session.envelope import success
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.backend.http.asgi import segments
from cardloom_sdk.backend.http.reply import Reply

from .auth import Doorkeeper

PATH = "/protocol/v1"
_BACKENDS = "backends"


class HostedBackend(Protocol):
    """A backend of this server."""

    @property
    def host(self) -> BackendHost: ...

    def to_wire(self) -> dict[str, str]: ...


class Hosted(Protocol):
    """The backends of this server."""

    @property
    def entries(self) -> Mapping[str, HostedBackend]: ...

    def find(self, backend_id: str | None) -> HostedBackend: ...


class SessionDoor:
    """Lets in who has the session protocol's key."""

    def __init__(self, doorkeeper: Doorkeeper, hosted: Hosted) -> None:
        self._doorkeeper = doorkeeper
        self._hosted = hosted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = Reply(send)
        if not self._doorkeeper.session_by_header(Headers(scope=scope)):
            await reply.refuse(SessionError("unauthorized", "The session protocol's key is needed."))
            return
        path = segments(scope)
        try:
            if path[:1] != [_BACKENDS]:
                await self._serve(None, scope, receive, send)
            elif len(path) == 1:
                await self._list(scope, reply)
            else:
                root = f"{scope.get('root_path', '')}/{_BACKENDS}/{path[1]}"
                await self._serve(path[1], {**scope, "root_path": root}, receive, send)
        except SessionError as error:
            await reply.refuse(error)

    async def _serve(self, backend_id: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        await SessionApp(self._hosted.find(backend_id).host)(scope, receive, send)

    async def _list(self, scope: Scope, reply: Reply) -> None:
        if scope["method"] != "GET":
            raise NotFound("There is nothing at this address.")
        found: list[Any] = [entry.to_wire() for entry in self._hosted.entries.values()]
        await reply.json(200, success(found))
