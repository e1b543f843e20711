"""What a check of the contract of stores is, and the small steps that checks are made of. See `store_contract`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from cardloom_protocol.session import Message, NodeInput, SessionError, to_history

from ..stores.contract import SessionStore

Check: TypeAlias = Callable[[SessionStore], Awaitable[None]]

EVERY_PART: list[Any] = [
    {"type": "text", "text": "lead %user\n%assistant\n````\n%x\n````"},
    {"type": "text", "text": ""},
    {"type": "thinking", "text": "t", "meta": {"signature": "s"}},
    {"type": "tool_use", "data": {"b": 1, "a": [None, 1.5, "é😀\u2028"]}, "meta": {"callId": "c1", "name": "calc"}},
    {"type": "tool_result", "data": [1], "text": "one", "meta": {"callId": "c1", "name": "calc", "error": False}},
    {"type": "file", "text": "body", "meta": {"name": "a b.pdf", "mime": "application/pdf", "ref": "r", "tokens": 5}},
    {"type": "image", "meta": {"mime": "image/png", "url": "data:image/png;base64,AAAA", "alt": "x"}},
    {"type": "image", "meta": {"url": "https://example.org/y.png"}},
    {"type": "error", "text": "boom", "meta": {"code": "E"}},
    {"type": "custom", "data": {"w": 1}, "text": "alt", "meta": {"hint": "poll", "extra": 7}},
    {"type": "hologram", "payload": {"deep": [{"x": "\u0001"}]}},
]


async def refused(kind: type[SessionError], work: Awaitable[object]) -> None:
    """Waits for work that must fail with an error of that kind."""
    try:
        await work
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was expected")


async def history(store: SessionStore, session_id: str) -> list[Message]:
    """The messages that a client would see."""
    return to_history(await store.load(session_id))


async def shown_ids(store: SessionStore, session_id: str) -> list[str]:
    """The ids of the messages that a client would see."""
    return [message["id"] for message in await history(store, session_id)]


async def made(store: SessionStore, *ids: str, session_id: str = "s") -> None:
    """A session with some messages, one below the other."""
    await store.create(session_id=session_id)
    for number, node_id in enumerate(ids):
        role = "assistant" if number % 2 else "user"
        await store.append_node(session_id, NodeInput(role, id=node_id, text=node_id.upper()))
