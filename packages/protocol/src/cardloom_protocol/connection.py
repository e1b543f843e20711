"""A connection as a value: text in gives events, acts give text out; sockets and time are somebody else's.

`HostConnection` answers calls, `ClientConnection` makes them. Both are used by one task at a time and never block.
Times are milliseconds of any clock that does not run backwards.
Spec: cards, envelopes and flow; cards behaviour, handshake and message flow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .errors import CallError, ErrorCode
from .frames import (
    ABSENT,
    Absent,
    Dumps,
    ErrorResponse,
    Event,
    Loads,
    Malformed,
    Request,
    Response,
    default_dumps,
    default_loads,
    encode_error,
    encode_event,
    encode_event_text,
    encode_request,
    encode_result,
    max_request_units,
    parse_incoming,
    parse_request,
    too_large_request,
)
from .hosting import TokenBucket, rate_limited
from .jstext import JsonValue, json_length
from .limits import CARD_LIMITS, limit
from .method_row import MethodRow, Namespace
from .methods import find_method

# One UTF-16 unit of a sender's text becomes at most this many when JavaScript writes the value again (1e20, \ud800).
_MAX_GROWTH = 6
_FULL_RETRY_MS = 100


@dataclass(frozen=True, slots=True)
class RequestReceived:
    """A call to dispatch; it occupies a place until `send_result` or `send_error`."""

    request: Request


@dataclass(frozen=True, slots=True)
class ReplyNow:
    """A refusal to send at once; the call goes no further."""

    text: str
    error: CallError


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """The peer does not speak the protocol: close with this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class ResponseReceived:
    """The answer to a call of ours."""

    id: int
    response: Response | ErrorResponse


@dataclass(frozen=True, slots=True)
class EventReceived:
    """An event from the host."""

    event: Event


@dataclass(frozen=True, slots=True)
class SendNow:
    """A call that waited for its turn: send it."""

    text: str


HostEvent: TypeAlias = RequestReceived | ReplyNow | ProtocolViolation
ClientEvent: TypeAlias = ResponseReceived | EventReceived | SendNow | ProtocolViolation
FindMethod: TypeAlias = Callable[[Namespace, str], MethodRow | None]


class HostConnection:
    """The side that answers. `ready` is a fact the gate asks for; the handler of the handshake sets it."""

    def __init__(
        self,
        ns: Namespace = "nscard",
        *,
        limits: Mapping[str, int] = CARD_LIMITS,
        find: FindMethod = find_method,
        loads: Loads = default_loads,
        dumps: Dumps = default_dumps,
    ) -> None:
        self.ns: Namespace = ns
        self.ready = False
        self._limits = limits
        self._find = find
        self._loads = loads
        self._dumps = dumps
        self._bucket = TokenBucket(limits["requestsPerSecond"], limits["requestBurst"])
        self._in_flight: dict[int, str] = {}

    @property
    def in_flight(self) -> int:
        """How many calls wait for their answer."""
        return len(self._in_flight)

    def receive_text(self, text: str | bytes, now_ms: int) -> list[HostEvent]:
        """What one message means; nothing for a message that nobody could be told about."""
        if not isinstance(text, str):
            return [ProtocolViolation("binary messages are not part of the protocol")]
        if len(text) > self._limits["largeMessageBytes"] * _MAX_GROWTH:
            return [ProtocolViolation("the message is far beyond every size limit")]
        try:
            raw = self._loads(text)
        except (ValueError, RecursionError):
            return [ProtocolViolation("the message is not JSON")]
        wait_ms = self._bucket.take(now_ms)
        small = len(text) * _MAX_GROWTH <= self._limits["messageBytes"]
        parsed = parse_request(raw, self.ns, self._max_request_units(raw), small=small)
        if isinstance(parsed, Malformed):
            return [] if parsed.id is None else [self._refuse(parsed.id, parsed.error)]
        if parsed.id in self._in_flight:
            return [ProtocolViolation(f"request id {parsed.id} is already waiting for its answer")]
        if wait_ms:
            return [self._refuse(parsed.id, rate_limited(wait_ms, "Too many requests"))]
        if len(self._in_flight) >= self._limits["inFlightRequests"]:
            return [self._refuse(parsed.id, rate_limited(_FULL_RETRY_MS, "Too many unanswered requests"))]
        self._in_flight[parsed.id] = parsed.method
        return [RequestReceived(parsed)]

    def send_result(self, request_id: int, result: JsonValue | Absent = ABSENT) -> str:
        """The text answering a call; a result beyond the method's size becomes TOO_LARGE. KeyError: not waiting.

        TypeError or ValueError from the encoder (the result is not JSON) leave the call waiting.
        """
        method = self._in_flight[request_id]
        text = encode_result(request_id, result, self.ns, self._dumps)
        allowed = self._max_response_units(method)
        if len(text) * _MAX_GROWTH > allowed and self._units(request_id, result) > allowed:
            message = f"The result of {method} is over {allowed} characters."
            return self.send_error(request_id, CallError(ErrorCode.TOO_LARGE, message))
        del self._in_flight[request_id]
        return text

    def send_error(self, request_id: int, error: CallError) -> str:
        """The text refusing a call. KeyError: not waiting."""
        return self.send_failure(request_id, error.code.value, error.message, error.data)

    def send_failure(self, request_id: int, code: str, message: str, data: JsonValue = None) -> str:
        """The text refusing a call with a code carried verbatim. KeyError: not waiting."""
        del self._in_flight[request_id]
        return encode_error(ErrorResponse(request_id, code, message, data), self.ns, self._dumps)

    def send_event(self, name: str, data: JsonValue | Absent = ABSENT) -> str:
        """The text of an event."""
        return encode_event(Event(name, data), self.ns, self._dumps)

    def send_event_text(self, name: str, data_text: str) -> str:
        """The text of an event whose data is JSON text already, shared between receivers."""
        return encode_event_text(name, data_text, self.ns)

    def _refuse(self, request_id: int, error: CallError) -> ReplyNow:
        answer = ErrorResponse(request_id, error.code.value, error.message, error.data)
        return ReplyNow(encode_error(answer, self.ns, self._dumps), error)

    def _max_request_units(self, raw: object) -> int:
        method = raw.get("method") if isinstance(raw, dict) else None
        row = self._find(self.ns, method) if isinstance(method, str) else None
        return self._limits["largeMessageBytes" if row is not None and row.large_request else "messageBytes"]

    def _max_response_units(self, method: str) -> int:
        row = self._find(self.ns, method)
        if row is None or not row.large_response:
            return self._limits["messageBytes"]
        if row.owner == "files":
            return limit("fileResponseBytes")  # for the owner too, whose other answers may hold a whole canvas
        return self._limits["largeMessageBytes"]

    def _units(self, request_id: int, result: JsonValue | Absent) -> int:
        """The size of an answer as JavaScript measures it."""
        envelope = encode_result(request_id, ABSENT if result is ABSENT else None, self.ns)
        return len(envelope) if result is ABSENT else len(envelope) - len("null") + json_length(result)


class ClientConnection:
    """The side that calls: at most 64 calls in flight, the others wait in order."""

    def __init__(
        self,
        ns: Namespace = "nscard",
        *,
        limits: Mapping[str, int] = CARD_LIMITS,
        loads: Loads = default_loads,
        dumps: Dumps = default_dumps,
    ) -> None:
        self.ns: Namespace = ns
        self._limits = limits
        self._loads = loads
        self._dumps = dumps
        self._last_id = 0
        self._in_flight: set[int] = set()
        self._waiting: deque[tuple[int, str]] = deque()

    @property
    def pending(self) -> list[int]:
        """Ids of all calls without an answer, oldest first: what fails when the connection ends."""
        return [*sorted(self._in_flight), *(request_id for request_id, _ in self._waiting)]

    def call(self, method: str, params: JsonValue | Absent = ABSENT) -> tuple[int, str | None]:
        """A call's id and the text to send; no text while it waits for its turn (`SendNow` brings it).

        BAD_REQUEST when the params are not JSON, TOO_LARGE when the message is over the method's limit.
        """
        self._last_id += 1
        try:
            text = encode_request(Request(self._last_id, method, params), self.ns, self._dumps)
        except (TypeError, ValueError, RecursionError) as error:
            raise CallError(ErrorCode.BAD_REQUEST, f"{method}: the params are not JSON.") from error
        allowed = min(max_request_units(method), self._limits["largeMessageBytes"])
        if len(text) * _MAX_GROWTH > allowed and json_length(self._loads(text)) > allowed:
            raise too_large_request(method, allowed)
        if len(self._in_flight) >= self._limits["inFlightRequests"]:
            self._waiting.append((self._last_id, text))
            return self._last_id, None
        self._in_flight.add(self._last_id)
        return self._last_id, text

    def withdraw(self, request_id: int) -> bool:
        """Take back a call that has not been sent yet; False when it has."""
        for entry in self._waiting:
            if entry[0] == request_id:
                self._waiting.remove(entry)
                return True
        return False

    def receive_text(self, text: str | bytes) -> list[ClientEvent]:
        """What one message means; malformed and foreign ones and answers nobody waits for are dropped."""
        if not isinstance(text, str):
            return [ProtocolViolation("binary messages are not part of the protocol")]
        try:
            incoming = parse_incoming(self._loads(text), self.ns)
        except (ValueError, RecursionError):
            return []
        if incoming is None:
            return []
        if isinstance(incoming, Event):
            return [EventReceived(incoming)]
        if incoming.id not in self._in_flight:
            return []
        request_id = int(incoming.id)
        self._in_flight.discard(request_id)
        events: list[ClientEvent] = [ResponseReceived(request_id, incoming)]
        if self._waiting:
            next_id, next_text = self._waiting.popleft()
            self._in_flight.add(next_id)
            events.append(SendNow(next_text))
        return events
