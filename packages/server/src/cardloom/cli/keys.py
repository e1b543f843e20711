"""Keys of backends, kept in the data folder under the vault's key. Needs no server."""

from __future__ import annotations

import getpass
import sys

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.session.errors import NotFound, SessionError

from ..features.sessions.backends.keys import SealedKeys
from ..host.vault import Vault, system_keyring
from ..settings import Settings
from .console import Answer


async def keep_key(name: str) -> Answer:
    """Keep what the person types, or the one line on standard input. INVALID_PARAMS for what is no key."""
    key = getpass.getpass(f"The key {name}: ") if sys.stdin.isatty() else sys.stdin.readline()
    try:
        await _keys().put(name, key.strip())
    except SessionError as error:
        raise CallError(ErrorCode.INVALID_PARAMS, error.message) from None
    return Answer({"name": name}, f"Kept the key {name}. Backends use it from their next request on.")


async def forget_key(name: str) -> Answer:
    """Forget a key. NOT_FOUND."""
    try:
        await _keys().drop(name)
    except NotFound as error:
        raise CallError(ErrorCode.NOT_FOUND, error.message) from None
    except SessionError as error:
        raise CallError(ErrorCode.INVALID_PARAMS, error.message) from None
    return Answer({"name": name}, f"Forgot the key {name}.")


def _keys() -> SealedKeys:
    settings = Settings.from_environment()
    settings.data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SealedKeys(
        settings.data_folder, Vault(settings.data_folder, system_keyring if settings.use_keyring else None)
    )
