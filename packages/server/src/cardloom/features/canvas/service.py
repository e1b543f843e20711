"""The canvas as the handlers use it: workspaces, cards, arrows, preferences.

Rules are in `model`, the order of writing and telling is in `commits`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.ports.builtin import builtin_ports

from ...core.bus import OWNERS, Bus
from ...core.clock import Clock
from ...core.dialogs import Dialogs
from ...core.graph import Graph
from ...core.ids import new_arrow_id, new_card_id, new_item_id
from ...core.recipes import DescribePackage, Recipe
from ...core.records import (
    Arrow,
    ArrowStats,
    Card,
    Change,
    Direction,
    DrawnBy,
    PutArrow,
    PutCard,
    PutWorkspace,
    RemoveArrow,
    Workspace,
)
from ...host.database import Database
from . import model
from .commits import Commits, Make
from .contents import copied_content, first_content
from .store import CanvasStore, Loaded, purge, save_preference, save_stats
from .workspaces import Workspaces

BY_OWNER: Final = DrawnBy()
_DAY_MS: Final = 86_400_000
DEFAULT_PREFERENCES: Final[Mapping[str, str]] = {"scheme": "system", "language": "en"}


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restoration brought back; `restarted` are cards whose program starts anew."""

    cards: list[Card]
    arrows: list[Arrow]
    restarted: list[CardId]


async def _keeps_nothing(_source: CardId, _copy: CardId) -> None:
    return


def _no_packages(package_id: str, _content: Mapping[str, Any]) -> Recipe:
    raise CallError(ErrorCode.NOT_FOUND, f"there is no package {package_id!r}")


class CanvasService:
    """Everything that changes a canvas.

    `describe_package` tells what a card of a package is made of, `copy_kept` copies what a card keeps for itself to one
    that is about to come.
    """

    def __init__(self, database: Database, graph: Graph, bus: Bus, clock: Clock, dialogs: Dialogs) -> None:
        self.commits = Commits(database, graph, bus, clock)
        self.listeners = self.commits.listeners
        self.workspaces = Workspaces(self.commits, database, graph, bus, clock)
        self.describe_package: DescribePackage = _no_packages
        self.copy_kept: Callable[[CardId, CardId], Awaitable[None]] = _keeps_nothing
        self.default_shell = "shell-bash"
        self._database = database
        self._store = CanvasStore(database)
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._dialogs = dialogs
        self._ranks: dict[WorkspaceId, int] = {}
        self.preferences: dict[str, str] = dict(DEFAULT_PREFERENCES)
        self._load()

    def _load(self) -> None:
        loaded = self._store.load()
        for workspace in loaded.workspaces:
            self._graph.apply(workspace.id, [PutWorkspace(workspace)])
        for card in loaded.cards:
            self._graph.apply(card.workspace_id, [PutCard(card)])
        for arrow in loaded.arrows:
            self._graph.apply(arrow.workspace_id, [PutArrow(arrow)])
        self._ranks = loaded.ranks
        self.preferences.update(loaded.preferences)

    def stored(self) -> Loaded:
        """What is on disk, for those who check that it equals what is shown."""
        return self._store.load()

    async def announce_open(self) -> None:
        """Tell the listeners, once they all are registered, which workspaces were open when the server ended."""
        for workspace in list(self._graph.workspaces.values()):
            if workspace.is_open:
                await self.commits.announce(workspace)

    async def purge_removed(self) -> None:
        """Forget what was removed longer ago than undo promises."""
        before_ms = self._clock.now_ms() - limit("removedDays") * _DAY_MS
        await self._database.write(partial(purge, before_ms=before_ms))

    async def commit(self, workspace_id: WorkspaceId, make: Make, by: str | None = None) -> None:
        """Change a canvas; see `Commits.commit`."""
        await self.commits.commit(workspace_id, make, by)

    # Cards

    def snapshot(self, workspace_id: str) -> dict[str, Any]:
        """The whole canvas as it is on disk. NOT_FOUND."""
        workspace = self._graph.workspace(workspace_id)
        cards = sorted(self._graph.cards_of(workspace.id), key=lambda card: (card.created_at_ms, card.id))
        return {
            "workspace": workspace.to_wire(len(cards)),
            "seq": self.commits.seq(workspace.id),
            "cards": [card.to_wire() for card in cards],
            "arrows": [arrow.to_wire() for arrow in self._graph.arrows_of(workspace.id)],
            "dialogs": [dialog.to_wire() for dialog in self._dialogs.of(workspace.id)],
        }

    async def add_card(
        self,
        workspace_id: str,
        kind: str,
        place: Mapping[str, Any],
        *,
        title: str | None = None,
        content: Mapping[str, Any] | None = None,
        package_id: str | None = None,
        by: str | None = None,
    ) -> Card:
        """Put a new card on the canvas. NOT_FOUND: workspace or package; INVALID_PARAMS: content; QUOTA_EXCEEDED."""
        recipe = self._recipe(kind, content or {}, package_id)
        return await self.add_made(workspace_id, recipe, place, title=title, by=by)

    async def add_made(
        self,
        workspace_id: str,
        recipe: Recipe,
        place: Mapping[str, Any],
        *,
        title: str | None = None,
        by: str | None = None,
        card_id: CardId | None = None,
    ) -> Card:
        """Put a card of a known recipe on the canvas."""
        home = WorkspaceId(workspace_id)
        card_id = card_id or new_card_id()
        await self.commit(
            self._graph.workspace(home).id,
            lambda graph: [
                PutCard(model.new_card(graph, card_id, home, recipe, place, title=title, now_ms=self._clock.now_ms()))
            ],
            by,
        )
        return self._graph.card(card_id)

    async def duplicate_card(self, card_id: str, place: Mapping[str, Any], by: str | None = None) -> Card:
        """Copy a card with its content and what it keeps, without its arrows. NOT_FOUND; QUOTA_EXCEEDED."""
        source = self._graph.card(card_id)
        recipe = Recipe(
            source.kind,
            copied_content(source.kind, source.content, new_item_id),
            source.type,
            source.inputs,
            source.outputs,
            (source.w, source.h),
        )
        beside = {"x": source.x + model.COPY_OFFSET, "y": source.y + model.COPY_OFFSET, **place}
        copy_id = new_card_id()
        await self.copy_kept(source.id, copy_id)  # before it comes: its program reads it at once
        return await self.add_made(source.workspace_id, recipe, beside, title=source.title, by=by, card_id=copy_id)

    async def update_card(self, card_id: str, fields: Mapping[str, Any], by: str | None = None) -> Card:
        """Move, resize, raise, lower or rename a card. NOT_FOUND."""

        def make(graph: Graph) -> list[Change]:
            change = model.updated(graph, graph.card(card_id), fields)
            return [] if change is None else [change]

        await self.commit(self._graph.card(card_id).workspace_id, make, by)
        return self._graph.card(card_id)

    async def arrange(self, workspace_id: str, places: Sequence[Mapping[str, Any]], by: str | None = None) -> None:
        """Move and resize many cards as one change; those that are gone meanwhile are left out. NOT_FOUND."""
        home = self._graph.workspace(workspace_id).id

        def make(graph: Graph) -> list[Change]:
            pairs = ((graph.find_card(place["cardId"]), place) for place in places)
            moves = (model.placed(card, place) for card, place in pairs if card and card.workspace_id == home)
            return [move for move in moves if move is not None]

        await self.commit(home, make, by)

    async def remove_card(self, card_id: str, *, force: bool, by: str | None = None) -> list[ArrowId]:
        """Take a card and its arrows off. NOT_FOUND; BUSY when something runs in it and `force` is not given."""
        removed: list[ArrowId] = []

        def make(graph: Graph) -> list[Change]:
            card = graph.card(card_id)
            if model.is_running(card) and not force:
                raise CallError(ErrorCode.BUSY, f"{card.name!r} is running; removing it would end what runs in it")
            removed.extend(arrow.id for arrow in graph.arrows_at(card.id))
            return model.removal(graph, card)

        await self.commit(self._graph.card(card_id).workspace_id, make, by)
        return removed

    async def restore(
        self, workspace_id: str, card_ids: Sequence[str], arrow_ids: Sequence[str], by: str | None = None
    ) -> Restored:
        """Bring removed cards and arrows back under their ids. NOT_FOUND names what is kept no more."""
        home = self._graph.workspace(workspace_id).id
        restored: list[Change] = []

        def make(graph: Graph) -> list[Change]:
            cards = self._store.removed_cards(home, card_ids)
            arrows = self._store.removed_arrows(home, arrow_ids)
            for card_id in card_ids:
                if card_id not in cards and graph.find_card(card_id) is None:
                    raise CallError(ErrorCode.NOT_FOUND, f"the card {card_id!r} is not kept any more")
            restored.extend(model.restoration(graph, list(cards.values()), list(arrows.values())))
            return restored

        await self.commits.commit(home, make, by, alone=True)
        cards = [self._graph.find_card(put.card.id) or put.card for put in restored if isinstance(put, PutCard)]
        arrows = [put.arrow for put in restored if isinstance(put, PutArrow)]
        return Restored(cards, arrows, [card.id for card in cards if card.kind in ("terminal", "agent", "custom")])

    def kept_cards(self) -> frozenset[CardId]:
        """The cards on all canvases, and those that undo can still bring back."""
        return self._store.card_ids()

    def _recipe(self, kind: str, content: Mapping[str, Any], package_id: str | None) -> Recipe:
        if kind == "custom":
            if package_id is None:
                raise CallError(ErrorCode.INVALID_PARAMS, "a custom card needs packageId")
            return self.describe_package(package_id, content)
        return self.built_in_recipe(kind, content)

    def built_in_recipe(self, kind: str, content: Mapping[str, Any]) -> Recipe:
        """What a new built-in card is made of. INVALID_PARAMS: the content does not fit its kind."""
        ports = builtin_ports(kind)
        made = first_content(
            kind, content, new_item_id, language=self.preferences["language"], shell=self.default_shell
        )
        return Recipe(kind, made, made.get("shell") or made.get("harness"), ports.inputs, ports.outputs)

    # Arrows

    async def connect(
        self,
        a: str,
        b: str,
        *,
        direction: Direction = "forward",
        drawn_by: DrawnBy = BY_OWNER,
        by: str | None = None,
    ) -> Arrow:
        """Draw an arrow. NOT_FOUND; INVALID_PARAMS: to itself, twice, across workspaces; QUOTA_EXCEEDED."""
        home = self._graph.card(a).workspace_id
        arrow_id = new_arrow_id()

        def make(graph: Graph) -> list[Change]:
            rank = self._ranks.get(home, 0) + 1
            arrow = model.new_arrow(
                graph,
                arrow_id,
                a,
                b,
                direction=direction,
                drawn_by=drawn_by,
                rank=rank,
                now_ms=self._clock.now_ms(),
            )
            self._ranks[home] = rank
            return [PutArrow(arrow)]

        await self.commit(home, make, by)
        return self._graph.arrow(arrow_id)

    async def update_arrow(
        self, arrow_id: str, *, direction: Direction | None, confirm: bool, by: str | None = None
    ) -> Arrow:
        """Turn or confirm an arrow. NOT_FOUND."""

        def make(graph: Graph) -> list[Change]:
            change = model.turned(graph.arrow(arrow_id), direction, confirm=confirm)
            return [] if change is None else [change]

        await self.commit(self._graph.arrow(arrow_id).workspace_id, make, by)
        return self._graph.arrow(arrow_id)

    async def disconnect(self, arrow_id: str, by: str | None = None) -> None:
        """Remove an arrow. NOT_FOUND."""
        await self.commit(
            self._graph.arrow(arrow_id).workspace_id, lambda graph: [RemoveArrow(graph.arrow(arrow_id).id)], by
        )

    async def add_copy(
        self, workspace: Workspace, cards: Sequence[Card], arrows: Sequence[Arrow], by: str | None = None
    ) -> None:
        """Put a whole workspace beside the others, its arrows in the order of their ranks."""
        self._ranks[workspace.id] = max((arrow.rank for arrow in arrows), default=0)
        changes: list[Change] = [PutWorkspace(workspace), *map(PutCard, cards), *map(PutArrow, arrows)]
        await self.commit(workspace.id, lambda _: changes, by)

    async def write_stats(self, arrows: Sequence[tuple[ArrowId, ArrowStats]]) -> None:
        """Put counted stats on disk; the graph holds them already."""
        await self._database.write(partial(save_stats, arrows=arrows))

    # Preferences

    async def set_preferences(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """Choose theme and language for everybody."""
        for name, value in chosen.items():
            await self._database.write(partial(save_preference, name=name, value=value))
        if any(self.preferences[name] != value for name, value in chosen.items()):
            self.preferences.update(chosen)
            self._bus.publish("preferences.changed", dict(self.preferences), OWNERS)
        return dict(self.preferences)
