"""Reports of usage for the owner: sums by day, agent, model, session or sender. Spec: cards, usage."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cardloom_protocol.agents import HARNESSES
from cardloom_protocol.ids import CardId
from cardloom_protocol.usage import Work, total_work

from ...core.clock import Clock
from ...core.graph import Graph
from ...core.records import Card
from .attribution import Prompted, by_sender, with_people
from .days import filled_days
from .ledger import LinkedSession, UsageLedger, sessions_in
from .records import UsageRecord
from .store import LogSkip, Scope, Session, UsageStore
from .windows import day_of, local_day

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


@dataclass(frozen=True, slots=True)
class _Caused:
    """Requests by time, each with the agent that made it, and who prompted those agents."""

    records: Sequence[tuple[UsageRecord, CardId | None]]
    prompted: Mapping[CardId, Sequence[Prompted]]


class Reporter:
    """Sums up an index that is up to date, with the names that cards have now."""

    def __init__(self, graph: Graph, clock: Clock, ledger: UsageLedger) -> None:
        self._graph = graph
        self._clock = clock
        self._ledger = ledger

    async def rows(
        self,
        store: UsageStore,
        by: str,
        scope: Scope,
        linked: Sequence[LinkedSession],
        split: str | None = None,
        agents: Sequence[Card] = (),
    ) -> list[ReportRow]:
        """The lines of a report; days also in parts. `agents` have a line whatever they did."""
        if by == "agent":
            return self._by_agent(await asyncio.to_thread(store.work_by_session, scope), linked, agents)
        found = await self._rows(store, by, scope, linked)
        if by != "day" or split is None:
            return found
        if split == "sender":
            return await self._in_parts_by_sender(store, found, scope, linked)
        return [await self._in_parts(store, row, split, scope, linked) for row in found]

    async def _in_parts(
        self, store: UsageStore, day: ReportRow, split: str, scope: Scope, linked: Sequence[LinkedSession]
    ) -> ReportRow:
        """A day's line with its parts by agent or model, those without any request left out."""
        if not day.work.requests:
            return _with_parts(day, [])
        within = replace(scope, from_ms=day.more["from"], to_ms=day.more["to"])
        return _with_parts(day, await self._rows(store, split, within, linked))

    async def _in_parts_by_sender(
        self, store: UsageStore, days: Sequence[ReportRow], scope: Scope, linked: Sequence[LinkedSession]
    ) -> list[ReportRow]:
        """The lines of days with their parts by sender: who prompted is found out once for all of them."""
        caused = await self._caused(store, scope, linked)
        times = [record.at_ms for record, _ in caused.records]
        rows = []
        for day in days:
            first, end = (bisect_left(times, day.more[edge]) for edge in ("from", "to"))
            within = replace(caused, records=caused.records[first:end])
            rows.append(_with_parts(day, await self._senders(store, within)))
        return rows

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

    def _by_agent(
        self, sums: Mapping[Session, Work], linked: Sequence[LinkedSession], agents: Sequence[Card] = ()
    ) -> list[ReportRow]:
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
        for card in agents:
            works[(card.id, str(card.content.get("harness")))] += Work()
        rows = []
        for (agent_id, harness), work in works.items():
            found = None if agent_id is None else self._graph.find_card(agent_id)
            name = found.name if found is not None else names.get(agent_id or "", HARNESSES[harness].name)
            more = {"harness": harness, "gone": agent_id is not None and found is None}
            rows.append(ReportRow(agent_id, name, work, more))
        return _largest(rows)

    async def _by_sender(self, store: UsageStore, scope: Scope, linked: Sequence[LinkedSession]) -> list[ReportRow]:
        return await self._senders(store, await self._caused(store, scope, linked))

    async def _caused(self, store: UsageStore, scope: Scope, linked: Sequence[LinkedSession]) -> _Caused:
        owners = {(one.harness, one.session): one.agent_id for one in linked}
        found = await asyncio.to_thread(store.records_with_logs, scope)
        records = [(record, owners.get((harness, record.session))) for record, harness, _ in found]
        agents = {agent_id for _, agent_id in records if agent_id is not None}
        return _Caused(records, {agent_id: await self._prompted(store, agent_id) for agent_id in agents})

    async def _senders(self, store: UsageStore, caused: _Caused) -> list[ReportRow]:
        """Who caused what; a sender may be gone."""
        rows = []
        for one in await asyncio.to_thread(by_sender, caused.records, caused.prompted, store.cost_pico):
            card = None if one.sender_id is None else self._graph.find_card(one.sender_id)
            gone = one.sender_id is not None and card is None
            rows.append(ReportRow(one.sender_id, one.name if card is None else card.name, one.work, {"gone": gone}))
        return _largest(rows)

    async def _prompted(self, store: UsageStore, agent_id: CardId) -> list[Prompted]:
        """Who prompted an agent, people at its terminal among them."""
        sessions = sessions_in(await self._ledger.sessions(agent_id=agent_id))
        worked_ms = await asyncio.to_thread(store.times_ms, sessions)
        changes = await self._ledger.statuses(agent_id)
        return with_people(await self._ledger.senders(agent_id), changes, worked_ms, self._clock.now_ms())


def _with_parts(day: ReportRow, parts: Sequence[ReportRow]) -> ReportRow:
    """A day's line with the parts that made requests."""
    return replace(day, more={**day.more, "parts": [one.to_wire() for one in parts if one.work.requests]})


def _reasons(skips: Sequence[LogSkip]) -> list[dict[str, Any]]:
    """What could not be read, by agent and reason."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in skips:
        counts[one.harness, one.reason] += one.count
    return [{"harness": harness, "reason": reason, "count": count} for (harness, reason), count in counts.items()]


def _by_day(store: UsageStore, scope: Scope, now_ms: int) -> list[ReportRow]:
    """A line for each local day of the window; without a window, from the first request on."""
    span = store.span(scope)
    if scope.from_ms is None and span is None:
        return []
    start_ms = scope.from_ms if scope.from_ms is not None else day_of((span or (now_ms, now_ms))[0])[0]
    end_ms = min(scope.to_ms if scope.to_ms is not None else now_ms, max(now_ms, (span or (0, 0))[1] + 1))
    if start_ms >= end_ms:  # also a day that no calendar has
        return []
    rows = []
    for (day_ms, next_ms), work in filled_days(store, replace(scope, to_ms=end_ms), start_ms, end_ms):
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
