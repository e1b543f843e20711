"""One value on its way into a built-in card, and the function of a feature that takes it in.

The ports feature routes, converts and checks; whoever owns a kind of card registers a receiver for it. Spec: ports,
built-in cards.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.jstext import JsonValue

from .call import Cause
from .records import Card


@dataclass(frozen=True, slots=True)
class Delivery:
    """A value as an input gets it: `data` fits `type`, the input's own; `source_type` is what the output declared.

    `from_card` is None where the owner sent it. `cause` is the place of this delivery: what the receiving card sends
    because of it passes it on unchanged.
    """

    workspace_id: WorkspaceId
    from_card: CardId | None
    output: str
    to: Card
    input_id: str
    type: str
    source_type: str
    data: JsonValue
    at_ms: int
    cause: Cause


Receiver: TypeAlias = Callable[[Delivery], Awaitable[None]]
"""Takes a value in and returns once it is accepted; CallError refuses it. It must not wait for an emit of its own."""
