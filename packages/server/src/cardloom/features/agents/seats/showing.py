"""What an agent's card shows of it, and the values that leave by its ports. Spec: agents; decisions 40, 41."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, TypeAlias

from cardloom_protocol.agents import AgentInfo
from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import JsonValue

from ....core.call import Cause
from ..state import IN_TURN, AgentState, Published
from .seat import Seat

_log = logging.getLogger(__name__)

_SHOWN_REPLY_CHARS: Final = 4_000
_CHOICES: Final = ("approve", "always", "deny")

Emit: TypeAlias = Callable[[CardId, str, JsonValue, Cause | None], Awaitable[int]]
Spawn: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]


def question_key(state: AgentState) -> str | None:
    """The name of the open question, None while none is open: its own id, else when it was asked."""
    if state.question is None:
        return None
    return state.question.id or state.question.about or str(state.since_ms)


def shown(seat: Seat, info: AgentInfo | None, waiting: int, queue_revision: int) -> dict[str, Any]:
    """What the card shows of its agent: `waiting` prompts, and how often their queue changed."""
    queue = {"queued": waiting, "queueRevision": queue_revision}
    if seat.generation == 0 and seat.state.life == 0:
        return {"status": "idle", "started": False, **queue}
    state = seat.state
    evidence, reply = state.evidence, state.reply
    return {
        "status": state.shown.value,
        "started": True,
        "evidence": None
        if evidence is None
        else {"source": evidence.source.value, "note": evidence.note, "atMs": evidence.at_ms},
        "sinceMs": state.since_ms,
        "error": state.error,
        "retrying": state.retrying,
        "title": state.title,
        "model": state.model,
        "turnStartedAtMs": None if info is None else info.turn_started_at_ms,
        "lastTurn": None if info is None or info.last_turn is None else info.last_turn.to_wire(),
        "question": _question(seat),
        "reply": None if reply is None else {"text": reply.text[:_SHOWN_REPLY_CHARS], "atMs": reply.at_ms},
        "subagents": [subagent.name for subagent in state.subagents],
        "sessionId": state.session_id,
        **queue,
        "dangerous": seat.dangerous,
        "pid": seat.pid if seat.alive else None,
        "cwd": seat.folder,
        "exitCode": seat.exit_code,
        "cols": seat.size.cols,
        "rows": seat.size.rows,
        "generation": seat.generation,
    }


def _question(seat: Seat) -> dict[str, Any] | None:
    question = seat.state.question
    if question is None:
        return None
    return {
        "id": question_key(seat.state),
        "kind": question.kind,
        "detail": question.detail,
        "action": question.action,
        "tool": question.tool,
        "subagent": question.subagent,
        "choices": [choice for choice in _CHOICES if seat.harness.answer(question, choice) is not None],
    }


class Outputs:
    """The ports of all agents: every status, and a reply once per turn, in the order in which they came about."""

    def __init__(self, emit: Emit, spawn: Spawn) -> None:
        self._emit = emit
        self._spawn = spawn
        self._told_reply: dict[CardId, int] = {}
        self._waiting: dict[CardId, deque[tuple[str, JsonValue]]] = {}

    def send(self, seat: Seat, published: Sequence[Published]) -> None:
        """Give the ports what happened."""
        values: list[tuple[str, JsonValue]] = [
            ("status", {"type": "status", "data": {"status": one.status.value, "detail": one.detail, "at": one.at_ms}})
            for one in published
            if not one.quiet
        ]
        reply = seat.state.reply
        if reply is not None and seat.status not in IN_TURN and reply.at_ms > self._told_reply.get(seat.card_id, 0):
            self._told_reply[seat.card_id] = reply.at_ms
            values.append(("reply", reply.text))
        if not values:
            return
        queue = self._waiting.get(seat.card_id)
        if queue is None:
            queue = self._waiting[seat.card_id] = deque()
            self._spawn(self._send(seat.card_id, queue))
        queue.extend(values)

    def forget(self, card_id: CardId) -> None:
        self._waiting.pop(card_id, None)
        self._told_reply.pop(card_id, None)

    async def _send(self, card_id: CardId, queue: deque[tuple[str, JsonValue]]) -> None:
        while queue:
            output, value = queue.popleft()
            try:
                await self._emit(card_id, output, value, None)
            except CallError as error:
                _log.warning("agent %s: a value at %r did not go out: %s", card_id, output, error)
        if self._waiting.get(card_id) is queue:
            del self._waiting[card_id]
