"""The methods that list agents and shells, and the one that lets a program be an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.call import Call, Handler
from ...core.graph import Graph
from .service import AgentService

SEAT_KIND: Final = "terminal"
"""The kind of card that an agent sits at."""

Admit: TypeAlias = Callable[[CardId], dict[str, str]]
"""Makes a card's one good token for the tools; gives `{url, token}`."""


def handlers(service: AgentService, graph: Graph, admit: Admit) -> Mapping[str, Handler]:
    """Give the handlers. A card sees its workspace, the owner all."""

    def home(call: Call) -> WorkspaceId | None:
        card_id = call.caller.card_id
        return None if card_id is None else graph.card(card_id).workspace_id

    async def listed(call: Call) -> list[dict[str, Any]]:
        return service.listed(home(call), call.caller.card_id)

    async def one(call: Call) -> dict[str, Any]:
        return service.one(call.params["agentId"], home(call), call.caller.card_id)

    async def token(call: Call) -> dict[str, str]:
        card = graph.card(call.params["cardId"])
        if card.kind != SEAT_KIND:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} is no terminal; an agent sits at a terminal", [])
        return admit(card.id)

    return {"agents.list": listed, "agents.get": one, "agent.token": token}
