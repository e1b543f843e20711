"""What carries out the watches of folders on this system. Spec: files, watch."""

from __future__ import annotations

import sys
from typing import Protocol

from .watch import Wanted, Watch


class Watcher(Protocol):
    """What carries out watches. `add` reads folders, so it is called from a thread that may wait."""

    def add(self, wanted: Wanted) -> Watch:
        """Begin a watch. OSError, Closed, Outside, Special, TooManyFolders."""

    def remove(self, watch: Watch) -> None:
        """End a watch; nothing of it is told any more."""

    def check(self) -> None:
        """Look soon at every watch whether its path still leads to its folder."""

    def close(self) -> None:
        """End all watches."""


def make_watcher() -> Watcher:
    """The watcher of this system."""
    if sys.platform == "linux":
        from .watch_linux import LinuxWatcher

        return LinuxWatcher()
    from .watch_elsewhere import WatcherElsewhere

    return WatcherElsewhere()
