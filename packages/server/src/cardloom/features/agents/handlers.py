"""The methods of agents: what cards and clients may ask of them, and what the owner does with them.

Spec: agents; decisions 19, 36, 39.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from itertools import chain, count
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import HARNESSES
from cardloom_protocol.callers import CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.call import Call, Cause, Handler
from ...core.graph import Graph
from ...core.records import Card
from .prompts.desk import PromptDesk
from .prompts.model import Sender
from .seats.desk import SeatDesk
from .service import AgentService

SEAT_KINDS: Final = ("terminal", "agent")
"""The kinds of card that a program with tools of the canvas sits at."""

_KEPT: Final = ("model", "folder", "dangerous", "arguments")
_PLACE: Final = ("x", "y", "w", "h")

Admit: TypeAlias = Callable[[CardId], dict[str, str]]
"""Makes a card's one good token for the tools; gives `{url, token}`."""

CauseOf: TypeAlias = Callable[[CardId], Cause | None]
AddAgent: TypeAlias = Callable[[str, Mapping[str, Any], Mapping[str, Any], "str | None", "str | None"], Awaitable[Card]]
"""Puts an agent card on a canvas: workspace, place, content, title, page."""


def handlers(service: AgentService, graph: Graph, admit: Admit) -> Mapping[str, Handler]:
    """Give the handlers of the list. A card sees its workspace, the owner all."""

    def home(call: Call) -> WorkspaceId | None:
        card_id = call.caller.card_id
        return None if card_id is None else graph.card(card_id).workspace_id

    async def listed(call: Call) -> list[dict[str, Any]]:
        return service.listed(home(call), call.caller.card_id)

    async def one(call: Call) -> dict[str, Any]:
        return service.one(call.params["agentId"], home(call), call.caller.card_id)

    async def token(call: Call) -> dict[str, str]:
        card = graph.card(call.params["cardId"])
        if card.kind not in SEAT_KINDS:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} is no terminal; an agent sits at a terminal", [])
        return admit(card.id)

    return {"agents.list": listed, "agents.get": one, "agent.token": token}


def seat_handlers(desk: SeatDesk, prompts: PromptDesk, graph: Graph, add: AddAgent) -> Mapping[str, Handler]:
    """Give the handlers by which the owner makes, starts, answers and ends agents."""
    return {**_making(desk, prompts, graph, add), **_running(desk)}


def _making(desk: SeatDesk, prompts: PromptDesk, graph: Graph, add: AddAgent) -> dict[str, Handler]:
    async def harnesses(call: Call) -> dict[str, Any]:
        found = await desk.detector.all(again=call.params.get("again", False))
        return {"harnesses": [one.to_wire() for one in found]}

    async def create(call: Call) -> dict[str, Any]:
        params = call.params
        content = {"harness": params["harness"], **{name: params[name] for name in _KEPT if name in params}}
        if params.get("start", True):
            await desk.check(params["workspaceId"], content)
        worktree = params.get("worktree")
        if worktree is not None:
            content["worktree"] = await desk.make_worktree(params["workspaceId"], worktree["branch"])
        place = {name: params[name] for name in _PLACE if name in params}
        title = params.get("title") or _free_name(graph, params["workspaceId"], params["harness"])
        card = await add(params["workspaceId"], place, content, title, call.by_page)
        if params.get("start", True):
            await _begin(card.id, params.get("prompt"), fresh=False)
        return graph.card(card.id).to_wire()

    async def start(call: Call) -> dict[str, Any]:
        await _begin(call.params["cardId"], call.params.get("prompt"), fresh=call.params.get("fresh", False))
        return graph.card(call.params["cardId"]).to_wire()

    async def _begin(card_id: str, prompt: str | None, *, fresh: bool) -> None:
        given = await desk.start(card_id, prompt=prompt, fresh=fresh)
        if prompt and given:
            await prompts.given(card_id, prompt)
        elif prompt:
            await prompts.accept(card_id, prompt, Sender())

    async def configure(call: Call) -> dict[str, Any]:
        fields = {name: call.params[name] for name in _KEPT if name in call.params}
        card = await desk.configure(call.params["cardId"], fields)
        await prompts.recheck()
        return card.to_wire()

    return {
        "agent.harnesses": harnesses,
        "agent.create": create,
        "agent.start": start,
        "agent.configure": configure,
    }


def _running(desk: SeatDesk) -> dict[str, Handler]:
    async def stop(call: Call) -> None:
        await desk.stop(call.params["cardId"])

    async def interrupt(call: Call) -> None:
        await desk.interrupt(call.params["cardId"])

    async def answer(call: Call) -> None:
        await desk.answer(call.params["cardId"], call.params["choice"], call.params.get("questionId"))

    async def diff(call: Call) -> dict[str, Any] | None:
        changes = await desk.diff(call.params["cardId"])
        return None if changes is None else changes.to_wire()

    async def last_reply(call: Call) -> dict[str, Any]:
        text, at_ms = desk.last_reply(call.params["agentId"])
        return {"text": text, "at": at_ms}

    return {
        "agent.stop": stop,
        "agent.interrupt": interrupt,
        "agent.answer": answer,
        "agent.diff": diff,
        "agents.lastReply": last_reply,
    }


def _free_name(graph: Graph, workspace_id: str, harness: str) -> str:
    """A harness's name, numbered where a card is called so already: agents are addressed by their names."""
    taken = {card.name for card in graph.cards_of(graph.workspace(workspace_id).id)}
    name = HARNESSES[harness].name
    numbered = (f"{name} {number}" for number in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)


def prompt_handlers(prompts: PromptDesk, graph: Graph, desk: SeatDesk, cause_of: CauseOf) -> Mapping[str, Handler]:
    """Give the handlers of prompts and of the queues they wait in."""

    def sender(call: Call) -> Sender:
        if call.caller.kind is CallerKind.OWNER:
            return Sender()
        card = graph.card(call.card_id)
        return Sender(card.id, card.name, cause_of(card.id))

    def agent(call: Call) -> CardId:
        return desk.seat(call.params["cardId"]).card_id

    def listed(agent_id: CardId) -> dict[str, Any]:
        return {"prompts": [one.to_wire() for one in prompts.waiting(agent_id)]}

    async def prompt(call: Call) -> dict[str, Any]:
        params = call.params
        delivered = await prompts.submit(
            params["agentId"],
            params["text"],
            sender(call),
            submit=params.get("submit", True),
            when_busy=params.get("whenBusy", "queue"),
        )
        return {"delivered": delivered}

    async def waiting(call: Call) -> dict[str, Any]:
        return listed(agent(call))

    async def edit(call: Call) -> dict[str, Any]:
        await prompts.queues.edit(agent(call), call.params["promptId"], call.params["text"])
        return listed(agent(call))

    async def move(call: Call) -> dict[str, Any]:
        await prompts.queues.move(agent(call), call.params["promptId"], call.params["index"])
        return listed(agent(call))

    async def cancel(call: Call) -> dict[str, Any]:
        await prompts.queues.cancel(agent(call), call.params["promptId"])
        return listed(agent(call))

    async def send(call: Call) -> dict[str, Any]:
        return {"delivered": await prompts.send_now(agent(call), call.params["promptId"])}

    return {
        "agents.prompt": prompt,
        "queue.list": waiting,
        "queue.edit": edit,
        "queue.move": move,
        "queue.cancel": cancel,
        "queue.send": send,
    }
