"""The envelopes on the wire: requests, responses and events of both namespaces.

`nscard` is what cards speak, `cardloom` what the canvas speaks; the shape is one. Parsing takes decoded JSON and never
raises; encoding gives compact JSON text. Spec: cards, envelopes; cards behaviour, request envelope.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

from .errors import CallError, ErrorCode
from .jstext import MAX_SAFE_INTEGER, JsonValue, is_number, json_length, refuse_constant
from .limits import limit
from .method_row import Namespace
from .schema import plain_issue

WIRE_VERSION: Final = 1

PROTOCOL: Final = 1
"""The newest number of the protocol that this library speaks."""

LARGE_REQUEST_METHODS: Final = frozenset(
    (
        "fs.write",
        "net.fetch",
        "files.write",
        *(
            f"session.{operation}"
            for operation in (
                "append",
                "editMessage",
                "patchMeta",
                "putAsset",
                "run",
                "saveBackend",
                "setMeta",
                "writeFile",
            )
        ),
    )
)

_METHOD = re.compile(r"[a-z][a-zA-Z0-9]*\.[a-z][a-zA-Z0-9]*")
_MAX_METHOD_CHARS: Final = 64
_REQUEST_FIELDS: Final = frozenset({"ns", "v", "kind", "id", "method", "params"})

Loads: TypeAlias = Callable[[str], Any]
Dumps: TypeAlias = Callable[[Any], str]


class Absent(Enum):
    """Marks a field that an envelope does not have, as opposed to one that is null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Request:
    """A call. `params` is what the caller gave; `given` reads a missing one as no parameters."""

    id: int
    method: str
    params: JsonValue | Absent = ABSENT

    @property
    def given(self) -> JsonValue:
        """The parameters to check against the method's schema."""
        return {} if self.params is ABSENT else self.params


@dataclass(frozen=True, slots=True)
class Response:
    """A call's answer. `result` is absent where the method gives nothing."""

    id: int | float
    result: JsonValue | Absent = ABSENT

    @property
    def value(self) -> JsonValue:
        """The result, None where there is none."""
        return None if self.result is ABSENT else self.result


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """A call's refusal. `code` is carried verbatim: the session protocol and newer hosts have codes of their own."""

    id: int | float
    code: str
    message: str
    data: JsonValue = None

    def to_error(self) -> CallError:
        """The refusal as an exception; a code unknown here becomes INTERNAL with `data.code`."""
        if self.code in ErrorCode.__members__:
            return CallError(ErrorCode(self.code), self.message, self.data)
        return CallError(ErrorCode.INTERNAL, self.message, {"code": self.code, "data": self.data})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    name: str
    data: JsonValue | Absent = ABSENT

    @property
    def value(self) -> JsonValue:
        """The data, None where there is none."""
        return None if self.data is ABSENT else self.data


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message that is no request. With an `id` the sender can be told; without one it is dropped."""

    id: int | None
    error: CallError


Envelope: TypeAlias = Request | Response | ErrorResponse | Event


def default_dumps(value: Any) -> str:
    """Compact JSON in ASCII, so that lone surrogates survive any transport. ValueError for NaN and infinities."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def default_loads(text: str) -> Any:
    """Decoded JSON; ValueError for anything else, NaN and Infinity included."""
    return json.loads(text, parse_constant=refuse_constant)


# Towards the host


def max_request_units(method: object) -> int:
    """How large a request of this method may be, in UTF-16 units of compact JSON."""
    return limit("largeMessageBytes" if method in LARGE_REQUEST_METHODS else "messageBytes")


def too_large_request(method: str, allowed: int) -> CallError:
    """TOO_LARGE for a request of a method; of one that carries contents, how much base64 there is room for."""
    room = f", which is about {allowed * 3 >> 22} MiB as base64" if method in LARGE_REQUEST_METHODS else ""
    return CallError(ErrorCode.TOO_LARGE, f"{method}: the message is over {allowed} characters{room}.")


def parse_request(
    raw: object, ns: Namespace = "nscard", max_units: int | None = None, *, small: bool = False
) -> Request | Malformed:
    """The request in a decoded message, or why it is none.

    Whether the method exists, its parameters fit or the caller may is not asked here. `max_units` defaults to the
    method's own limit. `small` says that the sender's text is known to be far below it, which saves measuring.
    Errors, in this order: BAD_REQUEST, PROTOCOL_MISMATCH, METHOD_NOT_FOUND, BAD_REQUEST (unknown field, params that
    are not JSON, with data), TOO_LARGE.
    """
    if not isinstance(raw, dict):
        return Malformed(None, CallError(ErrorCode.BAD_REQUEST, "A message must be an object."))
    request_id = _request_id(raw.get("id"))
    error = _envelope_error(raw, ns, request_id)
    if error is not None or request_id is None:
        return Malformed(request_id, error or CallError(ErrorCode.BAD_REQUEST, "A request needs an id."))
    method = str(raw["method"])
    if "params" not in raw:
        request = Request(request_id, method)
    else:
        params = raw["params"]
        issue = plain_issue(params, limit("valueDepth"), limit("valueNodes"))
        if issue is not None:
            error = CallError(ErrorCode.BAD_REQUEST, "The params are not plain JSON.", issue.to_wire())
            return Malformed(request_id, error)
        request = Request(request_id, method, params)
    if not small:
        allowed = max_request_units(method) if max_units is None else max_units
        if json_length(raw) > allowed:
            return Malformed(request_id, too_large_request(method, allowed))
    return request


def _request_id(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 1 <= value <= MAX_SAFE_INTEGER or value != int(value):
        return None
    return int(value)


def _envelope_error(raw: dict[str, Any], ns: str, request_id: int | None) -> CallError | None:
    if raw.get("ns") != ns or raw.get("kind") != "req" or request_id is None:
        return CallError(ErrorCode.BAD_REQUEST, f"Not a request of {ns}: check ns, kind and id.")
    version = raw.get("v")
    if isinstance(version, bool) or version != WIRE_VERSION:
        return CallError(ErrorCode.PROTOCOL_MISMATCH, f"This host speaks version {WIRE_VERSION} of the protocol.")
    method = raw.get("method")
    if not isinstance(method, str) or len(method) > _MAX_METHOD_CHARS or not _METHOD.fullmatch(method):
        return CallError(ErrorCode.METHOD_NOT_FOUND, "A method is named by two words with a dot between.")
    if not raw.keys() <= _REQUEST_FIELDS:
        extra = ", ".join(sorted(map(str, raw.keys() - _REQUEST_FIELDS)))
        return CallError(ErrorCode.BAD_REQUEST, f"Unknown fields: {extra}.")
    return None


# Towards the card


def parse_incoming(raw: object, ns: Namespace = "nscard") -> Response | ErrorResponse | Event | None:
    """The answer or event in a decoded message; None for anything malformed or foreign, which is dropped.

    The version is not compared, so that a newer host's extras pass.
    """
    if not isinstance(raw, dict) or raw.get("ns") != ns or not is_number(raw.get("v")):
        return None
    match raw.get("kind"):
        case "res":
            return _parse_answer(raw)
        case "evt" if isinstance(raw.get("event"), str):
            return Event(raw["event"], raw.get("data", ABSENT))
        case _:
            return None


def _parse_answer(raw: dict[str, Any]) -> Response | ErrorResponse | None:
    request_id, ok = raw.get("id"), raw.get("ok")
    if not is_number(request_id) or not isinstance(ok, bool):
        return None
    if ok:
        return Response(request_id, raw.get("result", ABSENT))
    error = raw.get("error")
    if not isinstance(error, dict):
        error = {}
    code, message = error.get("code"), error.get("message")
    return ErrorResponse(
        request_id,
        code if isinstance(code, str) else ErrorCode.INTERNAL.value,
        message if isinstance(message, str) else "The host gave no reason.",
        error.get("data"),
    )


def is_connect_message(raw: object, ns: Namespace = "nscard") -> bool:
    """Whether a decoded window message is the host's offer of a port; any protocol number is one."""
    return (
        isinstance(raw, dict)
        and raw.get("ns") == ns
        and raw.get("type") == "connect"
        and is_number(raw.get("protocol"))
    )


# Encoding


def encode_request(request: Request, ns: Namespace = "nscard", dumps: Dumps = default_dumps) -> str:
    """The text of a request."""
    params = "" if request.params is ABSENT else f',"params":{dumps(request.params)}'
    return f'{{"ns":"{ns}","v":1,"kind":"req","id":{request.id},"method":{dumps(request.method)}{params}}}'


def encode_result(
    request_id: int, result: JsonValue | Absent, ns: Namespace = "nscard", dumps: Dumps = default_dumps
) -> str:
    """The text of an answer."""
    tail = "" if result is ABSENT else f',"result":{dumps(result)}'
    return f'{{"ns":"{ns}","v":1,"kind":"res","id":{request_id},"ok":true{tail}}}'


def encode_error(error: ErrorResponse, ns: Namespace = "nscard", dumps: Dumps = default_dumps) -> str:
    """The text of a refusal; null data is left out."""
    body: dict[str, JsonValue] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return f'{{"ns":"{ns}","v":1,"kind":"res","id":{error.id},"ok":false,"error":{dumps(body)}}}'


def encode_event(event: Event, ns: Namespace = "nscard", dumps: Dumps = default_dumps) -> str:
    """The text of an event."""
    return encode_event_text(event.name, None if event.data is ABSENT else dumps(event.data), ns)


def encode_event_text(name: str, data_text: str | None, ns: Namespace = "nscard") -> str:
    """The text of an event whose data is JSON text already: many receivers share one encoding."""
    if data_text is None:
        return f'{{"ns":"{ns}","v":1,"kind":"evt","event":"{name}"}}'
    return f'{{"ns":"{ns}","v":1,"kind":"evt","event":"{name}","data":{data_text}}}'


def encode_connect(protocol: int = PROTOCOL, ns: Namespace = "nscard") -> dict[str, JsonValue]:
    """The window message that offers a frame its port."""
    return {"ns": ns, "type": "connect", "protocol": protocol}
