"""Which real folders are watched for whom: the system's numbers on one side, the trees of watches on the other."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from .fence import LIST, Inside
from .inotify import Inotify
from .walk import HANDLE
from .watch import MAX_FOLDERS, TooManyFolders, Watch


@dataclass(eq=False, slots=True)
class Folder:
    """One folder of one watch: its number in the system's queue, its names below the watched folder."""

    number: int
    below: tuple[str, ...]
    children: dict[str, Folder] = field(default_factory=dict)

    def all(self) -> Iterator[Folder]:
        """This folder and all below it."""
        waiting = [self]
        while waiting:
            folder = waiting.pop()
            yield folder
            waiting += folder.children.values()


class Folders:
    """The folders of all watches. One folder has one number, however many watch it."""

    def __init__(self, queue: Inotify, *, max_folders: int = MAX_FOLDERS) -> None:
        self._queue = queue
        self._max_folders = max_folders
        self._tops: dict[Watch, Folder] = {}
        self._counts: dict[Watch, int] = {}
        self._holders: dict[int, dict[Watch, Folder]] = {}

    def holders(self, number: int) -> list[tuple[Watch, Folder]]:
        """Whose folder a number is; nobody's when it was let go."""
        return list(self._holders.get(number, {}).items())

    def cover(self, watch: Watch, inside: Inside, parent: Folder | None, name: str, now_ms: float | None) -> None:
        """Watch a folder and, where the watch is recursive, all folders below it; without a parent, the whole watch.

        With a time, what is found inside is noted as come: it may have come before the folder was watched.
        TooManyFolders; OSError of the folder itself.
        """
        waiting = [(parent, name)]
        while waiting:
            above, name = waiting.pop()
            try:
                found = self._take(watch, inside, above, name)
            except (FileNotFoundError, NotADirectoryError):  # it went, or something else took its name
                if above is parent:
                    raise
                continue
            if watch.recursive:
                for child, is_folder in found[1]:
                    if now_ms is not None:
                        watch.note((*found[0].below, child), "rename", now_ms)
                    if is_folder:
                        waiting.append((found[0], child))

    def uncover(self, watch: Watch, parent: Folder, name: str) -> None:
        """Let go of a folder that went, with all below it."""
        folder = parent.children.pop(name, None)
        if folder is not None:
            self._let_go(watch, folder)

    def drop(self, watch: Watch) -> None:
        """Let go of all folders of a watch."""
        top = self._tops.pop(watch, None)
        if top is not None:
            self._let_go(watch, top)
        self._counts.pop(watch, None)

    def gone(self, number: int) -> None:
        """The system watches a folder no more, because it is no more."""
        self._holders.pop(number, None)

    def _take(
        self, watch: Watch, inside: Inside, parent: Folder | None, name: str
    ) -> tuple[Folder, list[tuple[str, bool]]]:
        below = () if parent is None else (*parent.below, name)
        handle = inside.open_real(watch.names + below, HANDLE)
        try:
            folder = Folder(self._number(watch, handle), below)
            if parent is None:
                self._tops[watch] = folder
            else:
                self.uncover(watch, parent, name)
                parent.children[name] = folder
            self._holders.setdefault(folder.number, {})[watch] = folder
            self._counts[watch] = self._counts.get(watch, 0) + 1
            return folder, self._entries(watch, handle) if watch.recursive else []
        finally:
            os.close(handle)

    def _number(self, watch: Watch, handle: int) -> int:
        if self._counts.get(watch, 0) >= self._max_folders:
            raise TooManyFolders
        try:
            return self._queue.watch(handle)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise TooManyFolders from error
            raise

    @staticmethod
    def _entries(watch: Watch, handle: int) -> list[tuple[str, bool]]:
        try:
            readable = os.open(".", LIST, dir_fd=handle)
        except OSError:  # it may be watched and not read
            return []
        try:
            with os.scandir(readable) as entries:
                admits = watch.wanted.admits
                return [(one.name, one.is_dir(follow_symlinks=False)) for one in entries if admits(one.name)]
        finally:
            os.close(readable)

    def _let_go(self, watch: Watch, top: Folder) -> None:
        for folder in top.all():
            self._counts[watch] -= 1
            holders = self._holders.get(folder.number, {})
            if holders.get(watch) is folder:
                del holders[watch]
            if not holders and self._holders.pop(folder.number, None) is not None:
                with suppress(OSError):
                    self._queue.unwatch(folder.number)
