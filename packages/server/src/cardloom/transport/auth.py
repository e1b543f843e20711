"""Who may come in: Host and Origin by kind of caller, the owner's key, one-time codes, card tokens.

The rules are the rows of `cardloom_protocol.callers`; this module asks them of a request's headers, before anything
else happens to it. A refusal is 403 and says nothing more. Spec: decisions 37, 38.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardloom_protocol.callers import CALLERS, CallerKind, OriginRule
from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit

from ..core.clock import Clock
from ..core.tokens import CardTokens, digest

_BEARER: Final = "bearer "


@dataclass(slots=True)
class Address:
    """Where this server listens; known once its socket is bound."""

    port: int

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers of requests that mean this server and no name that somebody pointed here."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class AccessCodes:
    """One-time codes, each good once and for a while. Only digests are kept."""

    def __init__(self, clock: Clock, lifetime_ms: int | None = None, most: int | None = None) -> None:
        self._clock = clock
        self._lifetime_ms = limit("accessCodeMs") if lifetime_ms is None else lifetime_ms
        self._most = limit("accessCodes") if most is None else most
        self._codes: dict[bytes, int] = {}

    def issue(self) -> str:
        """Make a code; the oldest gives way when there are too many."""
        code = secrets.token_urlsafe(24)
        while len(self._codes) >= self._most:
            del self._codes[next(iter(self._codes))]
        self._codes[digest(code)] = self._clock.steady_ms() + self._lifetime_ms
        return code

    def redeem(self, code: str) -> bool:
        """Use a code up; False for one that is wrong, used or too old."""
        until_ms = self._codes.pop(digest(code), None)
        return until_ms is not None and self._clock.steady_ms() <= until_ms


class Doorkeeper:
    """Knows the keys. Comparisons take the same time whatever is wrong."""

    def __init__(
        self,
        address: Address,
        owner_key: str,
        codes: AccessCodes,
        tokens: CardTokens,
        agents: CardTokens,
        *,
        session_key: str | None = None,
    ) -> None:
        self.address = address
        self.codes = codes
        self._owner_key = owner_key
        self._owner_digest = digest(owner_key)
        self._tokens = tokens
        self._agents = agents
        self._session_digest = None if session_key is None else digest(session_key)

    def host_is_ours(self, headers: Mapping[str, str]) -> bool:
        """Whether the Host header names this server: a name that was pointed at loopback does not."""
        return headers.get("host", "") in self.address.hosts

    def origin_fits(self, headers: Mapping[str, str], rule: OriginRule) -> bool:
        """Whether the Origin header, or its absence, is allowed."""
        origin = headers.get("origin")
        if origin is None:
            return True
        own = origin == f"http://{headers.get('host', '')}"
        match rule:
            case "none-only":
                return False
            case "own-or-none":
                return own
            case "own-none-or-null":
                return own or origin == "null"

    def is_owner_key(self, key: str | None) -> bool:
        """Whether this is the owner's key."""
        return key is not None and hmac.compare_digest(digest(key), self._owner_digest)

    def owner_by_header(self, headers: Mapping[str, str]) -> bool:
        """Whether a request proves to be the owner's by its Authorization header, and may come from its Origin."""
        return self.origin_fits(headers, CALLERS[CallerKind.OWNER].origin) and self.is_owner_key(bearer(headers))

    def may_greet(self, headers: Mapping[str, str]) -> bool:
        """Whether a page of ours asks, which proves the key by its first message."""
        return "origin" in headers and self.origin_fits(headers, CALLERS[CallerKind.OWNER].origin)

    def card_by_header(self, headers: Mapping[str, str]) -> CardId | None:
        """The card that a request proves to be by its token; None for no Authorization, a wrong one, or any Origin."""
        token = bearer(headers)
        if token is None or not self.origin_fits(headers, CALLERS[CallerKind.CARD].origin):
            return None
        return self._tokens.card_of(token)

    def agent_by_header(self, headers: Mapping[str, str]) -> CardId | None:
        """The card at which the agent sits that a request proves to be by its token; None as for a card."""
        token = bearer(headers)
        if token is None or not self.origin_fits(headers, CALLERS[CallerKind.AGENT].origin):
            return None
        return self._agents.card_of(token)

    def session_by_header(self, headers: Mapping[str, str]) -> bool:
        """Whether a request brings the session protocol's own key, and may come from its Origin."""
        key = bearer(headers)
        if key is None or self._session_digest is None:
            return False
        fits = self.origin_fits(headers, CALLERS[CallerKind.SESSION].origin)
        return hmac.compare_digest(digest(key), self._session_digest) and fits

    def exchange(self, code: str) -> str | None:
        """The owner's key for a good one-time code."""
        return self._owner_key if self.codes.redeem(code) else None

    def new_address(self) -> str:
        """The address that opens a page once. The code stands in the fragment, which no browser sends."""
        return f"{self.address.url}/#code={self.codes.issue()}"


def bearer(headers: Mapping[str, str]) -> str | None:
    """The credential of an Authorization header."""
    value = headers.get("authorization", "")
    return value[len(_BEARER) :].strip() if value[: len(_BEARER)].lower() == _BEARER else None


def read_or_make_key(path: Path) -> str:
    """The owner's key, made at the first start, readable by its owner alone.

    An unusable file (empty, too short) is replaced: its pages and programs must be opened anew.
    """
    try:
        key = path.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        key = ""
    if len(key) >= 32:
        path.chmod(0o600)
        return key
    path.unlink(missing_ok=True)
    key = secrets.token_urlsafe(32)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key + "\n")
    return key
