"""Locks by which processes of ours keep each other away from a session's file while one reads and changes it.

The system lets a lock go with its process, however that ends. Programs that know nothing of them are not kept away,
and on Windows nobody is.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cardloom_protocol.session.errors import Conflict, NotFound

if sys.platform != "win32":
    import fcntl

_LOCKED_S = 10.0
_LOOK_AGAIN_S = 0.005


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a session's file against other processes of ours. NOT_FOUND without one, CONFLICT when it stays held."""
    if sys.platform == "win32":  # an open file cannot be replaced there
        yield
        return
    deadline = time.monotonic() + _LOCKED_S
    while True:
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError as error:
            raise NotFound(f"There is no session {path.stem!r}.") from error
        try:
            if _take(descriptor) and _is_at(path, descriptor):
                yield
                return
        finally:
            os.close(descriptor)
        if time.monotonic() > deadline:
            raise Conflict(f"Another program does not let go of {path.name!r}.")
        time.sleep(_LOOK_AGAIN_S)


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file is still the one of that name: a replaced one is held by nobody any more."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False
