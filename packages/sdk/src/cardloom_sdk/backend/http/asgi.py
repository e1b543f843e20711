"""The three words of ASGI, and what is read from a scope."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]


def header(scope: Scope, name: str) -> str | None:
    """The value of a header, None when it is missing; of several, the first."""
    wanted = name.lower().encode("latin-1")
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == wanted), None)


def query(scope: Scope) -> dict[str, str]:
    """The query by name; of several values, the last."""
    text = scope.get("query_string", b"").decode("latin-1")
    return dict(parse_qsl(text, keep_blank_values=True, encoding="utf-8", errors="replace", max_num_fields=100))


def segments(scope: Scope) -> list[str]:
    """The path below the mount point, cut at its slashes; a slash written as %2F belongs to its segment."""
    raw = scope.get("raw_path")
    root = str(scope.get("root_path", ""))
    if isinstance(raw, bytes):
        written = raw.decode("latin-1").partition("?")[0].split("/")
        mount = [part for part in root.split("/") if part]
        parts = [unquote(part, errors="replace") for part in written if part]
        return parts[len(mount) :] if parts[: len(mount)] == mount else parts
    path = str(scope["path"])
    return [part for part in path.removeprefix(root).split("/") if part]
