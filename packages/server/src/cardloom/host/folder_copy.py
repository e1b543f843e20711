"""Takes a package's files out of a folder that somebody works in, by the rules of archives. Spec: cards, package.

What a repository keeps for itself and what a package manager put there is left out, as packing does.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.package_tree import PackageTree, TreeLimits, too_large

from .archive import Unpacked

LEFT_OUT: Final = frozenset((".git", "node_modules", "__pycache__"))
"""Names of folders whose content is no part of a package; `.git` may be a file as well."""

_USUAL: Final = TreeLimits()


def take_folder(
    source: Path, into: Path | None, *, limits: TreeLimits = _USUAL, left_out: frozenset[str] = LEFT_OUT
) -> Unpacked:
    """Copy the files of a folder into an empty one; with `into` None only look at them.

    Links are left out with a warning and never followed. INVALID_PARAMS: a name is unsafe or clashes; TOO_LARGE;
    NOT_FOUND: no file is there. OSError: the disk.
    """
    tree = PackageTree(limits)
    digests: dict[str, str] = {}
    warnings: list[str] = []
    for path, entry in _walk(source, "", tree, left_out):
        if not entry.is_file(follow_symlinks=False):
            what = "a link" if entry.is_symlink() else "no file"
            warnings.append(f"{path!r} is {what} and was left out")
            continue
        tree.add(path, entry.stat(follow_symlinks=False).st_size)
        digest = _copy(Path(entry.path), None if into is None else into / path, limits.file_bytes)
        if digest is None:
            warnings.append(f"{path!r} is no file any more and was left out")
        else:
            digests[path] = digest
    if not digests:
        raise CallError(ErrorCode.NOT_FOUND, f"there is no file in {source}")
    return Unpacked(digests, tree.total_bytes, tuple(warnings))


def _walk(
    folder: Path, above: str, tree: PackageTree, left_out: frozenset[str]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All that is no folder, with its path, in the order of names."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        path = f"{above}{entry.name}"
        if entry.name in left_out:
            continue
        if entry.is_dir(follow_symlinks=False):
            tree.add_folder(path)
            yield from _walk(Path(entry.path), f"{path}/", tree, left_out)
        else:
            yield path, entry


def _copy(source: Path, into: Path | None, max_bytes: int) -> str | None:
    """Copy a file; gives the SHA-256 of what was copied, None where a link or a pipe has taken its place."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(source, flags)
    except OSError:
        if source.is_symlink():
            return None
        raise
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise too_large(f"{source} has more than {max_bytes} bytes")
    if into is not None:
        into.parent.mkdir(parents=True, exist_ok=True)
        into.write_bytes(content)
    return hashlib.sha256(content).hexdigest()
