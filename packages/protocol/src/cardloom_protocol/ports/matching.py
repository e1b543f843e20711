"""Which input a value goes to, and what using it takes. Spec: ports, sending; cards behaviour, ports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .coerce import coercion
from .peers import PeerInfo
from .types import PortInfo


def compatible(from_type: str, to_type: str) -> bool:
    """Whether values of an output of one type can reach an input of the other."""
    return coercion(from_type, to_type) is not None


def pick_input(output_type: str, inputs: Iterable[PortInfo]) -> PortInfo | None:
    """The input that a value of this type goes to when the sender names none.

    Of the compatible stream inputs: the default one, else the first of exactly this type, else the first.
    """
    fitting = [port for port in inputs if port.mode == "stream" and compatible(output_type, port.type)]
    for port in fitting:
        if port.default:
            return port
    for port in fitting:
        if port.type == output_type:
            return port
    return fitting[0] if fitting else None


def permission_for_peer(
    inputs: Sequence[PortInfo], *, input_id: str | None = None, output_type: str | None = None
) -> str | None:
    """The permission that sending to a card with these inputs takes; None when it takes none or nothing fits.

    A named input counts alone, even if it does not exist; else the one an output of `output_type` would reach; else
    the default input of any mode, else the first. An empty text counts as not given.
    """
    port: PortInfo | None
    if input_id:
        port = next((port for port in inputs if port.id == input_id), None)
    elif output_type:
        port = pick_input(output_type, inputs)
    else:
        port = next((port for port in inputs if port.default), inputs[0] if inputs else None)
    return None if port is None else port.permission


def has_downstream_peer(peers: Iterable[PeerInfo]) -> bool:
    """Whether an emitted value would have anybody to go to."""
    return any(peer.receives for peer in peers)
