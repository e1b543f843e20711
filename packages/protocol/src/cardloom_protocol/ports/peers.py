"""The cards joined to one card by arrows, as that card sees them. Spec: ports, who is connected; decision 46."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..jstext import JsonValue
from .types import PortInfo

PeerKind = Literal["custom", "note", "todo", "kanban", "sticky", "agent", "terminal", "other"]
Direction = Literal["downstream", "upstream", "both"]


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """A joined card. `direction` is seen from the card that asks: downstream peers receive its outputs.

    `type` is the harness of an agent or terminal, the package name of a custom card.
    """

    card_id: str
    kind: PeerKind
    name: str
    direction: Direction
    inputs: tuple[PortInfo, ...] = ()
    outputs: tuple[PortInfo, ...] = ()
    type: str | None = None

    @property
    def receives(self) -> bool:
        """Whether the asking card's outputs reach this peer."""
        return self.direction != "upstream"

    def input(self, port_id: str) -> PortInfo | None:
        """The input of that id."""
        return next((port for port in self.inputs if port.id == port_id), None)

    def output(self, port_id: str) -> PortInfo | None:
        """The output of that id."""
        return next((port for port in self.outputs if port.id == port_id), None)

    def to_wire(self) -> dict[str, JsonValue]:
        """The peer as cards read it."""
        wire: dict[str, JsonValue] = {"cardId": self.card_id, "kind": self.kind, "name": self.name}
        if self.type is not None:
            wire["type"] = self.type
        wire["direction"] = self.direction
        wire["inputs"] = [port.to_wire() for port in self.inputs]
        wire["outputs"] = [port.to_wire() for port in self.outputs]
        return wire

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> PeerInfo:
        """A peer from what a host says."""
        return cls(
            card_id=wire["cardId"],
            kind=wire["kind"],
            name=wire["name"],
            direction=wire["direction"],
            inputs=tuple(PortInfo.from_wire(port) for port in wire.get("inputs", ())),
            outputs=tuple(PortInfo.from_wire(port) for port in wire.get("outputs", ())),
            type=wire.get("type"),
        )
