"""New ids: global, random, never reused (decision 41)."""

from __future__ import annotations

import secrets

from cardloom_protocol.ids import ArrowId, CardId, ChainId, ConnectionId, DialogId, PageId, WorkspaceId

_BYTES = 9  # 72 random bits: a clash among a billion ids is less likely than one in 9 000


def _new(prefix: str) -> str:
    return f"{prefix}_{secrets.token_urlsafe(_BYTES)}"


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
