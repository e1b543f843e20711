"""One WebSocket around one line: reads, writes, times, and lets go of peers that do not.

The socket owns nothing: programs and cards outlive it. Three tasks live in one group: the reader, the writer and the
watch over the handshake; calls run beside them. Spec: architecture, the journey of a call; decision 44.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.ids import CardId, ConnectionId, WorkspaceId
from cardloom_protocol.limits import limit

from ..core.ids import new_connection_id
from ..core.mounts import Mount
from .errors import CloseCode
from .line import Line, OutboxSizes, Room

_LOOKS: Final = 3  # that miss something before a peer is blamed: one look may come after this process stood still

_REASONS: Final[Mapping[CloseCode, str]] = {
    CloseCode.REPLACED: "replaced",
    CloseCode.TOO_SLOW: "slow",
    CloseCode.DISMISSED: "dismissed",
}


@dataclass(frozen=True, slots=True)
class SocketTimes:
    """How patient a socket is, in milliseconds. `last_ms` is what the calls of a page that left may still take."""

    hello_ms: int = limit("helloTimeoutMs")
    ready_ms: int = limit("readyTimeoutMs")
    stall_ms: int = limit("stallTimeoutMs")
    last_ms: int = 2000


@dataclass(slots=True)
class CardHooks:
    """What features want to know of cards' connections, in the order they asked for it. Nothing here may wait.

    `connected` comes after `host.ready` was answered, `disconnected` with the reason (closed, replaced, slow,
    dismissed) once such a connection is gone.
    """

    connected: list[Callable[[CardId, ConnectionId], None]] = field(default_factory=list)
    disconnected: list[Callable[[CardId, ConnectionId, str], None]] = field(default_factory=list)

    def tell_connected(self, card_id: CardId, connection_id: ConnectionId) -> None:
        for hook in self.connected:
            hook(card_id, connection_id)

    def tell_disconnected(self, card_id: CardId, connection_id: ConnectionId, reason: str) -> None:
        for hook in self.disconnected:
            hook(card_id, connection_id, reason)


class _Closed(Exception):
    """Ends the group of a socket's tasks."""


class Sockets:
    """The open sockets: one line each, at most one a card."""

    def __init__(self, room: Room, times: SocketTimes, sizes: OutboxSizes) -> None:
        self.hooks = CardHooks()
        self._room = room
        self._times = times
        self._sizes = sizes
        self._open: set[_Socket] = set()
        self._none = asyncio.Event()
        self._none.set()
        self._cards: dict[CardId, _Socket] = {}

    async def serve_owner(self, websocket: WebSocket, *, proven: bool) -> None:
        """Talk to a page, the command line or the SDK until it goes."""
        caller = Caller(CallerKind.OWNER, new_connection_id())
        await self._serve(
            _Socket(websocket, self._room, caller, self._times.hello_ms, self._times, self._sizes, proven)
        )

    async def serve_card(self, websocket: WebSocket, card_id: CardId, workspace_id: WorkspaceId) -> None:
        """Talk to one headless card until it goes."""
        await self._serve_card(
            websocket, Caller(CallerKind.CARD, new_connection_id(), card_id=card_id, workspace_id=workspace_id), card_id
        )

    async def serve_mount(self, websocket: WebSocket, mount: Mount) -> None:
        """Talk to one card's frame, whose page relays, until it goes."""
        caller = Caller(CallerKind.MOUNT, new_connection_id(), mount.card_id, mount.workspace_id, mount.page_id)
        await self._serve_card(websocket, caller, mount.card_id)

    async def _serve_card(self, websocket: WebSocket, caller: Caller, card_id: CardId) -> None:
        """Serve a card's connection; it takes the place of an earlier one of the same card."""
        socket = _Socket(websocket, self._room, caller, self._times.ready_ms, self._times, self._sizes, True)
        earlier = self._cards.get(card_id)
        self._cards[card_id] = socket
        if earlier is not None:
            earlier.close(CloseCode.REPLACED, "another connection took over")
            self._part(card_id, earlier)
        socket.on_ready = lambda: self.hooks.tell_connected(card_id, caller.connection_id)
        try:
            await self._serve(socket)
        finally:
            if self._cards.get(card_id) is socket:
                del self._cards[card_id]
                self._part(card_id, socket)

    @property
    def count(self) -> int:
        """How many sockets are open."""
        return len(self._open)

    def close_card(self, card_id: CardId) -> None:
        """End the connection of a card that is gone."""
        socket = self._cards.get(card_id)
        if socket is not None:
            socket.close(CloseCode.GONE, "the card is not on the canvas any more")

    def dismiss_card(self, card_id: CardId) -> None:
        """End the connection of a card whose frame has to go; from now on nothing more reaches it."""
        socket = self._cards.pop(card_id, None)
        if socket is not None:
            socket.close(CloseCode.DISMISSED, "the frame is not wanted now")
            self._part(card_id, socket)

    async def end_all(self, patience_ms: int = 1000) -> None:
        """End every connection because the server ends, and wait a little for them to be gone."""
        for socket in list(self._open):
            socket.close(CloseCode.GOING_AWAY, "the server is closing")
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_ms / 1000):
                await self._none.wait()

    def _part(self, card_id: CardId, socket: _Socket) -> None:
        """Take a card's line out of everything at once, so that no two lines get its messages."""
        socket.line.end()
        if socket.line.ready:
            self.hooks.tell_disconnected(card_id, socket.line.caller.connection_id, socket.reason)

    async def _serve(self, socket: _Socket) -> None:
        self._open.add(socket)
        self._none.clear()
        try:
            await socket.run()
        finally:
            self._open.discard(socket)
            if not self._open:
                self._none.set()


class _Socket:
    """One accepted WebSocket and its tasks."""

    def __init__(
        self,
        websocket: WebSocket,
        room: Room,
        caller: Caller,
        handshake_ms: int,
        times: SocketTimes,
        sizes: OutboxSizes,
        proven: bool,
    ) -> None:
        self.on_ready: Callable[[], None] = lambda: None
        self.reason = "closed"
        self._websocket = websocket
        self._handshake_ms = handshake_ms
        self._stall_ms = times.stall_ms
        self._last_ms = times.last_ms
        self._time_s = asyncio.get_running_loop().time
        self._sending_since_s: float | None = None
        self._group = asyncio.TaskGroup()
        self._calls: set[asyncio.Task[None]] = set()
        self._ready = asyncio.Event()
        self._closing: asyncio.Future[tuple[CloseCode, str]] = asyncio.get_running_loop().create_future()
        self.line = Line(
            room,
            caller,
            spawn=self._spawn,
            close=self.close,
            proven=proven,
            sizes=sizes,
            on_ready=self._is_ready,
        )

    def close(self, code: CloseCode, reason: str) -> None:
        """End the socket soon; the first code counts."""
        if not self._closing.done():
            self.reason = _REASONS.get(code, "closed")
            self._closing.set_result((code, reason))

    async def run(self) -> None:
        """Serve until one side ends it."""
        await self._websocket.accept()
        self.line.outbox.post = self._websocket.scope.get("extensions", {}).get("cardloom.post", self.line.outbox.post)
        try:
            async with self._group:
                for work in (self._read(), self._write(), self._watch(), self._wait_for_close()):
                    self._group.create_task(work)
        except* _Closed:
            pass
        finally:
            self.line.end()
        await self._say_goodbye()

    def _spawn(self, call: Coroutine[Any, Any, None]) -> None:
        task = self._group.create_task(call)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    def _is_ready(self, _line: Line) -> None:
        self._ready.set()
        self.on_ready()

    async def _read(self) -> None:
        while True:
            await self.line.outbox.room()
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                await self._finish_calls()
                raise _Closed
            text = message.get("text")
            self.line.receive(text if text is not None else message.get("bytes", b""))

    async def _finish_calls(self) -> None:
        """Let what a page asked for before it left come to an end: a busy server reads both in one go."""
        if self._calls and self.line.caller.kind is CallerKind.OWNER:
            self.line.end()
            await asyncio.wait(self._calls, timeout=self._last_ms / 1000)

    async def _write(self) -> None:
        while (text := await self.line.outbox.next()) is not None:
            self._sending_since_s = self._time_s()
            try:
                await self._websocket.send_text(text)
            except (WebSocketDisconnect, RuntimeError) as error:
                raise _Closed from error
            self._sending_since_s = None

    async def _watch(self) -> None:
        """Lose patience with a peer that does not greet, and later with one that does not read."""
        for _ in range(_LOOKS):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ready.wait(), self._handshake_ms / 1000 / _LOOKS)
                break
        else:
            self.close(CloseCode.SILENT, "the first message did not come in time")
        # A look now and then costs less than a timer around each of thousands of messages. A peer is slow once all
        # looks found the same text under way: time alone would blame it when this process or its machine stood still.
        patience_s = self._stall_ms / 1000
        seen_s, looks = None, 0
        while True:
            await asyncio.sleep(patience_s / 2)
            since_s = self._sending_since_s
            looks = looks + 1 if since_s is not None and since_s == seen_s else 1
            seen_s = since_s
            if since_s is not None and looks >= _LOOKS:
                self.close(CloseCode.TOO_SLOW, "the peer does not read")

    async def _wait_for_close(self) -> None:
        await asyncio.shield(self._closing)
        raise _Closed

    async def _say_goodbye(self) -> None:
        if not self._closing.done() or self._websocket.application_state is not WebSocketState.CONNECTED:
            return
        code, reason = self._closing.result()
        try:
            async with asyncio.timeout(1):
                await self._websocket.close(int(code), reason)
        except (TimeoutError, RuntimeError, WebSocketDisconnect):
            abort = _abort_of(self._websocket.scope)
            if abort is not None:
                abort()


def _abort_of(scope: Any) -> Callable[[], None] | None:
    abort = scope.get("extensions", {}).get("cardloom.abort")
    return abort if callable(abort) else None
