"""Usage at work: scans the logs when agents have worked, answers for cards and the owner, keeps budgets.

Logs are read in threads, at most one scan at a time. The same sums answer `usage.summary` and the Usage page.
Spec: cards, usage; agents, run of one agent and its timeline; decisions 25-28e, 36.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.usage import (
    AgentTimeline,
    AgentUsage,
    Period,
    SummaryRow,
    TimelineRequest,
    UsageSummary,
    Work,
)

from ...core.bus import OWNERS, Bus
from ...core.clock import Clock
from ...core.directory import Directory, DirectoryChange
from ...core.graph import Graph
from ...core.records import Card, Change, PutCard
from ...core.supervised import Supervised
from .attribution import Prompted
from .budget_desk import BudgetDesk
from .index import INDEX_NAME
from .ledger import AGENT, LinkedSession, UsageLedger, sessions_in
from .readers import hermes
from .records import UsageRecord
from .reports import Report, Reporter
from .roots import UNREADABLE, roots_of
from .scan import ScanReport, scan
from .store import FUTURE_MS, Scope, Session, UsageStore
from .timeline import timeline_requests
from .turns import segments, timing, turns
from .windows import window_of as period_window

_log = logging.getLogger(__name__)

SETTLE_S: Final = 1.5
"""How long after an agent's turn its log is read: it is written a moment later than the turn ends."""

FRESH_MS: Final = 5_000
"""A scan this young is not made anew for a question."""

PULSE_S: Final = 30.0
SLOW_SCAN_S: Final = 0.5
ESTIMATED_TURNS: Final = 20


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
        self._directory = directory
        self._ledger = ledger
        self._folder = folder
        self._home = home
        self._store: UsageStore | None = None
        self._opening = asyncio.Lock()
        self._scanning: asyncio.Task[ScanReport] | None = None
        self._ends = False
        self._reporter = Reporter(graph, clock, ledger)
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
        self._bus.publish("usage.changed", {"scannedAt": await _scanned_ms(store)}, OWNERS)

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
            self._bus.publish("usage.changed", {"scannedAt": await _scanned_ms(store)}, OWNERS)
        await self.budgets.measure()
        return report

    async def _fresh(self) -> UsageStore:
        """The index, read to the logs' ends a moment ago."""
        store = await self._opened()
        scanned_ms = await _scanned_ms(store)
        if scanned_ms is None or not 0 <= self._clock.now_ms() - scanned_ms <= FRESH_MS:
            await self.scan()
        return store

    async def _opened(self) -> UsageStore:
        async with self._opening:
            if self._store is None:
                self._store = await asyncio.to_thread(_open, self._folder / INDEX_NAME)
                if self._store.set_aside is not None:
                    self._bus.publish("ui.toast", _damage_notice(self._store.set_aside), OWNERS)
            return self._store

    # Answers for cards

    async def summary(self, workspace_id: WorkspaceId, period: Period) -> UsageSummary:
        """What `usage.summary` answers: the agents of a workspace. UNAVAILABLE."""
        from_ms, to_ms = period_window(period, self._clock.now_ms())
        report = await self.report("agent", workspace_id=workspace_id, from_ms=from_ms, to_ms=to_ms)
        rows = tuple(
            SummaryRow(CardId(row.key) if row.key is not None else None, row.name, str(row.more["harness"]), row.work)
            for row in report.rows
        )
        return UsageSummary(period, from_ms, to_ms, rows, report.skipped)

    async def agent(self, agent_id: str, since_ms: int, until_ms: int | None) -> AgentUsage:
        """What `agents.usage` answers. NOT_FOUND; INVALID_PARAMS: a shell, or a span that ends before it begins."""
        info, card_id, until_ms = self._asked(agent_id, since_ms, until_ms)
        readable = info.harness not in UNREADABLE
        store = await self._fresh()
        scope = Scope(since_ms, until_ms, await self._sessions_of(card_id))
        work = main = side = latest = None
        requests: tuple[TimelineRequest, ...] | None = None
        count = 0
        if readable:
            work = await asyncio.to_thread(store.work, scope)
            main, side, count = await asyncio.to_thread(store.work_by_side, scope)
            latest = await asyncio.to_thread(store.latest, scope)
            requests = await self._requests(store, scope, since_ms)
        changes = await self._ledger.statuses(card_id)
        found = turns(changes, requests, since_ms, until_ms)
        times = timing(changes, found, since_ms, until_ms, changes[0].at_ms if changes else None)
        return AgentUsage(
            card_id,
            info.harness,
            since_ms,
            until_ms,
            info.status.value,
            work,
            times.prompts,
            times.working_ms,
            times.elapsed_ms,
            times.first_prompt_at_ms,
            times.last_finished_at_ms,
            times.complete,
            await _scanned_ms(store),
            model=info.model if latest is None else latest.model,
            provider=None if latest is None else latest.provider,
            subagents=side if _tells_subagents(info.harness) else None,
            main_only=main if _tells_subagents(info.harness) else None,
            subagent_count=count,
        )

    async def timeline(self, agent_id: str, since_ms: int, until_ms: int | None) -> AgentTimeline:
        """What `agents.timeline` answers. The errors of `agent`."""
        info, card_id, until_ms = self._asked(agent_id, since_ms, until_ms)
        store = await self._fresh()
        scope = Scope(since_ms, until_ms, await self._sessions_of(card_id))
        readable = info.harness not in UNREADABLE
        requests = await asyncio.to_thread(timeline_requests, store, scope) if readable else None
        turning = await self._requests(store, scope, since_ms) if readable else None
        changes = await self._ledger.statuses(card_id)
        return AgentTimeline(
            card_id,
            info.harness,
            since_ms,
            until_ms,
            requests,
            segments(changes, since_ms, until_ms),
            turns(changes, turning, since_ms, until_ms),
            await _scanned_ms(store),
        )

    async def estimate(self, agent_id: CardId) -> dict[str, Any] | None:
        """What the next turn may cost: the median of the last ones that made requests; None without any."""
        store = await self._opened()
        now_ms = self._clock.now_ms()
        requests = await self._requests(store, Scope(None, None, await self._sessions_of(agent_id)), 0)
        changes = await self._ledger.statuses(agent_id)
        ended = [turn for turn in turns(changes, requests, 0, now_ms) if turn.counted and turn.end_ms is not None]
        works: list[Work] = []
        for turn in ended[-ESTIMATED_TURNS:]:
            scope = Scope(turn.start_ms, (turn.end_ms or now_ms) + 1, await self._sessions_of(agent_id))
            works.append(await asyncio.to_thread(store.work, scope))
        if not works:
            return None
        costs = [one.cost_micro_usd for one in works if one.cost_micro_usd is not None]
        tokens = [one.tokens.total for one in works if one.tokens.total is not None]
        return {
            "turns": len(works),
            "costMicroUsd": round(median(costs)) if costs else None,
            "totalTokens": round(median(tokens)) if tokens else None,
        }

    # Reports for the owner

    async def report(
        self,
        by: str,
        *,
        workspace_id: WorkspaceId | None = None,
        agent_id: CardId | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        split: str | None = None,
    ) -> Report:
        """Sums of a workspace, of one agent, or of all logs there are; days also in parts by agent, model or sender.

        UNAVAILABLE.
        """
        store = await self._fresh()
        end_ms = self._clock.now_ms() + FUTURE_MS if to_ms is None else to_ms
        linked = await self._ledger.sessions(workspace_id=workspace_id, agent_id=agent_id)
        bounded = workspace_id is not None or agent_id is not None
        scope = Scope(from_ms, end_ms, sessions_in(linked) if bounded else None)
        agents: list[Card] = []
        if workspace_id is not None and agent_id is None:
            agents = [card for card in self._graph.cards_of(workspace_id) if card.kind == AGENT]
        rows = await self._reporter.rows(store, by, scope, linked, split, agents)
        skips = await asyncio.to_thread(store.skips, self._clock.now_ms(), from_ms)
        harnesses = {one.harness for one in linked} if bounded else None
        told = tuple(one for one in skips if harnesses is None or one.harness in harnesses)
        return Report(by, from_ms, end_ms, tuple(rows), told, store.price_version, await _scanned_ms(store))

    # Inside

    def _asked(self, agent_id: str, since_ms: int, until_ms: int | None) -> tuple[Any, CardId, int]:
        info = self._directory.get(agent_id)
        if info.kind != "ai":
            raise CallError(ErrorCode.INVALID_PARAMS, f"{info.name!r} is a terminal; only AI agents use tokens", [])
        end_ms = self._clock.now_ms() if until_ms is None else until_ms
        if end_ms < since_ms:
            raise CallError(ErrorCode.INVALID_PARAMS, "until: the span ends before it begins", [])
        return info, CardId(agent_id), end_ms

    async def _sessions_of(self, agent_id: CardId) -> frozenset[Session]:
        return sessions_in(await self._ledger.sessions(agent_id=agent_id))

    async def _requests(self, store: UsageStore, scope: Scope, since_ms: int) -> tuple[TimelineRequest, ...]:
        """The requests that decide which turns count; a turn may have begun before the window."""
        wide = Scope(None if scope.from_ms is None else since_ms - _TURN_REACH_MS, scope.to_ms, scope.sessions)
        records = await asyncio.to_thread(store.records, wide)
        return tuple(record.as_timeline_request() for record in records)


_TURN_REACH_MS: Final = 24 * 3_600_000


async def _scanned_ms(store: UsageStore) -> int | None:
    """When the logs were last read; the index may be at work in another thread."""
    return await asyncio.to_thread(lambda: store.scanned_at_ms)


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


def _tells_subagents(harness: str) -> bool:
    return harness in ("claude-code", "codex-cli", "opencode", "kilo-code")
