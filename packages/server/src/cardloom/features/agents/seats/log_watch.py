"""When an agent's session log is read: while a turn runs and a little longer. Spec: harnesses, transcript polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ....core.supervised import Supervised
from ..harnesses.shape import ReadLog
from ..signals import LogView
from .log_follower import LogFollower

POLL_S: Final = 1.0
POLL_HURRIED_S: Final = 0.3


class LogWatch:
    """Follows the log that was named last. `take` gets each new view.

    `is_wanted` says whether it may tell anything now, `is_hurried` whether somebody waits for it.
    """

    def __init__(
        self,
        read_log: ReadLog | None,
        beside: Supervised,
        take: Callable[[LogView], None],
        is_wanted: Callable[[], bool],
        is_hurried: Callable[[], bool],
    ) -> None:
        self._read_log = read_log
        self._beside = beside
        self._take = take
        self._is_wanted = is_wanted
        self._is_hurried = is_hurried
        self._follower: LogFollower | None = None
        self._task: asyncio.Task[None] | None = None

    def follow(self, path: str | None) -> None:
        """Read the log at `path` as long as that is wanted; asked again after every signal."""
        if path is None or self._read_log is None:
            return
        if self._follower is None or str(self._follower.path) != path:
            self._follower = LogFollower(Path(path), self._read_log)
        if self._is_wanted() and (self._task is None or self._task.done()):
            self._task = self._beside.start(self._poll())

    async def _poll(self) -> None:
        while self._is_wanted() and self._follower is not None and not self._follower.given_up:
            follower = self._follower
            view = await follower.look()
            if view is not None and follower is self._follower:
                self._take(view)
            await asyncio.sleep(POLL_HURRIED_S if self._is_hurried() else POLL_S)
