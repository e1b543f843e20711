"""The watches of cards and of owners' connections: whose they are, when they end, how their changes are told.

A watch ends with the connection that asked for it, with the card's permission, and with the workspace's folder.
Overflow rule: changes wait, each path once, while the peer has much unread; too many give way to one `rescan`. Spec:
files, watch; decision 48.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId, WorkspaceId
from cardloom_protocol.limits import limit

from ...core.bus import Bus, Topic, card_topic, connection_topic
from ...core.grants import Grants
from ...host.watch import MAX_PATHS, Change, Kind, Watch

PERMISSION: Final = "fs.read"
_AT_ONCE: Final = 500
_UNREAD_CHARS: Final = 64 * 1024
_AGAIN_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Asker:
    """Who watches: a card or, without one, an owner's connection."""

    connection_id: ConnectionId
    workspace_id: WorkspaceId
    card_id: CardId | None

    @property
    def topic(self) -> Topic:
        return connection_topic(self.connection_id) if self.card_id is None else card_topic(self.card_id)


@dataclass(eq=False, slots=True)
class Watching:
    """One watch as its asker knows it: `shown` is the path asked for, `folder` the workspace's at that time.

    `watch` is None while it begins.
    """

    id: str
    asker: Asker
    folder: str
    shown: str
    watch: Watch | None = None
    waiting: dict[str, Kind] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None


class Watches:
    """All watches by id. `release` lets go of a watch that is over; it must not wait."""

    def __init__(self, bus: Bus, grants: Grants, release: Callable[[Watch], None]) -> None:
        self._bus = bus
        self._grants = grants
        self._release = release
        self._all: dict[str, Watching] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def any(self) -> bool:
        """Whether anything is watched."""
        return bool(self._all)

    def begin(self, asker: Asker, folder: str, shown: str) -> Watching:
        """Make room for a watch. QUOTA_EXCEEDED; UNAVAILABLE for a caller that no event would reach."""
        if not self._bus.followers(asker.topic):
            raise CallError(ErrorCode.UNAVAILABLE, "only a connection that stays can watch")
        most = limit("fsWatchers") if asker.card_id is not None else limit("fsWatchersOfPage")
        if sum(one.asker == asker for one in self._all.values()) >= most:
            raise CallError(ErrorCode.QUOTA_EXCEEDED, f"{most} watches are open already; end one first")
        self._loop = asyncio.get_running_loop()
        watching = Watching(f"f_{secrets.token_hex(8)}", asker, folder, shown)
        self._all[watching.id] = watching
        return watching

    def begun(self, watching: Watching, watch: Watch) -> None:
        """The watch is there; it ends at once where whoever asked for it is gone meanwhile."""
        watching.watch = watch
        if self._all.get(watching.id) is not watching:
            self._release(watch)

    def end(self, watch_id: str, connection_id: ConnectionId) -> None:
        """End a watch. NOT_FOUND: it has no such watch."""
        watching = self._all.get(watch_id)
        if watching is None or watching.asker.connection_id != connection_id:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no watch {watch_id!r}")
        self.drop([watching])

    def drop(self, over: Iterable[Watching]) -> None:
        """End watches without a word."""
        for watching in over:
            if self._all.pop(watching.id, None) is None:
                continue
            if watching.timer is not None:
                watching.timer.cancel()
            if watching.watch is not None:
                self._release(watching.watch)

    def cancel(self, over: Iterable[Watching]) -> None:
        """End watches and tell their askers."""
        for watching in over:
            self._publish(watching, {watching.shown: "ended"})
            self.drop([watching])

    def of(self, fits: Callable[[Watching], bool]) -> list[Watching]:
        """The watches that fit."""
        return [watching for watching in self._all.values() if fits(watching)]

    def take(self, watching: Watching, changes: list[Change]) -> None:
        """Take in changes; called from another thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, watching, changes)

    def _take(self, watching: Watching, changes: list[Change]) -> None:
        if self._all.get(watching.id) is not watching:
            return
        for change in changes:
            watching.waiting[change.path] = change.kind
        if len(watching.waiting) > MAX_PATHS:
            watching.waiting = {watching.shown: "rescan"}
        if watching.timer is None:
            self._pump(watching)

    def _pump(self, watching: Watching) -> None:
        """Tell what the peer has room for now, and come back for the rest."""
        watching.timer = None
        asker = watching.asker
        if asker.card_id is not None and PERMISSION not in self._grants.effective(asker.card_id):
            self.drop([watching])
            return
        if self._bus.waiting(asker.topic) <= _UNREAD_CHARS:
            now = dict(list(watching.waiting.items())[:_AT_ONCE])
            watching.waiting = {path: kind for path, kind in watching.waiting.items() if path not in now}
            self._publish(watching, now)
            if "ended" in now.values():
                self.drop([watching])
                return
        if watching.waiting:
            watching.timer = asyncio.get_running_loop().call_later(_AGAIN_S, self._pump, watching)

    def _publish(self, watching: Watching, changes: dict[str, Kind]) -> None:
        wire: list[dict[str, Any]] = [{"path": path, "type": kind} for path, kind in changes.items()]
        if watching.asker.card_id is None:
            self._bus.publish("files.changed", {"watchId": watching.id, "changes": wire}, watching.asker.topic)
            return
        for change in wire:
            self._bus.publish("fs.changed", {"watchId": watching.id, **change}, watching.asker.topic)
