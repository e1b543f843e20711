"""Cards of a kind that live where their workspace is open: they come and go with it as with their own making."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from ..core.graph import Graph
from ..core.records import Card, Workspace
from ..features.canvas.commits import Listeners

CardStep: TypeAlias = Callable[[Card], Awaitable[None]]


def join_kind(listeners: Listeners, graph: Graph, kind: str, comes: CardStep, goes: CardStep) -> None:
    """Tell a feature of its cards: `comes` in a workspace that is open, `goes` when that closes or the card is gone."""

    async def added(card: Card) -> None:
        if card.kind == kind and graph.is_open(card.workspace_id):
            await comes(card)

    async def removed(card: Card) -> None:
        if card.kind == kind:
            await goes(card)

    async def opened(workspace: Workspace) -> None:
        for card in graph.cards_of(workspace.id):
            await added(card)

    async def closed(workspace: Workspace) -> None:
        await asyncio.gather(*(removed(card) for card in graph.cards_of(workspace.id)))

    listeners.card_added.append(added)
    listeners.card_removed.append(removed)
    listeners.workspace_opened.append(opened)
    listeners.workspace_closed.append(closed)
