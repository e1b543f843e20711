"""Who may ask: a bearer token, the Host header against rebound names, the Origin of pages, and CORS for those allowed.

Spec: session protocol, safety.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from cardloom_protocol.session.errors import SessionError

from .asgi import AsgiApp, Headers, Message, Receive, Scope, Send, header
from .reply import Reply

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_BEARER = "bearer "
_CORS: Headers = [
    (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE"),
    (b"access-control-allow-headers", b"authorization, content-type, if-match, last-event-id"),
    (b"access-control-max-age", b"600"),
]


class Guard:
    """Lets through what may come in; everything else is told 401 or 403 and nothing more."""

    def __init__(
        self, app: AsgiApp, *, token: str | None, hosts: Sequence[str] = (), origins: Sequence[str] = ()
    ) -> None:
        self._app = app
        self._digest = None if token is None else _digest(token)
        self._hosts = frozenset((*_LOCAL, *(host.lower() for host in hosts)))
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        origin = header(scope, "origin")
        cors = _cors_of(origin) if origin in self._origins else []
        refusal = self._refusal(scope, origin)
        if refusal is None and not (scope["method"] == "OPTIONS" and cors):
            await self._app(scope, receive, _adding(send, cors) if cors else send)
            return
        if scope["method"] == "OPTIONS" and cors and self._host_is_ours(scope):
            await Reply(send).bytes(204, b"", [*cors, *_CORS])  # a browser's question before the request itself
            return
        error = refusal or SessionError("forbidden", "This may not be asked from here.")
        await Reply(_adding(send, cors)).refuse(error)

    def _refusal(self, scope: Scope, origin: str | None) -> SessionError | None:
        if not self._host_is_ours(scope):
            return SessionError("forbidden", "The server is not known under this name.")
        if origin is not None and origin not in self._origins and not _is_own(scope, origin):
            return SessionError("forbidden", "Pages of this origin may not call.")
        if self._digest is not None and not hmac.compare_digest(_digest(_bearer(scope)), self._digest):
            return SessionError("unauthorized", "A bearer token is needed.")
        return None

    def _host_is_ours(self, scope: Scope) -> bool:
        host = (header(scope, "host") or "").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        return name in self._hosts


def _is_own(scope: Scope, origin: str) -> bool:
    return origin == f"{scope.get('scheme', 'http')}://{header(scope, 'host')}"


def _bearer(scope: Scope) -> str:
    value = header(scope, "authorization") or ""
    return value[len(_BEARER) :].strip() if value[: len(_BEARER)].lower() == _BEARER else ""


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _cors_of(origin: str | None) -> Headers:
    return [(b"access-control-allow-origin", (origin or "").encode("latin-1")), (b"vary", b"origin")]


def _adding(send: Send, headers: Headers) -> Send:
    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *headers]
        await send(message)

    return send_with
