"""Renames with a condition, where the system has them (Linux, on most of its file systems)."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
from collections.abc import Callable
from typing import Final

_NO_REPLACE: Final = 1
_EXCHANGE: Final = 2
_CANNOT: Final = frozenset((errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP))


def exchange(folder: int, one: str, other: str) -> bool:
    """Swap two names of a folder in one step; False where that cannot be done. Other OSErrors, such as ENOENT."""
    return _rename(folder, one, folder, other, _EXCHANGE)


def move_to_free(source: int, name: str, target: int, new_name: str) -> None:
    """Rename an entry, unless something bears the new name: FileExistsError."""
    if _rename(source, name, target, new_name, _NO_REPLACE):
        return
    try:
        os.stat(new_name, dir_fd=target, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def _rename(source: int, name: str, target: int, new_name: str, flags: int) -> bool:
    call = _call()
    if call is None:
        return False
    if call(source, os.fsencode(name), target, os.fsencode(new_name), flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number))


@functools.cache
def _call() -> Callable[[int, bytes, int, bytes, int], int] | None:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    renamed: Callable[[int, bytes, int, bytes, int], int] = call
    return renamed
