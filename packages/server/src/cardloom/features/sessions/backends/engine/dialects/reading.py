"""What the readers of all interfaces share: errors in any shape, counts, and how a key is shown."""

from __future__ import annotations

from cardloom_protocol.jstext import MAX_SAFE_INTEGER
from cardloom_protocol.session.json_text import JsonObject, is_number, is_object, object_of, text_of


class Unreadable(Exception):
    """A frame that is no answer of the interface."""


def error_text(body: JsonObject) -> str:
    """The message of an error body, "" where it has none."""
    error = body.get("error")
    if isinstance(error, str):
        return error
    if is_object(error):
        return text_of(error.get("message")) or text_of(error.get("code"))
    return text_of(body.get("message")) or text_of(body.get("detail"))


def count_of(usage: JsonObject, name: str) -> int | None:
    """A number of tokens, None where it is not told."""
    value = usage.get(name)
    return int(value) if is_number(value) and 0 <= value <= MAX_SAFE_INTEGER else None


def nested_count(usage: JsonObject, *names: str) -> int:
    """The sum of several counts; what is not told counts nothing."""
    return sum(count_of(usage, name) or 0 for name in names)


def headers_with_bearer(key: str | None) -> dict[str, str]:
    """The headers of a request with a bearer key."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def response_error(body: JsonObject) -> str:
    """The message of a failed response."""
    return error_text(object_of(body.get("response"))) or error_text(body)
