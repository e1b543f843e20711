"""The whole method table and the whole event table: the cards' rows and the canvas's own.

A method is named once in each namespace. The owner may also call the rows of `OWNER_CARD_METHODS`, for which an
agent id says enough and no card has to stand behind the call. Spec: decisions 37, 39.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .events_canvas import CANVAS_EVENTS
from .events_card import CARD_EVENTS
from .method_row import EventRow, MethodRow, Namespace
from .methods_canvas import CANVAS_METHODS
from .methods_card import CARD_METHODS

__all__ = ["CANVAS_METHODS", "CARD_METHODS", "EVENTS", "METHODS", "OWNER_CARD_METHODS", "find_method"]

METHODS: Final[Mapping[Namespace, Mapping[str, MethodRow]]] = {"nscard": CARD_METHODS, "cardloom": CANVAS_METHODS}
EVENTS: Final[Mapping[Namespace, Mapping[str, EventRow]]] = {"nscard": CARD_EVENTS, "cardloom": CANVAS_EVENTS}

OWNER_CARD_METHODS: Final = frozenset(
    (
        "host.capabilities",
        "agents.list",
        "agents.get",
        "agents.readScreen",
        "agents.lastReply",
        "agents.prompt",
        "terminals.run",
        "terminals.write",
    )
)


def find_method(ns: Namespace, name: str) -> MethodRow | None:
    """Give the row a client of this namespace means, or None where there is none it may know of."""
    row = METHODS[ns].get(name)
    if row is None and ns == "cardloom" and name in OWNER_CARD_METHODS:
        row = CARD_METHODS[name]
    return row
