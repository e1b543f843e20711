"""The numbers of the session protocol, in the form of `cardloom_protocol.limits`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..limits import Limit

_KIB = 1 << 10
_MIB = 1 << 20

SESSION_LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        name: Limit(name, value, unit, reason, "session protocol 1.7")
        for name, value, unit, reason in (
            ("fileReadBytes", 2 * _MIB, "bytes", "one file read that names no size"),
            ("sseFrameChars", 64 * _MIB, "characters", "one frame that a stream parser holds back until it ends"),
            ("workspacePaths", 1000, "paths", "paths of one workspace event; beyond, it says: read everything again"),
            ("runEvents", 2000, "events", "events kept of one run for those who come back"),
            ("runBytes", 4 * _MIB, "bytes", "size of the events kept of one run"),
            ("runKeptMs", 600_000, "ms", "how long an ended run is kept"),
            ("runsKept", 200, "runs", "ended runs kept at once; beyond, the oldest goes"),
            ("runsKeptBytes", 64 * _MIB, "bytes", "size of all events of the ended runs that are kept"),
            ("heartbeatMs", 15_000, "ms", "silence on a stream before a sign of life"),
            ("retryMs", 2000, "ms", "how long a client waits before it connects again"),
            ("writeMs", 30_000, "ms", "how long a client may not read before its stream is closed"),
            ("sendBytes", 256 * _KIB, "bytes", "what one write to a stream holds"),
            ("lagEvents", 64, "events", "events behind the run from which on a client's deltas are joined"),
            ("streams", 1000, "streams", "open streams of one backend"),
            ("requestBytes", 16 * _MIB, "bytes", "the body of a request"),
            ("assetBytes", 64 * _MIB, "bytes", "a file kept beside a session"),
            ("cancelGraceMs", 10_000, "ms", "how long a cancelled engine may take to end by itself"),
            ("workspaceDebounceMs", 100, "ms", "how long changed files are gathered before they are told"),
            ("pageSessions", 1000, "sessions", "sessions in one page of a list"),
            (
                "jsonDepth",
                200,
                "levels",
                "nesting of JSON that is read; deeper, a line of a file is kept but not shown",
            ),
            ("metaDepth", 64, "levels", "nesting of a value in a session file's own notation"),
        )
    }
)


def session_limit(name: str) -> int:
    """The value of a limit of the session protocol; KeyError names an unknown one."""
    return SESSION_LIMITS[name].value
