"""The records that the trash of free desktops keeps beside each entry: where it was before.

Whoever hands over an entry from another place than its own corrects the record, else restoring would bring it there.
Other systems keep no such records, and nothing is found. Spec: the trash specification of freedesktop.org, version 1.0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote_to_bytes

_SUFFIX: Final = ".trashinfo"
_KEY: Final = "Path="


@dataclass(frozen=True, slots=True)
class _Records:
    """The records of one trash. Relative paths in them begin at `base`; on another disk they should be relative."""

    folder: Path
    base: Path
    own_disk: bool

    def find(self, sent: str) -> Path | None:
        """The record of an entry that came from this path."""
        stem = os.path.splitext(os.path.basename(sent))[0]
        try:
            names = os.listdir(self.folder)
        except OSError:
            return None
        for name in names:
            if name.startswith(stem) and name.endswith(_SUFFIX) and self._origin(self.folder / name) == sent:
                return self.folder / name
        return None

    def correct(self, record: Path, origin: str) -> None:
        """Write another origin into a record."""
        lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
        fresh = record.with_suffix(".corrected")
        written = quote(os.fsencode(self._written(origin)))
        fresh.write_text(
            "".join(f"{_KEY}{written}\n" if line.startswith(_KEY) else line for line in lines), encoding="utf-8"
        )
        fresh.replace(record)

    def _origin(self, record: Path) -> str | None:
        for line in record.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(_KEY):
                return os.path.normpath(self.base / os.fsdecode(unquote_to_bytes(line.removeprefix(_KEY))))
        return None

    def _written(self, origin: str) -> str:
        if self.own_disk and origin.startswith(f"{self.base}/"):
            return os.path.relpath(origin, self.base)
        return origin


def correct_record(sent: str, origin: str) -> None:
    """Let the record of an entry that was sent from one path say another; nothing happens where there is none."""
    for records in _all_records(sent):
        record = records.find(sent)
        if record is not None:
            records.correct(record, origin)
            return


def _all_records(sent: str) -> Iterator[_Records]:
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    yield _Records(data / "Trash" / "info", data, own_disk=False)
    top = Path(os.path.realpath(os.path.dirname(sent)))
    while not os.path.ismount(top):
        top = top.parent
    yield _Records(top / ".Trash" / str(os.getuid()) / "info", top, own_disk=True)
    yield _Records(top / f".Trash-{os.getuid()}" / "info", top, own_disk=True)
