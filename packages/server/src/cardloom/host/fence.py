"""Files inside one folder and never outside, whatever links lead where and whoever changes them meanwhile.

Reading goes through one call to the kernel, which keeps it below the folder; absolute links that stay inside, and
systems without that call, are walked name by name (`walk`). Changes take a `Place`: a handle and a name, for the calls
that work relative to a handle. Nothing here knows what may be written; that is the files feature's. Spec: files, the
fence; decision 48.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from .openat2 import NO_LINKS, Kernel, kernel
from .walk import HANDLE, Place, Walk

Identity: TypeAlias = tuple[int, int]
"""Device and number: which file or folder it is, whatever it is called."""

_LOOK: Final = getattr(os, "O_PATH", 0)
# A FIFO without a writer and a device without a medium must not hold anybody up, and no terminal may become ours.
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
LIST: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_DIRECTORY | os.O_CLOEXEC
"""How a folder is opened to be listed."""

_ATTEMPTS: Final = 16


class Closed(Exception):
    """The folder is one whose files are never given; the message says which kind."""


class FolderGone(Exception):
    """The folder itself is not there, or is none any more."""


class Special(Exception):
    """It is neither a file nor a folder: a FIFO, a socket, a device."""


class Fence:
    """The fence around one folder. `private` are folders of ours: what holds one of them, or lies in one, is closed."""

    def __init__(self, folder: str, private: Iterable[str] = (), *, call: Kernel | None = None) -> None:
        self.folder = os.path.normpath(folder)
        self._private = tuple(private)
        self._call = call
        self._known: tuple[Identity, tuple[str, ...]] | None = None

    @classmethod
    def of(cls, folder: str, private: Iterable[str] = ()) -> Fence:
        """A fence that uses the kernel's where it has one."""
        return cls(folder, private, call=kernel())

    def enter(self) -> Inside:
        """Open the folder as it is now, for one piece of work. Closed, FolderGone, OSError."""
        try:
            top = os.open(self.folder, HANDLE)
        except (FileNotFoundError, NotADirectoryError):
            raise FolderGone from None
        try:
            info = os.fstat(top)
            known = self._known
            if known is None or known[0] != (info.st_dev, info.st_ino):
                known = self._known = self._examined(top, identity(info))
            return Inside(top, known[0], known[1], self._call)
        except BaseException:
            os.close(top)
            raise

    def _examined(self, top: int, own: Identity) -> tuple[Identity, tuple[str, ...]]:
        if identity(os.stat("..", dir_fd=top)) == own:
            raise Closed("the root of a disk")
        if own in set(_chain(_homes())):
            raise Closed("the home folder, or holds it")
        if own in set(_chain(self._private)):
            raise Closed("a folder that holds Cardloom's own data")
        real = os.path.realpath(self.folder)
        if set(_identities(self._private)) & set(_chain((real,))):
            raise Closed("a part of Cardloom's own data")
        return own, tuple(dict.fromkeys((self.folder, real)))


class Inside:
    """A folder that was entered. Paths are normal (`a/b`, "" for the folder); close it when the work is done."""

    def __init__(self, top: int, own: Identity, anchors: tuple[str, ...], call: Kernel | None) -> None:
        self.top = top
        self.identity = own
        self._anchors = anchors
        self._call = call

    @property
    def real_path(self) -> str:
        """The folder's own path without links, for what cannot work with handles."""
        return self._anchors[-1]

    def open(self, path: str, flags: int) -> int:
        """Open what exists. Outside; OSError as the system says it."""
        if self._call is not None:
            try:
                return self._call.open(self.top, path or ".", flags)
            except OSError as error:
                if error.errno not in (errno.EXDEV, errno.EAGAIN):
                    raise
        return self._walked(path, flags)

    def open_real(self, names: tuple[str, ...], flags: int) -> int:
        """Open what exists by names none of which is a link. OSError: ELOOP or ENOTDIR where one is."""
        path = "/".join(names) or "."
        if self._call is not None:
            return self._call.open(self.top, path, flags | NO_LINKS)
        with Walk(self.top, (), max_hops=0).to(path, follow=False) as place:
            return _open_at(place, flags)

    def open_file(self, path: str) -> tuple[int, os.stat_result]:
        """Open a regular file for reading. IsADirectoryError, Special.

        It is looked at before it is opened, so that nobody who waits at a FIFO or in a device's driver notices.
        """
        seen = self.look(path)
        if not stat.S_ISREG(seen.st_mode):
            refuse_special(seen)
        handle = self.open(path, _READ)
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):  # another one took its place meanwhile
            os.close(handle)
            refuse_special(info)
        return handle, info

    def look(self, path: str) -> os.stat_result:
        """Describe what a path leads to. Outside; FileNotFoundError."""
        if self._call is None or not _LOOK:
            with self.place(path) as place:
                return place.entry()
        handle = self.open(path, _LOOK)
        try:
            return os.fstat(handle)
        finally:
            os.close(handle)

    def place(self, path: str, *, follow: bool = True) -> Place:
        """Where a path leads, with its real names. Outside; OSError: ENOTDIR, ELOOP."""
        return Walk(self.top, self._anchors).to(path, follow=follow)

    def close(self) -> None:
        os.close(self.top)

    def __enter__(self) -> Inside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _walked(self, path: str, flags: int) -> int:
        for _ in range(_ATTEMPTS):
            with self.place(path) as place:
                try:
                    return _open_at(place, flags)
                except OSError as error:
                    # A link stood where there was none when it was looked at: walk again.
                    was_folder = place.found is not None and stat.S_ISDIR(place.found.st_mode)
                    if error.errno != errno.ELOOP and not (error.errno == errno.ENOTDIR and was_folder):
                        raise
        raise OSError(errno.EAGAIN, "It is being replaced all the time")


def identity(info: os.stat_result) -> Identity:
    """Which file or folder a description is of."""
    return info.st_dev, info.st_ino


def _open_at(place: Place, flags: int) -> int:
    place.entry()
    return os.open(place.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)


def refuse_special(info: os.stat_result) -> None:
    """IsADirectoryError for a folder, Special for what is neither a folder nor a file."""
    if stat.S_ISREG(info.st_mode):
        return
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise Special


def _homes() -> Iterator[str]:
    home = os.path.expanduser("~")
    if os.path.isabs(home):
        yield home
    try:
        yield pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user without an entry, as in some containers
        return


def _chain(folders: Iterable[str]) -> Iterator[Identity]:
    """The identities of folders and of all folders above them."""
    for folder in folders:
        path = os.path.realpath(folder)
        while True:
            yield from _identities((path,))
            above = os.path.dirname(path)
            if above == path:
                break
            path = above


def _identities(folders: Iterable[str]) -> Iterator[Identity]:
    for folder in folders:
        try:
            yield identity(os.stat(folder))
        except OSError:
            continue
