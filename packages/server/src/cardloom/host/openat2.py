"""One system call: opening a path that the kernel itself keeps below a folder (Linux 5.6 and newer).

Python has no name for it yet. RESOLVE_BENEATH refuses every step that would leave the folder, whatever links and
renames do meanwhile; RESOLVE_NO_MAGICLINKS refuses the links of /proc that lead to open files. Spec: decision 48.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys
from typing import Final

NO_LINKS: Final = 1 << 40
"""A flag of ours beside those of `os.open`."""

_NO_MAGIC_LINKS: Final = 0x02
_NO_LINKS: Final = 0x04
_BENEATH: Final = 0x08
# As C values, since the call takes any and would not widen a number by itself.
_NUMBER: Final = ctypes.c_long(437)  # the same on every architecture that Python runs on
_SIZE: Final = ctypes.c_size_t(24)
_ENCODING: Final = sys.getfilesystemencoding()
_ATTEMPTS: Final = 64  # a rename anywhere makes the kernel say EAGAIN for a path with `..`


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class Kernel:
    """The call. Structures that say how to open are made once for each way of opening."""

    def __init__(self) -> None:
        self._call = ctypes.CDLL(None, use_errno=True).syscall
        self._ways: dict[int, object] = {}

    def open(self, folder: int, path: str, flags: int) -> int:
        """Open an existing path below a folder's handle; with NO_LINKS among the flags, one without a link on its way.

        OSError: EXDEV for a step that leaves the folder and for every absolute link; ELOOP where no link may be.
        """
        way = self._ways.get(flags) or self._way(flags)
        name = path.encode(_ENCODING, "surrogateescape")
        handle: int = self._call(_NUMBER, folder, name, way, _SIZE)
        return handle if handle >= 0 else self._again(folder, name, way)

    def _again(self, folder: int, name: bytes, way: object) -> int:
        for _ in range(_ATTEMPTS):
            number = ctypes.get_errno()
            if number not in (errno.EAGAIN, errno.EINTR):
                break
            handle: int = self._call(_NUMBER, folder, name, way, _SIZE)
            if handle >= 0:
                return handle
        raise OSError(number, os.strerror(number))

    def _way(self, flags: int) -> object:
        resolve = _BENEATH | _NO_MAGIC_LINKS | (_NO_LINKS if flags & NO_LINKS else 0)
        how = _How(flags & ~NO_LINKS | os.O_CLOEXEC, 0, resolve)
        way = self._ways[flags] = ctypes.byref(how)
        return way


@functools.cache
def kernel() -> Kernel | None:
    """The kernel's own fence, None where there is none: another system, an old Linux, a sandbox that forbids it."""
    if sys.platform != "linux":
        return None
    call = Kernel()
    try:
        here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        here = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(call.open(here, ".", os.O_PATH | os.O_DIRECTORY))
    except OSError:
        return None
    finally:
        os.close(here)
    return call
