"""The system's trash: nothing is ever deleted here.

An entry is first renamed, between handles, into a private folder of ours on the same file system: from then on nobody
can change what its path means while the trash, which knows only paths, takes it. The trash's own record is corrected
afterwards, so that restoring brings the entry back to where it was. Spec: files, trash; decision 48.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeAlias

from .renaming import move_to_free
from .replacing import temporary_name
from .trash_records import correct_record
from .walk import HANDLE, Place

_log = logging.getLogger(__name__)

Send: TypeAlias = Callable[[str], None]
"""Hands a path to the system's trash. OSError when it does not take it."""

_NOTE: Final = "note.json"
_ROOM: Final = "room"


def system_trash(path: str) -> None:
    """Hand over to the trash of the person who runs the server."""
    from send2trash import send2trash

    send2trash(path)


class Trash:
    """The trash, by way of a folder of ours, which is made when it is needed.

    Each entry has a folder there while it is on its way, with a note of where it was and where it is, so that the next
    server finishes what a killed one began.
    """

    def __init__(self, private: Path, send: Send = system_trash) -> None:
        self.send = send
        self._private = private

    def put(self, place: Place, origin: str) -> None:
        """Move an entry to the trash; `origin` is its absolute path. OSError: it stays where it was."""
        if place.found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        own = self._private / temporary_name()
        own.mkdir(mode=0o700, parents=True)
        try:
            self._pass_on(place, origin, own)
        finally:
            _forget(own)

    def finish(self) -> None:
        """Hand over what a killed server had taken."""
        for own in self._private.iterdir() if self._private.is_dir() else ():
            try:
                note = json.loads((own / _NOTE).read_text(encoding="utf-8"))
                if os.path.lexists(note["path"]):
                    self._hand_over(note["path"], note["origin"])
                with suppress(FileNotFoundError):
                    os.rmdir(os.path.dirname(note["path"]))
            except (OSError, ValueError, KeyError, TypeError):
                _log.warning("an entry on its way to the trash stays in %s", own, exc_info=True)
            _forget(own)

    def _pass_on(self, place: Place, origin: str, own: Path) -> None:
        room = str(own / _ROOM)
        try:
            with _made(None, room) as handle:
                self._pass_through(place, origin, own, handle, room, os.path.join(room, place.name))
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            # Our data lies on another file system than the entry: a private folder beside the entry does the same.
            name = temporary_name()
            room = os.path.join(os.path.dirname(origin), name)
            with _made(place.folder, name) as handle:
                by_handle = f"/proc/self/fd/{handle}" if sys.platform == "linux" else room
                self._pass_through(place, origin, own, handle, room, os.path.join(by_handle, place.name))

    def _pass_through(self, place: Place, origin: str, own: Path, room: int, room_path: str, sent: str) -> None:
        name = place.name
        note = {"path": os.path.join(room_path, name), "origin": origin}
        (own / _NOTE).write_text(json.dumps(note), encoding="utf-8")
        if place.found is not None and stat.S_ISLNK(place.found.st_mode):
            # The trash looks behind links and refuses those that lead nowhere: a folder around it keeps it from that.
            with _made(room, name) as around:
                self._move(place, origin, around, sent)
        else:
            self._move(place, origin, room, sent)

    def _move(self, place: Place, origin: str, target: int, sent: str) -> None:
        os.rename(place.name, place.name, src_dir_fd=place.folder, dst_dir_fd=target)
        try:
            self._hand_over(sent, origin)
        except OSError:
            try:
                move_to_free(target, place.name, place.folder, place.name)
            except OSError:
                _log.exception("what the trash refused could not be put back in its place; it is kept in %s", sent)
            raise

    def _hand_over(self, sent: str, origin: str) -> None:
        self.send(sent)
        try:
            correct_record(sent, origin)
        except OSError:
            _log.warning("the trash has an entry whose record says the wrong place: %s", origin, exc_info=True)


@contextmanager
def _made(folder: int | None, name: str) -> Iterator[int]:
    """A new private folder's handle; the folder goes with it if it is empty by then."""
    os.mkdir(name, 0o700, dir_fd=folder)
    handle = os.open(name, HANDLE | os.O_NOFOLLOW, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)
        with suppress(OSError):
            os.rmdir(name, dir_fd=folder)


def _forget(own: Path) -> None:
    """Remove the folder of an entry that is no longer on its way."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        with suppress(FileNotFoundError):
            (own / _ROOM).rmdir()
        with suppress(FileNotFoundError):
            if os.path.lexists(json.loads((own / _NOTE).read_text(encoding="utf-8"))["path"]):
                return
        (own / _NOTE).unlink(missing_ok=True)
        own.rmdir()
