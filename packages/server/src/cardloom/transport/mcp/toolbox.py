"""All tools of one agent at this moment: its canvas, the built-in cards and the cards of packages that arrows join.

Spec: cards, tools for agents; decisions 9, 36.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from cardloom_protocol.hosting import invalid_params
from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import ToolDefinition
from cardloom_protocol.manifest.names import tool_full_name
from cardloom_protocol.schema import compile_schema

from ...core.records import Card
from ...host.wire_json import dumps
from .builtin import BUILT_INS, BuiltIn
from .canvas_tools import CANVAS_TOOLS, CanvasTool
from .desk import Desk
from .file_tools import FILE_TOOLS
from .offer import Act, Args, Offer, OnProgress


class CardTools(Protocol):
    """The tools of cards of packages, as their feature offers them."""

    def offered(self, card_id: CardId) -> list[ToolDefinition]: ...

    def call(
        self,
        card_id: CardId,
        tool: str,
        args: JsonValue,
        agent: Mapping[str, str],
        *,
        on_progress: OnProgress | None = None,
        still_may: Callable[[], bool],
    ) -> Awaitable[dict[str, Any]]: ...


def toolbox(desk: Desk, card_tools: CardTools) -> dict[str, Offer]:
    """The tools by the names under which the agent sees them; none once its card is gone."""
    if desk.graph.find_card(desk.card_id) is None:
        return {}
    joined = desk.joined()
    offers = {name: _of_canvas(desk, name, tool) for name, tool in {**CANVAS_TOOLS, **FILE_TOOLS}.items()}
    for name, tool in BUILT_INS.items():
        cards = tuple(card for card in joined if _fits(desk, tool.kind, card))
        if cards:
            offers[name] = _of_kind(desk, name, tool, cards)
    # A card's tool never stands in for one of ours.
    return {**_of_packages(desk, joined, card_tools), **offers}


def _fits(desk: Desk, kind: str, card: Card) -> bool:
    if kind == "agent":
        info = desk.hall.directory.find(card.id)
        return info is not None and info.kind == "ai"
    return card.kind == kind


def _of_canvas(desk: Desk, name: str, tool: CanvasTool) -> Offer:
    async def act(_card: Card | None, args: Args, _on_progress: OnProgress) -> dict[str, Any]:
        _check(name, tool.schema(), args)
        return said(await tool.work(desk, args))

    return Offer(name, tool.description, tool.schema(), act, read_only=tool.read_only)


def _of_kind(desk: Desk, name: str, tool: BuiltIn, cards: tuple[Card, ...]) -> Offer:
    async def act(card: Card | None, args: Args, _on_progress: OnProgress) -> dict[str, Any]:
        _check(name, tool.schema(), args)
        assert card is not None
        return said(await tool.work(desk, card, args))

    return Offer(name, tool.description, tool.schema(), act, read_only=tool.read_only, cards=cards)


def _of_packages(desk: Desk, joined: list[Card], card_tools: CardTools) -> dict[str, Offer]:
    found: dict[str, tuple[ToolDefinition, list[Card]]] = {}
    for card in joined:
        if card.kind != "custom" or card.type is None:
            continue
        for tool in card_tools.offered(card.id):
            first, cards = found.setdefault(tool_full_name(card.type, tool["name"]), (tool, []))
            # Names of different packages may become one; then the card that was joined first has it.
            if not cards or (cards[0].type, first["name"]) == (card.type, tool["name"]):
                cards.append(card)
    return {
        name: Offer(
            name,
            tool["description"],
            tool["inputSchema"],
            _acting(desk, card_tools, tool["name"]),
            title=tool.get("title"),
            read_only=tool.get("readOnly", False),
            cards=tuple(cards),
        )
        for name, (tool, cards) in found.items()
    }


def _acting(desk: Desk, card_tools: CardTools, tool: str) -> Act:
    async def act(card: Card | None, args: Args, on_progress: OnProgress) -> dict[str, Any]:
        assert card is not None
        agent = {"id": desk.card_id, "name": desk.card.name}

        def still_may() -> bool:
            return any(joined.id == card.id for joined in desk.joined())

        return await card_tools.call(card.id, tool, args, agent, on_progress=on_progress, still_may=still_may)

    return act


def _check(name: str, schema: Mapping[str, Any], args: Args) -> None:
    """INVALID_PARAMS with the places where arguments do not fit."""
    issues = compile_schema(dict(schema)).check(args, max_issues=limit("paramsIssues"))
    if issues:
        raise invalid_params(issues, name)


def said(answer: object) -> dict[str, Any]:
    """An answer as a tool's result: a text as it is, nothing as OK, anything else as JSON."""
    text = "OK" if answer is None or answer == {} else answer if isinstance(answer, str) else dumps(answer)
    return {"content": [{"type": "text", "text": text}]}
