"""The files of a workspace on disk by the session protocol's rules, behind the fence.

Links never lead out, what is deleted goes to a plain folder inside the workspace, and a revision is a hash of the
content. Names whose writing would make others run programs stay protected. Spec: session protocol, workspace files;
decisions 40, 48.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, TypeAlias, TypeVar

from cardloom_protocol.limits import limit
from cardloom_protocol.protected import protects
from cardloom_protocol.session import (
    DEFAULT_FILE_READ_MAX_BYTES,
    FileBadRequest,
    FileConflict,
    FileContent,
    FileEntry,
    FileNotFound,
    FileReadOpts,
    FileWriteOpts,
    IgnoreRule,
    SessionError,
    check_file_read_size,
    decode_file_content,
    file_content,
    file_mime,
    file_name,
    is_ignored_path,
    is_trash_path,
    parse_gitignore,
    trash_path,
)
from cardloom_protocol.session.operations import Unsubscribe
from cardloom_sdk.stores.sources import iso_of_ns

from ...host.fence import Closed, Fence, FolderGone, Inside, Special
from ...host.listing import list_folder
from ...host.renaming import move_to_free
from ...host.replacing import TEMPORARY, Changed, make_parents, mtime_ms, replace_file, temporary_name
from ...host.walk import Outside, Place
from .file_watching import FileWatching, Listener

T = TypeVar("T")
Entries: TypeAlias = list[FileEntry]

_MAX_RULES_BYTES: Final = 1 << 18


class DiskFiles:
    """The files below one folder. `private` are folders of ours that are never given."""

    def __init__(self, folder: str, private: Sequence[str] = ()) -> None:
        self._fence = Fence.of(folder, private)
        self._watching = FileWatching(self._fence, self._is_ignored)

    async def list(self, path: str) -> Entries:
        """See the protocol."""
        return await self._do(path, lambda inside: _listed(inside, path))

    async def stat(self, path: str) -> FileEntry:
        """See the protocol."""
        return await self._do(path, lambda inside: _entry(inside, path, with_revision=True))

    async def read(self, path: str, opts: FileReadOpts | None = None) -> FileContent:
        """See the protocol."""
        most = (opts or {}).get("maxBytes", DEFAULT_FILE_READ_MAX_BYTES)

        def read(inside: Inside) -> FileContent:
            data, _ = _content(inside, path, most)
            return file_content(path=path, data=data, revision=_revision(data))

        return await self._do(path, read)

    async def write(self, path: str, content: str, opts: FileWriteOpts | None = None) -> FileEntry:
        """See the protocol."""
        given = opts or {}
        data = decode_file_content(content, given.get("encoding", "utf8"))

        def write(inside: Inside) -> FileEntry:
            _check_may_change(path)
            known_at = _check_revision(inside, path, given["ifRevision"]) if "ifRevision" in given else None
            is_new = "ifRevision" in given and known_at is None
            with inside.place(path) as place:
                _check_may_change("/".join(place.names))
                make_parents(place)
                if is_new:
                    _create(place, data)
                else:
                    replace_file(place, data, if_mtime_ms=known_at)
            return _entry(inside, path, with_revision=True)

        return await self._do(path, write)

    async def delete(self, path: str) -> None:
        """See the protocol."""

        def delete(inside: Inside) -> None:
            _check_may_change(path)
            with inside.place(path, follow=False) as place:
                if place.found is None:
                    raise FileNotFound(f"There is nothing at {path!r}.")
                if is_trash_path(path):
                    _remove(place)
                    return
                stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
                with inside.place(trash_path(path, stamp, secrets.token_hex(4))) as target:
                    make_parents(target)
                    move_to_free(place.folder, place.name, target.folder, target.name)

        await self._do(path, delete)

    async def rename(self, source: str, target: str) -> FileEntry:
        """See the protocol."""

        def rename(inside: Inside) -> FileEntry:
            _check_may_change(source)
            _check_may_change(target)
            with inside.place(source, follow=False) as place, inside.place(target, follow=False) as wanted:
                if place.found is None:
                    raise FileNotFound(f"There is nothing at {source!r}.")
                if wanted.found is not None:
                    raise FileConflict(f"{target!r} exists.")
                if wanted.names[: len(place.names)] == place.names:
                    raise FileBadRequest(f"{source!r} cannot be moved into itself.")
                _check_may_change("/".join(wanted.names))
                make_parents(wanted)
                move_to_free(place.folder, place.name, wanted.folder, wanted.name)
            return _entry(inside, target, with_revision=True)

        return await self._do(source, rename)

    def watch(self, listener: Listener) -> Unsubscribe:
        """See the protocol."""
        return self._watching.listen(listener)

    async def close(self) -> None:
        """Ends the watching."""
        await self._watching.close()

    def _is_ignored(self, path: str) -> bool:
        with self._fence.enter() as inside:
            return is_ignored_path(path, False, _Rules(inside).of)

    async def _do(self, path: str, work: Callable[[Inside], T]) -> T:
        def done() -> T:
            with _refusals(path), self._fence.enter() as inside:
                return work(inside)

        return await asyncio.to_thread(done)


class _Rules:
    """The ignore rules of each folder, read once."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._known: dict[str, list[IgnoreRule] | None] = {}

    def of(self, folder: str) -> list[IgnoreRule] | None:
        """The rules in a folder, None where there are none."""
        if folder not in self._known:
            try:
                data, _ = _content(self._inside, f"{folder}/.gitignore" if folder else ".gitignore", _MAX_RULES_BYTES)
                self._known[folder] = parse_gitignore(data.decode("utf-8", "replace"))
            except (OSError, Outside, Special, SessionError):
                self._known[folder] = None
        return self._known[folder]


def _listed(inside: Inside, path: str) -> Entries:
    found = list_folder(
        inside,
        path,
        recursive=False,
        max_entries=limit("fsListEntries"),
        admits=lambda name: not name.startswith(TEMPORARY) and "\\" not in name,
        fits=lambda _: True,
    )
    rules = _Rules(inside)
    entries: Entries = []
    for one in found.entries:
        try:
            entry = _entry(inside, one.path, rules=rules)
        except (OSError, Outside, Special, SessionError):
            continue  # it went, or leads out
        entries.append(entry)
    return sorted(entries, key=lambda entry: (entry["type"] != "dir", entry["name"]))


def _entry(inside: Inside, path: str, *, rules: _Rules | None = None, with_revision: bool = False) -> FileEntry:
    info = inside.look(path)
    is_folder = stat.S_ISDIR(info.st_mode)
    if not is_folder and not stat.S_ISREG(info.st_mode):
        raise Special
    entry: FileEntry = {"path": path, "name": file_name(path), "type": "dir" if is_folder else "file"}
    entry["mtime"] = iso_of_ns(info.st_mtime_ns)
    if not is_folder:
        entry["size"] = info.st_size
        mime = file_mime(path)
        if mime is not None:
            entry["mime"] = mime
        if with_revision and info.st_size <= DEFAULT_FILE_READ_MAX_BYTES:
            entry["revision"] = _revision(_content(inside, path, DEFAULT_FILE_READ_MAX_BYTES)[0])
    if path and is_ignored_path(path, is_folder, (rules or _Rules(inside)).of):
        entry["ignored"] = True
    return entry


def _content(inside: Inside, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    handle, info = inside.open_file(path)
    with open(handle, "rb") as file:
        check_file_read_size(path, info.st_size, max_bytes)
        data = file.read(max_bytes + 1)
        check_file_read_size(path, len(data), max_bytes)
        return data, info


def _check_revision(inside: Inside, path: str, wanted: str | None) -> float | None:
    """CONFLICT unless the file has the revision; gives when it was changed last, None for one that is to be new."""
    try:
        data, info = _content(inside, path, limit("fsReadBytes"))
    except FileNotFoundError:
        if wanted is None:
            return None
        raise FileConflict(f"{path!r} does not exist any more.", {"revision": None}) from None
    if wanted != _revision(data):
        raise FileConflict(f"{path!r} has changed meanwhile.", {"revision": _revision(data)})
    return mtime_ms(info)


def _create(place: Place, data: bytes) -> None:
    """A file that was not there; FileExistsError when somebody else was quicker."""
    scratch = replace(place, rest=(temporary_name(),), found=None)
    replace_file(scratch, data)
    try:
        move_to_free(place.folder, scratch.name, place.folder, place.name)
    except BaseException:
        os.unlink(scratch.name, dir_fd=place.folder)
        raise


def _check_may_change(path: str) -> None:
    if protects(path):
        raise FileBadRequest(f"{path!r} is protected: whoever writes it can make others run programs.")
    if any(name.lower().startswith(TEMPORARY) for name in path.split("/")):
        raise FileBadRequest(f"{path!r} is kept for Cardloom's own use.")


def _remove(place: Place) -> None:
    if place.found is not None and stat.S_ISDIR(place.found.st_mode):
        shutil.rmtree(place.name, dir_fd=place.folder)
    else:
        os.unlink(place.name, dir_fd=place.folder)


def _revision(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


_CONFLICTS: Final = frozenset((errno.EEXIST, errno.ENOTEMPTY))
_MISUSES: Final = frozenset((errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL, errno.ENAMETOOLONG, errno.EXDEV))


@contextmanager
def _refusals(path: str) -> Iterator[None]:
    try:
        yield
    except Closed as error:
        raise FileBadRequest(f"This workspace gives no access to files: its folder is {error}.") from None
    except FolderGone:
        raise FileNotFound("The workspace's folder is not there any more.") from None
    except Outside:
        raise FileBadRequest(f"{path!r} leads out of the workspace.") from None
    except Special:
        raise FileBadRequest(f"{path!r} is neither a file nor a folder.") from None
    except Changed:
        raise FileConflict(f"{path!r} has changed meanwhile.") from None
    except OSError as error:
        raise _from_system(path, error) from None
    except UnicodeEncodeError:
        raise FileBadRequest("The path holds half a character, which no file's name can.") from None


def _from_system(path: str, error: OSError) -> SessionError:
    words = error.strerror or "input/output error"
    if error.errno == errno.ENOENT:
        return FileNotFound(f"There is nothing at {path!r}.")
    if error.errno in _CONFLICTS:
        return FileConflict(f"{path!r}: {words}.")
    if error.errno in _MISUSES:
        return FileBadRequest(f"{path!r}: {words}.")
    return SessionError("unavailable", f"{path!r} cannot be used: {words}.")
