"""The numbers of the session protocol, in the form of `cardloom_protocol.limits`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..limits import Limit

_MIB = 1 << 20

SESSION_LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        name: Limit(name, value, unit, reason, "session protocol 1.7")
        for name, value, unit, reason in (
            ("fileReadBytes", 2 * _MIB, "bytes", "one file read that names no size"),
            ("sseFrameChars", 64 * _MIB, "characters", "one frame that a stream parser holds back until it ends"),
            ("workspacePaths", 1000, "paths", "paths of one workspace event; beyond, it says: read everything again"),
            ("metaDepth", 64, "levels", "nesting of a value in a session file's own notation"),
        )
    }
)


def session_limit(name: str) -> int:
    """The value of a limit of the session protocol; KeyError names an unknown one."""
    return SESSION_LIMITS[name].value
