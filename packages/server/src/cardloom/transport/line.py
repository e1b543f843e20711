"""One client's connection, whatever carries its texts: envelopes in, answers and events out.

Knows no socket: texts come by `receive` and leave through the outbox, so tests talk to it directly. The owner's line
begins with `client.hello`, which proves the key where no header did; a card's line begins with `host.ready`.
Spec: architecture, the journey of a call; decisions 37, 38, 44.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.connection import HostConnection, ProtocolViolation, ReplyNow, RequestReceived
from cardloom_protocol.errors import CallError
from cardloom_protocol.frames import ABSENT, Request
from cardloom_protocol.ids import PageId
from cardloom_protocol.limits import CARD_LIMITS, limit
from cardloom_protocol.method_row import Namespace
from cardloom_protocol.methods import find_method
from cardloom_protocol.param_shapes import ID_CHARS

from ..core.bus import OWNERS, Bus, Event, Topic, card_topic
from ..core.clock import Clock
from ..core.ids import new_page_id
from ..core.presence import Presence
from ..dispatch.dispatcher import Dispatcher, internal_error
from ..host.wire_json import dumps, loads
from .errors import CloseCode
from .outbox import Outbox

OWNER_LIMITS: Final[Mapping[str, int]] = {
    **CARD_LIMITS,
    "messageBytes": limit("largeMessageBytes"),
    "largeMessageBytes": limit("canvasResponseBytes"),
}
_HELLO: Final = "client.hello"
_MAX_GREETING: Final = 4096  # characters read of somebody whose key is not proven yet

Close = Callable[[CloseCode, str], None]
Spawn = Callable[[Coroutine[Any, Any, None]], object]


@dataclass(frozen=True, slots=True)
class Room:
    """What every line works with."""

    dispatcher: Dispatcher
    bus: Bus
    presence: Presence
    clock: Clock
    is_owner_key: Callable[[str | None], bool]


@dataclass(frozen=True, slots=True)
class OutboxSizes:
    """How much may wait for one peer."""

    max_events: int = limit("outboxEvents")
    max_event_chars: int = limit("outboxBytes")


class Line:
    """One connection. `spawn` runs a call beside the others; `close` ends the carrier with a code and a reason."""

    def __init__(
        self,
        room: Room,
        caller: Caller,
        *,
        spawn: Spawn,
        close: Close,
        proven: bool = True,
        sizes: OutboxSizes = OutboxSizes(),
        on_ready: Callable[[Line], None] | None = None,
    ) -> None:
        self.caller = caller
        self._room = room
        self._spawn = spawn
        self._close = close
        self._proven = proven
        self._on_ready = on_ready
        owner = caller.kind is CallerKind.OWNER
        self._ns: Namespace = "cardloom" if owner else "nscard"
        self._connection = HostConnection(
            self._ns, limits=OWNER_LIMITS if owner else CARD_LIMITS, loads=loads, dumps=dumps
        )
        self.outbox = Outbox(
            self._connection.send_event("stream.gap", {}) if owner else None,
            self._too_slow,
            max_events=sizes.max_events,
            max_event_chars=sizes.max_event_chars,
        )
        room.bus.attach(caller.connection_id, self._take_event, lambda: self.outbox.unread_event_chars)

    @property
    def ready(self) -> bool:
        """Whether the handshake is done."""
        return self._connection.ready

    def receive(self, text: str | bytes) -> None:
        """Take in one message; calls go on beside each other, in the order of their coming as far as they start."""
        if not self._proven and len(text) > _MAX_GREETING:
            self._close(CloseCode.REFUSED, "")
            return
        for event in self._connection.receive_text(text, self._room.clock.steady_ms()):
            match event:
                case RequestReceived(request):
                    if self._proves(request):
                        self._spawn(self._answer(request))
                case ReplyNow(reply):
                    self.outbox.reply(reply)
                case ProtocolViolation(reason):
                    binary = isinstance(text, bytes)
                    self._close(CloseCode.BINARY if binary else CloseCode.PROTOCOL_ERROR, reason)

    def end(self) -> None:
        """Forget the connection; calls under way may still write to disk, but nobody reads their answers."""
        self.outbox.close()
        self._room.bus.detach(self.caller.connection_id)
        self._room.presence.leave(self.caller.connection_id)

    def _proves(self, request: Request) -> bool:
        """Let nothing but a greeting with the right key through before the key is proven."""
        if request.method == _HELLO and isinstance(request.params, dict):
            key = request.params.get("key")
            if not self._proven and not self._room.is_owner_key(key if isinstance(key, str) else None):
                self._close(CloseCode.REFUSED, "")
                return False
            self._proven = True
            if self.caller.page_id is None:
                self.caller = replace(self.caller, page_id=_page_id(request.params.get("pageId")))
            return True
        if not self._proven:
            self._close(CloseCode.REFUSED, "")
        return self._proven

    async def _answer(self, request: Request) -> None:
        try:
            result = await self._room.dispatcher.dispatch(
                request.method, request.given, self.caller, ready=self._connection.ready
            )
        except CallError as error:
            self.outbox.reply(self._connection.send_error(request.id, error))
            return
        # From the handler's last step to here nothing waited: what it pictured and what the topics bring join up.
        row = find_method(self._ns, request.method)
        opened = row is not None and row.before_ready and not self._connection.ready
        if opened:
            self._open()
        try:
            text = self._connection.send_result(request.id, ABSENT if result is None else result)
        except (TypeError, ValueError, RecursionError) as error:
            text = self._connection.send_error(request.id, internal_error(error, request.method))
        self.outbox.reply(text)
        if opened and self._on_ready is not None:
            self._on_ready(self)

    def _open(self) -> None:
        self._connection.ready = True
        topic: Topic = OWNERS if self.caller.card_id is None else card_topic(self.caller.card_id)
        self._room.bus.follow(self.caller.connection_id, topic)

    def _take_event(self, event: Event) -> None:
        text = event.texts.get(self._ns)
        if text is None:
            text = event.texts[self._ns] = self._connection.send_event_text(event.name, dumps(event.data))
        self.outbox.event(text)

    def _too_slow(self) -> None:
        if self.caller.card_id is not None:
            self._close(CloseCode.TOO_SLOW, "the card does not read its events")


def _page_id(named: object) -> PageId:
    """The id under which a page came before, or a new one."""
    return PageId(named) if isinstance(named, str) and 0 < len(named) <= ID_CHARS else new_page_id()


async def answer_once(room: Room, caller: Caller, text: str) -> tuple[str | None, CallError | None]:
    """Answer one envelope that came without a connection; gives the text, and the error when it was refused."""
    connection = HostConnection("cardloom", limits=OWNER_LIMITS, loads=loads, dumps=dumps)
    connection.ready = True
    for event in connection.receive_text(text, room.clock.steady_ms()):
        match event:
            case RequestReceived(request):
                return await _answered(room, caller, connection, request)
            case ReplyNow(reply, error):
                return reply, error
            case ProtocolViolation():
                return None, None
    return None, None


async def _answered(
    room: Room, caller: Caller, connection: HostConnection, request: Request
) -> tuple[str, CallError | None]:
    try:
        result = await room.dispatcher.dispatch(request.method, request.given, caller)
        return connection.send_result(request.id, ABSENT if result is None else result), None
    except CallError as error:
        return connection.send_error(request.id, error), error
