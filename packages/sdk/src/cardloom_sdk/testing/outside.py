"""What a test host keeps, sets, fetches and asks for a card: its answers to the rest of the card contract.

The rules are the server's (`cardloom_protocol`): quotas, setting values, addresses and headers. What a person or the
web would say is set by the test: `grants`, `confirms`, `web`.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import (
    NetworkGrant,
    WebAddress,
    check_address,
    check_headers,
    invalid_params,
    named_secrets,
    permission_denied,
)
from cardloom_protocol.hosts import fill_secrets
from cardloom_protocol.jstext import compact_json, json_length, utf16_key, utf16_length
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import Manifest
from cardloom_protocol.permissions import Permission
from cardloom_protocol.schema import Issue, compile_schema
from cardloom_protocol.settings import check_values, defaults

Params: TypeAlias = Mapping[str, Any]
Event: TypeAlias = tuple[str, Any]

_QUOTAS: Final = {"instance": limit("instanceStorageBytes"), "package": limit("packageStorageBytes")}


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request that the card made, its secrets filled in."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class WebReply:
    """What an address answers. A list or dict as `body` is JSON; `error` breaks a streamed body off at its end."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None

    @property
    def data(self) -> bytes:
        """The body as bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else compact_json(self.body)).encode()


Web: TypeAlias = dict[str, WebReply | Callable[[WebRequest], WebReply]]


@dataclass(slots=True)
class Outside:
    """What lies outside the card: stores, settings, the person, the web.

    `grants` are the optional permissions that the person grants when asked, `confirms` is the answer to questions and
    links, `web` holds the replies by URL without its query. `before` are events to send ahead of the answer that
    caused them, `events` those to send after it.
    """

    manifest: Manifest
    declared: tuple[Permission, ...]
    effective: Callable[[], frozenset[str]]
    grant: Callable[[str], None]
    permissions: Callable[[], Any]
    grants: set[str] = field(default_factory=set)
    confirms: bool = True
    web: Web = field(default_factory=dict)
    requests: list[WebRequest] = field(default_factory=list)
    stores: dict[str, dict[str, Any]] = field(default_factory=lambda: {"instance": {}, "package": {}})
    values: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    menu: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    clipboard: str | None = None
    focused: str | None = None
    spawned: list[dict[str, Any]] = field(default_factory=list)
    settings_opened: int = 0
    size: dict[str, Any] = field(default_factory=dict)
    hidden_tools: set[str] = field(default_factory=set)
    calls: dict[str, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)
    progress: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    before: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.size = dict(self.manifest["card"]["defaultSize"])

    def answers(self) -> dict[str, Callable[[Params], Any]]:
        """The answers by method."""
        return {
            "card.requestResize": self._resize,
            "card.openLink": self._open_link,
            "card.focus": self._focus,
            "card.spawn": self._spawn,
            "ui.confirm": self._confirm,
            "ui.setMenu": self._set_menu,
            "settings.get": lambda _: self.settings(),
            "settings.set": self._settings_set,
            "settings.open": self._settings_open,
            "storage.get": self._storage_get,
            "storage.set": self._storage_set,
            "storage.delete": self._storage_delete,
            "storage.keys": self._storage_keys,
            "storage.clear": lambda params: self._store(params).clear(),
            "storage.usage": self._storage_usage,
            "permissions.request": self._permissions_request,
            "tools.respond": self._tools_respond,
            "tools.progress": self._tools_progress,
            "tools.setEnabled": self._tools_set_enabled,
            "net.fetch": self._net_fetch,
            "net.abort": lambda _: None,
            "clipboard.writeText": self._clipboard,
        }

    def settings(self) -> dict[str, Any]:
        """`{values, secrets}` as the card is told them."""
        definitions = self.manifest["settings"]
        secrets = {one["key"]: one["key"] in self.secrets for one in definitions if one["type"] == "secret"}
        return {"values": {**defaults(definitions), **self.values}, "secrets": secrets}

    def tool_arguments(self, name: str, args: Any) -> None:
        """Check a call as the host does. NOT_FOUND, INVALID_PARAMS."""
        for tool in self.manifest["tools"]:
            if tool["name"] == name and name not in self.hidden_tools:
                issues = compile_schema(tool["inputSchema"]).check(args, max_issues=limit("paramsIssues"))
                if issues:
                    raise invalid_params(issues, name)
                return
        raise CallError(ErrorCode.NOT_FOUND, f"the card offers no tool {name!r} now")

    # The canvas and the person

    def _resize(self, params: Params) -> Any:
        sizes = self.manifest["card"]
        least, most = sizes["minSize"], sizes["maxSize"]
        self.size = {
            "w": max(least["w"], min(most["w"], params["w"])),
            "h": max(least["h"], min(most["h"], params["h"])),
        }
        self.before.append(("lifecycle.resized", dict(self.size)))
        return dict(self.size)

    def _open_link(self, params: Params) -> Any:
        if not params["url"].startswith("https://"):
            raise invalid_params([Issue("/url", "format", "only https addresses are opened")], "card.openLink")
        self.links.append(params["url"])
        return {"opened": self.confirms}

    def _focus(self, params: Params) -> None:
        self.focused = params["cardId"]

    def _spawn(self, params: Params) -> Any:
        if len(self.spawned) >= limit("spawnsPerInstance"):
            raise CallError(ErrorCode.QUOTA_EXCEEDED, "this card has added its cards (spawnsPerInstance)")
        self.spawned.append(dict(params))
        return {"cardId": f"c_child{len(self.spawned)}"}

    def _confirm(self, params: Params) -> Any:
        self.questions.append(dict(params))
        return {"confirmed": self.confirms}

    def _set_menu(self, params: Params) -> None:
        self.menu = [dict(item) for item in params["items"]]

    def _clipboard(self, params: Params) -> None:
        self.clipboard = params["text"]

    def _permissions_request(self, params: Params) -> Any:
        optional = {one.id for one in self.declared if one.optional}
        for permission in params["ids"]:
            if permission not in optional:
                raise permission_denied(permission)
        before = self.permissions()
        for permission in params["ids"]:
            if permission in self.grants:
                self.grant(permission)
        if self.permissions() != before:
            self.before.append(("permissions.changed", self.permissions()))
        granted = {row["id"] for row in self.permissions() if row["granted"]}
        return {"granted": [permission for permission in params["ids"] if permission in granted]}

    # Settings and storage

    def _settings_set(self, params: Params) -> Any:
        issues = check_values(self.manifest["settings"], params["values"])
        if issues:
            data = [issue.to_wire() for issue in issues]
            raise CallError(ErrorCode.INVALID_PARAMS, f"{issues[0].key}: {issues[0].message}", list(data))
        self.values.update(params["values"])
        self.before.append(("settings.changed", self.settings()))
        return self.settings()

    def _settings_open(self, _: Params) -> None:
        self.settings_opened += 1

    def _store(self, params: Params) -> dict[str, Any]:
        return self.stores[params["scope"]]

    def _storage_get(self, params: Params) -> Any:
        store = self._store(params)
        return {"exists": params["key"] in store, "value": store.get(params["key"])}

    def _storage_set(self, params: Params) -> None:
        key, value, store = params["key"], params["value"], self._store(params)
        if json_length(value) > limit("storageValueBytes"):
            raise CallError(ErrorCode.TOO_LARGE, "the value is over 1 MiB of JSON")
        after = {**store, key: value}
        if len(after) > limit("storageKeys") or _units(after) > _QUOTAS[params["scope"]]:
            raise CallError(ErrorCode.QUOTA_EXCEEDED, "the store is full")
        store[key] = value

    def _storage_delete(self, params: Params) -> None:
        self._store(params).pop(params["key"], None)

    def _storage_keys(self, params: Params) -> Any:
        prefix = params.get("prefix", "")
        return {"keys": sorted((key for key in self._store(params) if key.startswith(prefix)), key=utf16_key)}

    def _storage_usage(self, params: Params) -> Any:
        store = self._store(params)
        return {"bytes": _units(store), "quota": _QUOTAS[params["scope"]], "keys": len(store)}

    # Tools

    def _tools_respond(self, params: Params) -> None:
        answer = self._waiting(params)
        if "error" in params:
            answer.set_result({"content": [{"type": "text", "text": params["error"]}], "isError": True})
        elif "result" not in params:
            raise invalid_params([Issue("", "required", "an answer has a result or an error")], "tools.respond")
        elif json_length(params["result"]) > limit("toolResultBytes"):
            raise CallError(ErrorCode.TOO_LARGE, "the result is over 1 MiB of JSON")
        else:
            answer.set_result(params["result"])

    def _tools_progress(self, params: Params) -> None:
        self._waiting(params)
        self.progress.append(params["message"])

    def _tools_set_enabled(self, params: Params) -> None:
        if all(tool["name"] != params["tool"] for tool in self.manifest["tools"]):
            raise CallError(ErrorCode.NOT_FOUND, f"the manifest declares no tool {params['tool']!r}")
        (self.hidden_tools.discard if params["enabled"] else self.hidden_tools.add)(params["tool"])

    def _waiting(self, params: Params) -> asyncio.Future[dict[str, Any]]:
        answer = self.calls.get(params["callId"])
        if answer is None or answer.done():
            raise CallError(ErrorCode.NOT_FOUND, "no call of this id waits for an answer")
        return answer

    # The network

    def _net_fetch(self, params: Params) -> Any:
        request = self._request(params)
        found = self.web.get(request.url.partition("?")[0])
        if found is None:
            raise CallError(ErrorCode.NETWORK_ERROR, f"nothing answers at {request.url} (host.web)")
        request_id = params.get("requestId", "r")
        self.requests.append(request)
        reply = found(request) if callable(found) else found
        headers = {name.lower(): value for name, value in reply.headers.items()}
        head = {"requestId": request_id, "status": reply.status, "statusText": "", "headers": headers}
        answer = {**head, "url": request.url}
        match params.get("responseType", "text"):
            case "stream":
                self._stream(request_id, reply)
                return answer
            case "json":
                return {**answer, "json": reply.body if reply.data.strip() else None}
            case "base64":
                return {**answer, "body": base64.b64encode(reply.data).decode()}
            case _:
                return {**answer, "body": reply.data.decode("utf-8", "replace")}

    def _stream(self, request_id: str, reply: WebReply) -> None:
        chunk = base64.b64encode(reply.data).decode()
        piece = {"requestId": request_id, "chunk": chunk, "encoding": "base64", "done": False}
        end: dict[str, Any] = {"requestId": request_id, "chunk": "", "encoding": "text", "done": True}
        self.events.append(("net.chunk", piece))
        self.events.append(("net.chunk", end if reply.error is None else {**end, "error": reply.error}))

    def _request(self, params: Params) -> WebRequest:
        hosts = next((one.hosts or () for one in self.declared if one.id == "network"), ())
        held = self.effective()
        parts = urlsplit(params["url"])
        address = WebAddress(parts.scheme, parts.hostname or "", parts.port, parts.username is not None)
        headers = params.get("headers", {})
        refusal = check_address(address, NetworkGrant(hosts, "network" in held, "network.local" in held))
        refusal = refusal or check_headers(headers)
        if refusal is not None:
            raise refusal
        for key in named_secrets(headers):
            if key not in self.secrets:
                raise CallError(ErrorCode.INVALID_PARAMS, f"the secret {key!r} is not set", [])
        filled = {name: fill_secrets(value, self.secrets) for name, value in headers.items()}
        text = params.get("body")
        body = b"" if text is None else text.encode()
        if params.get("bodyEncoding") == "base64":
            body = base64.b64decode(body)
        method = params.get("method") or ("GET" if text is None else "POST")
        return WebRequest(method, params["url"], filled, body)


def _units(store: Mapping[str, Any]) -> int:
    return sum(utf16_length(key) + json_length(value) for key, value in store.items())
