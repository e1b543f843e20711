"""New ids: global, random, never reused (decision 41)."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator

from cardloom_protocol.ids import ArrowId, CardId, ChainId, ConnectionId, DialogId, PageId, WorkspaceId

_BYTES = 9  # 72 random bits: a clash among a billion ids is less likely than one in 9 000
_AT_ONCE = 256


def _random() -> Iterator[str]:
    """Random letters without end. The system is asked for many at once: asking costs more than a value's routing."""
    while True:
        stock = os.urandom(_BYTES * _AT_ONCE)
        for at in range(0, len(stock), _BYTES):
            yield base64.urlsafe_b64encode(stock[at : at + _BYTES]).decode()


_letters = _random()
_ITEM = re.compile(r"i_[A-Za-z0-9_-]{12}")


def _new(prefix: str) -> str:
    return f"{prefix}_{next(_letters)}"


def new_workspace_id() -> WorkspaceId:
    return WorkspaceId(_new("w"))


def new_card_id() -> CardId:
    return CardId(_new("c"))


def new_arrow_id() -> ArrowId:
    return ArrowId(_new("a"))


def new_chain_id() -> ChainId:
    return ChainId(_new("h"))


def new_connection_id() -> ConnectionId:
    return ConnectionId(_new("n"))


def new_page_id() -> PageId:
    return PageId(_new("p"))


def new_dialog_id() -> DialogId:
    return DialogId(_new("d"))


def new_item_id() -> str:
    """An id for a task, a column or an item inside a card."""
    return _new("i")


def is_item_id(text: str) -> bool:
    """Whether an id has the form of `new_item_id`, of which no two are the same."""
    return _ITEM.fullmatch(text) is not None
