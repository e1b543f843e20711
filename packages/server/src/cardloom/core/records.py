"""What stands on a canvas: workspaces, cards and arrows as immutable values, and the changes that replace them.

Only what an arrow counts is changed in place: it belongs to the arrow, whichever value tells of it. A record's
`to_wire` is what pages see. Coordinates and sizes are canvas units (pixels at zoom 1). Spec: decisions 36, 41, 43.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from cardloom_protocol.ids import ArrowId, CardId, WorkspaceId
from cardloom_protocol.ports.types import PortInfo

Direction = Literal["forward", "backward", "both"]
Flow = Literal["forward", "backward"]
JsonObject = Mapping[str, Any]

DEFAULT_NAMES: Mapping[str, str] = {
    "note": "Note",
    "todo": "To-do list",
    "kanban": "Task board",
    "sticky": "Sticky",
    "terminal": "Terminal",
    "agent": "Agent",
    "chat": "Chat",
    "budget": "Budget",
    "custom": "Card",
    "other": "Card",
}


_TURNING: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Workspace:
    """One canvas over one folder. `problem` says what is wrong with the folder, None when it can be used."""

    id: WorkspaceId
    name: str
    path: str
    created_at_ms: int
    is_open: bool = True
    strict: bool = False
    problem: str | None = None

    def to_wire(self, cards: int) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "path": self.path,
            "open": self.is_open,
            "problem": self.problem,
            "strict": self.strict,
            "cards": cards,
            "createdAtMs": self.created_at_ms,
        }


@dataclass(frozen=True, slots=True)
class Chrome:
    """What a card shows around itself: header chip, badge, overview tile, call for attention (cards' own JSON)."""

    title: str | None = None
    status: JsonObject | None = None
    badge: JsonObject | None = None
    overview: JsonObject | None = None
    attention: JsonObject | None = None

    def to_wire(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "status": self.status,
            "badge": self.badge,
            "overview": self.overview,
            "attention": self.attention,
        }


@dataclass(frozen=True, slots=True)
class Card:
    """One card. `content` is its kind's own JSON, `revision` counts its changes, `runtime` is never stored.

    `type` is the shell's harness id for terminals and the package name for custom cards.
    """

    id: CardId
    workspace_id: WorkspaceId
    kind: str
    x: float
    y: float
    w: float
    h: float
    z: int
    created_at_ms: int
    type: str | None = None
    title: str | None = None
    revision: int = 0
    content: JsonObject = field(default_factory=dict)
    chrome: Chrome = field(default_factory=Chrome)
    runtime: JsonObject | None = None
    inputs: tuple[PortInfo, ...] = ()
    outputs: tuple[PortInfo, ...] = ()

    @property
    def name(self) -> str:
        """The name people see: their title, else the card's own, else its kind's.

        It stands in the middle of sentences, so marks that turn the direction of what follows become U+FFFD.
        """
        name = self.title or self.chrome.title or self.type_name or DEFAULT_NAMES.get(self.kind, "Card")
        return name if name.isascii() else _TURNING.sub("\ufffd", name)

    @property
    def type_name(self) -> str | None:
        """A custom card's display name, which its content carries."""
        name = self.content.get("displayName") if self.kind == "custom" else None
        return name if isinstance(name, str) else None

    def to_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "workspaceId": self.workspace_id,
            "kind": self.kind,
            "type": self.type,
            "title": self.title,
            "name": self.name,
            "x": self.x,
            "y": self.y,
            "w": self.w,
            "h": self.h,
            "z": self.z,
            "revision": self.revision,
            "content": self.content,
            "chrome": self.chrome.to_wire(),
            "runtime": self.runtime,
            "ports": {
                "inputs": [port.to_wire() for port in self.inputs],
                "outputs": [port.to_wire() for port in self.outputs],
            },
            "createdAtMs": self.created_at_ms,
        }


@dataclass(slots=True)
class ArrowStats:
    """What passed along an arrow since it was drawn. Counted in place: every state of the arrow has the same one."""

    passed: int = 0
    dropped: int = 0
    refused: int = 0
    loops: int = 0
    last_at_ms: int | None = None

    def to_wire(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "dropped": self.dropped,
            "refused": self.refused,
            "loops": self.loops,
            "lastAtMs": self.last_at_ms,
        }


@dataclass(frozen=True, slots=True)
class DrawnBy:
    """Who drew an arrow. Only the owner's arrows consent; the others wait for the owner (decision 36)."""

    kind: Literal["owner", "card", "agent"] = "owner"
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """One arrow between two cards; `rank` is the order of drawing, which is the order of delivery."""

    id: ArrowId
    workspace_id: WorkspaceId
    a: CardId
    b: CardId
    direction: Direction
    drawn_by: DrawnBy
    drawn_at_ms: int
    rank: int
    pending: bool = False
    paused: bool = False
    stats: ArrowStats = field(default_factory=ArrowStats)

    @property
    def active(self) -> bool:
        """Whether it carries values: confirmed and not paused."""
        return not self.pending and not self.paused

    def other(self, card_id: CardId) -> CardId:
        """The card at the other end."""
        return self.b if card_id == self.a else self.a

    def carries_from(self, card_id: CardId) -> bool:
        """Whether values of this card travel along it."""
        return self.direction == "both" or (self.direction == "forward") == (card_id == self.a)

    def flow_from(self, card_id: CardId) -> Flow:
        """Which way a value of this card travels along it."""
        return "forward" if card_id == self.a else "backward"

    def to_wire(self) -> dict[str, Any]:
        drawn_by: dict[str, Any] = {"kind": self.drawn_by.kind}
        if self.drawn_by.id is not None:
            drawn_by["id"] = self.drawn_by.id
        return {
            "id": self.id,
            "workspaceId": self.workspace_id,
            "a": self.a,
            "b": self.b,
            "direction": self.direction,
            "drawnBy": drawn_by,
            "drawnAtMs": self.drawn_at_ms,
            "pending": self.pending,
            "paused": self.paused,
            "rank": self.rank,
            "stats": self.stats.to_wire(),
        }


@dataclass(frozen=True, slots=True)
class PutCard:
    """A card appeared or changed; `fields` names the wire fields that differ, None for a whole new card."""

    card: Card
    fields: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RemoveCard:
    """A card is gone from the canvas."""

    card_id: CardId


@dataclass(frozen=True, slots=True)
class PutArrow:
    """An arrow appeared or changed."""

    arrow: Arrow


@dataclass(frozen=True, slots=True)
class RemoveArrow:
    """An arrow is gone."""

    arrow_id: ArrowId


@dataclass(frozen=True, slots=True)
class PutWorkspace:
    """The workspace's own record changed."""

    workspace: Workspace


Change = PutCard | RemoveCard | PutArrow | RemoveArrow | PutWorkspace


def well_formed(text: str) -> str:
    """A name as the disk can hold it: half a surrogate pair, which a cut in JavaScript may leave, becomes U+FFFD.

    Names and titles are written so from the beginning, since memory holds what the disk does. Values and contents are
    JSON, which holds such halves as escapes.
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def touched(card: Card, **fields: Any) -> PutCard:
    """Give the change that sets these fields of a card, naming them for the wire."""
    if fields.get("title"):
        fields["title"] = well_formed(fields["title"])
    names = tuple("workspaceId" if name == "workspace_id" else name for name in fields)
    wire = tuple(dict.fromkeys((*names, *(("name",) if {"title", "chrome", "content"} & fields.keys() else ()))))
    if {"inputs", "outputs"} & fields.keys():
        wire = (*(name for name in wire if name not in ("inputs", "outputs")), "ports")
    return PutCard(replace(card, **fields), wire)


def change_to_wire(change: Change) -> dict[str, Any]:
    """Give a change as pages read it (decisions 41, 42: one list of changes, one sequence number)."""
    match change:
        case PutCard(card, None):
            return {"op": "putCard", "card": card.to_wire()}
        case PutCard(card, fields):
            wire = card.to_wire()
            return {"op": "patchCard", "cardId": card.id, "fields": {name: wire[name] for name in fields or ()}}
        case RemoveCard(card_id):
            return {"op": "removeCard", "cardId": card_id}
        case PutArrow(arrow):
            return {"op": "putArrow", "arrow": arrow.to_wire()}
        case RemoveArrow(arrow_id):
            return {"op": "removeArrow", "arrowId": arrow_id}
        case PutWorkspace(workspace):
            fields_ = workspace.to_wire(0)
            del fields_["cards"]
            return {"op": "patchWorkspace", "fields": fields_}
