"""Session files on disk: read as text that writes back byte for byte, replaced whole or appended to, one writer each.

Everything here blocks and runs in a thread of its own. Processes of ours keep each other away by locks on the files;
programs that know nothing of them are noticed by what they wrote.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from cardloom_protocol.session.errors import Conflict, InvalidId, NotFound, SessionError

from .locking import locked

T = TypeVar("T")

_HALF_CHARS = re.compile("[\ud800-\udfff]")
_SCRATCH = re.compile(r"\.[0-9a-f]{12}\.tmp")
_MAX_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another without reading it."""

    inode: int
    size: int
    mtime_ns: int


def stamp_of(path: Path) -> Stamp | None:
    """The state of a file, None when there is none; a pipe or a device is none, as reading it might never end."""
    try:
        found = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def read_text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 are kept in disguise. NOT_FOUND without a file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise NotFound(f"There is no session {path.stem!r}.")
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError as error:
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
    """A new file, there whole or not at all. CONFLICT when one of that name exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = _scratch_beside(path)
    try:
        _write_new(scratch, encoded(text))
        try:
            os.link(scratch, path)
        except FileExistsError as error:
            raise Conflict(f"There is a session {path.stem!r} already.") from error
        except OSError:  # a file system without hard links
            _write_unless_there(path, encoded(text))
    finally:
        scratch.unlink(missing_ok=True)


def _write_unless_there(path: Path, data: bytes) -> None:
    try:
        _write_new(path, data)
    except FileExistsError as error:
        raise Conflict(f"There is a session {path.stem!r} already.") from error


def _scratch_beside(path: Path) -> Path:
    return path.with_name(f".{secrets.token_hex(6)}.tmp")


def sweep_scratch(folder: Path, before_s: float) -> None:
    """Removes below a folder what writers left that were killed in the middle, unless it was written later than that.

    For folders that only ours write to.
    """
    for place, _, names in os.walk(folder):
        for name in filter(_SCRATCH.fullmatch, names):
            left = Path(place, name)
            with contextlib.suppress(OSError):  # its writer may live after all, and be done with it now
                found = left.lstat()
                if stat.S_ISREG(found.st_mode) and found.st_mtime < before_s:
                    left.unlink()


def _write_new(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: Path, data: bytes, *, follow_links: bool = True) -> None:
    """Puts other bytes in a file's place at once; a link to it stays a link, or gives way to a file of its own."""
    target = path.resolve() if follow_links else path
    scratch = _scratch_beside(target)
    try:
        _write_new(scratch, data)
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
        with locked(path):
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
    """Adds to a file's end what `append` makes of its text, and gives what that says."""
    for _ in range(_MAX_ATTEMPTS):
        with locked(path):
            before = stamp_of(path)
            added, result = append(read_text(path))
            data = encoded(added)
            if stamp_of(path) == before:
                with opened_at_end(path) as file:
                    write_at_end(file, data)
                return result
    raise Conflict(f"Another program keeps writing to {path.name!r}.")


def opened_at_end(path: Path) -> FileIO:
    """An existing file, where every write goes to the end."""
    return FileIO(os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)), "wb")


def write_at_end(file: FileIO, data: bytes) -> None:
    """Adds all of `data`; where that fails, as on a full disk, the part that was written is taken away again."""
    size, written = os.fstat(file.fileno()).st_size, 0
    try:
        while written < len(data):
            written += file.write(data[written:])
    except OSError:
        if written and os.fstat(file.fileno()).st_size == size + written:
            file.truncate(size)
        raise


def file_version(path: Path) -> str:
    """A token that changes with the file's bytes. NOT_FOUND without a file."""
    return sha256(encoded(read_text(path))).hexdigest()[:16]


async def on_disk(work: Callable[[], T]) -> T:
    """The result of some blocking work, done in a thread. What the disk refuses comes as a `SessionError`.

    INVALID_ID for a name that is too long, `unavailable` with the system's reason for everything else.
    """
    return await asyncio.to_thread(lambda: _translated(work))


def _translated(work: Callable[[], T]) -> T:
    try:
        return work()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InvalidId("The id is too long for the name of a file.") from error
        reason = error.strerror or "not all of it could be copied"
        raise SessionError("unavailable", f"The disk does not allow it: {reason}.") from error


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
            working = asyncio.ensure_future(on_disk(work))
            try:
                return await asyncio.shield(working)
            except asyncio.CancelledError:
                await asyncio.wait([working])  # a thread cannot be stopped, and the next writer must not meet it
                raise
