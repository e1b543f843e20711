"""Where backends take their keys from: a variable of the environment, or a file sealed by the vault.

A key is read when it is used and kept nowhere else; settings, answers and logs only know its name. Spec: decision 38,
40; issue: secrets through the vault.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from cardloom_protocol.errors import CallError
from cardloom_protocol.session.errors import BadRequest, NotFound, SessionError
from cardloom_protocol.session.names import safe_id

from ....host.vault import Vault
from .own_files import write_own

KeyOf: TypeAlias = Callable[[], Awaitable[str | None]]
"""Gives a key, or None where there is none; SessionError when it cannot be read."""

MISSING = "key_missing"
"""The key that a backend is set up with is not there. Set the variable, or type the key in again."""

_FOLDER = "backend-keys"
_A_KEY = "A key is one line of printable ASCII characters."


async def no_key() -> str | None:
    """No key at all."""
    return None


def key_in_environment(variable: str, environment: Mapping[str, str]) -> KeyOf:
    """The key in a variable. `key_missing` names a variable that is not set, or that holds what can be no key."""

    async def key() -> str:
        found = environment.get(variable, "").strip()  # a key that was read from a file ends with its line
        if not found:
            raise SessionError(MISSING, f"The variable {variable} is not set, in which the key was to be.")
        if not _fits_a_header(found):
            raise SessionError(MISSING, f"The variable {variable} holds no key. {_A_KEY}")
        return found

    return key


def _fits_a_header(key: str) -> bool:
    return bool(key) and key.isascii() and key.isprintable()


def check_key(key: str) -> None:
    """BAD_REQUEST for an empty key or one that no header can carry."""
    if not _fits_a_header(key):
        raise BadRequest(_A_KEY)


class SealedKeys:
    """Keys in files that only the vault can open, one a name."""

    def __init__(self, data_folder: Path, vault: Vault) -> None:
        self._folder = data_folder / _FOLDER
        self._vault = vault

    def key(self, name: str) -> KeyOf:
        """The key of a name, read when it is asked for."""

        async def key() -> str:
            return await self.get(name)

        return key

    async def get(self, name: str) -> str:
        """A key. `key_missing` where there is none, or where the vault cannot open it."""
        try:
            sealed = await asyncio.to_thread(self.file_of(name).read_bytes)
            return await self._vault.open(self._entry(name), sealed)
        except FileNotFoundError:
            raise SessionError(MISSING, f"There is no key {name!r}; type it in.") from None
        except (OSError, CallError):
            raise SessionError(MISSING, f"The key {name!r} cannot be read; type it in again.") from None

    async def put(self, name: str, key: str) -> None:
        """Keep a key. BAD_REQUEST for an empty one or one that no header can carry."""
        check_key(key)
        sealed = await self._vault.seal(self._entry(name), key)
        await asyncio.to_thread(write_own, self.file_of(name), sealed)

    async def drop(self, name: str) -> None:
        """Forget a key. NOT_FOUND."""
        try:
            await asyncio.to_thread(self.file_of(name).unlink)
        except FileNotFoundError:
            raise NotFound(f"There is no key {name!r}.") from None

    def file_of(self, name: str) -> Path:
        """Where the key of a name is kept, sealed. BAD_REQUEST for what is no name."""
        return self._folder / safe_id(name, "name of a key")

    def _entry(self, name: str) -> str:
        return f"{_FOLDER}/{name}"
