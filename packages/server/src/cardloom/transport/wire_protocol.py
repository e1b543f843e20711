"""uvicorn's WebSocket side, with a way to let go of a peer that does not read.

Closing politely waits until what was written has left; a peer that reads nothing would hold its socket for ever.
Applications find the way out as `scope["extensions"]["cardloom.abort"]`.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from .errors import CloseCode


class AbortableWebSocket(WebSocketsSansIOProtocol):
    """Says why in a close frame, should the peer ever read it, and drops the connection soon after."""

    linger_s = 1.0

    async def run_asgi(self) -> None:
        extensions: Any = self.scope.setdefault("extensions", {})
        extensions["cardloom.abort"] = self.abort
        await super().run_asgi()

    def abort(self) -> None:
        """End the connection without waiting for the peer."""
        if self.transport.is_closing():
            return
        try:
            self.conn.send_close(int(CloseCode.TOO_SLOW), "the peer does not read")
        except InvalidState:
            self.transport.abort()
            return
        self.close_sent = True
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.loop.call_later(self.linger_s, self.transport.abort)
