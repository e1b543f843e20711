"""Which addresses and headers a card's web requests may use, and the secrets its headers name.

Spec: permissions, network.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .jstext import js_trim, utf16_length

DEFAULT_PORT = 443
MAX_PORT = 65535
MAX_NAME_CHARS = 253
MAX_HEADER_VALUE_CHARS = 8192

FORBIDDEN_HEADERS: tuple[str, ...] = (
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "cookie",
    "cookie2",
    "proxy-authorization",
    "proxy-connection",
    "origin",
    "referer",
    "user-agent",
    "via",
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "cf-connecting-ip",
    "dnt",
)
"""Header names, in lower case, that only the host sets."""

FORBIDDEN_HEADER_PREFIXES: tuple[str, ...] = ("sec-", "proxy-")

_FORBIDDEN_HEADERS = frozenset(FORBIDDEN_HEADERS)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_HEADER_VALUE_BREAKERS = re.compile(r"[\r\n\0]")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_PORT = re.compile(r"[0-9]{1,5}")
_DIGITS = re.compile(r"[0-9]+")
_SECRET = re.compile(r"\{\{secret:([a-zA-Z][a-zA-Z0-9_-]{0,63})\}\}")


@dataclass(frozen=True, slots=True)
class HostPattern:
    """One entry of a network permission: a DNS name or everything below it, on one port.

    `port` is None for the usual one, 443.
    """

    host: str
    wildcard: bool = False
    port: int | None = None

    def __str__(self) -> str:
        prefix = "*." if self.wildcard else ""
        suffix = "" if self.port is None else f":{self.port}"
        return f"{prefix}{self.host}{suffix}"

    def covers(self, host: str, port: float) -> bool:
        """Tells whether a request to `host`, in lower case without a final dot, on `port` fits.

        A wildcard covers any depth below its name, never the name itself.
        """
        if port != (self.port or DEFAULT_PORT):
            return False
        return host.endswith(f".{self.host}") if self.wildcard else host == self.host


def parse_host_pattern(text: object) -> HostPattern | None:
    """Reads a host pattern such as `*.example.com:8443`; None when it is not one.

    The text must already be in lower case. Addresses and this computer's names are refused: the
    permission for those is another one.
    """
    if not isinstance(text, str):
        return None
    name, colon, port_text = js_trim(text).rpartition(":")
    if not colon:
        name, port_text = port_text, ""
    port = _parse_port(port_text) if colon else DEFAULT_PORT
    if port is None:
        return None
    wildcard = name.startswith("*.")
    host = name.removeprefix("*.") if wildcard else name
    if not _is_public_name(host):
        return None
    return HostPattern(host, wildcard, None if port == DEFAULT_PORT else port)


def matches(patterns: Iterable[str], host: str, port: float = DEFAULT_PORT) -> bool:
    """Tells whether any of the patterns covers a request; patterns that are none are passed over.

    Letter case and one final dot of the requested host are ignored.
    """
    wanted = host.lower().removesuffix(".")
    parsed = (parse_host_pattern(pattern) for pattern in patterns)
    return any(pattern is not None and pattern.covers(wanted, port) for pattern in parsed)


def is_local_host(host: str) -> bool:
    """Tells whether a requested host is this computer, which needs `network.local`.

    These are `localhost`, names below it, `127.0.0.1` and `::1`, with or without brackets; one final
    dot is ignored. What another name resolves to is the fetcher's to check.
    """
    name = host.lower().removesuffix(".")
    return name in ("localhost", "127.0.0.1", "::1", "[::1]") or name.endswith(".localhost")


def header_allowed(name: object, value: object) -> bool:
    """Tells whether a card may send this request header.

    Refused are headers that the host owns, names that are no token of at most 128 characters, and
    values over 8192 UTF-16 units or with a line break or NUL.
    """
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    if _HEADER_NAME.fullmatch(name) is None or _HEADER_VALUE_BREAKERS.search(value) is not None:
        return False
    lower = name.lower()
    if lower in _FORBIDDEN_HEADERS or lower.startswith(FORBIDDEN_HEADER_PREFIXES):
        return False
    return utf16_length(value) <= MAX_HEADER_VALUE_CHARS


def secret_names(text: str) -> list[str]:
    """Gives the keys of the `{{secret:key}}` placeholders of a text, in order, repeats kept."""
    return _SECRET.findall(text)


def fill_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """Gives a text with its placeholders filled in; what is filled in is not read again. KeyError: a missing one."""
    return _SECRET.sub(lambda placeholder: secrets[placeholder[1]], text)


def _parse_port(text: str) -> int | None:
    if _PORT.fullmatch(text) is None:
        return None
    port = int(text)
    return port if 1 <= port <= MAX_PORT else None


def _is_public_name(name: str) -> bool:
    labels = name.split(".")
    if len(name) > MAX_NAME_CHARS or len(labels) < 2 or labels[-1] == "localhost":
        return False
    if _DIGITS.fullmatch(labels[-1]) is not None:
        return False
    return all(_LABEL.fullmatch(label) is not None for label in labels)
