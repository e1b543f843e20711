"""The URL table, behind one door: Host and Origin are checked before any route is looked at.

Spec: decisions 32, 37, 38.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from cardloom_protocol.callers import CALLERS, Caller, CallerKind, OriginRule
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.limits import limit

from .. import __version__
from ..core.ids import new_connection_id
from ..core.mounts import Mounts
from ..host.wire_json import loads
from .auth import Doorkeeper
from .errors import HTTP_STATUS
from .frames import PREFIX as FRAMES_PREFIX
from .frames import FrameServer
from .hooks import METHODS as HOOK_METHODS
from .hooks import PATH as HOOKS_PATH
from .hooks import HookDoor
from .line import Room, answer_once
from .mcp.door import PATH as MCP_PATH
from .mcp.door import AgentDoor
from .pages import SECURITY_HEADERS, Pages
from .sessions import AGUI_PATH, SessionDoor
from .sessions import PATH as SESSIONS_PATH
from .socket import Sockets

_MAX_ACCESS_BYTES = 1024
_MAX_CALL_BYTES = limit("largeMessageBytes") * 3


@dataclass(frozen=True, slots=True)
class Door:
    """What the routes work with. `workspace_of` gives the workspace of a card that is on a canvas, None otherwise."""

    doorkeeper: Doorkeeper
    room: Room
    sockets: Sockets
    pages: Pages
    mounts: Mounts
    frames: FrameServer
    workspace_of: Callable[[CardId], WorkspaceId | None]
    mcp: AgentDoor
    hooks: HookDoor
    sessions: SessionDoor


def make_asgi(door: Door) -> ASGIApp:
    """The whole HTTP side of the server."""
    routes = Starlette(
        routes=[
            Route("/", door.pages.index, methods=["GET"]),
            Route("/chat", door.pages.index, methods=["GET"]),
            Route("/health", _health, methods=["GET"]),
            Route("/access", _access(door), methods=["POST"]),
            Route("/call", _call(door), methods=["POST"]),
            WebSocketRoute("/ws", _owner_socket(door)),
            WebSocketRoute("/ws/card", _card_socket(door)),
            WebSocketRoute("/ws/card/{token}", _mount_socket(door)),
            Route(MCP_PATH, door.mcp),
            Route(HOOKS_PATH + "/{token}/{agent}/{event}", door.hooks.post, methods=list(HOOK_METHODS)),
            Mount(SESSIONS_PATH, door.sessions),
            Route(AGUI_PATH, door.sessions.agui),
            Route(AGUI_PATH + "/{backend}", door.sessions.agui),
            Route("/frames/{token}/{path:path}", door.frames.file, methods=["GET"]),
            Route("/{path:path}", door.pages.asset, methods=["GET"]),
        ]
    )
    return _Guarded(routes, door.doorkeeper)


async def _health(_: Request) -> Response:
    return JSONResponse({"name": "cardloom", "version": __version__})


def _access(door: Door) -> Callable[[Request], object]:
    async def access(request: Request) -> Response:
        if "origin" not in request.headers:
            return _refused()
        body = await _body(request, _MAX_ACCESS_BYTES)
        try:
            given = loads(body.decode()) if body else None
        except (ValueError, RecursionError):
            given = None
        code = given.get("code") if isinstance(given, dict) else None
        key = door.doorkeeper.exchange(code) if isinstance(code, str) else None
        if key is None:
            return _refused()
        return JSONResponse({"key": key}, headers={"Cache-Control": "no-store"})

    return access


def _call(door: Door) -> Callable[[Request], object]:
    async def call(request: Request) -> Response:
        if not door.doorkeeper.owner_by_header(request.headers):
            return _refused()
        body = await _body(request, _MAX_CALL_BYTES)
        if body is None:
            return _failed(CallError(ErrorCode.TOO_LARGE, f"a call holds at most {_MAX_CALL_BYTES} bytes"))
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return _failed(CallError(ErrorCode.BAD_REQUEST, "the call is not UTF-8"))
        caller = Caller(CallerKind.OWNER, new_connection_id())
        answer, error = await answer_once(door.room, caller, text)
        if answer is None:
            return _failed(CallError(ErrorCode.BAD_REQUEST, "the call is no request envelope"))
        status = 200 if error is None else HTTP_STATUS[error.code]
        return Response(answer, status, {"Cache-Control": "no-store"}, "application/json")

    return call


def _owner_socket(door: Door) -> Callable[[WebSocket], object]:
    async def serve(websocket: WebSocket) -> None:
        proven = door.doorkeeper.owner_by_header(websocket.headers)
        if not proven and ("authorization" in websocket.headers or not door.doorkeeper.may_greet(websocket.headers)):
            await websocket.close()
            return
        await door.sockets.serve_owner(websocket, proven=proven)

    return serve


def _card_socket(door: Door) -> Callable[[WebSocket], object]:
    async def serve(websocket: WebSocket) -> None:
        card_id = door.doorkeeper.card_by_header(websocket.headers)
        workspace_id = None if card_id is None else door.workspace_of(card_id)
        if card_id is None or workspace_id is None:
            await websocket.close()
            return
        await door.sockets.serve_card(websocket, card_id, workspace_id)

    return serve


def _mount_socket(door: Door) -> Callable[[WebSocket], object]:
    async def serve(websocket: WebSocket) -> None:
        mount = door.mounts.find(websocket.path_params["token"])
        if mount is None or "authorization" in websocket.headers:
            await websocket.close()
            return
        await door.sockets.serve_mount(websocket, mount)

    return serve


async def _body(request: Request, max_bytes: int) -> bytes | None:
    """The body, None when it is too large: then the rest is not read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            return None
    return bytes(body)


def _refused() -> Response:
    return Response(status_code=403)


def _failed(error: CallError) -> Response:
    return JSONResponse({"ok": False, "error": error.to_wire()}, HTTP_STATUS[error.code])


def _is_of_mount(scope: Scope) -> bool:
    """Whether a request goes where a frame's token is the credential: a frame's Origin is `null`."""
    path = str(scope["path"])
    return path.startswith(FRAMES_PREFIX if scope["type"] == "http" else "/ws/card/")


class _Guarded:
    """Refuses every request whose Host or Origin is not ours, and adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, doorkeeper: Doorkeeper) -> None:
        self._app = app
        self._doorkeeper = doorkeeper

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        of_mount = _is_of_mount(scope)
        rule = CALLERS[CallerKind.MOUNT if of_mount else CallerKind.OWNER].origin
        if not self._comes_from_us(headers, rule):
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, send).close()
            else:
                await _refused()(scope, receive, send)
            return

        if of_mount or scope["type"] == "websocket":  # a frame's answers carry headers of their own
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    answer.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _comes_from_us(self, headers: Headers, rule: OriginRule) -> bool:
        if any(len(headers.getlist(name)) > 1 for name in ("host", "origin", "authorization")):
            return False
        return self._doorkeeper.host_is_ours(headers) and self._doorkeeper.origin_fits(headers, rule)
