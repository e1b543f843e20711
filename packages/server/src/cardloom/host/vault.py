"""Secrets at rest: each text sealed under one key, which the system's keyring keeps, else a file of its owner alone.

A sealed text opens only under the name it was sealed for, so that one cannot be passed off as another. Where the
keyring is missing or does not answer, the key lies beside the data (`secrets.key`, 0600): that keeps secrets out of
copies of the database, not from a program that runs with the owner's rights. Spec: decision 40; architecture,
dependencies (secrets).
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar

from cardloom_protocol.errors import CallError, ErrorCode

T = TypeVar("T")

KEY_FILE: Final = "secrets.key"
SERVICE: Final = "cardloom"
_IN_KEYRING: Final = "keyring:"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_KEYRING_MS: Final = 20_000  # a keyring may ask the person to unlock it

_log = logging.getLogger(__name__)


class Keyring(Protocol):
    """As much of a keyring as the vault uses; what it raises means that it cannot be used."""

    def get_password(self, service: str, name: str) -> str | None: ...

    def set_password(self, service: str, name: str, value: str) -> None: ...


class Vault:
    """Seals and opens texts. The key is made when the first text is sealed, and read once."""

    def __init__(self, folder: Path, keyring: Callable[[], Keyring] | None, *, keyring_ms: int = _KEYRING_MS) -> None:
        self._path = folder / KEY_FILE
        self._keyring = keyring
        self._keyring_ms = keyring_ms
        self._key: bytes | None = None
        self._lock = asyncio.Lock()

    async def seal(self, name: str, text: str) -> bytes:
        """A text sealed for a name. UNAVAILABLE when the key exists and cannot be read."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = await self._get_key() or await self._make_key()
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + AESGCM(key).encrypt(nonce, _bytes(text), _bytes(name))

    async def open(self, name: str, sealed: bytes) -> str:
        """The text that was sealed for a name. UNAVAILABLE when the key is gone or the text is not what was sealed."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = await self._get_key()
        if key is None:
            raise _lost()
        try:
            opened = AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bytes(name))
        except (InvalidTag, ValueError) as error:
            raise _lost() from error
        return opened.decode("utf-8", "surrogatepass")

    async def _get_key(self) -> bytes | None:
        """The key, None where none was made yet."""
        async with self._lock:
            if self._key is None:
                self._key = await self._read_key()
            return self._key

    async def _read_key(self) -> bytes | None:
        try:
            held = self._path.read_text("ascii").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise _lost() from error
        if not held.startswith(_IN_KEYRING):
            return _decoded(held)
        entry = held.removeprefix(_IN_KEYRING)
        stored = None
        if self._keyring is not None:
            keyring = self._keyring
            stored = await self._ask(lambda: keyring().get_password(SERVICE, entry))
        if stored is None:
            raise CallError(ErrorCode.UNAVAILABLE, "the system's keyring does not give the key of the stored secrets")
        return _decoded(stored)

    async def _make_key(self) -> bytes:
        async with self._lock:
            if self._key is None:
                key = secrets.token_bytes(_KEY_BYTES)
                text = base64.b64encode(key).decode()
                entry = secrets.token_hex(8)
                kept = await self._put_into_keyring(entry, text)
                _write_own(self._path, f"{_IN_KEYRING}{entry}" if kept else text)
                self._key = key
            return self._key

    async def _put_into_keyring(self, entry: str, text: str) -> bool:
        """Whether the keyring took the key and gives it back."""
        if self._keyring is None:
            return False
        keyring = self._keyring

        def put() -> str | None:
            opened = keyring()
            opened.set_password(SERVICE, entry, text)
            return opened.get_password(SERVICE, entry)

        kept = await self._ask(put) == text
        if not kept:
            _log.warning("the system's keyring cannot be used; the key of stored secrets is kept in %s", self._path)
        return kept

    async def _ask(self, question: Callable[[], T]) -> T | None:
        """What the keyring says; None when it fails or does not answer in time."""
        (outcome,) = await asyncio.gather(_beside(question, self._keyring_ms), return_exceptions=True)
        if isinstance(outcome, BaseException):
            _log.warning("the system's keyring failed: %s", type(outcome).__name__)
            return None
        return outcome


def system_keyring() -> Keyring:
    """The keyring of the system."""
    import keyring

    return keyring.get_keyring()


async def _beside(work: Callable[[], T], timeout_ms: int) -> T:
    """Do something that may block for ever in a thread that does not keep the process alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # T itself may be optional

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - a thread's root: a keyring's own errors have no common base
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, name="cardloom-keyring", daemon=True).start()
    async with asyncio.timeout(timeout_ms / 1000):
        return await done


def _write_own(path: Path, text: str) -> None:
    """Write a file that its owner alone may read, whole or not at all."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text + "\n")
    fresh.replace(path)


def _decoded(text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise _lost() from error
    if len(key) != _KEY_BYTES:
        raise _lost()
    return key


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _lost() -> CallError:
    return CallError(ErrorCode.UNAVAILABLE, "a stored secret cannot be read any more; type it in again")
