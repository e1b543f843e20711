"""One scan: list the logs, read what changed, put it into the index.

`scan` works in the calling thread and may take seconds the first time; `progress` is told how many bytes are done. What
cannot be read is noted in the index with its reason and tried again at the next scan. Spec: harnesses, usage readers.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from .databases import read_database
from .intake import KnownLog
from .message_folders import read_folder
from .parallel import read_all
from .reading import Cursor, LogFile, Reading, read_document
from .roots import Root, list_logs
from .rows import Packed, pack
from .store import UsageStore

_TOGETHER: Final = 64
_RECORDS_TOGETHER: Final = 10_000
"""So many readings or requests are put into the index by one transaction."""

_SETTLED_AT: Final = (2 / 3, 0.9)
"""Where a first scan is settled while others still read, so that little is left to do alone at its end."""

Progress = Callable[[int, int], None]
"""Told of bytes done and bytes in all."""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan did: logs there are, logs read, bytes read, logs and folders that could not be read."""

    logs: int
    read: int
    read_bytes: int
    failed: int


def scan(
    store: UsageStore, roots: Sequence[Root], now_ms: int, progress: Progress = lambda done, total: None
) -> ScanReport:
    """Bring the index up to date with the logs below the roots."""
    listing = list_logs(list(roots))
    known = {entry.log.path: entry for entry in store.intake.logs()}
    changed = [log for log in listing.logs if _changed(log, known.get(log.path))]
    total = sum(log.size for log in changed)
    with nullcontext() if known else _no_search_for_cycles():
        done, failed = _take_in(store, _readings(store, changed, known), total, progress, first=not known)
    for harness, path, reason in listing.refused:
        store.intake.apply(Reading(LogFile(harness, path, -1, 0, 0), Cursor(), error=reason))
    there = {log.path for log in listing.logs} | {path for _, path, _ in listing.refused}
    folders = tuple(f"{root.folder}{os.sep}" for root in roots)
    store.intake.mark_gone(
        path for path, entry in known.items() if path not in there and not entry.gone and path.startswith(folders)
    )
    store.intake.scanned(now_ms)
    return ScanReport(len(listing.logs), len(changed), done, failed + len(listing.refused))


def _take_in(
    store: UsageStore, readings: Iterator[Packed], total: int, progress: Progress, *, first: bool
) -> tuple[int, int]:
    """Put readings into the index, many at once; gives the bytes of their logs and how many could not be read."""
    done = failed = records = 0
    take = store.intake.fill if first else store.intake.apply_packed
    settled_at = [share * total for share in _SETTLED_AT] if first else []
    waiting: list[Packed] = []
    for reading in readings:
        waiting.append(reading)
        failed += reading.error is not None
        done += reading.log.size
        records += reading.count
        if len(waiting) >= _TOGETHER or records > _RECORDS_TOGETHER:
            take(*waiting)
            waiting.clear()
            records = 0
            progress(done, total)
            if settled_at and done > settled_at[0]:
                del settled_at[0]
                store.intake.settle()
    take(*waiting)
    progress(done, total)
    return done, failed


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Keep the interpreter from looking through many new objects that make none."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _readings(store: UsageStore, changed: list[LogFile], known: Mapping[str, KnownLog]) -> Iterator[Packed]:
    jobs = []
    for log in changed:
        if log.path.endswith(".db"):
            yield pack(read_database(log, store.intake.told_by_session(log.harness)))
        elif log.path.endswith(os.sep):
            yield pack(read_folder(log))
        elif log.path.endswith(".json"):
            yield pack(read_document(log))
        else:
            jobs.append((log, known[log.path].cursor if log.path in known else Cursor()))
    yield from read_all(jobs)


def _changed(log: LogFile, known: KnownLog | None) -> bool:
    if known is None or known.gone or known.error is not None:
        return True
    return (log.size, log.mtime_ns, log.inode) != (known.log.size, known.log.mtime_ns, known.log.inode)
