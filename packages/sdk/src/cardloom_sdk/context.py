"""What a card knows about itself and its surroundings: the answer to the handshake, kept up by events.

Spec: cards, the card context.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.permissions import closure
from cardloom_protocol.ports.peers import PeerInfo
from cardloom_protocol.ports.types import PortInfo

_REPLACED_BY = {
    "settings.changed": "settings",
    "theme.changed": "theme",
    "i18n.changed": "i18n",
    "permissions.changed": "permissions",
    "ports.peersChanged": "peers",
}


class CardContext:
    """The context as the host last told it. `wire` holds it under its wire names."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self.wire: dict[str, Any] = dict(wire)
        self.inputs = _ports(wire["ports"]["inputs"])
        self.outputs = _ports(wire["ports"]["outputs"])
        self.peers = _peers(wire["peers"])
        self.allowed = _allowed(wire["permissions"])

    @property
    def instance(self) -> Mapping[str, Any]:
        """Who the card is: instanceId, packageId, name, displayName, version, title, size."""
        instance: Mapping[str, Any] = self.wire["instance"]
        return instance

    @property
    def card_id(self) -> str:
        """The card's id on the canvas."""
        return str(self.instance["instanceId"])

    @property
    def visibility(self) -> str:
        """`visible`, `overview` or `hidden`."""
        return str(self.wire["visibility"])

    def limit(self, name: str, default: int) -> int:
        """A number the host promises; the default where an older host does not name it."""
        value = self.wire["limits"].get(name, default)
        return int(value)

    def take(self, event: str, data: JsonValue) -> None:
        """Follow an event that replaces a part of the context; other events change nothing."""
        part = _REPLACED_BY.get(event)
        if part is not None:
            self.wire[part] = data
        if event == "lifecycle.visibility" and isinstance(data, dict):
            self.wire["visibility"] = data["state"]
        elif event == "lifecycle.expanded" and isinstance(data, dict):
            self.wire["expanded"] = data["expanded"]
        elif event == "lifecycle.resized" and isinstance(data, dict):
            self.wire["instance"] = {**self.instance, "size": data}
        elif event == "permissions.changed":
            self.allowed = _allowed(data)
        elif event == "ports.peersChanged":
            self.peers = _peers(data)


def _ports(wires: Any) -> tuple[PortInfo, ...]:
    return tuple(PortInfo.from_wire(wire) for wire in wires)


def _peers(wires: Any) -> tuple[PeerInfo, ...]:
    return tuple(PeerInfo.from_wire(wire) for wire in wires)


def _allowed(wires: Any) -> frozenset[str]:
    return closure(wire["id"] for wire in wires if wire["granted"])
