"""Watching folders: what one watch is, how its changes are gathered, and how it ends.

Changes are gathered for a tenth of a second from the first one, each path once. Before they are told, the watch looks
whether its path still leads to the folder it watches, so that a folder that was replaced, moved away or linked
elsewhere ends it and nothing of another place is told. Overflow rule: more paths at once than fit give way to one
`rescan`. Spec: files, watch; decision 48.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cardloom_protocol.limits import limit

from .fence import Closed, Fence, FolderGone, Inside, Special, identity
from .walk import HANDLE, Outside

Kind: TypeAlias = Literal["change", "rename", "rescan", "ended"]
Admits: TypeAlias = Callable[[str], bool]

GATHER_MS: Final = limit("fsWatchGatherMs")
MAX_PATHS: Final = limit("fsWatchPaths")
MAX_FOLDERS: Final = limit("fsWatchFolders")


@dataclass(frozen=True, slots=True)
class Change:
    """`change`: an entry's content or attributes. `rename`: it came, went, or took another's place.

    `rescan`: changes were lost, look again. `ended`: the path leads elsewhere now, nothing more will come.
    """

    path: str
    kind: Kind


Tell: TypeAlias = Callable[[list[Change]], None]
"""Takes changes in; called from a thread of the watcher, and must not wait."""


class TooManyFolders(Exception):
    """The tree has more folders than one watch may watch, or than the system lets the person watch."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to watch: a normal path below a fence. `admits` says which names are told and entered at all."""

    fence: Fence
    path: str
    recursive: bool
    admits: Admits
    tell: Tell


class Watch:
    """One watch. `names` are the real names of its folder; `only` is set where a single file is watched."""

    def __init__(self, wanted: Wanted, inside: Inside, *, max_paths: int = MAX_PATHS) -> None:
        self.wanted = wanted
        with inside.place(wanted.path) as place:
            if place.found is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            is_folder = stat.S_ISDIR(place.found.st_mode)
            if not is_folder and not stat.S_ISREG(place.found.st_mode):
                raise Special
            self.shown = place.shown
            self.names = place.names if is_folder else place.there
            self.only = None if is_folder else place.name
        self.recursive = wanted.recursive and is_folder
        self._path = wanted.path if is_folder else "/".join(self.names)
        handle = inside.open_real(self.names, HANDLE)
        try:
            self.identity = identity(os.fstat(handle))
        finally:
            os.close(handle)
        self.due_ms: float | None = None
        self._max_paths = max_paths
        self._gathered: dict[str, Kind] = {}

    def note(self, below: tuple[str, ...], kind: Kind, now_ms: float) -> None:
        """Gather one change of an entry below the watched folder."""
        if self.only is not None:
            if below != (self.only,):
                return
            path = self.shown
        else:
            path = "/".join((self.shown, *below) if self.shown else below)
        if self._gathered.get(path) != "rename":
            self._gathered[path] = kind
        if len(self._gathered) > self._max_paths:
            self.lose(now_ms)
        elif self.due_ms is None:
            self.due_ms = now_ms + GATHER_MS

    def lose(self, now_ms: float) -> None:
        """Changes were lost: what was gathered gives way to the advice to look again."""
        self._gathered = {self.shown: "rescan"}
        if self.due_ms is None:
            self.due_ms = now_ms + GATHER_MS

    def take(self) -> list[Change]:
        """What was gathered, to be told now."""
        gathered, self._gathered, self.due_ms = self._gathered, {}, None
        return [Change(path, kind) for path, kind in gathered.items()]

    def end(self) -> list[Change]:
        """The last thing that is told."""
        return [Change(self.shown, "ended")]

    def still_there(self) -> bool:
        """Whether the path still leads to the folder that is watched."""
        try:
            with self.wanted.fence.enter() as inside:
                handle = inside.open(self._path, HANDLE)
        except (OSError, Closed, FolderGone, Outside):
            return False
        try:
            return identity(os.fstat(handle)) == self.identity
        finally:
            os.close(handle)
