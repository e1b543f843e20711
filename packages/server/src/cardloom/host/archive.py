"""Unpacks a package's archive into a folder, or refuses it whole. Spec: cards, install (archive).

Two passes: the first reads all headers and checks every name and size, the second writes. So nothing of an archive that
is refused for its names is ever on disk.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit
from cardloom_protocol.package_tree import PackageTree, TreeLimits, path_refused, too_large
from cardloom_protocol.paths import segment_fault

from .tar_stream import Entry, Inflated, TarStream

_IN_WORDS: Final = {"link": "a link", "device": "a device"}


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much of an archive is read; tests make the numbers small."""

    packed_bytes: int = limit("tarballBytes")
    inflated_bytes: int = limit("archiveInflatedBytes")
    meta_bytes: int = limit("archiveMetaBytes")
    name_chars: int = limit("archiveNameChars")
    entries: int = limit("archiveEntries")
    tree: TreeLimits = field(default_factory=TreeLimits)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files that lie in a folder now: the SHA-256 of each, in hex, by path. `warnings` tell what was left out."""

    files: dict[str, str]
    total_bytes: int
    warnings: tuple[str, ...] = ()


_USUAL = ArchiveLimits()


def unpack(archive: Path, into: Path, part: str = "", *, limits: ArchiveLimits = _USUAL) -> Unpacked:
    """Unpack an archive, or one folder of it, into an empty folder.

    An archive with one folder at its top is unpacked without it. INVALID_PARAMS: anything unsafe; TOO_LARGE;
    NOT_FOUND: no file is there. OSError: the disk.
    """
    if archive.stat().st_size > limits.packed_bytes:
        raise too_large(f"the archive has more than {limits.packed_bytes} bytes")
    listing = _List(archive, part, limits)
    digests: dict[str, str] = {}
    with archive.open("rb") as file:
        stream = _stream(file, limits)
        for entry in stream:
            path = listing.files.get(entry.name) if entry.kind == "file" else None
            if path is not None:
                digests[path] = _write(into / path, stream.content())
    return Unpacked(digests, listing.tree.total_bytes, tuple(listing.warnings))


class _List:
    """What an archive holds, all of it checked: `files` gives the path of each file's entry in the package."""

    def __init__(self, archive: Path, part: str, limits: ArchiveLimits) -> None:
        self.tree = PackageTree(limits.tree)
        self.files: dict[str, str] = {}
        self.warnings: list[str] = []
        with archive.open("rb") as file:
            entries = [(_plain(entry.name, limits), entry) for entry in _stream(file, limits)]
        self._above = "/".join(name for name in (_top(entries), part) if name)
        for name, entry in entries:
            path = self._inside(name)
            if path:
                self._take_in(entry, path)
        if not self.files:
            where = f"the folder {part!r} of the archive" if part else "the archive"
            raise CallError(ErrorCode.NOT_FOUND, f"there is no file in {where}")

    def _inside(self, name: str) -> str:
        """The path below the folder that is unpacked; empty for what is not inside."""
        if not self._above:
            return name
        return name[len(self._above) + 1 :] if name.startswith(f"{self._above}/") else ""

    def _take_in(self, entry: Entry, path: str) -> None:
        if entry.kind == "folder":
            self.tree.add_folder(path)
        elif entry.kind == "file":
            self.tree.add(path, entry.size_bytes)
            self.files[entry.name] = path
        else:
            self.warnings.append(f"{path!r} is {_IN_WORDS[entry.kind]} and was left out")


def _stream(file: BinaryIO, limits: ArchiveLimits) -> TarStream:
    inflated = Inflated(file, max_bytes=limits.inflated_bytes)
    return TarStream(inflated, max_entries=limits.entries, max_meta_bytes=limits.meta_bytes)


def _plain(name: str, limits: ArchiveLimits) -> str:
    """A name without what means "here". It must lead nowhere else, wherever in the archive it is."""
    if len(name) > limits.name_chars:
        raise path_refused(f"{name[:80]}…", f"it is longer than {limits.name_chars} characters")
    plain = name.removeprefix("./")
    if plain in ("", "."):
        return ""
    for segment in plain.removesuffix("/").split("/"):
        if segment in ("", ".", "..") or "\0" in segment or "\\" in segment:
            raise path_refused(name, segment_fault(segment) or "it has a backslash")
    return plain


def _top(entries: Sequence[tuple[str, Entry]]) -> str:
    """The one folder at the top of an archive; empty when there is none or something beside it."""
    tops = {name.partition("/")[0] for name, _ in entries if name}
    top = tops.pop() if len(tops) == 1 else ""
    return "" if any(name == top and entry.kind != "folder" for name, entry in entries) else top


def _write(path: Path, content: Iterator[bytes]) -> str:
    """Write a new file; gives the SHA-256 of its content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o644)
    with os.fdopen(descriptor, "wb") as file:
        for piece in content:
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()
