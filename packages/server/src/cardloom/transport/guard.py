"""The guard: one line of JavaScript that takes away what a frame could reach the network by past its policy.

WebRTC and its like are outside a Content-Security-Policy. The line runs before everything in a document and in front of
every script, because a package's script may find itself in a fresh realm (a `srcdoc` child) in which these things are
back. It is no substitute for a check on our side of the wire. Spec: decision 1.
"""

from __future__ import annotations

import re
from typing import Final

TAKEN_AWAY: Final = (
    "RTCPeerConnection",
    "webkitRTCPeerConnection",
    "mozRTCPeerConnection",
    "RTCIceTransport",
    "RTCDataChannel",
    "WebTransport",
    "WebSocketStream",
    "TCPSocket",
    "TCPServerSocket",
    "UDPSocket",
    "PresentationRequest",
)
"""Names that no frame has: each opens connections that no policy of the frame covers."""

# No `<`, `&` or line end: the line stands inside HTML as well. Safe to run twice; nothing of it can be undone.
# A script may have names of its own for what the line needs, and functions and imports of that name are there before
# the line runs. So `Object` is taken from a literal, and a `globalThis` that is no global object ends the script.
GUARD: Final = (
    "(()=>{const o=({}).constructor,g=globalThis;"
    "if(!/^\\[object (?:Window|\\w+GlobalScope)]$/.test(o.prototype.toString.call(g)))"
    'throw"a script must not have a globalThis of its own";'
    "for(const n of["
    + ",".join(f'"{name}"' for name in TAKEN_AWAY)
    + "]){const d=o.getOwnPropertyDescriptor(g,n);if(!d||d.configurable)"
    "try{o.defineProperty(g,n,{value:void 0,writable:false,configurable:false,enumerable:false})}"
    "catch{}}})();"
)

_BLANK_OR_COMMENT: Final = re.compile(r"(?:\s|\ufeff|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_DIRECTIVE: Final = re.compile(r"""("(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*')""", re.DOTALL)
_STRICT: Final = ("'use strict'", '"use strict"')


def guarded(script: str) -> str:
    """A script with the guard in front, on its first line.

    A script that begins strict stays strict: its directive is repeated before the guard. A `#!` line becomes a comment,
    since it could no longer stand first.
    """
    if script.startswith("#!"):
        script = "//" + script[2:]
    directive = '"use strict";' if _is_strict(script) else ""
    return f"{directive}{GUARD}{script}"


def _is_strict(script: str) -> bool:
    """Whether one of the string statements that a script begins with makes it strict."""
    at = _end(_BLANK_OR_COMMENT, script, 0)
    while (found := _DIRECTIVE.match(script, at)) is not None:
        after = _end(_BLANK_OR_COMMENT, script, found.end())
        gap = script[found.end() : after]
        ends = after >= len(script) or script[after] in ";}"
        begins_anew = "\n" in gap and script[after : after + 1] not in tuple("([`.,?:+-*/%&|^<>=")
        if not (ends or begins_anew):
            return False
        if found.group(1) in _STRICT:
            return True
        at = _end(_BLANK_OR_COMMENT, script, after + 1 if script[after : after + 1] == ";" else after)
    return False


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()
