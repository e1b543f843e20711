"""Ports: their types, what a value becomes on its way, and which input it goes to. Spec: ports."""

from .coerce import coerce, coercion, conversions
from .matching import compatible, has_downstream_peer, permission_for_peer, pick_input
from .peers import Direction, PeerInfo, PeerKind
from .types import (
    PORT_TYPES,
    Check,
    PortInfo,
    PortMode,
    PortResponse,
    check_value,
    is_custom_type,
    is_port_type,
)

__all__ = [
    "PORT_TYPES",
    "Check",
    "Direction",
    "PeerInfo",
    "PeerKind",
    "PortInfo",
    "PortMode",
    "PortResponse",
    "check_value",
    "coerce",
    "coercion",
    "compatible",
    "conversions",
    "has_downstream_peer",
    "is_custom_type",
    "is_port_type",
    "permission_for_peer",
    "pick_input",
]
