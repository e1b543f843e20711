"""The owner's methods for usage and budgets. Spec: cards, usage; decisions 36, 39."""

from __future__ import annotations

from typing import Final

from .method_row import MethodRow
from .param_shapes import Shape, ident, items, one_of, or_null, record, safe_integer

USAGE_GROUPS: Final = ("day", "agent", "model", "session", "sender")
USAGE_SPLITS: Final = ("agent", "model", "sender")
USAGE_PERIODS: Final = ("today", "7d", "30d", "all")
BUDGET_PERIODS: Final = ("day", "week", "month", "total")
UNPRICED_RULES: Final = ("ignore", "pause")
MOST_BUDGETS: Final = 20

_AT_MS = safe_integer(0)
_AMOUNT = safe_integer(1)
_BUDGET = record(
    {"period": one_of(BUDGET_PERIODS), "unpriced": one_of(UNPRICED_RULES)},
    {
        "id": ident(),
        "agentId": or_null(ident()),
        "limitMicroUsd": or_null(_AMOUNT),
        "limitTokens": or_null(_AMOUNT),
    },
)


def _row(name: str, params: Shape, doc: str, result: str) -> MethodRow:
    return MethodRow(name, params, "usage", doc, result, ns="cardloom", built=True)


USAGE_ROWS: Final = (
    _row(
        "usage.report",
        record(
            {"by": one_of(USAGE_GROUPS)},
            {
                "workspaceId": or_null(ident()),
                "agentId": or_null(ident()),
                "period": one_of(USAGE_PERIODS),
                "from": _AT_MS,
                "to": _AT_MS,
                "split": one_of(USAGE_SPLITS),
            },
        ),
        "Sums tokens and money of a workspace, of one agent or of all logs, by day, agent, model, session or sender; "
        "`split` gives days in parts.",
        "{by, from|null, to, rows: [{key, name, ...sums, parts?}], total, skipped, skips: [{harness, reason, count}], "
        "partial, prices, scannedAt}",
    ),
    _row(
        "usage.scan",
        record({}),
        "Reads the agents' logs to their ends now.",
        "{logs, read, readBytes, failed}",
    ),
    _row(
        "usage.agent",
        record({"agentId": ident()}, {"since": _AT_MS, "until": _AT_MS}),
        "Tells one agent's usage, and what its next turn may cost by its last ones.",
        "{usage: AgentUsage, estimate: {turns, costMicroUsd|null, totalTokens|null}|null}",
    ),
    _row(
        "usage.timeline",
        record({"agentId": ident()}, {"since": _AT_MS, "until": _AT_MS}),
        "Gives one agent's requests, statuses and turns in a span of time.",
        "AgentTimeline",
    ),
    _row(
        "budget.get",
        record({"workspaceId": ident()}),
        "Tells the budgets of a workspace and what is spent of each.",
        "{budgets: [Budget with spent]}",
    ),
    _row(
        "budget.set",
        record(
            {"workspaceId": ident(), "budgets": items(_BUDGET, max_items=MOST_BUDGETS)},
            {"base": items(_BUDGET, max_items=MOST_BUDGETS)},
        ),
        "Sets all budgets of a workspace, unless they are no longer those of `base`: then nothing is set.",
        "{budgets: [Budget with spent]} or {conflict: {budgets}}",
    ),
)
