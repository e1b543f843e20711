"""Taking over what pi writes in a run: each entry once, under the id that clients were told."""

from __future__ import annotations

from collections import deque

from cardloom_protocol.session.json_text import JsonObject, object_of, text_of

_OF_THE_RUN_ALONE = frozenset({"system", "user"})  # pi's own prompt; and the words that stand in the session already


class Adoption:
    """Which of pi's entries are which of ours. `user_id` is the message that was prompted with."""

    def __init__(self, user_id: str) -> None:
        self._user_id = user_id
        self._ids: dict[str, str] = {}
        self._told: deque[str] = deque()
        self._has_begun = False
        self.cursor: str | None = None

    def tell(self, message_id: str) -> None:
        """The next message of pi was told to clients under this id."""
        self._told.append(message_id)

    def take(self, entries: list[JsonObject], *, is_over: bool = False) -> list[JsonObject]:
        """What is to be appended to the session, of new entries in their order.

        pi may be ahead of what was told: a message that clients have not heard of waits for the next time, unless the
        run is over.
        """
        taken: list[JsonObject] = []
        for entry in entries:
            entry_id = text_of(entry.get("id"))
            role = object_of(entry.get("message")).get("role") if entry.get("type") == "message" else None
            is_message = role is not None and role not in _OF_THE_RUN_ALONE
            if self._has_begun and is_message and not self._told and not is_over:
                break
            self.cursor = entry_id
            if not self._has_begun:
                self._has_begun = role == "user"
                self._ids[entry_id] = self._user_id
            elif role in _OF_THE_RUN_ALONE:
                self._ids[entry_id] = self._parent(entry)
            else:
                own = self._told.popleft() if is_message and self._told else entry_id
                self._ids[entry_id] = own
                taken.append({**entry, "id": own, "parentId": self._parent(entry)})
        return taken

    def _parent(self, entry: JsonObject) -> str:
        return self._ids.get(text_of(entry.get("parentId")), self._user_id)
