"""Cards that change the canvas themselves: another size, a card beside them.

An arrow that a card draws is pending until the owner confirms it. Spec: cards, methods; decisions 12, 36.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import invalid_params
from cardloom_protocol.ids import CardId
from cardloom_protocol.limits import limit
from cardloom_protocol.schema import Issue

from ...core.graph import Graph
from ...core.recipes import Recipe
from ...core.records import Card, Change, DrawnBy, touched
from .book import CardBook
from .model import Taste, recipe
from .placement import beside, clamped
from .store import CardsStore
from .surface import Commit


class AddCard(Protocol):
    """How a card of a known recipe comes onto a canvas."""

    def __call__(
        self, workspace_id: str, recipe: Recipe, place: Mapping[str, Any], *, title: str | None
    ) -> Awaitable[Card]: ...


class Connect(Protocol):
    """How an arrow is drawn."""

    def __call__(self, a: str, b: str, *, drawn_by: DrawnBy) -> Awaitable[object]: ...


@dataclass(frozen=True, slots=True)
class CanvasTools:
    """Functions of the canvas. `built_in` gives the recipe of a built-in card; INVALID_PARAMS: its content."""

    commit: Commit
    add: AddCard
    connect: Connect
    built_in: Callable[[str, Mapping[str, Any]], Recipe]
    default_size: Callable[[str], tuple[float, float]]
    taste: Callable[[], Taste]


class Growing:
    """Sizes and children of cards."""

    def __init__(
        self,
        graph: Graph,
        book: CardBook,
        store: CardsStore,
        canvas: CanvasTools,
        *,
        most: int = limit("spawnsPerInstance"),
    ) -> None:
        self._graph = graph
        self._book = book
        self._store = store
        self._canvas = canvas
        self._most = most
        self._children = store.children()
        self._turns: dict[CardId, asyncio.Lock] = {}
        self._under_way: set[asyncio.Future[CardId]] = set()

    async def resize(self, card_id: CardId, w: float, h: float) -> dict[str, float]:
        """Give a card another size within its manifest's bounds; gives the size it has then."""
        card, package = self._book.entry(card_id)
        least, most = package.manifest["card"]["minSize"], package.manifest["card"]["maxSize"]
        size = {"w": clamped(w, least["w"], most["w"]), "h": clamped(h, least["h"], most["h"])}

        def make(graph: Graph) -> list[Change]:
            now = graph.card(card_id)
            changed = {name: value for name, value in size.items() if getattr(now, name) != value}
            return [touched(now, **changed)] if changed else []

        await self._canvas.commit(card.workspace_id, make)
        return size

    async def spawn(self, card_id: CardId, params: Mapping[str, Any]) -> CardId:
        """Add a card beside another. QUOTA_EXCEEDED: it has its children; INVALID_PARAMS: `init` does not fit the kind.

        UNAVAILABLE for a copy of itself whose program somebody runs by hand.
        """
        # A card that goes away meanwhile must not get a child that nobody counts.
        growing = asyncio.ensure_future(self._spawned(card_id, params))
        self._under_way.add(growing)
        growing.add_done_callback(self._under_way.discard)
        return await asyncio.shield(growing)

    async def _spawned(self, card_id: CardId, params: Mapping[str, Any]) -> CardId:
        async with self._turns.setdefault(card_id, asyncio.Lock()):
            parent = self._graph.card(card_id)
            if len(self.children(card_id)) >= self._most:
                message = f"{parent.name!r} has added {self._most} cards that are still there (spawnsPerInstance)"
                raise CallError(ErrorCode.QUOTA_EXCEEDED, message)
            made = self._recipe(parent, params)
            size = made.size or self._canvas.default_size(made.kind)
            x, y = beside(parent, size, self._graph.cards_of(parent.workspace_id))
            title = params.get("title")
            child = await self._canvas.add(parent.workspace_id, made, {"x": x, "y": y}, title=title)
            self._children.setdefault(card_id, set()).add(child.id)
            await self._store.add_child(card_id, child.id)
        if params.get("connect"):
            await self._canvas.connect(card_id, child.id, drawn_by=DrawnBy("card", card_id))
        return child.id

    def children(self, card_id: CardId) -> list[CardId]:
        """The cards that a card added and that are on the canvas now."""
        return [child for child in self._children.get(card_id, ()) if self._graph.find_card(child) is not None]

    def _recipe(self, parent: Card, params: Mapping[str, Any]) -> Recipe:
        if params["kind"] != "self":
            return self._canvas.built_in(params["kind"], _content(params["kind"], params.get("init")))
        if self._book.is_outside(parent):
            raise CallError(ErrorCode.UNAVAILABLE, f"the program of {parent.name!r} is run by hand; run it once more")
        _, package = self._book.entry(parent.id)
        given = {"spawnInit": params["init"]} if "init" in params else {}
        return recipe(package, self._canvas.taste().language, given)


def _content(kind: str, init: object) -> Mapping[str, Any]:
    """What `init` means to a built-in card: its content as the canvas takes it, and of a note its text."""
    if init is None:
        return {}
    if kind == "note" and isinstance(init, str):
        return {"text": init}
    if isinstance(init, dict):
        return init
    raise invalid_params([Issue("/init", "type", "this kind of card takes an object")], "card.spawn")
