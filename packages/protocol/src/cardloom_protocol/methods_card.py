"""The methods a card may call, one row each, in the order of the published contract.

The parameter schemas are the contract's own (the SDK inside a card checks the same ones before sending). What a row
does not say is in the feature that owns it. Spec: cards, methods; decision 40 for the owners. The canvas's own
methods are in `methods`, which joins both tables; the events are in `events_card`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .events_card import CARD_EVENTS, CARD_TOPICS
from .method_row import MethodRow
from .methods_card_own import CARD_ROWS, ENVIRONMENT_ROWS, HOST_ROWS, STORAGE_ROWS, UI_ROWS
from .methods_card_reach import AGENTS_ROWS, FILES_ROWS, NET_ROWS, PORTS_ROWS, REST_ROWS, TOOLS_ROWS

__all__ = ["CARD_EVENTS", "CARD_METHODS", "CARD_TOPICS"]

_ROWS = (
    *HOST_ROWS,
    *CARD_ROWS,
    *UI_ROWS,
    *STORAGE_ROWS,
    *ENVIRONMENT_ROWS,
    *AGENTS_ROWS,
    *PORTS_ROWS,
    *TOOLS_ROWS,
    *NET_ROWS,
    *FILES_ROWS,
    *REST_ROWS,
)

CARD_METHODS: Mapping[str, MethodRow] = MappingProxyType({row.name: row for row in _ROWS})
