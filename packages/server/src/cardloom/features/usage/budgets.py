"""Budgets: what may be spent, what is, and when that is too much. Pure. Spec: agents, budget; decision 36."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo
from typing import Any, Final, Literal

from cardloom_protocol.ids import CardId
from cardloom_protocol.usage import Work

from .windows import Window, local_day, midnight_ms

Period = Literal["day", "week", "month", "total"]
Unpriced = Literal["ignore", "pause"]
Place = tuple[str, int]
"""A budget's id and when its period began in epoch milliseconds, 0 for all time."""

STEPS: Final = (50, 80, 100)
"""Per cent of a budget at which its owner is told."""
_NAMES: Final[Mapping[Period, str]] = {
    "day": "today's budget",
    "week": "this week's budget",
    "month": "this month's budget",
    "total": "the budget of all time",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit in money, in tokens or both, of a workspace or of one agent of it.

    `unpriced` says what requests without a known price do to a limit in money: they are left out of it, or they pause,
    since nobody can tell what they cost.
    """

    id: str
    period: Period
    unpriced: Unpriced = "ignore"
    agent_id: CardId | None = None
    limit_micro_usd: int | None = None
    limit_tokens: int | None = None

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any], id_: str) -> Budget:
        agent_id = wire.get("agentId")
        return cls(
            wire.get("id", id_),
            wire["period"],
            wire["unpriced"],
            None if agent_id is None else CardId(agent_id),
            wire.get("limitMicroUsd"),
            wire.get("limitTokens"),
        )

    def to_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "period": self.period,
            "unpriced": self.unpriced,
            "agentId": self.agent_id,
            "limitMicroUsd": self.limit_micro_usd,
            "limitTokens": self.limit_tokens,
        }


@dataclass(frozen=True, slots=True)
class Spent:
    """What is spent of a budget in its current period. `percent` is the higher of its limits' (0 without any)."""

    budget: Budget
    from_ms: int | None
    work: Work

    @property
    def percent(self) -> int:
        """Whole per cent, rounded down."""
        budget, shares = self.budget, [0]
        if budget.limit_micro_usd is not None:
            shares.append((self.work.cost_micro_usd or 0) * 100 // budget.limit_micro_usd)
        if budget.limit_tokens is not None:
            shares.append((self.work.tokens.total or 0) * 100 // budget.limit_tokens)
        return max(shares)

    @property
    def unknown(self) -> bool:
        """Whether it pauses because nobody can tell what some requests cost."""
        budget = self.budget
        return budget.limit_micro_usd is not None and budget.unpriced == "pause" and self.work.unpriced > 0

    @property
    def paused(self) -> bool:
        """Whether cards may send no more prompts."""
        return self.percent >= STEPS[-1] or self.unknown

    @property
    def step(self) -> int:
        """The step that was reached; one that pauses cards is the last, whatever it is that pauses them."""
        return STEPS[-1] if self.paused else max((step for step in STEPS if step <= self.percent), default=0)

    @property
    def place(self) -> Place:
        """What its steps are told once of: the budget in this period."""
        return self.budget.id, self.from_ms or 0

    def why_paused(self) -> str:
        """Why cards may send no more prompts, in words."""
        name = _NAMES[self.budget.period]
        if self.percent >= STEPS[-1]:
            return f"{name} is spent ({self.percent} %); prompts of cards are held back"
        return (
            f"{name} holds prompts of cards back as its rule says: "
            f"nobody can tell the price of {self.work.unpriced} of its requests"
        )

    def to_wire(self) -> dict[str, Any]:
        return {
            **self.budget.to_wire(),
            "from": self.from_ms,
            "spentMicroUsd": self.work.cost_micro_usd,
            "spentTokens": self.work.tokens.total,
            "unpricedRequests": self.work.unpriced,
            "percent": self.percent,
            "paused": self.paused,
        }


def window_of(period: Period, now_ms: int, zone: tzinfo | None = None) -> Window | None:
    """The current period in local days: today, the week from Monday, the month, or all time (None)."""
    today = local_day(now_ms, zone)
    match period:
        case "day":
            first, after = today, today + timedelta(days=1)
        case "week":
            first = today - timedelta(days=today.weekday())
            after = first + timedelta(days=7)
        case "month":
            first = today.replace(day=1)
            after = (first + timedelta(days=32)).replace(day=1)
        case "total":
            return None
    return midnight_ms(first, zone), midnight_ms(after, zone)


def refusal_of(spent: Sequence[Spent], agent_id: CardId) -> Spent | None:
    """The budget that keeps cards from prompting an agent now."""
    return next((one for one in spent if one.budget.agent_id in (None, agent_id) and one.paused), None)


def renamed(budgets: Sequence[Budget], ids: Sequence[str]) -> list[Budget]:
    """The budgets with ids of their own where two came with the same."""
    seen: set[str] = set()
    found: list[Budget] = []
    for budget, fresh in zip(budgets, ids, strict=True):
        kept = budget if budget.id not in seen else replace(budget, id=fresh)
        seen.add(kept.id)
        found.append(kept)
    return found
