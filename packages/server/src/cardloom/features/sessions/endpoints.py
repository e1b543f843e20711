"""The engine's endpoints as a person sets them up from a page: written to the file of backends, used at once.

A key goes into the vault and is told to nobody. When an address moves to another server, a key that was kept for the
old one is not sent there. Spec: issue of the session protocol, front end; decisions 38, 39.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.session.errors import NotFound, SessionError

from .backends.configured import Fault, Surroundings, read_endpoint, server_of
from .backends.engine.endpoint import Endpoint
from .backends.engine.models import Models
from .backends.own_files import put_back_if_refused
from .backends_file import BackendsFile, entries_of, with_entry


class EndpointDesk:
    """Lists, saves and removes endpoints, one change at a time. `changed` is told afterwards."""

    def __init__(
        self, surroundings: Surroundings, file: BackendsFile, models: Models, changed: Callable[[], None]
    ) -> None:
        self._surroundings = surroundings
        self._file = file
        self._models = models
        self._changed = changed

    async def known(self) -> list[dict[str, Any]]:
        """The endpoints of the file, without their keys. INVALID_PARAMS when the file cannot be read."""
        return [_to_wire(one) for one in _endpoints(await self._file.read())]

    async def save(self, given: Mapping[str, Any]) -> tuple[int, str | None]:
        """Keeps an endpoint and asks it for its models: how many there are, or why it gives none."""
        async with self._file.turn:
            document = await self._file.read()
            old = next((one for one in _endpoints(document) if one.get("id") == given["endpointId"]), None)
            entry = self._entry(given, old)
            try:
                endpoint = read_endpoint(self._surroundings, entry)
            except Fault as fault:
                raise CallError(ErrorCode.INVALID_PARAMS, str(fault), []) from None
            async with put_back_if_refused(self._surroundings.keys.file_of(given["endpointId"])):
                if "key" in given:
                    await self._keep_key(given["endpointId"], given["key"])
                await self._file.write(_changed(document, given["endpointId"], entry))
            self._models.put(endpoint)
        self._changed()
        return await _asked(endpoint)

    async def remove(self, endpoint_id: str) -> None:
        """Forgets an endpoint and the key that was typed in for it. NOT_FOUND."""
        async with self._file.turn:
            document = await self._file.read()
            if not any(one.get("id") == endpoint_id for one in _endpoints(document)):
                raise CallError(ErrorCode.NOT_FOUND, f"there is no endpoint {endpoint_id!r}")
            await self._file.write(_changed(document, endpoint_id, None))
            self._models.remove(endpoint_id)
            with suppress(NotFound):
                await self._surroundings.keys.drop(endpoint_id)
        self._changed()

    def _entry(self, given: Mapping[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
        kept = {} if old is None else {name: value for name, value in old.items() if name not in _KEY_FIELDS}
        entry = {**kept, "id": given["endpointId"], "dialect": given["dialect"], "url": given["url"]}
        if "key" in given:
            return {**entry, "key": given["endpointId"]}
        if old is not None and server_of(str(old.get("url", ""))) == server_of(given["url"]):
            return entry | {name: old[name] for name in _KEY_FIELDS if name in old}
        return entry

    async def _keep_key(self, name: str, key: str) -> None:
        try:
            await self._surroundings.keys.put(name, key)
        except SessionError as error:
            raise CallError(ErrorCode.INVALID_PARAMS, error.message, []) from None


_KEY_FIELDS: Final = ("key", "keyVariable")


def _endpoints(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return entries_of(document.get("engine", {}), "endpoints")


def _changed(document: Mapping[str, Any], endpoint_id: str, entry: Mapping[str, Any] | None) -> dict[str, Any]:
    engine = document.get("engine", {})
    return {**document, "engine": {**engine, "endpoints": with_entry(engine, "endpoints", endpoint_id, entry)}}


def _to_wire(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": str(entry.get("id", "")),
        "dialect": str(entry.get("dialect", "chat")),
        "url": str(entry.get("url", "")),
        "hasKey": any(name in entry for name in _KEY_FIELDS),
    }


async def _asked(endpoint: Endpoint) -> tuple[int, str | None]:
    try:
        return len(await endpoint.models()), None
    except SessionError as error:
        return 0, error.message
