"""What usage answers to cards and the owner: sums, one agent in full, its timeline, what its next turn may cost.

The same sums answer `usage.summary` and the Usage page. Spec: cards, usage; agents, run of one agent and its timeline;
decisions 25-28e.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any, Final

from cardloom_protocol.agents import AgentInfo
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

from ...core.clock import Clock
from ...core.directory import Directory
from ...core.graph import Graph
from ...core.records import Card
from .ledger import AGENT, UsageLedger, sessions_in
from .reports import Report, Reporter
from .roots import UNREADABLE
from .store import FUTURE_MS, Scope, Session, UsageStore
from .timeline import timeline_requests
from .turns import segments, timing, turns
from .windows import window_of

ESTIMATED_TURNS: Final = 20
_TURN_REACH_MS: Final = 24 * 3_600_000
_TELL_SUBAGENTS: Final = frozenset({"claude-code", "codex-cli", "opencode", "kilo-code"})


class Answers:
    """Reads the index and the ledger. `opened` gives the index as it is, `up_to_date` after a scan; UNAVAILABLE."""

    def __init__(
        self,
        graph: Graph,
        clock: Clock,
        directory: Directory,
        ledger: UsageLedger,
        opened: Callable[[], Awaitable[UsageStore]],
        up_to_date: Callable[[], Awaitable[UsageStore]],
    ) -> None:
        self._graph = graph
        self._clock = clock
        self._directory = directory
        self._ledger = ledger
        self._opened = opened
        self._up_to_date = up_to_date
        self._reporter = Reporter(graph, clock, ledger)

    async def summary(self, workspace_id: WorkspaceId, period: Period) -> UsageSummary:
        """What `usage.summary` answers: the agents of a workspace. UNAVAILABLE."""
        from_ms, to_ms = window_of(period, self._clock.now_ms())
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
        store = await self._up_to_date()
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
            await scanned_ms(store),
            model=info.model if latest is None else latest.model,
            provider=None if latest is None else latest.provider,
            subagents=side if info.harness in _TELL_SUBAGENTS else None,
            main_only=main if info.harness in _TELL_SUBAGENTS else None,
            subagent_count=count,
        )

    async def timeline(self, agent_id: str, since_ms: int, until_ms: int | None) -> AgentTimeline:
        """What `agents.timeline` answers. The errors of `agent`."""
        info, card_id, until_ms = self._asked(agent_id, since_ms, until_ms)
        store = await self._up_to_date()
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
            await scanned_ms(store),
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
        store = await self._up_to_date()
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
        return Report(by, from_ms, end_ms, tuple(rows), told, store.price_version, await scanned_ms(store))

    # Inside

    def _asked(self, agent_id: str, since_ms: int, until_ms: int | None) -> tuple[AgentInfo, CardId, int]:
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


async def scanned_ms(store: UsageStore) -> int | None:
    """When the logs were last read; the index may be at work in another thread."""
    return await asyncio.to_thread(lambda: store.scanned_at_ms)
