"""The built-in tools that belong to no card: the canvas around an agent.

An arrow that an agent draws waits for the owner. It takes away what it brought and nothing else. Spec: decision 36;
cards, tools for agents.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId

from ...core.records import DrawnBy
from .builtin import schema_of
from .desk import Desk

Work: TypeAlias = Callable[[Desk, dict[str, Any]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class CanvasTool:
    """One tool. `needed` are the arguments without which it does nothing."""

    description: str
    work: Work
    properties: Mapping[str, Any]
    needed: tuple[str, ...] = ()
    read_only: bool = False

    def schema(self) -> dict[str, Any]:
        return schema_of(self.properties, self.needed)


async def _list(desk: Desk, _args: dict[str, Any]) -> object:
    own = desk.card
    cards = [
        {
            "id": card.id,
            "kind": card.kind,
            "type": card.type,
            "name": card.name,
            "connected": card.id != own.id and desk.graph.joined(own.id, card.id),
        }
        for card in desk.graph.cards_of(own.workspace_id)
    ]
    arrows = [
        {"id": arrow.id, "a": arrow.a, "b": arrow.b, "direction": arrow.direction, "pending": arrow.pending}
        for arrow in desk.graph.arrows_of(own.workspace_id)
    ]
    return {"self": own.id, "cards": cards, "arrows": arrows}


async def _connect(desk: Desk, args: dict[str, Any]) -> object:
    a, b = desk.neighbour(args.get("a", desk.card_id)), desk.neighbour(args["b"])
    more = {"direction": args["direction"]} if "direction" in args else {}
    arrow = await desk.call("canvas.connect", a=a.id, b=b.id, **more)
    return {"arrowId": arrow["id"], "pending": arrow["pending"]}


async def _disconnect(desk: Desk, args: dict[str, Any]) -> object:
    arrow = desk.graph.find_arrow(args["arrow"])
    if arrow is None or arrow.drawn_by != DrawnBy("agent", desk.card_id):
        raise CallError(ErrorCode.NOT_FOUND, f"there is no arrow {args['arrow']!r} that this agent drew")
    await desk.call("canvas.disconnect", arrowId=arrow.id)
    return None


async def _spawn(desk: Desk, args: dict[str, Any]) -> object:
    wanted: dict[str, Any] = {name: args[name] for name in ("kind", "title") if name in args}
    if "text" in args:
        if args["kind"] != "note":
            raise CallError(ErrorCode.INVALID_PARAMS, "only a note begins with a text", [])
        wanted["init"] = args["text"]
    made: dict[str, Any] = dict(await desk.call("card.spawn", **wanted))
    if args.get("connect"):
        arrow = await desk.call("canvas.connect", a=desk.card_id, b=made["cardId"])
        made |= {"arrowId": arrow["id"], "pending": arrow["pending"]}
    return made


async def _remove(desk: Desk, args: dict[str, Any]) -> object:
    if CardId(args["id"]) not in desk.hall.children(desk.card_id):
        raise CallError(ErrorCode.NOT_FOUND, f"there is no card {args['id']!r} that this agent added")
    await desk.call("canvas.removeCard", cardId=args["id"])
    return None


async def _ports(desk: Desk, _args: dict[str, Any]) -> object:
    return {"peers": await desk.call("ports.peers")}


_CARD_ID: Final = {"type": "string", "description": "A card's id as canvas_list gives it."}

CANVAS_TOOLS: Final[Mapping[str, CanvasTool]] = {
    "canvas_list": CanvasTool(
        "Lists the cards and arrows of this canvas; `connected` cards are those that this agent may use.",
        _list,
        {},
        read_only=True,
    ),
    "canvas_connect": CanvasTool(
        "Asks for an arrow between two cards, from this agent unless told. It carries nothing until the user confirms.",
        _connect,
        {"a": _CARD_ID, "b": _CARD_ID, "direction": {"type": "string", "enum": ["forward", "backward", "both"]}},
        ("b",),
    ),
    "canvas_disconnect": CanvasTool(
        "Removes an arrow that this agent drew.",
        _disconnect,
        {"arrow": {"type": "string", "description": "The arrow's id as canvas_list gives it."}},
        ("arrow",),
    ),
    "canvas_spawn_card": CanvasTool(
        "Adds a card beside this agent; with `connect` it asks for an arrow to it, which the user confirms.",
        _spawn,
        {
            "kind": {"type": "string", "enum": ["note", "todo", "kanban", "sticky"]},
            "title": {"type": "string"},
            "text": {"type": "string", "description": "What a note begins with."},
            "connect": {"type": "boolean"},
        },
        ("kind",),
    ),
    "canvas_remove_card": CanvasTool("Removes a card that this agent added.", _remove, {"id": _CARD_ID}, ("id",)),
    "ports_list": CanvasTool(
        "Lists the cards joined to this agent with the inputs and outputs of each.", _ports, {}, read_only=True
    ),
}
"""The tools by name; every agent has them."""
