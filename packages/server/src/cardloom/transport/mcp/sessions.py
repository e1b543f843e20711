"""The sessions of each agent, so that they can be ended with the token that began them."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from cardloom_protocol.ids import CardId

SESSION_HEADER: Final = "mcp-session-id"
_MAX_SESSIONS: Final = 64  # an agent's; its earliest one is not ended with the others then, and is of no use either


class Sessions:
    """Session ids by agent, learned from the answers that give them out."""

    def __init__(self) -> None:
        self._open: dict[CardId, deque[str]] = {}
        self._over: list[tuple[CardId, str]] = []

    def noting(self, card_id: CardId, send: Send) -> Send:
        """A `send` that remembers the session that an answer names."""

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                session_id = Headers(raw=list(message["headers"])).get(SESSION_HEADER)
                known = self._open.setdefault(card_id, deque(maxlen=_MAX_SESSIONS))
                if session_id is not None and session_id not in known:
                    known.append(session_id)
            await send(message)

        return note

    def forget(self, card_id: CardId) -> None:
        """An agent's sessions are over; `end` ends them."""
        self._over += [(card_id, session_id) for session_id in self._open.pop(card_id, ())]

    async def end(self, serve: Callable[[CardId, Scope, Receive, Send], Awaitable[None]]) -> None:
        """End what is over as its agent would do it: by asking for its deletion."""
        over, self._over = self._over, []
        for card_id, session_id in over:
            await serve(card_id, _deletion(session_id), _nothing_more, _unheard)


def _deletion(session_id: str) -> Scope:
    return {
        "type": "http",
        "method": "DELETE",
        "path": "/",
        "query_string": b"",
        "headers": [(SESSION_HEADER.encode(), session_id.encode())],
    }


async def _nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(_message: Message) -> None:
    return
