"""Writing a file whole: whoever reads it, and whatever ends the program, finds the old content or the new one.

The content goes into a temporary file of the same folder, onto the disk, and then takes the name in one step. All steps
work on handles, so the folder written to is the one that was checked. Spec: files, write.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import threading
import time
from typing import Final

from .fence import LIST, Identity, identity, refuse_special
from .renaming import exchange
from .walk import HANDLE, Place

TEMPORARY: Final = ".cardloom-tmp-"
"""How the names of our temporary files and folders begin; nobody else is shown them."""

_LEFTOVER_S: Final = 600
_PERMISSIONS: Final = 0o777  # a file that somebody else filled must not run with its owner's rights
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_SWEPT: Final = 4096

_moving: Final = tuple(threading.Lock() for _ in range(64))
_swept: set[Identity] = set()


class Changed(Exception):
    """The file is not as it was expected. `mtime_ms` is when it was changed last, None when there is none."""

    def __init__(self, mtime_ms: float | None) -> None:
        super().__init__("changed meanwhile")
        self.mtime_ms = mtime_ms


def mtime_ms(info: os.stat_result) -> float:
    """When a file was changed last, in milliseconds with their fraction."""
    return info.st_mtime_ns / 1e6


def temporary_name() -> str:
    """A name that nobody has or guesses."""
    return TEMPORARY + secrets.token_hex(8)


def make_parents(place: Place) -> None:
    """Make the folders that a place lacks. OSError: ENOTDIR or ELOOP where a file or a link came into the way."""
    while len(place.rest) > 1:
        name = place.rest[0]
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=place.folder)
        below = os.open(name, HANDLE | os.O_NOFOLLOW, dir_fd=place.folder)
        os.close(place.folder)
        place.folder, place.there, place.rest = below, (*place.there, name), place.rest[1:]


def replace_file(place: Place, data: bytes, *, if_mtime_ms: float | None = None) -> os.stat_result:
    """Put content in a file's place, with the old one's mode and owner; describes the new file.

    Changed: it was changed, or made, after `if_mtime_ms`. IsADirectoryError, Special. Other OSErrors leave the old one.
    """
    old = place.found
    if old is not None:
        refuse_special(old)
        _check_writable(place)
    if if_mtime_ms is not None:
        _check_unchanged(old, if_mtime_ms)
    _sweep(place.folder)
    temporary = temporary_name()
    handle = os.open(temporary, _NEW, 0o666 if old is None else 0o600, dir_fd=place.folder)
    try:
        _fill(handle, data, old)
        with _moving[hash((identity(os.fstat(place.folder)), place.name)) % len(_moving)]:
            _move(place, temporary, handle, if_mtime_ms)
        return os.fstat(handle)
    except BaseException:
        _remove(place.folder, temporary, handle)
        raise
    finally:
        os.close(handle)


def _fill(handle: int, data: bytes, old: os.stat_result | None) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    if old is not None:
        own = os.fstat(handle)
        if (own.st_uid, own.st_gid) != (old.st_uid, old.st_gid):
            os.fchown(handle, old.st_uid, old.st_gid)
        os.fchmod(handle, stat.S_IMODE(old.st_mode) & _PERMISSIONS)
    os.fsync(handle)


def _move(place: Place, temporary: str, handle: int, if_mtime_ms: float | None) -> None:
    """Let the temporary file take the name, unless what bears it now is not what may be replaced."""
    now = _look(place.folder, place.name)
    if if_mtime_ms is not None:
        _check_unchanged(now, if_mtime_ms)
    if now is None:
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        return
    refuse_special(now)
    _tick(handle, now)
    if if_mtime_ms is None or not _exchanged(place, temporary, now):
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)


def _tick(handle: int, now: os.stat_result) -> None:
    """Make the new file younger than the old one: the clock of a file system may tick too seldom to tell them apart."""
    own = os.fstat(handle)
    if mtime_ms(own) <= mtime_ms(now):
        os.utime(handle, ns=(own.st_atime_ns, now.st_mtime_ns + 1_000_000))


def _exchanged(place: Place, temporary: str, now: os.stat_result) -> bool:
    """Swap both names and look at what was replaced, so that what another program wrote just now is not lost.

    False where names cannot be swapped. Changed: it was, and stands in its place again.
    """
    try:
        if not exchange(place.folder, temporary, place.name):
            return False
    except FileNotFoundError:
        raise Changed(None) from None
    replaced = _look(place.folder, temporary)
    if replaced is not None:
        if (identity(replaced), replaced.st_mtime_ns) != (identity(now), now.st_mtime_ns):
            exchange(place.folder, temporary, place.name)
            raise Changed(mtime_ms(replaced))
        os.unlink(temporary, dir_fd=place.folder)
    return True


def _check_unchanged(now: os.stat_result | None, if_mtime_ms: float) -> None:
    if now is None or mtime_ms(now) != if_mtime_ms:
        raise Changed(None if now is None else mtime_ms(now))


def _check_writable(place: Place) -> None:
    """Renaming asks for the folder's permission alone; a file that its owner made read-only stays as it is."""
    if not os.access(place.name, os.W_OK, dir_fd=place.folder, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _look(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _remove(folder: int, temporary: str, handle: int) -> None:
    """Remove our temporary file, and nothing else that may bear its name after a swap."""
    bearer = _look(folder, temporary)
    if bearer is not None and identity(bearer) == identity(os.fstat(handle)):
        os.unlink(temporary, dir_fd=folder)


def _sweep(folder: int) -> None:
    """Remove what a killed program left in a folder, once a folder."""
    own = identity(os.fstat(folder))
    if own in _swept:
        return
    if len(_swept) >= _MAX_SWEPT:
        _swept.clear()
    _swept.add(own)
    for name in _leftovers(folder):
        left = _look(folder, name)
        if left is not None and stat.S_ISREG(left.st_mode) and time.time() - left.st_mtime > _LEFTOVER_S:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)


def _leftovers(folder: int) -> list[str]:
    try:
        readable = os.open(".", LIST, dir_fd=folder)
    except OSError:  # a folder that may be written to and not read
        return []
    try:
        return [name for name in os.listdir(readable) if name.startswith(TEMPORARY)]
    finally:
        os.close(readable)
