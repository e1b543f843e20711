"""What Linux tells of changes in folders, one handle for many folders.

Folders are watched by their handles, so that no link is ever followed. Spec: decision 48 (one watch a real folder).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MODIFIED: Final = 0x2
ATTRIBUTES: Final = 0x4
MOVED_FROM: Final = 0x40
MOVED_TO: Final = 0x80
CREATED: Final = 0x100
DELETED: Final = 0x200
SELF_DELETED: Final = 0x400
SELF_MOVED: Final = 0x800
UNMOUNTED: Final = 0x2000
OVERFLOWED: Final = 0x4000
IGNORED: Final = 0x8000
ONLY_FOLDERS: Final = 0x0100_0000
IS_FOLDER: Final = 0x4000_0000

COME_OR_GONE: Final = MOVED_FROM | MOVED_TO | CREATED | DELETED
_MASK: Final = MODIFIED | ATTRIBUTES | COME_OR_GONE | SELF_DELETED | SELF_MOVED | ONLY_FOLDERS
_HEAD: Final = struct.Struct("iIII")
_BUFFER_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Notice:
    """One change: `folder` is the number that `watch` gave, -1 for an overflow; `name` an entry of the folder."""

    folder: int
    mask: int
    name: str


class Inotify:
    """One queue of changes. OSError: EMFILE when the person has too many of them."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.handle = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))

    def watch(self, folder: int) -> int:
        """Watch a folder by its handle; the same folder has the same number. OSError: ENOSPC beyond what is allowed."""
        path = f"/proc/self/fd/{folder}".encode()
        return self._checked(self._libc.inotify_add_watch(self.handle, path, ctypes.c_uint32(_MASK)))

    def unwatch(self, number: int) -> None:
        """Watch a folder no more; one that is gone is none already."""
        self._libc.inotify_rm_watch(self.handle, number)

    def read(self) -> Iterator[Notice]:
        """What happened since the last time; nothing when nothing did."""
        try:
            data = os.read(self.handle, _BUFFER_BYTES)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            folder, mask, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            yield Notice(folder, mask, os.fsdecode(data[at : at + length].rstrip(b"\0")))
            at += length

    def close(self) -> None:
        os.close(self.handle)

    @staticmethod
    def _checked(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number or errno.EIO, os.strerror(number))
        return result
