"""The one error that crosses the wire, and the codes it may carry.

`JsonValue` is defined here, below everything else, because an error's data is a JSON value;
import it from `jstext`, where the rest of JSON lives.
"""

from enum import StrEnum
from typing import TypeAlias

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None


class ErrorCode(StrEnum):
    """Why a call failed. Callers branch on the code; the message is for people.

    Each member says when it is used, whose doing it is, whether the same call may succeed later,
    and what `data` holds. Spec: card host contract, error codes.
    """

    BAD_REQUEST = "BAD_REQUEST"
    """The envelope is malformed or its params are not plain JSON. The caller's fault; retrying is
    useless. data: the `{path, keyword, message}` of the offending value when the params are at fault."""

    PROTOCOL_MISMATCH = "PROTOCOL_MISMATCH"
    """The two sides speak different protocol versions. Nobody's fault; an update is needed. No data."""

    METHOD_NOT_FOUND = "METHOD_NOT_FOUND"
    """No method of that name is offered. The caller's fault, or a newer caller; no retry. No data."""

    INVALID_PARAMS = "INVALID_PARAMS"
    """The params break the method's schema or its rules. The caller's fault; no retry.
    data: a list of `{path, keyword, message}`, or of `{key, message}` for settings."""

    TOO_LARGE = "TOO_LARGE"
    """A message, a result or a stored value is over its size limit. The caller may retry with less. No data."""

    NOT_READY = "NOT_READY"
    """Called before the handshake was done. The caller's fault; retry after `host.ready`. No data."""

    NOT_VISIBLE = "NOT_VISIBLE"
    """The method needs the card on screen. Nobody's fault; retry once the card is visible. No data."""

    PERMISSION_DENIED = "PERMISSION_DENIED"
    """A permission is missing or switched off. Retry after the user granted it.
    data: `{permission}`, the id that is needed."""

    NOT_CONNECTED = "NOT_CONNECTED"
    """No suitable arrow joins the two cards. Retry after the user drew one. No data."""

    NOT_FOUND = "NOT_FOUND"
    """The named agent, port, tool or call does not exist. The caller's fault or a race; no blind retry. No data."""

    RATE_LIMITED = "RATE_LIMITED"
    """Called too often. The caller's fault; retry after the time given. data: `{retryAfterMs}`."""

    QUOTA_EXCEEDED = "QUOTA_EXCEEDED"
    """A count or a store is full: storage, queued prompts, spawned cards, watchers. Retry after making room.
    No data."""

    TIMEOUT = "TIMEOUT"
    """The deadline passed before an answer came. A retry may work; the act may still have happened. No data."""

    UNAVAILABLE = "UNAVAILABLE"
    """The other side is not there: agent not running, card asleep, connection lost. Retry later. No data."""

    BUSY = "BUSY"
    """The agent works and the caller asked not to queue. Retry when it is idle. No data."""

    BUDGET_PAUSED = "BUDGET_PAUSED"
    """The workspace spent its budget. The user lifts it; no retry before. No data."""

    USER_CANCELLED = "USER_CANCELLED"
    """The user refused, closed the dialog, or stopped the call. Ask again only on the user's initiative. No data."""

    HOST_NOT_ALLOWED = "HOST_NOT_ALLOWED"
    """The address or its scheme lies outside what the network permission covers. The caller's fault; no retry.
    No data."""

    NETWORK_ERROR = "NETWORK_ERROR"
    """The request went out and failed, or its answer was unreadable. The network's fault; a retry may work. No data."""

    FS_DENIED = "FS_DENIED"
    """The path leaves the workspace, is protected, or is closed to us. The caller's fault; no retry.
    data: `{reason}` (`path` for a text that is no path of a workspace, `outside`, `protected`, `closed` where the
    workspace gives no access to files at all)."""

    FS_ERROR = "FS_ERROR"
    """The file system refused. data: `{reason}` (`not_found`, `not_a_directory`, `is_a_directory`, `exists`,
    `too_large`, `io`, `conflict`). A `conflict` means that the file changed meanwhile: read again, then retry; its data
    is `{reason, conflict: true, mtimeMs}`, `mtimeMs` null when the file is gone."""

    INTERNAL = "INTERNAL"
    """A fault of the answering side, ours or the other card's handler. No data that a caller could use."""


class CallError(Exception):
    """A refusal as the caller sees it: code, message for people, data for programs."""

    def __init__(self, code: ErrorCode, message: str, data: JsonValue = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data

    def to_wire(self) -> dict[str, JsonValue]:
        """The error object of a response envelope; `data` is left out when there is none."""
        wire: dict[str, JsonValue] = {"code": self.code.value, "message": self.message}
        if self.data is not None:
            wire["data"] = self.data
        return wire
