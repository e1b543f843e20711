"""Whether a path writes to a protected name under any spelling that some file system takes for that name.

`paths.is_protected` compares names as they are written, which is what the published rule says. A file system may be
more generous: it folds letter case beyond ASCII, forms of Unicode, characters nobody sees, dots and spaces at the end,
and it keeps short names such as `GIT~1`. A folder may be opened on such a system later, so these spellings are refused
everywhere. Spec: files, protected paths.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

from .paths import PROTECTED_DIRS, PROTECTED_FILES, WORKFLOWS_FOLDER

_DIRS: Final = frozenset(PROTECTED_DIRS)
_FILES: Final = frozenset(PROTECTED_FILES)
# Default_Ignorable_Code_Point of Unicode: case-folding file systems drop these when they compare names.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SHORT: Final = re.compile(r"([^~.]{1,7})~([0-9]{1,6})(?:\.([^.~]{0,3}))?")
_HASHED: Final = re.compile(r"[0-9a-f]{4}")
_SHORT_CHARS: Final = 6


def protects(path: str) -> bool:
    """Tells whether writing to a workspace path, written with `/`, is forbidden under any of its readings."""
    readings = [_readings(segment) for segment in path.split("/")]
    if any(not _DIRS.isdisjoint(names) for names in readings) or not _FILES.isdisjoint(readings[-1]):
        return True
    return any(WORKFLOWS_FOLDER[0] in one and WORKFLOWS_FOLDER[1] in two for one, two in pairwise(readings))


def _readings(segment: str) -> frozenset[str]:
    """The names, in lower case, that some file system may take a segment for."""
    plain = segment.lower()
    if plain.isascii() and "~" not in plain:
        return frozenset((plain, plain.rstrip(". ")))
    names = {plain, _folded(segment), _folded(segment.upper())}
    return frozenset(names.union(*(_long_names(name) for name in tuple(names))))


def _folded(segment: str) -> str:
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", segment)).casefold()
    return unicodedata.normalize("NFKC", seen).rstrip(". ")


def _short_name(name: str) -> tuple[str, str]:
    """The letters before `~1` and the extension that DOS names make of a longer name."""
    stem, _, extension = name.lstrip(".").rpartition(".") if "." in name.lstrip(".") else (name.lstrip("."), "", "")
    return stem.replace(".", "")[:_SHORT_CHARS], extension[:3]


_SHORT_NAMES: Final = tuple(
    (*_short_name(name), name) for name in dict.fromkeys((*PROTECTED_DIRS, *PROTECTED_FILES, *WORKFLOWS_FOLDER))
)


def _long_names(name: str) -> frozenset[str]:
    """The protected names for which a name such as `git~1`, `claude~12.md` or `gi7eba~1` may stand."""
    match = _SHORT.fullmatch(name)
    if match is None:
        return frozenset()
    stem, number, extension = match[1], match[2], match[3] or ""
    return frozenset(
        long
        for short, short_extension, long in _SHORT_NAMES
        if short_extension == extension and (_cut(short, stem, number) or _is_hashed(short, stem))
    )


def _cut(short: str, stem: str, number: str) -> bool:
    """Whether a stem is as much of a short one as the number behind it leaves room for."""
    return short.startswith(stem) and len(stem) >= min(len(short), _SHORT_CHARS + 1 - len(number))


def _is_hashed(short: str, stem: str) -> bool:
    """Whether a stem is two letters of a short one and four digits, as later names of the same beginning are."""
    return len(stem) == _SHORT_CHARS and stem[:2] == short[:2] and _HASHED.fullmatch(stem[2:]) is not None
