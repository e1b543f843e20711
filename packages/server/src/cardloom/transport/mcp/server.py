"""The MCP server `cardloom` at /mcp: one door, one token an agent, each agent's own tools behind it.

Speaks the protocol's older sessions and its newer single requests. Host and Origin were checked before; an agent's
request has no Origin and its token in the Authorization header, or gets 403. Spec: decisions 9, 32, 37.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.limits import limit

from ... import __version__
from ...core.records import Change, PutArrow, PutCard, PutWorkspace, RemoveArrow, RemoveCard
from ...dispatch.dispatcher import internal_error
from .audience import Audience
from .desk import Desk, Hall
from .door import AgentOf
from .offer import Offer
from .sessions import SESSION_HEADER, Sessions
from .toolbox import CardTools, toolbox

_log = logging.getLogger(__name__)

NAME: Final = "cardloom"
_MAX_BODY_BYTES: Final = limit("largeMessageBytes")
_MAX_SESSIONS: Final = 256
_SEEN_FIELDS: Final = frozenset(("name", "ports", "content"))

_Context = ServerRequestContext[Any, Any]


class _Server(Server[Any]):
    """Says to sessions of the older protocol as well that the tools may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        told = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)


class McpServer:
    """The server as an ASGI application. `run` is its life; requests before it wait, later ones get 503."""

    def __init__(self, hall: Hall, card_tools: CardTools, agent_of: AgentOf) -> None:
        self._hall = hall
        self._card_tools = card_tools
        self._agent_of = agent_of
        self._audiences: dict[CardId, Audience] = {}
        self._sessions = Sessions()
        self._dirty = asyncio.Event()
        self._closing = asyncio.Event()
        self._up = asyncio.Event()
        server = _Server(
            NAME,
            version=__version__,
            instructions="Tools of the canvas and of the cards that arrows join to this agent.",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=self._listen,
        )
        self._manager = StreamableHTTPSessionManager(
            server, max_request_body_size=_MAX_BODY_BYTES, max_sessions=_MAX_SESSIONS
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        card_id = self._agent_of(Headers(scope=scope))
        if card_id is None:
            await Response(status_code=403)(scope, receive, send)
            return
        await self._up.wait()
        if self._closing.is_set():
            await Response(status_code=503)(scope, receive, send)
            return
        await self._serve(card_id, scope, receive, self._sessions.noting(card_id, send))

    async def _serve(self, card_id: CardId, scope: Scope, receive: Receive, send: Send) -> None:
        # A session belongs to the agent that began it; with another's token it is not there.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=card_id, scopes=[]))
        await self._manager.handle_request(scope, receive, send)

    async def run(self) -> None:
        """Serve, and tell agents when their tools change."""
        try:
            async with self._manager.run():
                self._up.set()
                while not self._closing.is_set():
                    await self._dirty.wait()
                    self._dirty.clear()
                    await self._sessions.end(self._serve)
                    await self._tell_changes()
        except Exception:  # noqa: BLE001 - a task root: the canvas goes on without its tools for agents
            _log.exception("the tools for agents failed")
        finally:
            self._closing.set()
            self._up.set()

    def close(self) -> None:
        """End sessions and streams: the server is about to close its sockets."""
        self._closing.set()
        self._dirty.set()
        for audience in self._audiences.values():
            audience.close()

    def look_again(self, *_: object) -> None:
        """Something happened that may have changed what some agent is offered."""
        self._dirty.set()

    def canvas_changed(self, _workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """Look again after changes that could matter: what cards hold, where they stand does not."""
        for change in changes:
            match change:
                case PutCard(_, fields) if fields is not None and _SEEN_FIELDS.isdisjoint(fields):
                    continue
                case PutCard() | RemoveCard() | PutArrow() | RemoveArrow() | PutWorkspace():
                    self._dirty.set()
                    return

    def forget(self, card_id: CardId) -> None:
        """End what an agent has open: its card is gone, or its token another one."""
        audience = self._audiences.pop(card_id, None)
        if audience is not None:
            audience.close()
        self._sessions.forget(card_id)
        self._dirty.set()

    async def _tell_changes(self) -> None:
        for card_id, audience in list(self._audiences.items()):
            shown = _pictured(self._offers(card_id))
            if shown != audience.shown:
                audience.shown = shown
                await audience.tell()

    def _offers(self, card_id: CardId) -> dict[str, Offer]:
        return toolbox(Desk(self._hall, card_id), self._card_tools)

    def _audience(self, card_id: CardId) -> Audience:
        audience = self._audiences.get(card_id)
        if audience is None:
            audience = self._audiences[card_id] = Audience(_pictured(self._offers(card_id)))
        return audience

    async def _list(self, ctx: _Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        card_id = _agent(ctx)
        audience, offers = self._audience(card_id), self._offers(card_id)
        session_id = ctx.request.headers.get(SESSION_HEADER) if ctx.request is not None else None
        if session_id is not None:
            audience.remember(session_id, ctx.session)
        return types.ListToolsResult(tools=[_tool(offer) for offer in offers.values()])

    async def _listen(
        self, ctx: _Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await self._audience(_agent(ctx)).listen(ctx, params)

    async def _call(self, ctx: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        reports = _Reports(ctx)
        try:
            offer = self._offers(_agent(ctx)).get(params.name)
            if offer is None:
                raise CallError(ErrorCode.NOT_FOUND, f"there is no tool {params.name!r} now; list the tools again")
            result = await offer.run(params.arguments or {}, reports.add)
            await reports.settle()
        except CallError as error:
            return _failed(error)
        except Exception as error:  # noqa: BLE001 - where a fault becomes an answer, as in the dispatcher
            return _failed(internal_error(error, params.name))
        finally:
            reports.end()
        return types.CallToolResult.model_validate(result)


class _Reports:
    """What a card says of its progress, passed on in order beside its work."""

    def __init__(self, ctx: _Context) -> None:
        self._ctx = ctx
        self._count = 0
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def add(self, message: str) -> None:
        self._waiting.put_nowait(message)
        if self._task is None:
            self._task = asyncio.create_task(self._pass_on())

    async def settle(self) -> None:
        """Wait until all is passed on: progress after the answer would be nobody's."""
        if self._task is not None:
            await self._waiting.join()

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _pass_on(self) -> None:
        while True:
            message = await self._waiting.get()
            self._count += 1
            try:
                await self._ctx.session.report_progress(self._count, message=message)
            finally:
                self._waiting.task_done()


def _agent(ctx: _Context) -> CardId:
    """The agent behind a request, as its token proved."""
    assert ctx.request is not None
    return CardId(ctx.request.scope["user"].access_token.client_id)


def _tool(offer: Offer) -> types.Tool:
    return types.Tool(
        name=offer.name,
        title=offer.title,
        description=offer.description,
        input_schema=offer.shown_schema(),
        annotations=types.ToolAnnotations(read_only_hint=True) if offer.read_only else None,
    )


def _pictured(offers: dict[str, Offer]) -> str:
    """All that an agent sees of its tools, to compare."""
    return json.dumps([_tool(offer).model_dump(mode="json") for offer in offers.values()])


def _failed(error: CallError) -> types.CallToolResult:
    """A refusal as the agent reads it: its code, what happened, and each place that does not fit or the facts of it."""
    lines = [f"{error.code.value}: {error.message}"]
    if isinstance(error.data, list):
        lines += [f"{issue['path']}: {issue['message']}" for issue in error.data if isinstance(issue, dict)]
    elif error.data is not None:
        lines.append(json.dumps(error.data))
    return types.CallToolResult(content=[types.TextContent(text="\n".join(lines))], is_error=True)
