"""A path walked name by name with handles, so that nothing can change what was checked.

No step follows a link: each link is read and its target walked from the folder it stands in, or from the top where it
is absolute and leads below it. `..`, which only links hold, goes down again from the top by the real names, one less;
above the top it leads out. One folder is held open at a time, however deep the path. The walk also tells the real names
it came by, which a call to the kernel does not. Spec: decision 48.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardloom_protocol.limits import limit

from .spelling import on_disk

HANDLE: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""How a folder is opened that is only stepped through."""

MAX_HOPS: Final = limit("linkHops")
_MAX_STEPS: Final = 20_000  # opened folders and looks of one walk; links full of `..` could ask for millions


class Outside(Exception):
    """The path leads out of the folder."""


@dataclass(slots=True)
class Place:
    """Where a path leads. `folder` is the handle of the deepest folder there is, `there` its names from the top.

    `rest` are the names below it: the entry alone, more where folders are missing, none for the top itself. `found`
    describes the entry, None where there is none. `shown` is the path that was walked, each name as it is on disk.
    """

    folder: int
    there: tuple[str, ...]
    rest: tuple[str, ...]
    found: os.stat_result | None
    shown: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names from the top, without links."""
        return self.there + self.rest

    @property
    def name(self) -> str:
        """The name of the entry in its folder."""
        return self.rest[-1] if self.rest else "."

    def close(self) -> None:
        os.close(self.folder)

    def entry(self) -> os.stat_result:
        """What `found` describes. FileNotFoundError: there is none."""
        if self.found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return self.found

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class _Step:
    """A name still to walk; `given` when it is of the path itself and not of a link's target."""

    name: str
    given: bool


class Walk:
    """One walk from the top. `anchors` are the absolute paths of the top, below which absolute links stay inside."""

    def __init__(self, top: int, anchors: Sequence[str], *, max_hops: int = MAX_HOPS) -> None:
        self._top = top
        self._anchors = anchors
        self._hops_left = max_hops
        self._steps_left = _MAX_STEPS
        self._names: list[str] = []
        self._handle: int | None = None
        self._shown: list[str] = []
        self._steps: list[_Step] = []

    def to(self, path: str, *, follow: bool = True) -> Place:
        """Walk a path to its end; with `follow` false a link at the end is the place itself.

        Outside, or OSError: ENOTDIR for a name below a file, ELOOP for too many links.
        """
        self._push(path, given=True)
        try:
            return self._walk(follow=follow)
        finally:
            self._let_go()

    def _walk(self, *, follow: bool) -> Place:
        while self._steps:
            step = self._steps.pop()
            if step.name == "..":
                self._up()
                continue
            found = self._look(step.name)
            if found is None:
                return self._missing(step)
            name = on_disk(step.name, found, self._look, self._list)
            if step.given:
                self._shown.append(name)
            if stat.S_ISLNK(found.st_mode) and (self._steps or follow):
                self._follow(name)
            elif self._steps:
                self._down(name)
            else:
                return self._place((name,), found)
        return self._place((), os.fstat(self._here()))

    def _here(self) -> int:
        """The handle of the folder by whose names the walk came, opened again where `..` let go of it."""
        if self._handle is None and self._names:
            for name in self._names:
                self._enter(name)
        return self._top if self._handle is None else self._handle

    def _enter(self, name: str) -> None:
        self._count_step()
        handle = os.open(name, HANDLE | os.O_NOFOLLOW, dir_fd=self._top if self._handle is None else self._handle)
        self._let_go()
        self._handle = handle

    def _let_go(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _down(self, name: str) -> None:
        self._here()
        try:
            self._enter(name)
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise
            now = self._look(name)
            if now is None or not (stat.S_ISLNK(now.st_mode) or stat.S_ISDIR(now.st_mode)):
                raise
            self._again(name)  # it was a folder, was a link a moment later, and is one of both now
            return
        self._names.append(name)

    def _up(self) -> None:
        if not self._names:
            raise Outside
        self._let_go()
        self._names.pop()

    def _again(self, name: str) -> None:
        self._count_hop()
        self._steps.append(_Step(name, given=False))

    def _follow(self, name: str) -> None:
        try:
            target = os.readlink(name, dir_fd=self._here())
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            self._again(name)  # it was a link a moment ago
            return
        self._count_hop()
        if target.startswith("/"):
            target = self._inside(target)
            self._let_go()
            self._names.clear()
        self._push(target, given=False)

    def _inside(self, target: str) -> str:
        for anchor in self._anchors:
            if target == anchor or target.startswith(f"{anchor}/"):
                return target[len(anchor) + 1 :]
        raise Outside

    def _push(self, path: str, *, given: bool) -> None:
        self._steps += [_Step(name, given) for name in reversed(path.split("/")) if name not in ("", ".")]

    def _missing(self, step: _Step) -> Place:
        steps = [step, *reversed(self._steps)]
        if any(one.name == ".." for one in steps):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        self._shown += [one.name for one in steps if one.given]
        return self._place(tuple(one.name for one in steps), None)

    def _place(self, rest: tuple[str, ...], found: os.stat_result | None) -> Place:
        self._here()
        handle, self._handle = self._handle, None
        if handle is None:
            handle = os.open(".", HANDLE, dir_fd=self._top)
        return Place(handle, tuple(self._names), rest, found, "/".join(self._shown))

    def _look(self, name: str) -> os.stat_result | None:
        self._count_step()
        try:
            return os.stat(name, dir_fd=self._here(), follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _list(self) -> list[str]:
        readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._here())
        try:
            return os.listdir(readable)
        finally:
            os.close(readable)

    def _count_hop(self) -> None:
        if self._hops_left == 0:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        self._hops_left -= 1

    def _count_step(self) -> None:
        if self._steps_left == 0:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        self._steps_left -= 1
