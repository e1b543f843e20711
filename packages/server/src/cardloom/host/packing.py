"""Packs a folder's files into an archive whose bytes depend on nothing but their names and contents. Spec: cards, pack.

Times, owners and modes of the disk stay out, files stand in the order of the tree hash, and gzip tells neither a name
nor a time. Another zlib may pack the same files tighter; their tree hash stays.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import utf16_key

_MODE: Final = 0o644
_LEVEL: Final = 9


def packed(root: Path, files: Iterable[str], top: str) -> bytes:
    """The files of a folder as a .tar.gz below one folder `top`. OSError: the disk."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files, key=utf16_key):
            content = (root / path).read_bytes()
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size, entry.mode, entry.mtime = len(content), _MODE, 0
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), compresslevel=_LEVEL, mtime=0)


def write_new(path: Path, content: bytes) -> None:
    """Write a whole file or none: what stands there is replaced only by all of it. FS_ERROR: the disk refused."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise CallError(ErrorCode.FS_ERROR, f"{path} cannot be written: {error.strerror or error}") from error
