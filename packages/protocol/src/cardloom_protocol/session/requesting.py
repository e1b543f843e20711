"""The HTTP request of an operation, from the same row that a server reads it by. Spec: session protocol, routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from ..jstext import compact_json
from .calls import SessionCall
from .errors import InvalidId
from .json_text import as_json


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What to send: a path below the mount point with its query, headers, and a body where there is one."""

    verb: str
    path: str
    headers: dict[str, str]
    body: bytes | None = None


def request_of(call: SessionCall, given: Mapping[str, Any]) -> HttpRequest:
    """The request of an operation; `raw` fields are bytes. Fields that the row does not name are left out.

    INVALID_ID for `.` and `..` in a path, which would make it the path of something else.
    """
    headers = {"accept": "text/event-stream" if call.reply == "events" else "application/json"}
    query: dict[str, str] = {}
    fields: dict[str, Any] = {}
    body: bytes | None = None
    for name, field in call.fields.items():
        if name not in given:
            continue
        value = given[name]
        match field.place:
            case "query":
                query[name] = str(value).encode("utf-8", "replace").decode()
            case "if-match":
                headers["if-match"] = f'"{_header(value)}"'
            case "content-type":
                headers["content-type"] = _header(value)
            case "raw":
                body = bytes(value)
            case "body":
                fields[name] = value
            case "whole":
                body = compact_json(as_json(value)).encode("utf-8")
                headers["content-type"] = "application/json"
            case "path":
                continue
    if body is None and any(field.place == "body" for field in call.fields.values()):
        body = compact_json(as_json(fields)).encode("utf-8")
        headers["content-type"] = "application/json"
    path = "/" + "/".join(_filled(segment, given) for segment in call.segments)
    return HttpRequest(call.verb, f"{path}?{urlencode(query)}" if query else path, headers, body)


def _header(value: object) -> str:
    """A value as a header can carry it: what is no ASCII, or would end the line, becomes a question mark."""
    return "".join(char if " " <= char <= "~" else "?" for char in str(value))


def _filled(segment: str, given: Mapping[str, Any]) -> str:
    if not segment.startswith("{"):
        return segment
    value = str(given[segment[1:-1]])
    if value in (".", ".."):
        raise InvalidId(f"{segment[1:-1]} cannot be {value!r}.")
    return quote(value, safe="", errors="replace")
