"""The rules of the canvas: what a call makes of the picture, as values. No time, no disk, no waiting.

Each function reads the graph and gives the changes to make, or raises CallError. Spec: decisions 36, 41.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId
from cardloom_protocol.limits import limit

from ...core.graph import Graph
from ...core.recipes import Recipe
from ...core.records import (
    Arrow,
    Card,
    Change,
    Direction,
    DrawnBy,
    PutArrow,
    PutCard,
    RemoveArrow,
    RemoveCard,
    touched,
    well_formed,
)

SIZES: Final[Mapping[str, tuple[float, float]]] = {
    "note": (320, 240),
    "todo": (300, 320),
    "kanban": (640, 380),
    "sticky": (220, 180),
    "terminal": (640, 400),
    "agent": (680, 480),
    "chat": (480, 560),
    "budget": (300, 220),
    "custom": (320, 220),
    "other": (320, 220),
}
COPY_OFFSET: Final = 32
_RUNNING: Final[Mapping[str, frozenset[str]]] = {
    "terminal": frozenset(("starting", "working")),
    "agent": frozenset(("starting", "working", "needs-input", "finished", "idle")),
    "custom": frozenset(("starting", "running")),
}
_PLACE: Final = ("x", "y", "w", "h")


def new_card(
    graph: Graph,
    card_id: CardId,
    workspace_id: WorkspaceId,
    recipe: Recipe,
    place: Mapping[str, Any],
    *,
    title: str | None,
    now_ms: int,
) -> Card:
    """Give a new card in front of all others. NOT_FOUND: the workspace; QUOTA_EXCEEDED: it is full."""
    graph.workspace(workspace_id)
    cards = graph.cards_of(workspace_id)
    _check_room(len(cards), "workspaceCards", "cards")
    w, h = recipe.size or SIZES.get(recipe.kind, SIZES["other"])
    return Card(
        card_id,
        workspace_id,
        recipe.kind,
        place["x"],
        place["y"],
        place.get("w", w),
        place.get("h", h),
        front(cards),
        now_ms,
        type=recipe.type,
        title=well_formed(title) if title else None,
        content=recipe.content,
        inputs=recipe.inputs,
        outputs=recipe.outputs,
    )


def front(cards: Iterable[Card]) -> int:
    """The z of a card that comes to stand in front."""
    return max((card.z for card in cards), default=0) + 1


def back(cards: Iterable[Card]) -> int:
    """The z of a card that comes to stand behind all."""
    return min((card.z for card in cards), default=0) - 1


def placed(card: Card, place: Mapping[str, Any]) -> PutCard | None:
    """Move and resize a card; None where it stands like this already."""
    moved = {name: place[name] for name in _PLACE if name in place and place[name] != getattr(card, name)}
    return touched(card, **moved) if moved else None


def updated(graph: Graph, card: Card, fields: Mapping[str, Any]) -> PutCard | None:
    """Move, resize, raise, lower or rename a card; None where nothing differs."""
    changed = {name: fields[name] for name in _PLACE if name in fields}
    if "title" in fields:
        changed["title"] = fields["title"] or None
    where = fields.get("z")
    others = [] if where is None else [other for other in graph.cards_of(card.workspace_id) if other.id != card.id]
    match where:
        case "front" if any(other.z >= card.z for other in others):
            changed["z"] = front(others)
        case "back" if any(other.z <= card.z for other in others):
            changed["z"] = back(others)
    changed = {name: value for name, value in changed.items() if value != getattr(card, name)}
    return touched(card, **changed) if changed else None


def is_running(card: Card) -> bool:
    """Whether a program runs in a card that its removal would end; a frame is a page, which keeps what it stored."""
    runtime = card.runtime or {}
    if runtime.get("kind") == "frame":
        return False
    status = runtime.get("status")
    return status in _RUNNING.get(card.kind, frozenset())


def removal(graph: Graph, card: Card) -> list[Change]:
    """Take a card and its arrows off the canvas."""
    arrows: list[Change] = [RemoveArrow(arrow.id) for arrow in graph.arrows_at(card.id)]
    return [*arrows, RemoveCard(card.id)]


def new_arrow(
    graph: Graph,
    arrow_id: ArrowId,
    a: str,
    b: str,
    *,
    direction: Direction,
    drawn_by: DrawnBy,
    rank: int,
    now_ms: int,
) -> Arrow:
    """Give a new arrow; one that the owner did not draw is pending.

    NOT_FOUND: a card. INVALID_PARAMS: to itself, across workspaces, or a second one (`data.arrowId` names the first).
    """
    one, two = graph.card(a), graph.card(b)
    if one.id == two.id:
        raise CallError(ErrorCode.INVALID_PARAMS, "an arrow joins two different cards")
    if one.workspace_id != two.workspace_id:
        raise CallError(ErrorCode.INVALID_PARAMS, "an arrow joins cards of one workspace")
    present = graph.arrow_between(one.id, two.id)
    if present is not None:
        raise CallError(
            ErrorCode.INVALID_PARAMS,
            f"{one.name!r} and {two.name!r} are joined already; turn that arrow instead",
            {"arrowId": present.id},
        )
    _check_room(len(graph.arrows_of(one.workspace_id)), "workspaceArrows", "arrows")
    return Arrow(
        arrow_id,
        one.workspace_id,
        one.id,
        two.id,
        direction,
        drawn_by,
        now_ms,
        rank,
        pending=drawn_by.kind != "owner",
    )


def turned(arrow: Arrow, direction: Direction | None, *, confirm: bool) -> PutArrow | None:
    """Turn or confirm an arrow, which keeps its id and rank; None where nothing differs."""
    changed = replace(arrow, direction=direction or arrow.direction, pending=arrow.pending and not confirm)
    return None if changed == arrow else PutArrow(changed)


def restoration(graph: Graph, cards: Sequence[Card], arrows: Sequence[Arrow]) -> list[Change]:
    """Bring back removed cards, in front of what came since, and the arrows that both ends allow.

    What stands on the canvas is left alone, and so is a pair of cards that got a new arrow meanwhile.
    """
    back_again = [card for card in cards if graph.find_card(card.id) is None]
    present = {card.id for card in back_again}
    changes: list[Change] = [PutCard(card) for card in back_again]
    joined: set[frozenset[CardId]] = set()
    for arrow in arrows:
        ends = frozenset((arrow.a, arrow.b))
        free = ends not in joined and graph.arrow_between(arrow.a, arrow.b) is None
        if free and all(end in present or graph.find_card(end) is not None for end in ends):
            joined.add(ends)
            changes.append(PutArrow(arrow))
    return changes


def _check_room(count: int, limit_name: str, what: str) -> None:
    most = limit(limit_name)
    if count >= most:
        raise CallError(ErrorCode.QUOTA_EXCEEDED, f"a workspace holds at most {most} {what} ({limit_name})")
