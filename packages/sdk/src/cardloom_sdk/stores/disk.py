"""Session files on disk: read as text that writes back byte for byte, replaced whole or appended to, one writer each.

Everything here blocks and runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from cardloom_protocol.session.errors import Conflict, NotFound

T = TypeVar("T")

_HALF_CHARS = re.compile("[\ud800-\udfff]")
_MAX_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another without reading it."""

    inode: int
    size: int
    mtime_ns: int


def stamp_of(path: Path) -> Stamp | None:
    """The state of a file, None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def read_text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 are kept in disguise. NOT_FOUND without a file."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(f"There is no session {path.stem!r}.") from error


def encoded(text: str) -> bytes:
    """The bytes of a text; disguised ones come back, other halves of characters become U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _HALF_CHARS.sub(_real_byte_or_mark, text).encode("utf-8", "surrogateescape")


def _real_byte_or_mark(found: re.Match[str]) -> str:
    return found[0] if "\udc80" <= found[0] <= "\udcff" else "\ufffd"


def create_file(path: Path, text: str) -> None:
    """A new file. CONFLICT when one of that name exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(encoded(text))
    except FileExistsError as error:
        raise Conflict(f"There is a session {path.stem!r} already.") from error


def replace_file(path: Path, data: bytes, *, follow_links: bool = True) -> None:
    """Puts other bytes in a file's place at once; a link to it stays a link, or gives way to a file of its own."""
    target = path.resolve() if follow_links else path
    scratch = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with scratch.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            scratch.chmod(target.stat(follow_symlinks=follow_links).st_mode & 0o777)
        scratch.replace(target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def change_file(path: Path, change: Callable[[str], tuple[str, T]]) -> T:
    """Replaces a file by what `change` makes of its text and gives what that says.

    When another program wrote meanwhile, the change is made again on what it wrote.
    """
    for _ in range(_MAX_ATTEMPTS):
        before = stamp_of(path)
        text = read_text(path)
        if stamp_of(path) != before:
            continue
        changed, result = change(text)
        if changed == text:
            return result
        data = encoded(changed)
        if stamp_of(path) == before:
            replace_file(path, data)
            return result
    raise Conflict(f"Another program keeps writing to {path.name!r}.")


def append_file(path: Path, append: Callable[[str], tuple[str, T]]) -> T:
    """Adds to a file's end what `append` makes of its text, in one write, and gives what that says."""
    for _ in range(_MAX_ATTEMPTS):
        before = stamp_of(path)
        added, result = append(read_text(path))
        data = encoded(added)
        if stamp_of(path) == before:
            with path.open("ab", buffering=0) as file:
                file.write(data)
            return result
    raise Conflict(f"Another program keeps writing to {path.name!r}.")


def file_version(path: Path) -> str:
    """A token that changes with the file's bytes. NOT_FOUND without a file."""
    return sha256(encoded(read_text(path))).hexdigest()[:16]


class Writers:
    """Sees to it that each session has one writer at a time within this process."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, session_id: str, work: Callable[[], T]) -> T:
        """The result of some blocking work on a session; work on the same session waits for its turn."""
        lock = self._locks.get(session_id)
        if lock is None:
            lock = self._locks[session_id] = asyncio.Lock()
        async with lock:
            working = asyncio.ensure_future(asyncio.to_thread(work))
            try:
                return await asyncio.shield(working)
            except asyncio.CancelledError:
                await asyncio.wait([working])  # a thread cannot be stopped, and the next writer must not meet it
                raise
