"""Who hears that an agent's tools changed: its sessions of the older protocol, its open streams of the newer one."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

_MAX_SESSIONS: Final = 16
_MAX_STREAMS: Final = 16


class Audience:
    """The listeners of one agent. `shown` is what its tools looked like when somebody was last told of them."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=_MAX_STREAMS)
        self._sessions: dict[str, ServerSession] = {}

    def remember(self, session_id: str, session: ServerSession) -> None:
        """Tell a session of changes from now on; the one that asked longest ago gives way when there are too many."""
        self._sessions.pop(session_id, None)
        while len(self._sessions) >= _MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[session_id] = session

    async def listen(
        self, ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream until its reader goes away."""
        return await self._streams(ctx, params)

    async def tell(self) -> None:
        """Tell everybody that the tools are others now. Whoever is gone hears nothing, and nothing fails."""
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            await session.send_tool_list_changed()

    def close(self) -> None:
        """End the open streams."""
        self._streams.close()
        self._sessions.clear()
