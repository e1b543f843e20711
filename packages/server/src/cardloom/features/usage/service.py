"""Usage at work: scans the logs when agents have worked, hears who prompted them, and keeps budgets.

Logs are read in threads, at most one scan at a time. Spec: cards, usage; decisions 25-28e, 36.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.bus import OWNERS, Bus
from ...core.clock import Clock
from ...core.directory import Directory, DirectoryChange
from ...core.graph import Graph
from ...core.records import Card, Change, PutCard
from ...core.supervised import Supervised
from .answers import Answers, scanned_ms
from .attribution import Prompted
from .budget_desk import BudgetDesk
from .index import INDEX_NAME
from .ledger import AGENT, LinkedSession, UsageLedger
from .readers import hermes
from .records import UsageRecord
from .roots import roots_of
from .scan import ScanReport, scan
from .store import UsageStore

_log = logging.getLogger(__name__)

SETTLE_S: Final = 1.5
"""How long after an agent's turn its log is read: it is written a moment later than the turn ends."""

FRESH_MS: Final = 5_000
"""A scan this young is not made anew for a question."""

PULSE_S: Final = 30.0
SLOW_SCAN_S: Final = 0.5


class UsageService:
    """Everything about tokens and money. The index of the logs is opened with the first question."""

    def __init__(
        self,
        graph: Graph,
        bus: Bus,
        clock: Clock,
        directory: Directory,
        ledger: UsageLedger,
        folder: Path,
        home: Callable[[], Path] = Path.home,
    ) -> None:
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._ledger = ledger
        self._folder = folder
        self._home = home
        self._store: UsageStore | None = None
        self._opening = asyncio.Lock()
        self._scanning: asyncio.Task[ScanReport] | None = None
        self._ends = False
        self.answers = Answers(graph, clock, directory, ledger, self._opened, self._fresh)
        self.budgets = BudgetDesk(graph, bus, clock, ledger, self._opened, self._fresh)
        self._working: set[CardId] = set()
        self._beside = Supervised(_log, "a reading of usage")
        directory.listen(self._status_changed)

    # Life

    async def start(self) -> None:
        """Read the budgets, and end what an earlier server left open."""
        await self._ledger.begin(self._clock.now_ms())
        if await self.budgets.load():
            self._beside.start(self.budgets.measure())

    async def run(self) -> None:
        """Note every half minute that the server lives, so that a killed one's agents did not work for ever.

        Budgets are measured meanwhile, also in the middle of a long turn.
        """
        while True:
            await self._ledger.pulse(self._clock.now_ms())
            self._beside.start(self.watch_budgets())
            await asyncio.sleep(PULSE_S)

    async def watch_budgets(self) -> None:
        """Measure budgets whose period has ended, and while agents work those of their workspaces."""
        await self.budgets.turn_over()
        if self.budgets.exist and self._working:
            await self.scan()

    async def close(self) -> None:
        """A scan is not waited for to its end: the next one goes on from there."""
        self._ends = True
        await self._beside.end()
        if self._scanning is not None:
            await asyncio.gather(self._scanning, return_exceptions=True)
        if self._store is not None:
            await asyncio.to_thread(self._store.close)

    # What it is told

    def canvas_changed(self, workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """Link the sessions that agents' cards name."""
        linked = [
            one
            for change in changes
            if isinstance(change, PutCard) and change.card.kind == AGENT
            for one in _linked(change.card)
        ]
        if linked:
            self._ledger.link(linked)

    def prompted(self, agent_id: CardId, sender_id: CardId | None, name: str | None, at_ms: int) -> None:
        """Somebody prompted an agent; what it does from then on is for them."""
        self._ledger.prompted(agent_id, Prompted(at_ms, sender_id, name))

    def hooked(self, agent_id: CardId, payload: dict[str, Any]) -> None:
        """An agent's hook told something; Hermes tells of its requests by no other way."""
        card = self._graph.find_card(agent_id)
        if card is None or card.kind != AGENT or card.content.get("harness") != hermes.HARNESS:
            return
        record = hermes.record_of_request(payload)
        if record is not None and record.session:
            # A sub-agent's session is nowhere else told to be this agent's.
            self._ledger.link([LinkedSession(hermes.HARNESS, record.session, card.id, card.workspace_id, card.name)])
            self._beside.start(self._told(record))

    async def _told(self, record: UsageRecord) -> None:
        store = await self._opened()
        await asyncio.to_thread(store.told, hermes.HARNESS, [record])
        self._bus.publish("usage.changed", {"scannedAt": await scanned_ms(store)}, OWNERS)

    def _status_changed(self, change: DirectoryChange) -> None:
        before, after = change.before, change.after
        if after is None or after.kind != "ai":
            self._working.discard(change.card_id)
            return
        if after.status is AgentStatus.WORKING:
            self._working.add(change.card_id)
        else:
            self._working.discard(change.card_id)
        if before is None or before.status is not after.status:
            self._ledger.status(change.card_id, after.status, self._clock.now_ms())
            if before is not None and before.status is AgentStatus.WORKING:
                self._beside.start(self._scan_soon())

    async def _scan_soon(self) -> None:
        await asyncio.sleep(SETTLE_S)
        await self.scan()

    # Scanning

    async def scan(self) -> ScanReport:
        """Read the logs to their ends, or wait for the scan that does. UNAVAILABLE: the index, or the server ends."""
        store = await self._opened()
        if self._scanning is None or self._scanning.done():
            self._scanning = asyncio.get_running_loop().create_task(self._scan(store))
        return await asyncio.shield(self._scanning)

    async def _scan(self, store: UsageStore) -> ScanReport:
        loop, begun_s, told_s = asyncio.get_running_loop(), time.monotonic(), 0.0

        def progress(done: int, total: int) -> None:
            nonlocal told_s
            if self._ends:
                raise CallError(ErrorCode.UNAVAILABLE, "the server ends; the logs were not read to their ends")
            now_s = time.monotonic()
            if now_s - begun_s > SLOW_SCAN_S and (now_s - told_s > SLOW_SCAN_S or done >= total):
                told_s = now_s
                loop.call_soon_threadsafe(self._bus.publish, "usage.progress", {"done": done, "total": total}, OWNERS)

        roots = roots_of(self._home(), os.environ)
        report = await asyncio.to_thread(scan, store, roots, self._clock.now_ms(), progress)
        if report.read or report.failed:
            self._bus.publish("usage.changed", {"scannedAt": await scanned_ms(store)}, OWNERS)
        await self.budgets.measure()
        return report

    async def _fresh(self) -> UsageStore:
        """The index, read to the logs' ends a moment ago."""
        store = await self._opened()
        at_ms = await scanned_ms(store)
        if at_ms is None or not 0 <= self._clock.now_ms() - at_ms <= FRESH_MS:
            await self.scan()
        return store

    async def _opened(self) -> UsageStore:
        async with self._opening:
            if self._store is None:
                self._store = await asyncio.to_thread(_open, self._folder / INDEX_NAME)
                if self._store.set_aside is not None:
                    self._bus.publish("ui.toast", _damage_notice(self._store.set_aside), OWNERS)
            return self._store


def _open(path: Path) -> UsageStore:
    from .prices import Prices  # the prices take a moment and many megabytes

    return UsageStore(path, Prices())


def _damage_notice(aside: Path) -> dict[str, Any]:
    message = f"The usage index was damaged. It is kept as {aside}; the logs are read anew."
    return {"cardId": "", "name": "Cardloom", "message": message, "tone": "warning", "durationMs": 30_000}


def _linked(card: Card) -> list[LinkedSession]:
    harness = str(card.content.get("harness"))
    return [
        LinkedSession(harness, session, card.id, card.workspace_id, card.name)
        for session in card.content.get("sessionIds") or ()
    ]
