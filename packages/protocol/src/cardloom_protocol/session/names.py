"""Ids and file names that cannot leave their folder, and the ids that stores make.

Randomness and time are handed in. Spec: session protocol, ids and names.
"""

from __future__ import annotations

import re

from .errors import InvalidId

_SAFE_ID = re.compile(r"[A-Za-z0-9._-]+")
_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def safe_id(value: object, kind: str = "id") -> str:
    """An id of a session or node, as given. INVALID_ID for any other value; `kind` is for the message."""
    if not isinstance(value, str) or value in (".", "..") or _SAFE_ID.fullmatch(value) is None:
        raise InvalidId(f"{_shown(value)} is no {kind}: use A-Z, a-z, 0-9, dot, underscore and hyphen.")
    return value


def asset_name(value: object) -> str:
    """The file name of an asset, as given: one path segment without control characters. INVALID_ID otherwise."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise InvalidId(f"{_shown(value)} is no file name.")
    if any(char in "/\\" or char < " " for char in value):
        raise InvalidId(f"{_shown(value)} is no file name: it holds a separator or a control character.")
    return value


def _shown(value: object) -> str:
    if not isinstance(value, str):
        return f"A {type(value).__name__}"
    return ascii(value if len(value) <= 80 else value[:80] + "…")


def uuid7(at_ms: int, random: bytes) -> str:
    """A time-ordered UUID (version 7, variant 10) from a time and ten random bytes."""
    raw = bytearray(at_ms.to_bytes(6, "big") + random[:10])
    raw[6] = 0x70 | raw[6] & 0x0F
    raw[8] = 0x80 | raw[8] & 0x3F
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def base36(random: bytes) -> str:
    """One character 0-9a-z a random byte."""
    return "".join(_BASE36[byte % 36] for byte in random)
