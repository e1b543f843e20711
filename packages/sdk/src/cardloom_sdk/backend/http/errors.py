"""Refusals as HTTP says them. Spec: session protocol, status and errors."""

from __future__ import annotations

from typing import Final

from cardloom_protocol.session.errors import SessionError, SessionErrorCode
from cardloom_protocol.session.json_text import is_object

STATUS: Final[dict[str, int]] = {
    SessionErrorCode.BAD_REQUEST: 400,
    SessionErrorCode.INVALID_ID: 400,
    SessionErrorCode.NOT_FOUND: 404,
    SessionErrorCode.CONFLICT: 409,
    SessionErrorCode.NOT_SUPPORTED: 501,
    SessionErrorCode.INTERNAL: 500,
    "unauthorized": 401,
    "forbidden": 403,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "unsupported_media_type": 415,
    "too_many_streams": 429,
}


def status_of(error: SessionError) -> int:
    """The status of a refusal; 413 for what is too large, 500 for a code that only the backend knows."""
    if error.code == SessionErrorCode.BAD_REQUEST and is_object(error.details) and "maxBytes" in error.details:
        return 413
    return STATUS.get(error.code, 500)


class MethodNotAllowed(SessionError):
    """The path exists, with other verbs."""

    def __init__(self, verbs: list[str]) -> None:
        super().__init__("method_not_allowed", f"Use {', '.join(verbs)} here.")
        self.verbs = verbs


class NotAcceptable(SessionError):
    """An event stream was asked for where there is none."""

    def __init__(self) -> None:
        super().__init__("not_acceptable", "This answers with JSON; there is no event stream here.")


class UnsupportedMediaType(SessionError):
    """The body is no JSON."""

    def __init__(self) -> None:
        super().__init__("unsupported_media_type", "The body must be application/json.")
