"""What tests of backends look at: the events of a run, and answers to its questions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from cardloom_protocol.session import RunStartInput
from cardloom_sdk.backend import BackendHost, LiveRun

CAP_S = 60.0


class Trace:
    """A run as a client sees it."""

    def __init__(self, live: LiveRun) -> None:
        self.live = live
        self.events: list[dict[str, Any]] = []
        self._reader = live.log.reader()
        self._seen = 0

    async def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next event of a kind with these fields."""
        async with asyncio.timeout(CAP_S):
            while True:
                while self._seen < len(self.events):
                    event = self.events[self._seen]
                    self._seen += 1
                    if event["type"] == kind and all(event.get(name) == value for name, value in fields.items()):
                        return event
                assert not self._reader.is_done, f"the run ended without {kind}: {self.events}"
                await self._more()

    async def end(self) -> dict[str, Any]:
        """The last event of the run."""
        async with asyncio.timeout(CAP_S):
            while not self._reader.is_done:
                await self._more()
        return self.events[-1]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of a kind so far."""
        return [event for event in self.events if event["type"] == kind]

    def deltas(self, message_id: str, part: int) -> str:
        """All deltas of a part, joined."""
        found = [e for e in self.of("part_delta") if e["messageId"] == message_id and e["part"] == part]
        return "".join(event["delta"] for event in found)

    async def answer(self, **answer: Any) -> dict[str, Any]:
        """Answer the next question, and give it."""
        while "resolved" in (asked := await self.until("ask")):
            continue
        self.live.answer(asked["askId"], answer)
        return asked

    async def _more(self) -> None:
        await self._reader.wait()
        self.events += [one.event for one in self._reader.take()]


async def begun(host: BackendHost, session_id: str, text: str | None = None, **more: Any) -> Trace:
    """A run that has begun."""
    given: Mapping[str, Any] = {"sessionId": session_id, **({} if text is None else {"text": text}), **more}
    return Trace(await host.start_run(cast(RunStartInput, given)))


async def ran(host: BackendHost, session_id: str, text: str | None = None, **more: Any) -> Trace:
    """A run that is over."""
    trace = await begun(host, session_id, text, **more)
    await trace.end()
    return trace


async def new_session(host: BackendHost, **opts: Any) -> str:
    """The id of a new session."""
    return (await host.backend.sessions.create(cast(Any, opts)))["id"]


async def history(host: BackendHost, session_id: str) -> list[dict[str, Any]]:
    """The messages of a session's active path."""
    return cast(list[dict[str, Any]], await host.backend.sessions.history(session_id))


async def texts(host: BackendHost, session_id: str) -> list[tuple[str, str]]:
    """The roles and texts of a session's active path."""
    found = []
    for message in await history(host, session_id):
        said = [str(part.get("text", "")) for part in message["parts"] if part["type"] in ("text", "error")]
        found.append((message["role"], "".join(said)))
    return found
