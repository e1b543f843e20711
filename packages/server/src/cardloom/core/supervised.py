"""Work that a feature starts and nobody waits for: its faults are told in the log, and it ends with the feature."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from cardloom_protocol.errors import CallError


class Supervised:
    """Tasks of one feature. `what` names their work in the log: "a terminal's work"."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log = log
        self._what = what
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Run `work` beside everything else."""
        task = asyncio.get_running_loop().create_task(self._run(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def settle(self) -> None:
        """Wait until all that is under way has ended by itself."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    def cancel(self) -> None:
        """Cancel what is under way."""
        for task in self._tasks:
            task.cancel()

    async def end(self) -> None:
        """Cancel what is under way and wait for its end. For others than these tasks."""
        self.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except CallError as error:
            self._log.warning("%s was refused: %s", self._what, error)
        except Exception:  # noqa: BLE001 - a task root: the feature stands, the fault is told
            self._log.exception("%s failed", self._what)
