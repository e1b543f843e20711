"""Changed files for one listener: gathered for a moment, and too many told as "read everything again".

Spec: session protocol, back-pressure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cardloom_protocol.session.events import WorkspaceUpdateEvent
from cardloom_protocol.session.limits import session_limit
from cardloom_protocol.session.operations import WorkspaceFilesOps


class Changes:
    """What one listener has not heard yet. Nobody waits for it: paths are gathered until it asks."""

    def __init__(self, files: WorkspaceFilesOps, *, debounce_ms: int | None = None, most: int | None = None) -> None:
        self._debounce_ms = session_limit("workspaceDebounceMs") if debounce_ms is None else debounce_ms
        self._most = session_limit("workspacePaths") if most is None else most
        self._paths: dict[str, None] = {}
        self._more = asyncio.Event()
        self._unsubscribe: Callable[[], None] | None = files.watch(self._hear)

    @property
    def is_closed(self) -> bool:
        """Whether nothing more will be heard."""
        return self._unsubscribe is None

    async def next(self, timeout_ms: int) -> WorkspaceUpdateEvent | None:
        """The next changes, None when there are none in time."""
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                await self._more.wait()
                if not self.is_closed:
                    await asyncio.sleep(self._debounce_ms / 1000)
        except TimeoutError:
            if not self._paths:
                return None
        paths = list(self._paths)
        self._paths.clear()
        if not self.is_closed:
            self._more.clear()
        return {"type": "workspace_update", "paths": paths} if paths else None

    def close(self) -> None:
        """Stops listening and wakes who waits."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
            self._more.set()

    def _hear(self, event: WorkspaceUpdateEvent) -> None:
        self._paths |= dict.fromkeys(event["paths"])
        if len(self._paths) > self._most or "" in self._paths:
            self._paths = {"": None}
        self._more.set()
