"""One subscribed canvas: its picture, kept up to date, and a way to wait for what it will show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode

from .mirror import Mirror

Subscribe: TypeAlias = Callable[[str], Awaitable[Mapping[str, Any]]]
Condition: TypeAlias = Callable[[Mirror], bool]


class Canvas:
    """A workspace as it is now. `mirror` changes in place; after a loss a new one takes its place."""

    def __init__(self, workspace_id: str, subscribe: Subscribe) -> None:
        self.workspace_id = workspace_id
        self.mirror: Mirror
        self._subscribe = subscribe
        self._held: list[Mapping[str, Any]] | None = None  # changes that came while a snapshot was on its way
        self._waiting: list[tuple[Condition, asyncio.Future[None]]] = []

    async def wait_for(self, true_of: Condition, timeout_ms: int = 30_000) -> Mirror:
        """Wait until something holds of the picture, and give it. TIMEOUT when it does not in time."""
        if not true_of(self.mirror):
            entry = (true_of, asyncio.get_running_loop().create_future())
            self._waiting.append(entry)
            try:
                async with asyncio.timeout(timeout_ms / 1000):
                    await entry[1]
            except TimeoutError as error:
                message = f"The canvas did not come to that state within {timeout_ms} ms."
                raise CallError(ErrorCode.TIMEOUT, message) from error
            finally:
                self._waiting.remove(entry)
        return self.mirror

    async def refresh(self) -> None:
        """Take a new snapshot and follow from there."""
        held: list[Mapping[str, Any]] = []
        self._held = held
        try:
            self.mirror = Mirror.from_snapshot(await self._subscribe(self.workspace_id))
        finally:
            if self._held is held:
                self._held = None
        for changed in held:
            self.mirror.apply(changed)
        self._wake()

    def take(self, changed: Mapping[str, Any]) -> Literal["current", "gap"]:
        """Take in the data of one `canvas.changed`; `gap` asks for a refresh."""
        if self._held is not None:
            self._held.append(changed)
        elif self.mirror.apply(changed) == "gap":
            return "gap"
        else:
            self._wake()
        return "current"

    def _wake(self) -> None:
        for true_of, waiting in self._waiting:
            if not waiting.done() and true_of(self.mirror):
                waiting.set_result(None)
