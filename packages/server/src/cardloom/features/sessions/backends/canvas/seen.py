"""What was seen of agents whose log we do not read: prompts of this door, and the reply of every turn."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from cardloom_protocol.session.errors import NotFound
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.model import NodeInput
from cardloom_protocol.session.parts import AnyPart, derived_text, text_part
from cardloom_sdk.stores import SessionStore


class SeenTalk:
    """Keeps it in a store, a session for each card."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._kept: dict[str, tuple[int, str]] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def messages(self, card_id: str) -> list[Message]:
        """What was seen of an agent so far."""
        try:
            return await self._store.history(card_id)
        except NotFound:
            return []

    async def add(self, card_id: str, role: str, parts: list[AnyPart]) -> str:
        """Keep a message; gives its id."""
        async with self._alone(card_id):
            return await self._append(card_id, role, parts)

    async def keep_reply(self, card_id: str, text: str, at_ms: int) -> str:
        """Keep the reply of a turn once, whoever tells of it; gives its id."""
        async with self._alone(card_id):
            kept_at_ms, message_id = self._kept.get(card_id, (-1, ""))
            if kept_at_ms < at_ms:
                known = await self._last_of_earlier_server(card_id, text) if kept_at_ms < 0 else None
                message_id = known or await self._append(card_id, "assistant", [text_part(text)])
                self._kept[card_id] = (at_ms, message_id)
            return message_id

    def has_kept(self, card_id: str, at_ms: int) -> bool:
        """Whether the reply of that time, or a later one, is kept."""
        return self._kept.get(card_id, (-1, ""))[0] >= at_ms

    async def _last_of_earlier_server(self, card_id: str, text: str) -> str | None:
        """The id of the last message where it is this reply: a program that goes on tells of it once more."""
        before = await self.messages(card_id)
        is_same = bool(before) and before[-1]["role"] == "assistant" and derived_text(before[-1]) == text
        return before[-1]["id"] if is_same else None

    async def _append(self, card_id: str, role: str, parts: list[AnyPart]) -> str:
        node = NodeInput(role, parts=parts)
        try:
            return (await self._store.append_node(card_id, node)).id
        except NotFound:
            await self._store.create(session_id=card_id)
            return (await self._store.append_node(card_id, node)).id

    def _alone(self, card_id: str) -> asyncio.Lock:
        lock = self._locks.get(card_id)
        if lock is None:
            lock = self._locks[card_id] = asyncio.Lock()
        return lock
