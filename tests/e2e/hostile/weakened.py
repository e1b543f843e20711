"""A server with one defence taken out at a time, so that a test shows what the defence stops.

The product has no such switch: this stands between the real application and the browser and edits what passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardloom.transport.guard import GUARD


@dataclass(frozen=True)
class Weakness:
    """What is missing. The default misses nothing.

    `frame_policy` and `page_policy` give directives another value; `headers` are dropped from frames; `sandbox` and
    `allow` are what the page's iframes get beside or instead of what they have.
    """

    frame_policy: Mapping[str, str] = field(default_factory=dict)
    page_policy: Mapping[str, str] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    guard: bool = True
    sandbox: str = ""
    allow: str = ""
    origin: bool = True


class Weakened:
    """The application under the weakness that `weakness` holds now. `reached` notes requests that are not a page's."""

    def __init__(self, app: ASGIApp) -> None:
        self.weakness = Weakness()
        self.reached: list[str] = []
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        path = str(scope["path"])
        headers = dict(scope["headers"])
        if headers.get(b"origin") == b"null":
            self.reached.append(f"{scope.get('method', 'SOCKET')} {path}")
            if not self.weakness.origin:
                own = b"http://" + headers[b"host"]
                kept = [(name, value) for name, value in scope["headers"] if name != b"origin"]
                scope["headers"] = [*kept, (b"origin", own)]
                if scope.get("method") == "OPTIONS":
                    await _allow_everything(send)
                    return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Edit(self.weakness, path, send))


class _Edit:
    """Takes an answer together and passes it on edited."""

    def __init__(self, weakness: Weakness, path: str, send: Send) -> None:
        self._weakness = weakness
        self._path = path
        self._send = send
        self._start: dict[str, Any] = {}
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = dict(message)
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish()

    async def _finish(self) -> None:
        weakness, of_frame = self._weakness, self._path.startswith("/frames/")
        body = self._body
        headers: dict[str, str] = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self._start["headers"]
        }
        if of_frame:
            for name in weakness.headers:
                headers.pop(name.lower(), None)
            if not weakness.guard:
                body = body.replace(GUARD.encode(), b"")
        if not weakness.origin:
            headers["access-control-allow-origin"] = "*"
        policy = headers.get("content-security-policy")
        if policy is not None:
            changes = dict(weakness.frame_policy if of_frame else weakness.page_policy)
            if of_frame and weakness.sandbox:
                changes["sandbox"] = f"allow-scripts {weakness.sandbox}"
            headers["content-security-policy"] = _changed(policy, changes)
        if self._path.startswith("/assets/") and self._path.endswith(".js"):
            body = _with_iframes(body, weakness)
        headers["content-length"] = str(len(body))
        headers["cache-control"] = "no-store"  # the next attack gets another edition
        start = {
            **self._start,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        }
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


def _changed(policies: str, changes: Mapping[str, str]) -> str:
    """Changed policies: the first has all changes, one after it those of directives that it has."""
    first, *others = policies.split(", ")
    return ", ".join((_with(first, changes), *(_with(other, _of(other, changes)) for other in others)))


def _of(policy: str, changes: Mapping[str, str]) -> dict[str, str]:
    named = {part.split(" ", 1)[0] for part in policy.split("; ")}
    return {name: value for name, value in changes.items() if name in named}


def _with(policy: str, changes: Mapping[str, str]) -> str:
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    return "; ".join(f"{name} {value}" for name, value in {**directives, **changes}.items())


def _with_iframes(body: bytes, weakness: Weakness) -> bytes:
    """The page's program with other iframes; AssertionError when it makes them in a way that is not known here."""
    if not weakness.sandbox and not weakness.allow:
        return body
    text = body.decode()
    if "createElement(`iframe`)" not in text and 'createElement("iframe")' not in text:
        return body
    text, sandboxes = re.subn(r"""[`"']allow-scripts[`"']""", f'"allow-scripts {weakness.sandbox}"', text)
    text, allows = re.subn(
        r"""setAttribute\([`"']allow[`"'],[`"'][`"']\)""", f'setAttribute("allow","{weakness.allow}")', text
    )
    assert (sandboxes, allows) == (1, 1)
    return text.encode()


async def _allow_everything(send: Send) -> None:
    headers = [
        (b"access-control-allow-origin", b"*"),
        (b"access-control-allow-headers", b"authorization, content-type"),
        (b"access-control-allow-methods", b"GET, POST, PUT, DELETE"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
