"""The errors of the session protocol: a code for programs, a message for people, details where they help.

They travel inside an envelope, over HTTP and over the canvas socket alike; a code that a backend invented is carried
as it is. Spec: session protocol, errors.
"""

from __future__ import annotations

from enum import StrEnum

from ..jstext import JsonValue


class SessionErrorCode(StrEnum):
    """Why an operation of the session protocol failed. A backend may have codes beyond these."""

    NOT_FOUND = "not_found"
    """The session, message, model, profile, file, run or ask does not exist. The caller's fault or a race."""

    CONFLICT = "conflict"
    """Something changed meanwhile, exists already, or is busy. Read again, then retry.
    details: `{runId}` when the session is busy."""

    BAD_REQUEST = "bad_request"
    """The request cannot be carried out as it stands. The caller's fault; no retry.
    details: `{size, maxBytes}` when it is too large."""

    INVALID_ID = "invalid_id"
    """An id or a file name holds what it must not. The caller's fault; no retry."""

    NOT_SUPPORTED = "not_supported"
    """The backend lacks the capability. No retry; look at its capabilities."""

    INTERNAL = "internal"
    """A fault of the answering side. No details that a caller could use."""


class SessionError(Exception):
    """A failure as the client sees it."""

    def __init__(self, code: str, message: str, details: JsonValue = None) -> None:
        super().__init__(message)
        self.code = str(code)
        self.message = message
        self.details = details

    def to_wire(self) -> dict[str, JsonValue]:
        """The error object of an envelope; `details` is left out when there are none."""
        wire: dict[str, JsonValue] = {"code": self.code, "message": self.message}
        if self.details is not None:
            wire["details"] = self.details
        return wire


class NotFound(SessionError):
    """What was named does not exist."""

    def __init__(self, message: str, details: JsonValue = None) -> None:
        super().__init__(SessionErrorCode.NOT_FOUND, message, details)


class Conflict(SessionError):
    """What was given no longer fits, or is taken."""

    def __init__(self, message: str, details: JsonValue = None) -> None:
        super().__init__(SessionErrorCode.CONFLICT, message, details)


class BadRequest(SessionError):
    """The request cannot be carried out as it stands."""

    def __init__(self, message: str, details: JsonValue = None) -> None:
        super().__init__(SessionErrorCode.BAD_REQUEST, message, details)


class InvalidId(SessionError):
    """An id or a file name holds what it must not."""

    def __init__(self, message: str) -> None:
        super().__init__(SessionErrorCode.INVALID_ID, message)


class NotSupported(SessionError):
    """The operation lies outside the capabilities. `op` is its dotted name."""

    def __init__(self, op: str, message: str | None = None) -> None:
        super().__init__(SessionErrorCode.NOT_SUPPORTED, message or f"{op} is not supported here.")
        self.op = op


# The names of the protocol package. Python has a FileNotFoundError of its own, hence the short ones above all.
class FileNotFound(NotFound):
    """A file of the workspace does not exist."""


class FileConflict(Conflict):
    """A file of the workspace has another revision, or exists already."""


class FileBadRequest(BadRequest):
    """A path or a content that no workspace can take."""


FileNotFoundError = FileNotFound
FileConflictError = FileConflict
FileBadRequestError = FileBadRequest
NotSupportedError = NotSupported


class CodecError(ValueError):
    """A session file that cannot be read. `line` counts from 1, None when no single line is to blame."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line
