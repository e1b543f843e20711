"""A tool as an agent sees it, and which card it means: the `card` argument where several cards offer the same tool.

Spec: cards, tools for agents; decision 9.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode

from ...core.records import Card

CARD: Final = "card"

Args: TypeAlias = dict[str, Any]
OnProgress: TypeAlias = Callable[[str], None]
Act: TypeAlias = Callable[[Card | None, Args, OnProgress], Awaitable[dict[str, Any]]]
"""Does a tool's work on a card (None for a tool that belongs to no card); gives `{content, isError?}`."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool for one agent. `cards` are those that offer it; empty for a tool that belongs to no card."""

    name: str
    description: str
    schema: Mapping[str, Any]
    act: Act
    title: str | None = None
    read_only: bool = False
    cards: tuple[Card, ...] = ()

    def shown_schema(self) -> dict[str, Any]:
        """The schema of the arguments, with the choice of a card where there is one."""
        shown = dict(self.schema)
        if len(self.cards) > 1:
            shown["properties"] = {**shown.get("properties", {}), CARD: _choice(self.cards)}
            shown["required"] = [*shown.get("required", ()), CARD]
        return shown

    async def run(self, args: Mapping[str, Any], on_progress: OnProgress) -> dict[str, Any]:
        """Choose the card and have the work done. INVALID_PARAMS: no card chosen, or none of these."""
        rest = dict(args)
        if not self.cards:
            return await self.act(None, rest, on_progress)
        if len(self.cards) == 1 and CARD not in rest:
            return await self.act(self.cards[0], rest, on_progress)
        return await self.act(chosen(self.cards, rest.pop(CARD, None)), rest, on_progress)


def chosen(cards: Sequence[Card], named: object) -> Card:
    """The card of an id or a unique name. INVALID_PARAMS lists what can be chosen."""
    for card in cards:
        if card.id == named:
            return card
    by_name = [card for card in cards if card.name == named]
    if len(by_name) == 1:
        return by_name[0]
    message = f"card: choose one by its id: {_listed(cards)}"
    raise CallError(
        ErrorCode.INVALID_PARAMS, message, [{"path": f"/{CARD}", "keyword": "enum", "message": "choose a card"}]
    )


def _choice(cards: Sequence[Card]) -> dict[str, Any]:
    names = [card.name for card in cards]
    ids = [card.id for card in cards]
    unique = [name for name in names if names.count(name) == 1 and name not in ids]
    return {"type": "string", "enum": [*ids, *unique], "description": f"Which card is meant: {_listed(cards)}"}


def _listed(cards: Sequence[Card]) -> str:
    return ", ".join(f"{card.id} ({card.name})" for card in cards)
