"""What is in a folder, with sizes, and in the folders below it.

Folders are read one after the other, the nearer ones first, each by a handle of its own, so that a list that is cut
short shows the top of a tree. Links are told as what they lead to and never entered; what leads out of the folder, or
nowhere, is left out, as is everything that is neither a file nor a folder. Spec: files, list.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from .fence import LIST, Inside
from .walk import Outside

Admits: TypeAlias = Callable[[str], bool]
"""Whether an entry of this name, or path, is listed at all."""

_Found: TypeAlias = tuple[str, int | None, bool]  # its name, its size where it is a file, whether it is a link


class Entry(NamedTuple):
    """A file or a folder. `size_bytes` is None for folders."""

    path: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """What was found, each folder's entries by name; `truncated` when there is more."""

    entries: list[Entry]
    truncated: bool


def list_folder(
    inside: Inside, path: str, *, recursive: bool, max_entries: int, admits: Admits, fits: Admits
) -> Listing:
    """List a folder. `admits` is asked of each name, `fits` of each whole path.

    A folder further down that is gone by then, or that cannot be read, counts as empty. Outside; OSErrors of the folder
    itself, such as ENOENT and ENOTDIR.
    """
    with inside.place(path) as place:
        top, shown = place.names, place.shown
    entries: list[Entry] = []
    waiting: deque[tuple[tuple[str, ...], str]] = deque([(top, shown)])
    while waiting:
        names, prefix = waiting.popleft()
        try:
            found = _read(inside, names, max_entries - len(entries), admits)
        except OSError:
            if names == top:
                raise
            continue
        room = max_entries - len(entries)
        for name, size_bytes, is_link in found[:room]:
            child = f"{prefix}/{name}" if prefix else name
            if not fits(child):
                continue
            entries.append(Entry(child, size_bytes))
            if recursive and size_bytes is None and not is_link:
                waiting.append(((*names, name), child))
        if len(found) > room:
            return Listing(entries, truncated=True)
    return Listing(entries, truncated=False)


def _read(inside: Inside, names: tuple[str, ...], room: int, admits: Admits) -> list[_Found]:
    """The entries of one folder by name; no more than one beyond the room there is for them."""
    handle = inside.open_real(names, LIST)
    found: list[_Found] = []
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                if not admits(entry.name):
                    continue
                one = _described(inside, names, entry)
                if one is not None:
                    found.append(one)
                    if len(found) > room:
                        break
    finally:
        os.close(handle)
    found.sort()
    return found


def _described(inside: Inside, names: tuple[str, ...], entry: os.DirEntry[str]) -> _Found | None:
    try:
        if entry.is_file(follow_symlinks=False):
            return entry.name, entry.stat(follow_symlinks=False).st_size, False
        if entry.is_dir(follow_symlinks=False):
            return entry.name, None, False
        if entry.is_symlink():
            return _behind(entry.name, inside.look("/".join((*names, entry.name))))
    except (OSError, Outside):
        return None
    return None


def _behind(name: str, info: os.stat_result) -> _Found | None:
    if stat.S_ISDIR(info.st_mode):
        return name, None, True
    return (name, info.st_size, True) if stat.S_ISREG(info.st_mode) else None
