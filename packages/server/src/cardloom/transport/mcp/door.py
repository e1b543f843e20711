"""Where agents come in: loads the MCP server with the first of them.

The library behind it takes half a second and 36 MB, which a server that no agent talks to does not spend.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.records import Change

_log = logging.getLogger(__name__)

PATH: Final = "/mcp"

AgentOf: TypeAlias = Callable[[Headers], CardId | None]
"""The card of the agent that a request's headers prove; None for anybody else."""


class AgentServer(Protocol):
    """The server behind the door. `run` is its life; requests before it wait, later ones get 503."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def run(self) -> None: ...

    def close(self) -> None: ...

    def look_again(self, *_: object) -> None: ...

    def canvas_changed(self, workspace_id: WorkspaceId, changes: Sequence[Change], /) -> None: ...

    def forget(self, card_id: CardId) -> None: ...


class AgentDoor:
    """An ASGI application that is the agents' server from the first proven agent on. `load` makes it, in a thread."""

    def __init__(self, agent_of: AgentOf, load: Callable[[], AgentServer]) -> None:
        self._agent_of = agent_of
        self._load = load
        self._server: AgentServer | None = None
        self._wanted = asyncio.Event()
        self._decided = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._agent_of(Headers(scope=scope)) is None:
            await Response(status_code=403)(scope, receive, send)
            return
        self._wanted.set()
        await self._decided.wait()
        if self._server is None:
            await Response(status_code=503)(scope, receive, send)
            return
        await self._server(scope, receive, send)

    async def run(self) -> None:
        """Wait for the first agent, then serve."""
        await self._wanted.wait()
        try:
            server = await asyncio.to_thread(self._load)
        except Exception:  # noqa: BLE001 - a task root: the canvas goes on without its tools for agents
            _log.exception("the tools for agents could not be loaded")
            self._decided.set()
            return
        if not self._decided.is_set():
            self._server = server
            self._decided.set()
            await server.run()

    def close(self) -> None:
        """End sessions and streams: the server is about to close its sockets."""
        self._decided.set()
        if self._server is not None:
            self._server.close()

    def look_again(self, *_: object) -> None:
        """Something happened that may have changed what some agent is offered."""
        if self._server is not None:
            self._server.look_again()

    def canvas_changed(self, workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """Look again after changes that could matter."""
        if self._server is not None:
            self._server.canvas_changed(workspace_id, changes)

    def forget(self, card_id: CardId) -> None:
        """End what an agent listens to."""
        if self._server is not None:
            self._server.forget(card_id)
