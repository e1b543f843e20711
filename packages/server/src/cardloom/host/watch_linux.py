"""Watching on Linux: one queue, one thread and one watch a real folder for everybody who watches it.

The thread follows folders that come, go and move inside the watched trees. A folder that moved away is let go before
what happened in it afterwards is read, because the queue keeps the order of things. Spec: files, watch; decision 48.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from . import inotify
from .fence import Closed, FolderGone
from .inotify import Inotify, Notice
from .walk import Outside
from .watch import MAX_FOLDERS, Kind, TooManyFolders, Wanted, Watch
from .watch_folders import Folder, Folders

_log = logging.getLogger(__name__)

_END_S: Final = 2.0
_SELF: Final = inotify.SELF_DELETED | inotify.SELF_MOVED | inotify.UNMOUNTED
_CAME: Final = inotify.CREATED | inotify.MOVED_TO
_WENT: Final = inotify.DELETED | inotify.MOVED_FROM


class LinuxWatcher:
    """All watches of a server. Queue and thread are there from the first watch on."""

    def __init__(self, *, max_folders: int = MAX_FOLDERS) -> None:
        self._max_folders = max_folders
        self._lock = threading.Lock()
        self._works: _Works | None = None

    def add(self, wanted: Wanted) -> Watch:
        with self._lock:
            if self._works is None:
                self._works = _Works(self._max_folders)
            works = self._works
        return works.add(wanted)

    def remove(self, watch: Watch) -> None:
        if self._works is not None:
            self._works.remove(watch)

    def check(self) -> None:
        if self._works is not None:
            self._works.check()

    def close(self) -> None:
        with self._lock:
            if self._works is not None:
                self._works.close()
                self._works = None


class _Works:
    """The queue, the thread that reads it, and what both know."""

    def __init__(self, max_folders: int) -> None:
        self._lock = threading.Lock()
        self._queue = Inotify()
        self._folders = Folders(self._queue, max_folders=max_folders)
        self._watches: set[Watch] = set()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def add(self, wanted: Wanted) -> Watch:
        with self._lock, wanted.fence.enter() as inside:
            watch = Watch(wanted, inside)
            try:
                self._folders.cover(watch, inside, None, "", None)
            except BaseException:
                self._folders.drop(watch)
                raise
            self._watches.add(watch)
            return watch

    def remove(self, watch: Watch) -> None:
        with self._lock:
            self._end(watch)

    def check(self) -> None:
        with self._lock:
            for watch in self._watches:
                watch.due_ms = 0
        os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        self._closing = True
        os.eventfd_write(self._wake, 1)
        self._thread.join(_END_S)
        if not self._thread.is_alive():  # else a dead disk holds it, and it ends with the program
            self._queue.close()
            os.close(self._wake)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._queue.handle, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while not self._closing:
            ready = dict(poll.poll(self._patience_ms()))
            if self._wake in ready:
                os.eventfd_read(self._wake)
            try:
                with self._lock:
                    for notice in self._queue.read():
                        self._take(notice)
                    due = _due(self._watches)
                self._tell(due)
            except Exception:  # noqa: BLE001 - a task root: one folder's trouble must not end the others' watches
                _log.exception("watching folders met a fault")

    def _patience_ms(self) -> float | None:
        with self._lock:
            due = [watch.due_ms for watch in self._watches if watch.due_ms is not None]
        return None if not due else max(0.0, min(due) - _now_ms())

    def _take(self, notice: Notice) -> None:
        if notice.mask & inotify.OVERFLOWED:
            self._begin_anew()
            return
        for watch, folder in self._folders.holders(notice.folder):
            if notice.mask & _SELF and folder.below == ():
                watch.due_ms = 0
            elif notice.name and watch.wanted.admits(notice.name):
                self._note(watch, folder, notice)
        if notice.mask & inotify.IGNORED:
            self._folders.gone(notice.folder)

    def _note(self, watch: Watch, folder: Folder, notice: Notice) -> None:
        kind: Kind = "rename" if notice.mask & inotify.COME_OR_GONE else "change"
        watch.note((*folder.below, notice.name), kind, _now_ms())
        if not (watch.recursive and notice.mask & inotify.IS_FOLDER):
            return
        if notice.mask & _WENT:
            self._folders.uncover(watch, folder, notice.name)
        elif notice.mask & _CAME:
            self._cover(watch, folder, notice.name)

    def _cover(self, watch: Watch, parent: Folder | None, name: str) -> None:
        try:
            with watch.wanted.fence.enter() as inside:
                self._folders.cover(watch, inside, parent, name, _now_ms())
        except TooManyFolders:
            watch.lose(_now_ms())
        except (OSError, Closed, FolderGone, Outside):
            return  # gone again, or no folder any more: its own notice follows

    def _begin_anew(self) -> None:
        """The queue overflowed: what was covered may be elsewhere by now, so all is covered again."""
        for watch in self._watches:
            self._folders.drop(watch)
            self._cover(watch, None, "")
            watch.lose(_now_ms())

    def _tell(self, due: list[Watch]) -> None:
        for watch in due:
            is_there = watch.still_there()
            with self._lock:
                changes = watch.take()
                if watch not in self._watches:
                    continue
                if not is_there:
                    self._end(watch)
                    changes = watch.end()
            if changes:
                watch.wanted.tell(changes)

    def _end(self, watch: Watch) -> None:
        self._watches.discard(watch)
        self._folders.drop(watch)


def _now_ms() -> float:
    return time.monotonic() * 1000


def _due(watches: Iterable[Watch]) -> list[Watch]:
    """Those whose changes are to be told now, the ones that have waited longest first."""
    now_ms = _now_ms()
    times = [(watch.due_ms, watch) for watch in watches if watch.due_ms is not None and watch.due_ms <= now_ms]
    return [watch for _, watch in sorted(times, key=itemgetter(0))]
