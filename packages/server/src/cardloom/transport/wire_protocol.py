"""uvicorn's WebSocket side, with a short way out for texts and a way to let go of a peer that does not read.

What goes to many peers is framed once, since a server's frames are the same for all, and what one turn of the loop has
for a peer leaves in one write, without a task in between: that makes an event to fifty pages cheaper than fifty sends.
Closing politely waits until what was written has left; a peer that reads nothing would hold its socket for ever.
Pings find browsers that went without a word, as behind a tunnel, and blame nobody for a server that stood still.
Applications find the first two as `scope["extensions"]["cardloom.post"]` and `["cardloom.abort"]`.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final
from weakref import WeakKeyDictionary

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.http11 import Request
from websockets.protocol import State

from .errors import CloseCode

_TURN_BYTES: Final = 64 << 10  # beyond, the system is asked at once whether the peer still reads
_SHARED_CHARS: Final = 1 << 20  # a larger text is not kept only because it may be sent again
_OPEN: Final = State.OPEN
_PONG_LOOKS: Final = 3


class _Turn:
    """The peers for whom one turn of a loop has something: one callback writes to all of them.

    Remembers the last text with its frame, as what many get comes many times in a row.
    """

    __slots__ = ("_call_soon", "_frame", "_peers", "_text")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._call_soon = loop.call_soon
        self._peers: list[AbortableWebSocket] = []
        self._text = ""
        self._frame = text_frame("")

    def add(self, peer: AbortableWebSocket) -> None:
        if not self._peers:
            self._call_soon(self._write)
        self._peers.append(peer)

    def frame_of(self, text: str) -> bytes:
        if text is self._text:
            return self._frame
        frame = text_frame(text)
        if len(text) <= _SHARED_CHARS:
            self._text, self._frame = text, frame
        return frame

    def _write(self) -> None:
        peers, self._peers = self._peers, []
        for peer in peers:
            peer.write_posted()


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turn] = WeakKeyDictionary()


class AbortableWebSocket(WebSocketsSansIOProtocol):
    """Says why in a close frame, should the peer ever read it, and drops the connection soon after.

    What each text for each of many peers touches has slots: they lie together in memory.
    """

    __slots__ = ("_full", "_pong_looks", "_posted", "_posted_bytes", "_turn")

    linger_s = 1.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._posted: list[bytes] = []
        self._posted_bytes = 0
        turn = _turns.get(self.loop)
        if turn is None:
            turn = _turns[self.loop] = _Turn(self.loop)
        self._turn = turn
        self._pong_looks = 0
        self._full = False

    def pause_writing(self) -> None:
        self._full = True
        super().pause_writing()

    def resume_writing(self) -> None:
        self._full = False
        super().resume_writing()

    def handle_connect(self, event: Request) -> None:
        # Browsers, which always name their origin, answer pings whatever their pages do. A program that computes or
        # stands in a debugger cannot, and that is no crime; of one that ends the system tells at once.
        if "Origin" not in event.headers:
            self.ping_timeout = None
        super().handle_connect(event)

    def send_keepalive_ping(self) -> None:
        self._pong_looks = 0
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        """Lose a peer once several looks missed its answer: time alone would blame it when this process stood still."""
        self._pong_looks += 1
        if self._pong_looks < _PONG_LOOKS:
            assert self.ping_timeout is not None  # else nobody waits for an answer
            self.pong_timer = self.loop.call_later(self.ping_timeout, self.keepalive_timeout)
        else:
            super().keepalive_timeout()

    async def run_asgi(self) -> None:
        extensions: Any = self.scope.setdefault("extensions", {})
        extensions["cardloom.post"] = self.post
        extensions["cardloom.abort"] = self.abort
        await super().run_asgi()

    def post(self, text: str) -> bool:
        """Write a text in this turn of the loop, to a peer that is still there by then.

        False when it has to read first: then nothing is written.
        """
        posted = self._posted
        turn = self._turn
        if not posted:
            if self._full:
                return False
            turn.add(self)
        frame = turn.frame_of(text)
        posted.append(frame)
        self._posted_bytes += len(frame)
        if self._posted_bytes > _TURN_BYTES:
            self.write_posted()
        return True

    async def send(self, message: ASGISendEvent) -> None:
        self.write_posted()
        await super().send(message)

    def abort(self) -> None:
        """End the connection without waiting for the peer."""
        if self.transport.is_closing():
            return
        self.write_posted()
        try:
            self.conn.send_close(int(CloseCode.TOO_SLOW), "the peer does not read")
        except InvalidState:
            self.transport.abort()
            return
        self.close_sent = True
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.loop.call_later(self.linger_s, self.transport.abort)

    def write_posted(self) -> None:
        """Write what this turn has so far."""
        posted = self._posted
        if not posted:
            return
        if self.conn.state is _OPEN and not self.disconnected:
            if len(posted) == 1:
                self.transport.write(posted[0])
            else:
                self.transport.writelines(posted)
        self._posted = []
        self._posted_bytes = 0


def text_frame(text: str) -> bytes:
    """A server's frame around a text: final, neither masked nor compressed (RFC 6455, 5.2)."""
    data = text.encode()
    size = len(data)
    if size < 126:
        return bytes((0x81, size)) + data
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + data
    return b"\x81\x7f" + size.to_bytes(8, "big") + data
