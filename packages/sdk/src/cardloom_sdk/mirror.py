"""A local picture of one canvas: a snapshot, kept up by its changes; a hole in their numbers shows a loss.

Spec: the canvas's events (`canvas.changed`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Record: TypeAlias = dict[str, Any]
Taken: TypeAlias = Literal["applied", "old", "gap"]


@dataclass(slots=True)
class Mirror:
    """Workspace, cards and arrows under their wire names; `seq` is the number of the last change taken in."""

    workspace: Record
    seq: int
    cards: dict[str, Record] = field(default_factory=dict)
    arrows: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def from_snapshot(cls, snapshot: Mapping[str, Any]) -> Mirror:
        """The picture that a snapshot shows."""
        return cls(
            dict(snapshot["workspace"]),
            snapshot["seq"],
            {card["id"]: dict(card) for card in snapshot["cards"]},
            {arrow["id"]: dict(arrow) for arrow in snapshot["arrows"]},
        )

    def apply(self, changed: Mapping[str, Any]) -> Taken:
        """Take in the data of a `canvas.changed`. After `gap` the picture is stale and needs a new snapshot."""
        seq = changed["seq"]
        if seq <= self.seq:
            return "old"
        if seq != self.seq + 1:
            return "gap"
        for change in changed["changes"]:
            self._apply_one(change)
        self.seq = seq
        return "applied"

    def cards_named(self, name: str) -> list[Record]:
        """The cards whose shown name is this one, case ignored where no exact one exists."""
        exact = [card for card in self.cards.values() if card["name"] == name]
        return exact or [card for card in self.cards.values() if card["name"].casefold() == name.casefold()]

    def arrow_between(self, one: str, two: str) -> Record | None:
        """The arrow that joins two cards, however it points."""
        return next((arrow for arrow in self.arrows.values() if {arrow["a"], arrow["b"]} == {one, two}), None)

    def _apply_one(self, change: Mapping[str, Any]) -> None:
        match change["op"]:
            case "putCard":
                self.cards[change["card"]["id"]] = dict(change["card"])
            case "patchCard" if change["cardId"] in self.cards:
                self.cards[change["cardId"]].update(change["fields"])
            case "removeCard":
                self.cards.pop(change["cardId"], None)
                for arrow_id in list(self._arrows_at(change["cardId"])):
                    del self.arrows[arrow_id]
            case "putArrow":
                self.arrows[change["arrow"]["id"]] = dict(change["arrow"])
            case "removeArrow":
                self.arrows.pop(change["arrowId"], None)
            case "patchWorkspace":
                self.workspace.update(change["fields"])
            case _:  # a newer server's change: the next snapshot shows it
                return

    def _arrows_at(self, card_id: str) -> Iterator[str]:
        return (arrow["id"] for arrow in list(self.arrows.values()) if card_id in (arrow["a"], arrow["b"]))
