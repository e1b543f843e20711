"""The methods of usage and budgets: what cards may read, and what the owner sees and sets.

Spec: cards, usage; agents, run of one agent; decisions 19, 39.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.call import Call, Handler
from ...core.clock import Clock
from ...core.graph import Graph
from .budget_desk import Overtaken
from .budgets import Spent
from .service import UsageService
from .windows import window_of

_WEEK_MS: Final = 7 * 24 * 3_600_000


def card_handlers(service: UsageService, graph: Graph) -> Mapping[str, Handler]:
    """Give the handlers for cards, each of which sees its own workspace."""

    async def summary(call: Call) -> dict[str, Any]:
        home = graph.card(call.card_id).workspace_id
        return (await service.answers.summary(home, call.params["period"])).to_wire()

    async def usage(call: Call) -> dict[str, Any]:
        params = call.params
        return (await service.answers.agent(params["agentId"], params["since"], params.get("until"))).to_wire()

    async def timeline(call: Call) -> dict[str, Any]:
        params = call.params
        return (await service.answers.timeline(params["agentId"], params["since"], params.get("until"))).to_wire()

    return {"usage.summary": summary, "agents.usage": usage, "agents.timeline": timeline}


def owner_handlers(service: UsageService, graph: Graph, clock: Clock) -> Mapping[str, Handler]:
    """Give the handlers for the owner: reports, scans, and one agent in full."""

    def since(call: Call) -> int:
        return int(call.params.get("since", max(clock.now_ms() - _WEEK_MS, 0)))

    async def report(call: Call) -> dict[str, Any]:
        params, workspace_id, agent_id = call.params, call.params.get("workspaceId"), call.params.get("agentId")
        if workspace_id is not None:
            graph.workspace(workspace_id)
        from_ms, to_ms = params.get("from"), params.get("to")
        period = params.get("period", "all")
        if from_ms is None and period != "all":
            from_ms, to_ms = window_of(period, clock.now_ms())
        if from_ms is not None and to_ms is not None and to_ms < from_ms:
            raise CallError(ErrorCode.INVALID_PARAMS, "to: the span ends before it begins", [])
        found = await service.answers.report(
            params["by"],
            workspace_id=None if workspace_id is None else WorkspaceId(workspace_id),
            agent_id=None if agent_id is None else CardId(agent_id),
            from_ms=from_ms,
            to_ms=to_ms,
            split=params.get("split"),
        )
        return found.to_wire()

    async def scan(_: Call) -> dict[str, Any]:
        done = await service.scan()
        return {"logs": done.logs, "read": done.read, "readBytes": done.read_bytes, "failed": done.failed}

    async def agent(call: Call) -> dict[str, Any]:
        usage = await service.answers.agent(call.params["agentId"], since(call), call.params.get("until"))
        return {"usage": usage.to_wire(), "estimate": await service.answers.estimate(usage.agent_id)}

    async def timeline(call: Call) -> dict[str, Any]:
        return (await service.answers.timeline(call.params["agentId"], since(call), call.params.get("until"))).to_wire()

    return {"usage.report": report, "usage.scan": scan, "usage.agent": agent, "usage.timeline": timeline}


def budget_handlers(service: UsageService) -> Mapping[str, Handler]:
    """Give the handlers for what the owner allows to be spent."""

    async def get(call: Call) -> dict[str, Any]:
        return _told(await service.budgets.of(WorkspaceId(call.params["workspaceId"])))

    async def set_(call: Call) -> dict[str, Any]:
        params = call.params
        found = await service.budgets.set(WorkspaceId(params["workspaceId"]), params["budgets"], params.get("base"))
        return {"conflict": _told(found.standing)} if isinstance(found, Overtaken) else _told(found)

    return {"budget.get": get, "budget.set": set_}


def _told(spent: Sequence[Spent]) -> dict[str, Any]:
    return {"budgets": [one.to_wire() for one in spent]}
