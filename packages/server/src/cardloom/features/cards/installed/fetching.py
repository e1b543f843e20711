"""Brings the files of a package from where they are into a folder of ours, or refuses them.

Each fetch has a folder of its own until what came is kept under the name of its tree or dropped. Spec: cards, install.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.limits import limit
from cardloom_protocol.package_tree import tree_hash

from ....host.archive import Unpacked, unpack
from ....host.download import download
from ....host.fetch import Fetcher
from ....host.folder_copy import take_folder
from ....host.git import Git
from .source import Source

T = TypeVar("T")

_STAGING: Final = ".staging"


@dataclass(frozen=True, slots=True)
class Staged:
    """What came. `root` holds the files; `home` is the folder of the fetch, None for a folder that is only linked."""

    source: Source
    root: Path
    home: Path | None
    unpacked: Unpacked
    tree_hash: str
    commit: str | None = None


class Shelves:
    """The folder of packages: one folder a tree, and the fetches that are under way."""

    def __init__(self, folder: Path, git: Git, fetcher: Fetcher) -> None:
        self.staging = folder / _STAGING
        self._folder = folder
        self._git = git
        self._fetcher = fetcher

    def folder_of(self, source: Source, tree: str) -> Path:
        """Where the files of a package lie: those of its tree, or those of a linked folder."""
        return Path(source.location) / source.folder if source.dev else self._folder / tree

    async def whole(self, source: Source) -> Source:
        """A source with its path as it is on disk: however it was typed, it is one. INVALID_PARAMS; NOT_FOUND."""
        if source.kind != "path":
            return source
        path = await _guarded(source, lambda: _resolved(source))
        return replace(source, location=str(path))

    async def fetch(self, source: Source) -> Staged:
        """Bring a package from a whole source. CallError says by its code whose fault it is that it did not come."""
        path = Path(source.location) if source.kind == "path" else None
        if source.dev and path is not None:
            if not path.is_dir():
                raise CallError(ErrorCode.INVALID_PARAMS, f"{path} is no folder, and only a folder can be linked", [])
            return await _guarded(source, lambda: _look(source, path))
        home = self.staging / secrets.token_hex(8)
        into = home / "tree"
        await _guarded(source, lambda: into.mkdir(parents=True))
        try:
            return await self._fetch(source, path, home, into)
        except BaseException:
            await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
            raise

    async def keep(self, staged: Staged) -> Path:
        """Give the files their place; gives that place. A linked folder stays where it is."""
        if staged.home is None:
            return staged.root
        return await _guarded(staged.source, lambda: _settle(staged, self._folder / staged.tree_hash))

    async def drop(self, staged: Staged) -> None:
        """Remove what came and is not wanted."""
        if staged.home is not None:
            await asyncio.to_thread(shutil.rmtree, staged.home, ignore_errors=True)

    async def tidy(self, trees: set[str], *, staging: bool = False) -> None:
        """Remove every tree but these, and with `staging` what fetches left behind when the server was killed."""
        await asyncio.to_thread(_tidy, self._folder, trees, staging)

    async def _fetch(self, source: Source, path: Path | None, home: Path, into: Path) -> Staged:
        if source.kind == "git" or (path is not None and (source.ref is not None or _is_bare(path))):
            return await self._from_git(source, path, home, into)
        if source.kind == "archive":
            path = home / "package.tar.gz"
            await download(self._fetcher, source.location, path, max_bytes=limit("tarballBytes"))
        assert path is not None
        archive = path
        if archive.is_dir():
            folder = _part_of(archive, source.folder)
            unpacked = await _guarded(source, lambda: take_folder(folder, into))
        else:
            unpacked = await _guarded(source, lambda: unpack(archive, into, source.folder))
        return Staged(source, into, home, unpacked, tree_hash(unpacked.files))

    async def _from_git(self, source: Source, path: Path | None, home: Path, into: Path) -> Staged:
        work = home / "work"
        await _guarded(source, work.mkdir)
        url = source.location if path is None else path.as_uri()
        fetched = await self._git.fetch(url, source.ref, source.folder, work)
        unpacked = await _guarded(source, lambda: unpack(fetched.archive, into, source.folder))
        await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        return Staged(source, into, home, unpacked, tree_hash(unpacked.files), fetched.commit)


async def _guarded(source: Source, work: Callable[[], T]) -> T:
    """Do work on the disk beside the loop; the disk's own refusals name the source."""
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        why = error.strerror or str(error)
        raise CallError(ErrorCode.UNAVAILABLE, f"{source.location} could not be read or copied: {why}") from error


def _resolved(source: Source) -> Path:
    path = Path(source.location).expanduser()
    if not path.is_absolute():
        raise CallError(ErrorCode.INVALID_PARAMS, f"{source.location!r} is no whole path", [])
    if not path.exists():
        raise CallError(ErrorCode.NOT_FOUND, f"there is no {path}")
    return path.resolve()


def _look(source: Source, path: Path) -> Staged:
    root = _part_of(path, source.folder)
    unpacked = take_folder(root, None)
    return Staged(source, root, None, unpacked, tree_hash(unpacked.files))


def _part_of(path: Path, folder: str) -> Path:
    root = (path / folder).resolve()
    if not root.is_dir() or not root.is_relative_to(path):
        raise CallError(ErrorCode.NOT_FOUND, f"there is no folder {folder or root} in {path}")
    return root


def _is_bare(path: Path) -> bool:
    """Whether a folder is a repository without files of its own."""
    return all((path / name).exists() for name in ("HEAD", "objects", "refs")) and not (path / ".git").exists()


def _settle(staged: Staged, place: Path) -> Path:
    """Move a tree to its place; one that lies there already and is whole stays."""
    if place.exists() and not _is_whole(place, staged.tree_hash):
        shutil.rmtree(place)
    if not place.exists():
        staged.root.rename(place)
    if staged.home is not None:
        shutil.rmtree(staged.home, ignore_errors=True)
    return place


def _is_whole(place: Path, tree: str) -> bool:
    try:
        return tree_hash(take_folder(place, None, left_out=frozenset()).files) == tree
    except CallError:
        return False


def _tidy(folder: Path, trees: set[str], staging: bool) -> None:
    if not folder.is_dir():
        return
    for found in folder.iterdir():
        wanted = found.name in trees or (found.name == _STAGING and not staging)
        if not wanted:
            shutil.rmtree(found, ignore_errors=True)
