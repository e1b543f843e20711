"""The agents on the canvas as a backend. A session is an agent's card; who puts the card there begins it.

Prompts take the way of every prompt: the same queue, the same journal. An agent tells of its turns by status and reply,
and by its log where that can be read, so that text comes message by message and not word by word. Issue: canvas.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Final, TypeAlias

from cardloom_protocol.session.capabilities import PROTOCOL_VERSION, Capabilities
from cardloom_protocol.session.errors import BadRequest, NotFound, NotSupported, SessionError
from cardloom_protocol.session.info import SessionCreateOpts, SessionInfo
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of
from cardloom_protocol.session.messages import Message, MessageAppendOpts
from cardloom_protocol.session.names import safe_id
from cardloom_protocol.session.paging import page_of
from cardloom_protocol.session.parts import parts_of
from cardloom_sdk.backend import Backend, Run, SessionsOps
from cardloom_sdk.stores import SessionPage, SessionStore

from ..linear import check_end
from .agents import REST, AgentCard, Agents, Moved, News
from .hearing import CanvasHearing
from .log import Logs
from .seen import SeenTalk

# Inside a class with an operation `list` that name is no type.
_Messages: TypeAlias = list[Message]

UNAVAILABLE: Final = "agent_unavailable"

_ENDS: Final = "An agent's session begins with its card and ends with it; put an agent on the canvas."


class CanvasBackend(Backend):
    """All agents of the open workspaces. `store` keeps what is seen of those whose log cannot be read."""

    def __init__(self, agents: Agents, store: SessionStore) -> None:
        self._agents = agents
        self._seen = SeenTalk(store)
        self.sessions: CanvasSessions = CanvasSessions(agents, Logs(), self._seen)
        self._running: dict[str, CanvasHearing] = {}
        self._keeping: set[asyncio.Task[str]] = set()
        self._unlisten = agents.listen(self._heard)

    async def capabilities(self) -> Capabilities:
        """A program at a terminal is prompted, answered and interrupted; nothing in its history is changed."""
        return {
            "protocol": PROTOCOL_VERSION,
            "sessions": {},
            "run": {"ask": True, "activity": True, "cancel": True},
        }

    async def run(self, run: Run) -> None:
        """See the contract. The agent must run: one that does not refuses the request."""
        card = self.sessions.card(run.session_id)
        text = _prompt(run)
        before = await self.sessions.history(card.id)
        check_end(before, object_of(run.given).get("parentId"))
        if self._agents.now(card.id).status == "exited":
            raise SessionError(UNAVAILABLE, f"{card.name!r} does not run; start it first.")
        hearing = CanvasHearing(run, self._agents, card.id, self.sessions, self._seen)
        self._running[run.id] = hearing
        try:
            await hearing.hear_turn(text, before)
        finally:
            del self._running[run.id]

    async def cancel(self, run: Run) -> None:
        """Takes the prompt out of the queue, or interrupts its turn, whose end is then awaited."""
        hearing = self._running.get(run.id)
        if hearing is None:
            run.interrupt()
        else:
            await hearing.cancel()

    async def close(self) -> None:
        """Stop listening."""
        self._unlisten()
        await asyncio.gather(*self._keeping, return_exceptions=True)

    def _heard(self, news: News) -> None:
        """Keep the reply of a turn that nobody here asked for, too."""
        card = self.sessions.find(news.card_id) if isinstance(news, Moved) else None
        if card is None or card.log is not None:
            return
        now = self._agents.now(card.id)
        if now.status not in REST or not now.reply or self._seen.has_kept(card.id, now.reply_at_ms):
            return
        task = asyncio.get_running_loop().create_task(self._seen.keep_reply(card.id, now.reply, now.reply_at_ms))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)


class CanvasSessions(SessionsOps):
    """Agent cards as sessions: listed and read."""

    def __init__(self, agents: Agents, logs: Logs, seen: SeenTalk) -> None:
        self._agents = agents
        self._logs = logs
        self._seen = seen

    def find(self, card_id: str) -> AgentCard | None:
        """The agent card of that id."""
        return next((card for card in self._agents.cards() if card.id == card_id), None)

    def card(self, session_id: str) -> AgentCard:
        """The same. NOT_FOUND, INVALID_ID."""
        card = self.find(safe_id(session_id, "session id"))
        if card is None:
            raise NotFound(f"There is no agent {session_id!r} in an open workspace.")
        return card

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, workspace: str | None = None
    ) -> SessionPage:
        """See the contract."""
        cards = [card for card in self._agents.cards() if workspace in (None, card.workspace_id)]
        cards.sort(key=lambda card: (-card.changed_at_ms, card.id))
        page = page_of([_info(card) for card in cards], limit, cursor)
        return SessionPage(page.items, page.cursor)

    async def get(self, session_id: str) -> SessionInfo:
        """See the contract."""
        info = _info(self.card(session_id))
        info["messageCount"] = len(await self.history(session_id))
        return info

    async def create(self, opts: SessionCreateOpts) -> SessionInfo:
        """NOT_SUPPORTED."""
        raise NotSupported("sessions.create", _ENDS)

    async def delete(self, session_id: str) -> None:
        """NOT_SUPPORTED."""
        raise NotSupported("sessions.delete", _ENDS)

    async def append(self, session_id: str, opts: MessageAppendOpts) -> Message:
        """NOT_SUPPORTED: what an agent's program remembers is its own."""
        raise NotSupported("append", "An agent on the canvas takes prompts only.")

    async def history(self, session_id: str) -> _Messages:
        """See the contract: the agent's log, or what was seen of it."""
        card = self.card(session_id)
        return await (self._seen.messages(card.id) if card.log is None else self._logs.messages(card.log))


def _info(card: AgentCard) -> SessionInfo:
    info: SessionInfo = {
        "id": card.id,
        "title": card.name,
        "workspace": card.workspace_id,
        "participants": [{"id": card.id, "type": "ai", "name": card.program}],
    }
    if card.changed_at_ms:
        info["updatedAt"] = _iso(card.changed_at_ms)
    return info


def _iso(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _prompt(run: Run) -> str:
    """The text to type. NOT_SUPPORTED for what cannot be typed, BAD_REQUEST for nothing."""
    if "swipeOf" in run.given:
        raise NotSupported("swipes")
    pieces: list[str] = []
    for part in parts_of(run.given.get("parts"), run.given.get("text")):
        meta: JsonObject = object_of(part.get("meta"))
        match part.get("type"):
            case "text":
                pieces.append(text_of(part.get("text")))
            case "file" if part.get("text"):
                pieces.append(f"[file {text_of(meta.get('name'))}]\n{text_of(part.get('text'))}")
            case kind:
                raise NotSupported("parts", f"A part of the type {kind!r} cannot be typed into an agent's terminal.")
    text = "\n\n".join(piece for piece in pieces if piece)
    if not text.strip():
        raise BadRequest("The prompt holds no text.")
    return text
