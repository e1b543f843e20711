"""Mounted frames: one token lets one page show one card, for as long as that frame is there.

A token must be used within its time, carries at most two documents (the frame and one reload of it), and is dropped by
whoever owns the frame. Only digests are kept. Spec: decision 2; cards, frame loading.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cardloom_protocol.ids import CardId, ConnectionId, PageId, WorkspaceId
from cardloom_protocol.limits import limit

from .clock import Clock
from .tokens import digest


@dataclass(frozen=True, slots=True)
class FrameFiles:
    """What a frame is made of: a package's folder and the page it starts with.

    `tree_hash` names the exact files; None for a folder that somebody works on, whose files are read anew each time.
    """

    root: Path
    entry: str
    tree_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Mount:
    """One card's frame in one page."""

    card_id: CardId
    workspace_id: WorkspaceId
    connection_id: ConnectionId
    page_id: PageId | None
    files: FrameFiles


@dataclass(slots=True)
class _Entry:
    mount: Mount
    good_until_ms: int | None
    documents: int = 0


class Mounts:
    """The tokens that are good now. `loaded` hears of every document that a frame loads."""

    def __init__(
        self,
        clock: Clock,
        *,
        lifetime_ms: int = limit("frameTokenTtlMs"),
        max_documents: int = limit("frameMountsPerFrame"),
    ) -> None:
        self.loaded: Callable[[Mount], None] = lambda _: None
        self._clock = clock
        self._lifetime_ms = lifetime_ms
        self._max_documents = max_documents
        self._entries: dict[bytes, _Entry] = {}

    def issue(self, mount: Mount) -> str:
        """Make a token for a frame that is about to be loaded."""
        self._forget_unused()
        token = secrets.token_urlsafe(24)
        self._entries[digest(token)] = _Entry(mount, self._clock.steady_ms() + self._lifetime_ms)
        return token

    def find(self, token: str) -> Mount | None:
        """The frame that a token stands for; None when it was never used in time, is used up, or the frame is gone."""
        entry = self._entry(token)
        return None if entry is None else entry.mount

    def load(self, token: str) -> Mount | None:
        """Count a document of a frame; None when it may load none."""
        entry = self._entry(token)
        if entry is None or entry.documents >= self._max_documents:
            return None
        entry.documents += 1
        self.loaded(entry.mount)
        return entry.mount

    def drop(self, token: str) -> None:
        """Make a token worthless: its frame is gone."""
        self._entries.pop(digest(token), None)

    def _entry(self, token: str) -> _Entry | None:
        entry = self._entries.get(digest(token))
        if entry is None or self._too_late(entry):
            return None
        entry.good_until_ms = None
        return entry

    def _too_late(self, entry: _Entry) -> bool:
        return entry.good_until_ms is not None and self._clock.steady_ms() > entry.good_until_ms

    def _forget_unused(self) -> None:
        for known in [known for known, entry in self._entries.items() if self._too_late(entry)]:
            del self._entries[known]
