"""One server a data folder: a lock that the system lets go when its process ends, however it ends.

Beside the lock stands who holds it (pid and port), so that a second server can point to the first. Spec: decision 34.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cardloom_sdk.discovery import HOLDER_NAME

_LOCK = "server.lock"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who runs on a data folder. `port` is None until it listens."""

    pid: int
    port: int | None


class FolderTaken(Exception):
    """Another server runs on this data folder."""

    def __init__(self, folder: Path, holder: Holder | None) -> None:
        super().__init__(f"another server runs on {folder}")
        self.folder = folder
        self.holder = holder


class FolderLock:
    """The lock on one data folder, held from `take` until `release`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None

    def take(self) -> None:
        """Lock the folder, which is made where it is missing. FolderTaken names who holds it."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        file = os.fdopen(descriptor, "r+b")
        try:
            _lock(file)
        except OSError as error:
            file.close()
            raise FolderTaken(self._folder, read_holder(self._folder)) from error
        self._file = file
        self._write(Holder(os.getpid(), None))

    def announce(self, port: int) -> None:
        """Say at which port the holder listens."""
        self._write(Holder(os.getpid(), port))

    def release(self) -> None:
        """Let the folder go."""
        if self._file is not None:
            (self._folder / HOLDER_NAME).unlink(missing_ok=True)
            self._file.close()
            self._file = None

    def _write(self, holder: Holder) -> None:
        path = self._folder / HOLDER_NAME
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps({"pid": holder.pid, "port": holder.port}) + "\n", "ascii")
        fresh.replace(path)


def read_holder(folder: Path) -> Holder | None:
    """Who said to hold a data folder; None when nobody did, or it cannot be read."""
    try:
        said = json.loads((folder / HOLDER_NAME).read_text("ascii"))
        return Holder(int(said["pid"]), None if said["port"] is None else int(said["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
