"""The session protocol over HTTP at `/protocol/v1`, and as AG-UI at `/ag-ui`: one key, one application a backend.

`/protocol/v1/…` is the first backend, `/protocol/v1/backends/<id>/…` any of them, `/protocol/v1/backends` their list;
`/ag-ui` and `/ag-ui/<id>` likewise. Spec: decisions 32, 37, 38.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from cardloom_protocol.session.envelope import success
from cardloom_protocol.session.errors import NotFound, SessionError
from cardloom_sdk.backend import BackendHost
from cardloom_sdk.backend.agui import AguiApp
from cardloom_sdk.backend.http import SessionApp
from cardloom_sdk.backend.http.asgi import segments
from cardloom_sdk.backend.http.reply import Reply

from .auth import Doorkeeper

PATH = "/protocol/v1"
AGUI_PATH = "/ag-ui"
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
    """Lets in who has the session protocol's key. `agui` is the door at `/ag-ui`."""

    def __init__(self, doorkeeper: Doorkeeper, hosted: Hosted) -> None:
        self._doorkeeper = doorkeeper
        self._hosted = hosted
        self.agui = AguiDoor(self._let_in, hosted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._let_in(self._serve, scope, receive, send)

    async def _let_in(
        self, serve: Callable[[Scope, Receive, Reply], Awaitable[None]], scope: Scope, receive: Receive, send: Send
    ) -> None:
        reply = Reply(send)
        try:
            if not self._doorkeeper.session_by_header(Headers(scope=scope)):
                raise SessionError("unauthorized", "The session protocol's key is needed.")
            await serve(scope, receive, reply)
        except SessionError as error:
            await reply.refuse(error)

    async def _serve(self, scope: Scope, receive: Receive, reply: Reply) -> None:
        path = segments(scope)
        if path[:1] != [_BACKENDS]:
            await SessionApp(self._hosted.find(None).host)(scope, receive, reply.send)
        elif len(path) > 1:
            root = f"{scope.get('root_path', '')}/{_BACKENDS}/{path[1]}"
            await SessionApp(self._hosted.find(path[1]).host)({**scope, "root_path": root}, receive, reply.send)
        elif scope["method"] == "GET":
            found: list[Any] = [entry.to_wire() for entry in self._hosted.entries.values()]
            await reply.json(200, success(found))
        else:
            raise NotFound("There is nothing at this address.")


LetIn = Callable[[Callable[[Scope, Receive, Reply], Awaitable[None]], Scope, Receive, Send], Awaitable[None]]


class AguiDoor:
    """Runs of any backend for clients of AG-UI; what waits for an answer waits between two requests."""

    def __init__(self, let_in: LetIn, hosted: Hosted) -> None:
        self._let_in = let_in
        self._hosted = hosted
        self._apps: dict[BackendHost, AguiApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._let_in(self._serve, scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, reply: Reply) -> None:
        host = self._hosted.find(scope["path_params"].get("backend")).host
        app = self._apps.get(host)
        if app is None:
            app = self._apps[host] = AguiApp(host)
        await app(scope, receive, reply.send)
