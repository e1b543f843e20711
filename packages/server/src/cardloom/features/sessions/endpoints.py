"""The engine's endpoints as a person sets them up from a page: written to the file of backends, used at once.

A key goes into the vault and is told to nobody. When an address moves to another server, a key that was kept for the
old one is not sent there. Spec: issue of the session protocol, front end; decisions 38, 39.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.session.errors import NotFound, SessionError

from .backends.configured import FILE, Fault, Surroundings, read_endpoint
from .backends.engine.endpoint import Endpoint
from .backends.engine.models import Models

_FRESH: Final = ".fresh"


class EndpointDesk:
    """Lists, saves and removes endpoints, one change at a time. `changed` is told afterwards."""

    def __init__(self, surroundings: Surroundings, models: Models, changed: Callable[[], None]) -> None:
        self._surroundings = surroundings
        self._path = surroundings.data_folder / FILE
        self._models = models
        self._changed = changed
        self._turn = asyncio.Lock()

    async def known(self) -> list[dict[str, Any]]:
        """The endpoints of the file, without their keys. INVALID_PARAMS when the file cannot be read."""
        return [_to_wire(one) for one in _endpoints(await asyncio.to_thread(self._read))]

    async def save(self, given: Mapping[str, Any]) -> tuple[int, str | None]:
        """Keeps an endpoint and asks it for its models: how many there are, or why it gives none."""
        async with self._turn:
            document = await asyncio.to_thread(self._read)
            entries = _endpoints(document)
            old = next((one for one in entries if one.get("id") == given["endpointId"]), None)
            entry = self._entry(given, old)
            try:
                endpoint = read_endpoint(self._surroundings, entry)
            except Fault as fault:
                raise CallError(ErrorCode.INVALID_PARAMS, str(fault), []) from None
            if "key" in given:
                await self._keep_key(given["endpointId"], given["key"])
            at = len(entries) if old is None else entries.index(old)
            entries[at : at + 1] = [entry]
            await asyncio.to_thread(self._write, document, entries)
            self._models.put(endpoint)
        self._changed()
        return await _asked(endpoint)

    async def remove(self, endpoint_id: str) -> None:
        """Forgets an endpoint and the key that was typed in for it. NOT_FOUND."""
        async with self._turn:
            document = await asyncio.to_thread(self._read)
            entries = _endpoints(document)
            kept = [one for one in entries if one.get("id") != endpoint_id]
            if len(kept) == len(entries):
                raise CallError(ErrorCode.NOT_FOUND, f"there is no endpoint {endpoint_id!r}")
            await asyncio.to_thread(self._write, document, kept)
            self._models.remove(endpoint_id)
            with suppress(NotFound):
                await self._surroundings.keys.drop(endpoint_id)
        self._changed()

    def _entry(self, given: Mapping[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
        kept = {} if old is None else {name: value for name, value in old.items() if name not in _KEY_FIELDS}
        entry = {**kept, "id": given["endpointId"], "dialect": given["dialect"], "url": given["url"]}
        if "key" in given:
            return {**entry, "key": given["endpointId"]}
        if old is not None and _server(str(old.get("url", ""))) == _server(given["url"]):
            return entry | {name: old[name] for name in _KEY_FIELDS if name in old}
        return entry

    async def _keep_key(self, name: str, key: str) -> None:
        try:
            await self._surroundings.keys.put(name, key)
        except SessionError as error:
            raise CallError(ErrorCode.INVALID_PARAMS, error.message, []) from None

    def _read(self) -> dict[str, Any]:
        try:
            document = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{FILE} cannot be read; mend it first: {error}", []) from None
        if not isinstance(document, dict) or not isinstance(document.get("engine", {}), dict):
            raise CallError(ErrorCode.INVALID_PARAMS, f"{FILE} holds no object; mend it first", [])
        return document

    def _write(self, document: Mapping[str, Any], entries: list[dict[str, Any]]) -> None:
        text = json.dumps(
            {**document, "engine": {**document.get("engine", {}), "endpoints": entries}}, indent=2, ensure_ascii=False
        )
        fresh = Path(f"{self._path}{_FRESH}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        fresh.replace(self._path)


_KEY_FIELDS: Final = ("key", "keyVariable")


def _endpoints(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = document.get("engine", {}).get("endpoints", [])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _to_wire(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": str(entry.get("id", "")),
        "dialect": str(entry.get("dialect", "chat")),
        "url": str(entry.get("url", "")),
        "hasKey": any(name in entry for name in _KEY_FIELDS),
    }


def _server(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


async def _asked(endpoint: Endpoint) -> tuple[int, str | None]:
    try:
        return len(await endpoint.models()), None
    except SessionError as error:
        return 0, error.message
