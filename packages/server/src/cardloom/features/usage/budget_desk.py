"""Budgets at work: what is spent of each is measured after every scan, and cards are held back by what that says.

Spec: agents, budget; decision 36.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.bus import Bus, canvas_topic
from ...core.clock import Clock
from ...core.graph import Graph
from .budgets import Budget, Place, Spent, refusal_of, renamed, window_of
from .ledger import AGENT, UsageLedger, sessions_in
from .store import Scope, UsageStore


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Budgets were not set, for they are others than the writer has seen: those that stand."""

    standing: Sequence[Spent]


class BudgetDesk:
    """The budgets of all workspaces. `opened` gives the index, `up_to_date` after a scan."""

    def __init__(
        self,
        graph: Graph,
        bus: Bus,
        clock: Clock,
        ledger: UsageLedger,
        opened: Callable[[], Awaitable[UsageStore]],
        up_to_date: Callable[[], Awaitable[UsageStore]],
    ) -> None:
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._ledger = ledger
        self._opened = opened
        self._up_to_date = up_to_date
        self._budgets: dict[WorkspaceId, list[Budget]] = {}
        self._spent: dict[WorkspaceId, list[Spent]] = {}
        self._told: dict[Place, int] = {}
        self._just_set: set[WorkspaceId] = set()
        self._measuring = asyncio.Lock()
        self.freed: list[Callable[[WorkspaceId], None]] = []
        """Told when a budget of a workspace pauses cards no longer."""

    @property
    def exist(self) -> bool:
        """Whether there are any budgets."""
        return any(self._budgets.values())

    async def load(self) -> bool:
        """Read the budgets; gives whether there are any."""
        self._budgets = {
            workspace: [Budget.from_wire(one, one["id"]) for one in budgets]
            for workspace, budgets in (await self._ledger.budgets()).items()
        }
        self._told = await self._ledger.budget_steps()
        return self.exist

    async def turn_over(self) -> None:
        """Measure anew when a day, a week or a month has ended: what was spent in it counts no more."""
        now_ms = self._clock.now_ms()
        for spent in self._spent.values():
            for one in spent:
                window = window_of(one.budget.period, now_ms)
                if window is not None and window[0] != one.from_ms:
                    await self.measure()
                    return

    def check(self, agent_id: CardId) -> None:
        """BUDGET_PAUSED when cards may not prompt an agent now."""
        card = self._graph.find_card(agent_id)
        spent = [] if card is None else self._spent.get(card.workspace_id, [])
        refused = refusal_of(spent, agent_id)
        if refused is not None:
            raise CallError(ErrorCode.BUDGET_PAUSED, refused.why_paused())

    async def of(self, workspace_id: WorkspaceId) -> list[Spent]:
        """A workspace's budgets and what is spent of each. NOT_FOUND."""
        self._graph.workspace(workspace_id)
        if self._budgets.get(workspace_id):
            await self._up_to_date()
            await self.measure()
        return self._spent.get(workspace_id, [])

    async def set(
        self,
        workspace_id: WorkspaceId,
        wires: Sequence[Mapping[str, Any]],
        base: Sequence[Mapping[str, Any]] | None = None,
    ) -> list[Spent] | Overtaken:
        """Set all budgets of a workspace. NOT_FOUND; INVALID_PARAMS: one without any limit, or of nobody's agent.

        With `base`, the budgets that the writer has seen, nothing is set when they are others by now.
        Whoever sets budgets sees how they stand, so that the steps which are behind them are not told.
        """
        self._graph.workspace(workspace_id)
        agents = await self._agents_of(workspace_id)
        for place, wire in enumerate(wires):
            if wire.get("limitMicroUsd") is None and wire.get("limitTokens") is None:
                raise _refused(f"/budgets/{place}", "required", "needs a limit in money or in tokens")
            if wire.get("agentId") not in agents:
                raise _refused(f"/budgets/{place}/agentId", "enum", "is no agent of this workspace")
        budgets = renamed(
            [Budget.from_wire(wire, secrets.token_hex(6)) for wire in wires], [secrets.token_hex(6) for _ in wires]
        )
        async with self._measuring:
            overtaken = base is not None and self._budgets.get(workspace_id, []) != [
                Budget.from_wire(wire, "") for wire in base
            ]
            if not overtaken:
                await self._ledger.set_budgets(workspace_id, [one.to_wire() for one in budgets])
                self._budgets[workspace_id] = budgets
                self._just_set.add(workspace_id)
        if overtaken:
            return Overtaken(await self.of(workspace_id))
        await self._up_to_date()
        await self.measure()
        return self._spent.get(workspace_id, [])

    async def _agents_of(self, workspace_id: WorkspaceId) -> frozenset[str | None]:
        """The agents that a workspace has or had, and None for all of them."""
        cards = self._graph.cards_of(workspace_id)
        sessions = await self._ledger.sessions(workspace_id=workspace_id)
        kept = {one.agent_id for one in self._budgets.get(workspace_id, ())}
        there = (card.id for card in cards if card.kind == AGENT)
        return frozenset((None, *kept, *there, *(one.agent_id for one in sessions)))

    async def measure(self) -> None:
        """Find out what is spent of every budget, and tell each step once that was passed in its period."""
        if not self.exist and not self._just_set:
            return
        async with self._measuring:
            store = await self._opened()
            for workspace_id, budgets in list(self._budgets.items()):
                if workspace_id in self._graph.workspaces:
                    before = self._spent.get(workspace_id, [])
                    spent = [await self._spent_of(store, workspace_id, budget) for budget in budgets]
                    self._spent[workspace_id] = spent
                    await self._tell_steps(workspace_id, before, spent)

    async def _tell_steps(self, workspace_id: WorkspaceId, before: Sequence[Spent], spent: Sequence[Spent]) -> None:
        is_new = workspace_id in self._just_set
        self._just_set.discard(workspace_id)
        passed = []
        for one in spent:
            told = self._told.get(one.place, 0)
            if one.step > told or (is_new and one.step != told):
                self._told[one.place] = one.step
                await self._ledger.set_budget_step(one.place, one.step)
                passed += [] if is_new else [{"budgetId": one.budget.id, "percent": one.step}]
        pauses, paused = ([one.budget.id for one in each if one.paused] for each in (spent, before))
        if is_new or (not passed and [one.from_ms for one in before] != [one.from_ms for one in spent]):
            self._tell(workspace_id, spent, None)
        for step in passed:
            self._tell(workspace_id, spent, step)
        if set(paused) - set(pauses):
            for listen in self.freed:
                listen(workspace_id)

    async def _spent_of(self, store: UsageStore, workspace_id: WorkspaceId, budget: Budget) -> Spent:
        window = window_of(budget.period, self._clock.now_ms())
        linked = await self._ledger.sessions(workspace_id=workspace_id, agent_id=budget.agent_id)
        from_ms, to_ms = (None, None) if window is None else window
        work = await asyncio.to_thread(store.work, Scope(from_ms, to_ms, sessions_in(linked)))
        return Spent(budget, from_ms, work)

    def _tell(self, workspace_id: WorkspaceId, spent: Sequence[Spent], passed: dict[str, Any] | None) -> None:
        data = {"workspaceId": workspace_id, "budgets": [one.to_wire() for one in spent], "crossed": passed}
        self._bus.publish("budget.changed", data, canvas_topic(workspace_id))


def _refused(path: str, keyword: str, words: str) -> CallError:
    """The budgets were not set because of one place in them."""
    return CallError(
        ErrorCode.INVALID_PARAMS, f"{path[1:]} {words}", [{"path": path, "keyword": keyword, "message": words}]
    )
