"""Reading a request: which operation it is, its fields from path, query, headers and body.

Spec: session protocol, routes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cardloom_protocol.session.calls import SessionCall
from cardloom_protocol.session.errors import BadRequest, NotFound
from cardloom_protocol.session.json_text import JsonObject, is_object, read_json
from cardloom_protocol.session.limits import session_limit

from .asgi import Receive, Scope, header, query
from .errors import MethodNotAllowed, UnsupportedMediaType


class Router:
    """Finds the row of a verb and a path; written segments go before those that name a field."""

    def __init__(self, calls: Iterable[SessionCall]) -> None:
        self._by_size: dict[int, list[SessionCall]] = {}
        for call in calls:
            self._by_size.setdefault(len(call.segments), []).append(call)
        for rows in self._by_size.values():
            rows.sort(key=lambda call: [segment.startswith("{") for segment in call.segments])

    def find(self, verb: str, path: list[str]) -> tuple[SessionCall, JsonObject]:
        """The row and the fields in the path. NOT_FOUND for an unknown path, 405 for a known one with other verbs."""
        matching = [call for call in self._by_size.get(len(path), ()) if _fits(call, path)]
        for call in matching:
            if call.verb == verb:
                return call, {
                    name[1:-1]: given for name, given in zip(call.segments, path, strict=True) if name.startswith("{")
                }
        if not matching:
            raise NotFound("There is nothing at this address.")
        raise MethodNotAllowed(sorted({call.verb for call in matching}))


def _fits(call: SessionCall, path: list[str]) -> bool:
    return all(name.startswith("{") or name == given for name, given in zip(call.segments, path, strict=True))


async def fields(call: SessionCall, path: JsonObject, scope: Scope, receive: Receive) -> dict[str, Any]:
    """The fields of a request as they came, not yet checked."""
    given: dict[str, Any] = dict(path)
    asked = query(scope)
    body: JsonObject | None = None
    for name, field in call.fields.items():
        match field.place:
            case "query":
                if name in asked:
                    given[name] = asked[name]
            case "if-match":
                tag = header(scope, "if-match")
                if tag is not None:
                    given[name] = tag.strip().removeprefix("W/").strip('"')
            case "content-type":
                kind = header(scope, "content-type")
                if kind is not None:
                    given[name] = kind.partition(";")[0].strip()
            case "raw":
                given[name] = await read_body(scope, receive, session_limit("assetBytes"))
            case "body" | "whole" if body is None:
                body = await _json_body(scope, receive)
    if body is not None:
        for name, field in call.fields.items():
            if field.place == "whole":
                given[name] = body
            elif field.place == "body" and name in body:
                given[name] = body[name]
    return given


async def _json_body(scope: Scope, receive: Receive) -> JsonObject:
    raw = await read_body(scope, receive, session_limit("requestBytes"))
    if not raw.strip():
        return {}
    kind = (header(scope, "content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMediaType()
    try:
        value = read_json(raw.decode("utf-8"))
    except ValueError as error:
        raise BadRequest(f"The body is not JSON: {error}.") from error
    if not is_object(value):
        raise BadRequest("The body must be a JSON object.")
    return value


async def read_body(scope: Scope, receive: Receive, max_bytes: int) -> bytes:
    """The body. BAD_REQUEST with `{size, maxBytes}` as soon as it is known to be too large; the rest is not read."""
    announced = header(scope, "content-length")
    if announced is not None and announced.isascii() and announced.isdigit() and int(announced[:15]) > max_bytes:
        raise too_large(int(announced[:15]), max_bytes)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("The client left before the body ended.")
        body += message.get("body", b"")
        if len(body) > max_bytes:
            raise too_large(len(body), max_bytes)
        if not message.get("more_body", False):
            return bytes(body)


def too_large(size: int, max_bytes: int) -> BadRequest:
    """The refusal of a body by its size."""
    return BadRequest(f"The body is larger than {max_bytes} bytes.", {"size": size, "maxBytes": max_bytes})


def wants_events(scope: Scope) -> bool:
    """Whether the client asks for an event stream."""
    return "text/event-stream" in (header(scope, "accept") or "").lower()


def wants_only_events(scope: Scope) -> bool:
    """Whether the client takes nothing but an event stream."""
    accepted = [part.partition(";")[0].strip().lower() for part in (header(scope, "accept") or "").split(",")]
    return bool(accepted) and all(kind == "text/event-stream" for kind in accepted)
