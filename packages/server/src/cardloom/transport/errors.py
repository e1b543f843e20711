"""Refusals as HTTP and WebSocket say them: one table of statuses, one of close codes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from cardloom_protocol.errors import ErrorCode

HTTP_STATUS: Final[Mapping[ErrorCode, int]] = MappingProxyType(
    {
        ErrorCode.BAD_REQUEST: 400,
        ErrorCode.PROTOCOL_MISMATCH: 400,
        ErrorCode.METHOD_NOT_FOUND: 404,
        ErrorCode.INVALID_PARAMS: 422,
        ErrorCode.TOO_LARGE: 413,
        ErrorCode.NOT_READY: 409,
        ErrorCode.NOT_VISIBLE: 409,
        ErrorCode.PERMISSION_DENIED: 403,
        ErrorCode.NOT_CONNECTED: 409,
        ErrorCode.NOT_FOUND: 404,
        ErrorCode.RATE_LIMITED: 429,
        ErrorCode.QUOTA_EXCEEDED: 409,
        ErrorCode.TIMEOUT: 504,
        ErrorCode.UNAVAILABLE: 503,
        ErrorCode.BUSY: 409,
        ErrorCode.BUDGET_PAUSED: 409,
        ErrorCode.USER_CANCELLED: 409,
        ErrorCode.HOST_NOT_ALLOWED: 403,
        ErrorCode.NETWORK_ERROR: 502,
        ErrorCode.FS_DENIED: 403,
        ErrorCode.FS_ERROR: 409,
        ErrorCode.INTERNAL: 500,
    }
)
"""What an HTTP caller gets beside the error object."""


class CloseCode(IntEnum):
    """Why a socket is closed. Codes from 4000 are ours; clients branch on them."""

    GOING_AWAY = 1001
    PROTOCOL_ERROR = 1002
    BINARY = 1003
    TOO_SLOW = 1013
    """The peer does not read. Connecting again later is right."""
    REFUSED = 4403
    """The key or token is not good. Connecting again with the same one is useless."""
    SILENT = 4408
    """The first message did not come in time."""
    REPLACED = 4409
    """Another connection for the same card took over. Do not connect again."""
    GONE = 4410
    """The card is not on the canvas any more."""
    DISMISSED = 4411
    """The card's frame is not wanted now: it sleeps, or another page took it. Mount it anew when it is."""
