"""Watching on systems without Linux's queue: the system's own way, by `watchfiles`, one thread a watch.

It knows only paths and may look behind links, so what it says is checked here: an entry is told only when its folder is
reached below the watched one without any link. Spec: files, watch; decision 48.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import watchfiles

from .fence import Closed, FolderGone
from .walk import HANDLE, Outside
from .watch import GATHER_MS, Wanted, Watch

_log = logging.getLogger(__name__)

_STEP_MS: Final = 20
_END_S: Final = 2.0
_TURN_MS: Final = 100
_TURNS: Final = 10  # turns between two looks whether an idle watch still leads where it led


class WatcherElsewhere:
    """All watches of a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends: dict[Watch, tuple[threading.Event, threading.Thread]] = {}

    def add(self, wanted: Wanted) -> Watch:
        with wanted.fence.enter() as inside:
            watch = Watch(wanted, inside)
            path = os.path.join(inside.real_path, *watch.names)
        end, begun = threading.Event(), threading.Event()
        thread = threading.Thread(target=self._run, args=(watch, path, end, begun), name="watch", daemon=True)
        with self._lock:
            self._ends[watch] = (end, thread)
        thread.start()
        begun.wait()
        return watch

    def remove(self, watch: Watch) -> None:
        with self._lock:
            end, _ = self._ends.pop(watch, (None, None))
        if end is not None:
            end.set()

    def check(self) -> None:
        """Nothing to do: each thread looks every second."""

    def close(self) -> None:
        with self._lock:
            ends = list(self._ends.values())
            self._ends.clear()
        for end, thread in ends:
            end.set()
            thread.join(_END_S)

    def _run(self, watch: Watch, path: str, end: threading.Event, begun: threading.Event) -> None:
        try:
            for turn, seen in enumerate(_turns(watch, path, end)):
                begun.set()
                for change, changed_path in seen:
                    _note(watch, path, changed_path, change)
                if (seen or turn % _TURNS == 0) and not self._tell(watch):
                    return
        except Exception:  # noqa: BLE001 - a task root: the watch ends, and says so
            _log.exception("watching a folder met a fault")
            self._finish(watch)
        finally:
            begun.set()

    def _tell(self, watch: Watch) -> bool:
        """Tell what was gathered; false when the watch is over."""
        is_there = watch.still_there()
        changes = watch.take()
        if not is_there:
            self._finish(watch)
            return False
        with self._lock:
            lives = watch in self._ends
        if lives and changes:
            watch.wanted.tell(changes)
        return lives

    def _finish(self, watch: Watch) -> None:
        with self._lock:
            lives = self._ends.pop(watch, None) is not None
        if lives:
            watch.wanted.tell(watch.end())


def _turns(watch: Watch, path: str, end: threading.Event) -> Iterator[set[watchfiles.main.FileChange]]:
    return watchfiles.watch(
        path,
        watch_filter=None,
        debounce=GATHER_MS,
        step=_STEP_MS,
        stop_event=end,
        rust_timeout=_TURN_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=watch.recursive,
        ignore_permission_denied=True,
    )


def _note(watch: Watch, folder: str, changed_path: str, change: watchfiles.Change) -> None:
    below = tuple(os.path.relpath(changed_path, folder).split(os.sep))
    if below[0] in (os.curdir, os.pardir) or not all(map(watch.wanted.admits, below)):
        return
    if not watch.recursive and len(below) > 1:
        return
    with suppress(OSError, Closed, FolderGone, Outside), watch.wanted.fence.enter() as inside:
        os.close(inside.open_real(watch.names + below[:-1], HANDLE))
        watch.note(below, "change" if change is watchfiles.Change.modified else "rename", 0)
