"""What stands between a backend and every binding: runs, their logs, and one run a session.

Spec: session protocol, run, reconnect, cancel.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.capabilities import Capabilities, has
from cardloom_protocol.session.errors import BadRequest, Conflict, NotFound, NotSupported
from cardloom_protocol.session.events import RunStartInput
from cardloom_protocol.session.json_text import JsonObject
from cardloom_protocol.session.limits import session_limit

from ..stores.sources import NewId, new_uuid
from .contract import Backend
from .live import LiveRun
from .log import LogLimits

Answered: TypeAlias = Callable[[str, Mapping[str, Any], JsonValue], None]


@dataclass(frozen=True, slots=True)
class HostLimits:
    """The numbers of a host; tests set small ones."""

    run_events: int = session_limit("runEvents")
    run_bytes: int = session_limit("runBytes")
    lag_events: int = session_limit("lagEvents")
    run_kept_ms: int = session_limit("runKeptMs")
    runs_kept: int = session_limit("runsKept")
    runs_kept_bytes: int = session_limit("runsKeptBytes")
    cancel_grace_ms: int = session_limit("cancelGraceMs")
    streams: int = session_limit("streams")


class BackendHost:
    """One backend with its runs. The first use starts it; `close` ends it with everything that runs."""

    def __init__(
        self,
        backend: Backend,
        *,
        limits: HostLimits | None = None,
        new_run_id: NewId = new_uuid,
        new_id: NewId = new_uuid,
    ) -> None:
        self.backend = backend
        self.limits = limits or HostLimits()
        self._new_run_id = new_run_id
        self._new_id = new_id
        self._runs: dict[str, LiveRun] = {}
        self._busy: dict[str, LiveRun] = {}
        self._ended: deque[str] = deque()
        self._endings: set[asyncio.Task[None]] = set()
        self._starting: asyncio.Task[None] | None = None
        self._closed = False
        self.run_began: list[Callable[[LiveRun], None]] = []
        """Told of every run as soon as the backend has taken it up."""
        self.answered: list[Answered] = []
        """Told of every operation that was carried out, by its name, with its fields and what it gave."""
        self._streams: dict[object, Callable[[], None]] = {}

    # Life

    async def start(self) -> None:
        """Starts the backend, once however often it is called; one that failed to start is tried anew."""
        if self._starting is None:
            self._starting = asyncio.create_task(self.backend.start())
        starting = self._starting
        try:
            await asyncio.shield(starting)
        finally:
            if self._starting is starting and starting.done() and (starting.cancelled() or starting.exception()):
                self._starting = None

    async def close(self) -> None:
        """Cancels every run, waits for their ends and closes the backend."""
        self._closed = True
        await asyncio.gather(*(run.cancel(self.limits.cancel_grace_ms) for run in self._busy.values()))
        if self._endings:
            await asyncio.wait(list(self._endings))
        for leave in list(self._streams.values()):
            leave()
        if self._starting is not None:
            await self.backend.close()

    # Capabilities

    async def capabilities(self) -> Capabilities:
        """What the backend can do."""
        await self.start()
        return await self.backend.capabilities()

    async def require(self, capability: str) -> None:
        """NOT_SUPPORTED unless the backend has the capability."""
        if not has(await self.capabilities(), capability):
            raise NotSupported(capability)

    # Runs

    async def start_run(self, given: RunStartInput) -> LiveRun:
        """Begins a run and gives it once the backend has taken it up.

        CONFLICT with `{runId}` while the session has a run, and for a run id in use. A client may go away meanwhile.
        """
        check_run_input(given, may_continue=has(await self.capabilities(), "run.continue"))
        busy = self._busy.get(given["sessionId"])
        if busy is not None:
            raise Conflict("The session has a run already.", {"runId": busy.id})
        run_id = given.get("runId") or self._new_run_id()
        if run_id in self._runs or self._closed:
            raise Conflict("The backend is closing." if self._closed else f"There is a run {run_id!r} already.")
        limits = LogLimits(self.limits.run_events, self.limits.run_bytes, self.limits.lag_events)
        session_id = given["sessionId"]
        live = LiveRun(
            self.backend,
            run_id,
            given,
            limits,
            new_id=self._new_id,
            on_over=lambda: self._release(session_id),
        )
        self._runs[run_id] = self._busy[session_id] = live
        ending = asyncio.create_task(self._see_through(live))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)
        await asyncio.shield(live.started)
        for tell in self.run_began:
            tell(live)
        return live

    def run(self, run_id: str) -> LiveRun:
        """A run that goes on or ended lately. NOT_FOUND for any other: read the session's messages then."""
        live = self._runs.get(run_id)
        if live is None:
            raise NotFound(f"There is no run {run_id!r}, or it ended long ago.")
        return live

    def knows(self, run_id: str) -> bool:
        """Whether there is a run of that id."""
        return run_id in self._runs

    def runs_of(self, session_id: str) -> list[JsonObject]:
        """The runs of a session that are known, the latest last."""
        return [run.status() for run in self._runs.values() if run.session_id == session_id]

    def check_idle(self, session_id: str) -> None:
        """CONFLICT with `{runId}` while the session has a run."""
        busy = self._busy.get(session_id)
        if busy is not None:
            raise Conflict("The session has a run.", {"runId": busy.id})

    async def cancel(self, run_id: str) -> bool:
        """Ends a run early; whether it was still going on."""
        live = self.run(run_id)
        if live.ended:
            return False
        await live.cancel(self.limits.cancel_grace_ms)
        return True

    def _release(self, session_id: str) -> None:
        del self._busy[session_id]

    async def _see_through(self, live: LiveRun) -> None:
        await live.begin()
        if live.log.state.end is None:  # it never began
            del self._runs[live.id]
            return
        self._ended.append(live.id)
        size = sum(self._runs[run_id].log.size for run_id in self._ended)
        while len(self._ended) > self.limits.runs_kept or (size > self.limits.runs_kept_bytes and len(self._ended) > 1):
            size -= self._runs[self._ended[0]].log.size
            self._forget(self._ended[0])
        asyncio.get_running_loop().call_later(self.limits.run_kept_ms / 1000, self._forget, live.id)

    def _forget(self, run_id: str) -> None:
        if self._runs.pop(run_id, None) is not None:
            self._ended.remove(run_id)

    # Streams

    @property
    def open_streams(self) -> int:
        """How many streams are open."""
        return len(self._streams)

    def open_stream(self, leave: Callable[[], None]) -> Callable[[], None]:
        """Counts a stream in and gives what counts it out; `leave` is called when the host closes.

        TooManyStreams when there are too many.
        """
        if len(self._streams) >= self.limits.streams:
            raise TooManyStreams(self.limits.streams)
        key = object()
        self._streams[key] = leave

        def close() -> None:
            self._streams.pop(key, None)

        return close


class TooManyStreams(Conflict):
    """No further stream can be opened for now."""

    def __init__(self, most: int) -> None:
        super().__init__(f"There are {most} open streams already.")
        self.code = "too_many_streams"


def check_run_input(given: RunStartInput, *, may_continue: bool) -> None:
    """BAD_REQUEST unless a run is asked for with exactly one of text and parts, or with `swipeOf` alone.

    A backend that can continue also takes neither: the model speaks on.
    """
    contents = [name for name in ("text", "parts") if name in given]
    if len(contents) == 2:
        raise BadRequest("A run takes text or parts, not both.")
    if "swipeOf" in given and (contents or "parentId" in cast(JsonObject, given)):
        raise BadRequest("swipeOf makes a message anew: it goes with neither text, parts nor parentId.")
    if "swipeOf" not in given and not contents and not may_continue:
        raise BadRequest("A run needs text, parts or swipeOf.")
