"""How a name is spelled on disk, where the file system finds it by other spellings too.

Such systems fold letter case (and more) or keep short names. Whoever writes must know the real name, since that is what
other programs read; and paths are given back as they are on disk. Spec: files, paths.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Final

Look = Callable[[str], os.stat_result | None]
"""Describes an entry of a folder by its name without following links; None where it finds none."""

ListNames = Callable[[], Iterable[str]]

_FORMS: Final = ("NFC", "NFD")


def on_disk(name: str, found: os.stat_result, look: Look, names: ListNames) -> str:
    """The spelling of an entry that was found by `name`.

    The folder is read only where another spelling leads to the same entry, so that it costs one look elsewhere.
    """
    if not any(_same(look(other), found) for other in _other_spellings(name)):
        return name
    spelled = _entries_of(found, look, names())
    if name in spelled:
        return name
    folded = [entry for entry in spelled if _folded(entry) == _folded(name)]
    return (folded or [*spelled] or [name])[0]


def _other_spellings(name: str) -> set[str]:
    spellings = {name.swapcase(), *(() if name.isascii() else (unicodedata.normalize(form, name) for form in _FORMS))}
    return spellings - {name}


def _entries_of(found: os.stat_result, look: Look, names: Iterable[str]) -> Mapping[str, None]:
    return {name: None for name in sorted(names) if _same(look(name), found)}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _same(one: os.stat_result | None, other: os.stat_result) -> bool:
    return one is not None and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
