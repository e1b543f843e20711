"""Agents as sessions: what the backend of the canvas asks of agents, their queues and their logs."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from glob import escape
from pathlib import Path
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId
from cardloom_protocol.session.errors import BadRequest, NotFound, SessionError
from cardloom_sdk.stores import NrChatStore

from ..core.directory import DirectoryChange
from ..core.records import Card
from ..features.agents.prompts.model import Sender
from ..features.agents.seats.desk import KIND
from ..features.agents.seats.seat import Seat
from ..features.agents.seats.showing import question_key
from ..features.agents.signals import Choice
from ..features.agents.state import Published
from ..features.sessions.backends.canvas.agents import (
    CANVAS,
    AgentCard,
    AgentNow,
    Agents,
    Gone,
    Listen,
    LogForm,
    LogPlace,
    Moved,
    News,
    Question,
    Status,
    WentOut,
)
from ..features.sessions.backends.canvas.backend import UNAVAILABLE, CanvasBackend
from ..features.sessions.service import SessionsService
from .agents import AgentsGroup
from .shared import Shared

_FORMS: Final[dict[str, LogForm]] = {"claude-code": "claude", "pi": "pi"}
_CHOICES: Final[dict[str, Choice]] = {"approve": "approve", "always": "always", "deny": "deny"}


def join_agent_sessions(shared: Shared, group: AgentsGroup, sessions: SessionsService) -> None:
    """Make every agent card a session of a backend of its own."""
    store = NrChatStore(shared.settings.data_folder / "sessions" / CANVAS)
    sessions.add(CANVAS, "Agents on the canvas", CANVAS, CanvasBackend(_Desk(shared, group).agents(), store))


class _Desk:
    """Speaks to seats and queues for the backend."""

    def __init__(self, shared: Shared, group: AgentsGroup) -> None:
        self._graph = shared.graph
        self._group = group
        self._listeners: list[Listen] = []
        self._found_logs: dict[tuple[str, str], Path | None] = {}
        group.moved.append(self._moved)
        group.went_out.append(self._went_out)
        shared.directory.listen(self._changed)

    def agents(self) -> Agents:
        """What the backend is given."""
        return Agents(
            cards=self._cards,
            now=self._now,
            prompt=self._prompt,
            waits=lambda card_id, ticket: self._waiting(card_id, ticket) is not None,
            withdraw=self._withdraw,
            interrupt=lambda card_id: _asked(lambda: self._group.seats.interrupt(card_id)),
            answer=self._answer,
            listen=self._listen,
        )

    # How agents are

    def _cards(self) -> list[AgentCard]:
        open_ones = [one.id for one in self._graph.workspaces.values() if one.is_open]
        cards = [card for one in open_ones for card in self._graph.cards_of(one) if card.kind == KIND]
        return [self._card(card) for card in cards]

    def _card(self, card: Card) -> AgentCard:
        seat, harness = self._group.seats.find(card.id), str(card.content["harness"])
        changed_at_ms = 0 if seat is None else seat.state.since_ms
        return AgentCard(card.id, card.name, card.workspace_id, harness, changed_at_ms, self._log(card, seat, harness))

    def _log(self, card: Card, seat: Seat | None, harness: str) -> LogPlace | None:
        form = _FORMS.get(harness)
        if form is None:
            return None
        told = None if seat is None else seat.state.log_path
        session_id = card.content.get("sessionId")
        path = Path(told) if told is not None else None
        if path is None and isinstance(session_id, str):
            key = (card.id, session_id)
            if key not in self._found_logs:
                self._found_logs[key] = _find_log(form, session_id)
            path = self._found_logs[key]
        return None if path is None else LogPlace(form, path)

    def _now(self, card_id: str) -> AgentNow:
        seat = self._group.seats.find(card_id)
        if seat is None:
            return AgentNow("exited")
        state = seat.state
        reply = state.reply
        return AgentNow(
            status=_status(seat.status.value) if seat.alive else "exited",
            question=_question(seat),
            error=state.error,
            reply=None if reply is None else reply.text,
            reply_at_ms=0 if reply is None else reply.at_ms,
        )

    # What is asked of them

    async def _prompt(self, card_id: str, text: str, ticket: str) -> None:
        await _asked(lambda: self._group.prompts.submit(card_id, text, Sender(ticket=ticket)))

    def _waiting(self, card_id: str, ticket: str) -> str | None:
        queue = self._group.prompts.waiting(CardId(card_id))
        return next((one.id for one in queue if one.sender.ticket == ticket), None)

    async def _withdraw(self, card_id: str, ticket: str) -> None:
        prompt_id = self._waiting(card_id, ticket)
        if prompt_id is not None:
            await _asked(lambda: self._group.prompts.queues.cancel(CardId(card_id), prompt_id))

    async def _answer(self, card_id: str, choice: str, question_id: str) -> None:
        await _asked(lambda: self._group.seats.answer(card_id, _CHOICES[choice], question_id))

    # What they tell

    def _listen(self, listen: Listen) -> Callable[[], None]:
        self._listeners.append(listen)
        return lambda: self._listeners.remove(listen)

    def _moved(self, seat: Seat, published: tuple[Published, ...]) -> None:
        statuses = tuple((_status(one.status.value), one.at_ms) for one in published if not one.quiet)
        self._tell(Moved(seat.card_id, statuses))

    def _went_out(self, sender: Sender, agent_id: CardId, at_ms: int) -> None:
        if sender.ticket is not None:
            self._tell(WentOut(agent_id, sender.ticket, at_ms))

    def _changed(self, change: DirectoryChange) -> None:
        if change.after is None:
            self._tell(Gone(change.card_id))

    def _tell(self, news: News) -> None:
        for listen in list(self._listeners):
            listen(news)


def _status(word: str) -> Status:
    match word:
        case "working" | "needs-input" | "finished" | "exited":
            return word
        case _:
            return "idle"


def _question(seat: Seat) -> Question | None:
    asked, key = seat.state.question, question_key(seat.state)
    if asked is None or key is None:
        return None
    choices = tuple(word for word, choice in _CHOICES.items() if seat.harness.answer(asked, choice) is not None)
    return Question(key, asked.kind == "permission", asked.detail, asked.action, choices)


def _find_log(form: LogForm, session_id: str) -> Path | None:
    """The log of a session whose program does not run, where its program is known to keep it."""
    home = Path.home()
    if form == "claude":
        folder = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
        found = folder.glob(f"*/{escape(session_id)}.jsonl")
    else:
        folder = home / ".pi" / "agent" / "sessions"
        found = folder.glob(f"*/*{escape(session_id)}.jsonl")
    return next(found, None)


async def _asked(work: Callable[[], Awaitable[object]]) -> None:
    """Do something whose refusal the session protocol tells in its own words."""
    try:
        await work()
    except CallError as error:
        match error.code:
            case ErrorCode.NOT_FOUND:
                raise NotFound(error.message) from error
            case ErrorCode.INVALID_PARAMS | ErrorCode.TOO_LARGE:
                raise BadRequest(error.message) from error
            case _:
                raise SessionError(UNAVAILABLE, error.message) from error
