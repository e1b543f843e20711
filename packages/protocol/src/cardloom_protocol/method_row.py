"""What one row of the method table and of the event table holds.

Both tables (cards' in `methods_card`, the canvas's own in `methods_canvas`) are made of these rows, and everything that
needs to know something about a method reads it here: the gate, the parameter check, the reference pages, the
TypeScript types. Spec: cards, methods and events; decisions 37-40.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Namespace = Literal["nscard", "cardloom"]
ParamsSchema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One method: what it takes, who may call it, how often, and which feature answers it.

    `permissions_any_of` is empty when no permission is needed, else one of them (closure applied) is enough.
    `needs_arrow` names the parameter holding the id of the card that an arrow must join to the caller.
    `per_minute` is a sliding window of 60 s, `min_interval_ms` a gap since the last accepted call.
    `large_request` and `large_response` raise the message limit (`CARD_LIMITS`). `owner` is the feature folder.
    A row with `built=False` is reserved: calling it answers METHOD_NOT_FOUND and capabilities leave it out.
    """

    name: str
    params_schema: ParamsSchema
    owner: str
    doc: str
    result: str = "nothing"
    ns: Namespace = "nscard"
    permissions_any_of: tuple[str, ...] = ()
    visible: bool = False
    per_minute: int | None = None
    min_interval_ms: int | None = None
    large_request: bool = False
    large_response: bool = False
    before_ready: bool = False
    needs_arrow: str | None = None
    since: str = "1.0"
    built: bool = False

    def allowed(self, effective: frozenset[str]) -> bool:
        """Whether a caller holding these permissions (closure applied) passes the permission gate."""
        return not self.permissions_any_of or not effective.isdisjoint(self.permissions_any_of)


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event: what it tells and who receives it.

    A `topic` must be subscribed to; any other event always flows. `permission` is what a subscriber needs, checked
    again at every delivery. `buffered` events wait in the client (up to 100) until somebody listens.
    """

    name: str
    doc: str
    data: str
    ns: Namespace = "nscard"
    topic: bool = False
    permission: str | None = None
    buffered: bool = False
    since: str = "1.0"
