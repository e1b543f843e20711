"""The files of a package as one tree: which names fit together, how much they may hold, and the hash that names them.

Names that one disk keeps apart and another takes for the same never stand side by side, so that a package has the same
files everywhere. Spec: cards, package; install and update.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import CallError, ErrorCode
from .jstext import utf16_key
from .limits import limit
from .paths import package_path_fault

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How much one package may hold."""

    files: int = limit("files")
    file_bytes: int = limit("fileBytes")
    total_bytes: int = limit("unpackedBytes")


_USUAL = TreeLimits()


class PackageTree:
    """The files taken in so far. `add` refuses the first that does not fit the others."""

    def __init__(self, limits: TreeLimits = _USUAL) -> None:
        self.files = 0
        self.total_bytes = 0
        self._limits = limits
        self._names: dict[str, str] = {}
        self._folders: set[str] = set()

    def add(self, path: str, size_bytes: int) -> str:
        """Take in a file. INVALID_PARAMS: its name is unsafe or clashes with another; TOO_LARGE."""
        fault = "it names a folder" if path.endswith("/") else _fault(path)
        if fault is not None:
            raise path_refused(path, fault)
        key = _key(path)
        if path == self._names.get(key):
            raise path_refused(path, "it is there twice")
        if key in self._names:
            raise path_refused(path, f"it differs from {self._names[key]!r} in letter case alone")
        if key in self._folders:
            raise path_refused(path, "it is a file and a folder at once")
        self._take_in_folders(path)
        self._names[key] = path
        self._count(path, size_bytes)
        return path

    def add_folder(self, path: str) -> None:
        """Take in a folder, which may be there already. INVALID_PARAMS: its name is unsafe or that of a file."""
        fault = _fault(path)
        if fault is not None:
            raise path_refused(path, fault)
        self._take_in_folders(f"{path.removesuffix('/')}/")

    def _take_in_folders(self, path: str) -> None:
        """Remember the folders above a path."""
        at = path.rfind("/")
        while at > 0:
            key = _key(path[:at])
            if key in self._folders:
                return
            if key in self._names:
                raise path_refused(path, f"{self._names[key]!r} is a file and a folder at once")
            self._folders.add(key)
            at = path.rfind("/", 0, at)

    def _count(self, path: str, size_bytes: int) -> None:
        self.files += 1
        self.total_bytes += size_bytes
        if size_bytes > self._limits.file_bytes:
            raise too_large(f"{path!r} has {size_bytes} bytes; a file may have {self._limits.file_bytes}")
        if self.files > self._limits.files:
            raise too_large(f"the package has more than {self._limits.files} files")
        if self.total_bytes > self._limits.total_bytes:
            raise too_large(f"the package has more than {self._limits.total_bytes} bytes")


def tree_hash(digests: Mapping[str, str]) -> str:
    """The hash of a tree from the SHA-256 of each file, in hex, by path."""
    paths = sorted(digests, key=utf16_key)
    lines = "".join(f"{digests[path]}  {path}\n" for path in paths)
    return hashlib.sha256(lines.encode()).hexdigest()


def path_refused(path: str, fault: str) -> CallError:
    """The refusal of a whole package for one of its names."""
    message = f"the file name {path!r} cannot be used: {fault}"
    return CallError(
        ErrorCode.INVALID_PARAMS, message, [{"path": f"/files/{path}", "keyword": "path", "message": fault}]
    )


def too_large(message: str) -> CallError:
    """The refusal of a package that holds too much."""
    return CallError(ErrorCode.TOO_LARGE, message)


def _fault(path: str) -> str | None:
    """What keeps a path out of every package; a name that is no Unicode text has no hash."""
    return "it is no Unicode text" if _SURROGATE.search(path) else package_path_fault(path)


def _key(path: str) -> str:
    """What two names have in common when some disk takes them for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
