"""The methods that list agents and shells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardloom_protocol.ids import WorkspaceId

from ...core.call import Call, Handler
from ...core.graph import Graph
from .service import AgentService


def handlers(service: AgentService, graph: Graph) -> Mapping[str, Handler]:
    """Give the handlers. A card sees its workspace, the owner all."""

    def home(call: Call) -> WorkspaceId | None:
        card_id = call.caller.card_id
        return None if card_id is None else graph.card(card_id).workspace_id

    async def listed(call: Call) -> list[dict[str, Any]]:
        return service.listed(home(call), call.caller.card_id)

    async def one(call: Call) -> dict[str, Any]:
        return service.one(call.params["agentId"], home(call), call.caller.card_id)

    return {"agents.list": listed, "agents.get": one}
