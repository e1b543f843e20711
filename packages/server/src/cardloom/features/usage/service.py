"""Usage at work: scans the logs when agents have worked, answers for cards and the owner, keeps budgets.

Logs are read in threads, at most one scan at a time. The same sums answer `usage.summary` and the Usage page.
Spec: cards, usage; agents, run of one agent and its timeline; decisions 25-28e, 36.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import HARNESSES, AgentStatus
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
    total_work,
)

from ...core.bus import OWNERS, Bus, canvas_topic
from ...core.clock import Clock
from ...core.directory import Directory, DirectoryChange
from ...core.graph import Graph
from ...core.records import Card, Change, PutCard
from .attribution import Prompted, by_sender
from .budgets import Budget, Spent, crossed, refusal_of, renamed
from .budgets import window_of as budget_window
from .index import INDEX_NAME
from .ledger import LinkedSession, UsageLedger
from .roots import UNREADABLE, roots_of
from .scan import ScanReport, scan
from .store import LogSkip, Scope, Session, UsageStore
from .timeline import timeline_requests
from .turns import segments, timing, turns
from .windows import days_between, local_day
from .windows import window_of as period_window

_log = logging.getLogger(__name__)

AGENT: Final = "agent"
SETTLE_S: Final = 1.5
"""How long after an agent's turn its log is read: it is written a moment later than the turn ends."""

FRESH_MS: Final = 5_000
"""A scan this young is not made anew for a question."""

PULSE_S: Final = 30.0
SLOW_SCAN_S: Final = 0.5
ESTIMATED_TURNS: Final = 20

Key: TypeAlias = str | None


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of a report: what it stands for, its name, and the sum. `more` are facts of its group."""

    key: Key
    name: str
    work: Work
    more: Mapping[str, Any]

    def to_wire(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "name": self.name,
            **self.more,
            **self.work.to_wire(),
            "unpricedRequests": self.work.unpriced,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Sums by one group. `skips` is what of the logs could not be read."""

    by: str
    from_ms: int | None
    to_ms: int
    rows: tuple[ReportRow, ...]
    skips: tuple[LogSkip, ...]
    prices: str
    scanned_at_ms: int | None

    @property
    def skipped(self) -> int:
        """How much could not be read."""
        return sum(one.count for one in self.skips)

    def to_wire(self) -> dict[str, Any]:
        total = total_work(row.work for row in self.rows)
        return {
            "by": self.by,
            "from": self.from_ms,
            "to": self.to_ms,
            "rows": [row.to_wire() for row in self.rows],
            "total": {**total.to_wire(), "unpricedRequests": total.unpriced},
            "skipped": self.skipped,
            "skips": _reasons(self.skips),
            "partial": total.unpriced > 0 or self.skipped > 0,
            "prices": self.prices,
            "scannedAt": self.scanned_at_ms,
        }


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
        self._budgets: dict[WorkspaceId, list[Budget]] = {}
        self._spent: dict[WorkspaceId, list[Spent]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        directory.listen(self._status_changed)

    # Life

    async def start(self) -> None:
        """Read the budgets, and end what an earlier server left open."""
        await self._ledger.begin()
        self._budgets = {
            workspace: [Budget.from_wire(one, one["id"]) for one in budgets]
            for workspace, budgets in (await self._ledger.budgets()).items()
        }
        if self._budgets:
            self._spawn(self._measure_budgets())

    async def run(self) -> None:
        """Note every half minute that the server lives, so that a killed one's agents did not work for ever."""
        while True:
            await self._ledger.pulse(self._clock.now_ms())
            await asyncio.sleep(PULSE_S)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._scanning is not None:
            await asyncio.wait([self._scanning])
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

    def _status_changed(self, change: DirectoryChange) -> None:
        before, after = change.before, change.after
        if after is None or after.kind != "ai":
            return
        if before is None or before.status is not after.status:
            self._ledger.status(change.card_id, after.status, self._clock.now_ms())
            if before is not None and before.status is AgentStatus.WORKING:
                self._spawn(self._scan_soon())

    async def _scan_soon(self) -> None:
        await asyncio.sleep(SETTLE_S)
        await self.scan()

    # Scanning

    async def scan(self) -> ScanReport:
        """Read the logs to their ends, or wait for the scan that does. UNAVAILABLE: the index."""
        store = await self._opened()
        if self._scanning is None or self._scanning.done():
            self._scanning = asyncio.get_running_loop().create_task(self._scan(store))
        return await asyncio.shield(self._scanning)

    async def _scan(self, store: UsageStore) -> ScanReport:
        loop, begun_s, told_s = asyncio.get_running_loop(), time.monotonic(), 0.0

        def progress(done: int, total: int) -> None:
            nonlocal told_s
            now_s = time.monotonic()
            if now_s - begun_s > SLOW_SCAN_S and (now_s - told_s > SLOW_SCAN_S or done >= total):
                told_s = now_s
                loop.call_soon_threadsafe(self._bus.publish, "usage.progress", {"done": done, "total": total}, OWNERS)

        roots = roots_of(self._home(), os.environ)
        report = await asyncio.to_thread(scan, store, roots, self._clock.now_ms(), progress)
        if report.read or report.failed:
            self._bus.publish("usage.changed", {"scannedAt": store.scanned_at_ms}, OWNERS)
        await self._measure_budgets()
        return report

    async def _fresh(self) -> UsageStore:
        """The index, read to the logs' ends a moment ago."""
        store = await self._opened()
        scanned_ms = await asyncio.to_thread(lambda: store.scanned_at_ms)
        if scanned_ms is None or self._clock.now_ms() - scanned_ms > FRESH_MS:
            await self.scan()
        return store

    async def _opened(self) -> UsageStore:
        async with self._opening:
            if self._store is None:
                self._store = await asyncio.to_thread(_open, self._folder / INDEX_NAME)
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
            store.scanned_at_ms,
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
        changes = await self._ledger.statuses(card_id)
        return AgentTimeline(
            card_id,
            info.harness,
            since_ms,
            until_ms,
            requests,
            segments(changes, since_ms, until_ms),
            turns(changes, requests, since_ms, until_ms),
            store.scanned_at_ms,
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
        """Sums of a workspace, of one agent, or of all logs there are; days also in parts by agent or model.

        UNAVAILABLE.
        """
        store = await self._fresh()
        end_ms = self._clock.now_ms() + 1 if to_ms is None else to_ms
        linked = await self._ledger.sessions(workspace_id=workspace_id, agent_id=agent_id)
        bounded = workspace_id is not None or agent_id is not None
        scope = Scope(from_ms, end_ms, _sessions(linked) if bounded else None)
        rows = await self._rows(store, by, scope, linked)
        if by == "day" and split is not None:
            rows = [await self._in_parts(store, row, split, scope, linked) for row in rows]
        skips = await asyncio.to_thread(store.skips, self._clock.now_ms())
        harnesses = {one.harness for one in linked} if bounded else None
        told = tuple(one for one in skips if harnesses is None or one.harness in harnesses)
        return Report(by, from_ms, end_ms, tuple(rows), told, store.price_version, store.scanned_at_ms)

    async def _in_parts(
        self, store: UsageStore, day: ReportRow, split: str, scope: Scope, linked: Sequence[LinkedSession]
    ) -> ReportRow:
        """A day's line with its parts by agent or model, those without any request left out."""
        if not day.work.requests:
            return replace(day, more={**day.more, "parts": []})
        within = replace(scope, from_ms=day.more["from"], to_ms=day.more["to"])
        parts = await self._rows(store, split, within, linked)
        return replace(day, more={**day.more, "parts": [one.to_wire() for one in parts if one.work.requests]})

    async def _rows(self, store: UsageStore, by: str, scope: Scope, linked: Sequence[LinkedSession]) -> list[ReportRow]:
        match by:
            case "day":
                return await asyncio.to_thread(_by_day, store, scope, self._clock.now_ms())
            case "model":
                found = await asyncio.to_thread(store.work_by, "model", scope)
                return _largest(ReportRow(name, name or "unknown model", work, {}) for name, work in found.items())
            case "session":
                sums = await asyncio.to_thread(store.work_by_session, scope)
                names = {(one.harness, one.session): one for one in linked}
                return _largest(_session_row(key, work, names.get(key)) for key, work in sums.items())
            case "sender":
                return await self._by_sender(store, scope, linked)
            case _:
                return self._by_agent(await asyncio.to_thread(store.work_by_session, scope), linked)

    def _by_agent(self, sums: Mapping[Session, Work], linked: Sequence[LinkedSession]) -> list[ReportRow]:
        owners = {(one.harness, one.session): one for one in linked}
        works: defaultdict[tuple[str | None, str], Work] = defaultdict(Work)
        names: dict[str, str] = {}
        for key, work in sums.items():
            owner = owners.get(key)
            works[(None if owner is None else owner.agent_id, key[0])] += work
            if owner is not None:
                names[owner.agent_id] = owner.name
        for one in linked:  # an agent that spent nothing has a line all the same
            works[(one.agent_id, one.harness)] += Work()
            names.setdefault(one.agent_id, one.name)
        rows = []
        for (agent_id, harness), work in works.items():
            card = None if agent_id is None else self._graph.find_card(agent_id)
            name = card.name if card is not None else names.get(agent_id or "", HARNESSES[harness].name)
            rows.append(
                ReportRow(agent_id, name, work, {"harness": harness, "gone": agent_id is not None and card is None})
            )
        return _largest(rows)

    async def _by_sender(self, store: UsageStore, scope: Scope, linked: Sequence[LinkedSession]) -> list[ReportRow]:
        """Who caused what; a sender may be gone."""
        owners = {(one.harness, one.session): one.agent_id for one in linked}
        found = await asyncio.to_thread(store.records_with_logs, scope)
        records = [(record, owners.get((harness, record.session))) for record, harness, _ in found]
        agents = {agent_id for _, agent_id in records if agent_id is not None}
        prompted = {agent_id: await self._ledger.senders(agent_id) for agent_id in agents}
        rows = []
        for one in await asyncio.to_thread(by_sender, records, prompted, store.cost_pico):
            card = None if one.sender_id is None else self._graph.find_card(one.sender_id)
            gone = one.sender_id is not None and card is None
            rows.append(ReportRow(one.sender_id, one.name if card is None else card.name, one.work, {"gone": gone}))
        return _largest(rows)

    # Budgets

    def check(self, agent_id: CardId) -> None:
        """BUDGET_PAUSED when cards may not prompt an agent now."""
        card = self._graph.find_card(agent_id)
        spent = [] if card is None else self._spent.get(card.workspace_id, [])
        refused = refusal_of(spent, agent_id)
        if refused is not None:
            raise CallError(
                ErrorCode.BUDGET_PAUSED,
                f"the budget of this {refused.budget.period} is spent ({refused.percent} %); prompts of cards wait",
            )

    async def budgets(self, workspace_id: WorkspaceId) -> list[Spent]:
        """A workspace's budgets and what is spent of each. NOT_FOUND."""
        self._graph.workspace(workspace_id)
        if self._budgets.get(workspace_id):
            await self._fresh()
            await self._measure_budgets()
        return self._spent.get(workspace_id, [])

    async def set_budgets(self, workspace_id: WorkspaceId, wires: Sequence[Mapping[str, Any]]) -> list[Spent]:
        """Set all budgets of a workspace. NOT_FOUND; INVALID_PARAMS: one without any limit."""
        self._graph.workspace(workspace_id)
        for place, wire in enumerate(wires):
            if wire.get("limitMicroUsd") is None and wire.get("limitTokens") is None:
                raise CallError(
                    ErrorCode.INVALID_PARAMS,
                    f"budgets/{place}: a budget needs a limit in money or in tokens",
                    [{"path": f"/budgets/{place}", "keyword": "required", "message": "needs a limit"}],
                )
        budgets = renamed(
            [Budget.from_wire(wire, secrets.token_hex(6)) for wire in wires], [secrets.token_hex(6) for _ in wires]
        )
        await self._ledger.set_budgets(workspace_id, [one.to_wire() for one in budgets])
        self._budgets[workspace_id] = budgets
        self._spent.pop(workspace_id, None)
        await self._opened()
        await self._measure_budgets()
        spent = self._spent.get(workspace_id, [])
        self._tell_budgets(workspace_id, spent, None)
        return spent

    async def _measure_budgets(self) -> None:
        store = self._store
        if store is None:
            store = await self._opened() if any(self._budgets.values()) else None
        if store is None:
            return
        for workspace_id, budgets in list(self._budgets.items()):
            before = {one.budget.id: one.percent for one in self._spent.get(workspace_id, [])}
            spent = [await self._spent_of(store, workspace_id, budget) for budget in budgets]
            self._spent[workspace_id] = spent
            for one in spent:
                step = crossed(before[one.budget.id], one.percent) if one.budget.id in before else None
                if step is not None:
                    self._tell_budgets(workspace_id, spent, {"budgetId": one.budget.id, "percent": step})

    async def _spent_of(self, store: UsageStore, workspace_id: WorkspaceId, budget: Budget) -> Spent:
        window = budget_window(budget.period, self._clock.now_ms())
        linked = await self._ledger.sessions(workspace_id=workspace_id, agent_id=budget.agent_id)
        from_ms, to_ms = (None, None) if window is None else window
        work = await asyncio.to_thread(store.work, Scope(from_ms, to_ms, _sessions(linked)))
        return Spent(budget, from_ms, work)

    def _tell_budgets(self, workspace_id: WorkspaceId, spent: Sequence[Spent], passed: dict[str, Any] | None) -> None:
        data = {"workspaceId": workspace_id, "budgets": [one.to_wire() for one in spent], "crossed": passed}
        self._bus.publish("budget.changed", data, canvas_topic(workspace_id))

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
        return _sessions(await self._ledger.sessions(agent_id=agent_id))

    async def _requests(self, store: UsageStore, scope: Scope, since_ms: int) -> tuple[TimelineRequest, ...]:
        """The requests that decide which turns count; a turn may have begun before the window."""
        wide = Scope(None if scope.from_ms is None else since_ms - _TURN_REACH_MS, scope.to_ms, scope.sessions)
        records = await asyncio.to_thread(store.records, wide)
        return tuple(record.as_timeline_request() for record in records)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(_supervised(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_TURN_REACH_MS: Final = 24 * 3_600_000


def _open(path: Path) -> UsageStore:
    from .prices import Prices  # the prices take a moment and many megabytes

    return UsageStore(path, Prices())


def _linked(card: Card) -> list[LinkedSession]:
    harness = str(card.content.get("harness"))
    return [
        LinkedSession(harness, session, card.id, card.workspace_id, card.name)
        for session in card.content.get("sessionIds") or ()
    ]


def _reasons(skips: Sequence[LogSkip]) -> list[dict[str, Any]]:
    """What could not be read, by agent and reason."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in skips:
        counts[one.harness, one.reason] += one.count
    return [{"harness": harness, "reason": reason, "count": count} for (harness, reason), count in counts.items()]


def _sessions(linked: Sequence[LinkedSession]) -> frozenset[Session]:
    return frozenset((one.harness, one.session) for one in linked)


def _tells_subagents(harness: str) -> bool:
    return harness in ("claude-code", "codex-cli", "opencode", "kilo-code")


def _by_day(store: UsageStore, scope: Scope, now_ms: int) -> list[ReportRow]:
    """A line for each local day of the window; without a window, from the first request on."""
    span = store.span(scope)
    if scope.from_ms is None and span is None:
        return []
    start_ms = scope.from_ms if scope.from_ms is not None else (span or (now_ms, now_ms))[0]
    end_ms = min(scope.to_ms if scope.to_ms is not None else now_ms, max(now_ms, (span or (0, 0))[1] + 1))
    rows = []
    for day_ms, next_ms in days_between(start_ms, end_ms):
        work = store.work(Scope(day_ms, next_ms, scope.sessions))
        day = local_day(day_ms).isoformat()
        rows.append(ReportRow(day, day, work, {"from": day_ms, "to": next_ms}))
    return rows


def _session_row(key: Session, work: Work, linked: LinkedSession | None) -> ReportRow:
    harness, session = key
    more = {"harness": harness, "agentId": None if linked is None else linked.agent_id}
    return ReportRow(session, session if linked is None else f"{linked.name} · {session[:8]}", work, more)


def _largest(rows: Any) -> list[ReportRow]:
    """The rows, the most expensive first, then the busiest."""
    return sorted(rows, key=lambda row: (-(row.work.cost_pico or 0), -(row.work.tokens.total or 0), row.name))


async def _supervised(work: Coroutine[Any, Any, Any]) -> None:
    try:
        await work
    except CallError as error:
        _log.warning("usage could not be read: %s", error)
    except Exception:  # noqa: BLE001 - a task root: usage is read again after the next turn
        _log.exception("usage could not be read")
