"""Chat cards: what arrives at `prompt` is said in the card's session, what a run brings goes out at `reply`.

The server does it, so a card works whether or not a page shows it. Prompts wait for each other; whatever run of the
session ends is answered for, also one that was begun on a page. Spec: issue of the session protocol, front end;
decisions 10, 20, 46.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.jstext import JsonValue, utf16_cut, utf16_length
from cardloom_protocol.limits import limit
from cardloom_protocol.session.errors import Conflict, SessionError
from cardloom_protocol.session.parts import derived_text
from cardloom_sdk.backend.live import LiveRun

from ...core.call import Cause
from ...core.delivery import Delivery
from ...core.graph import Graph
from ...core.records import Card, Change, PutCard
from .backends.canvas.agents import CANVAS
from .run_watch import OVER, Phase
from .service import Entry, SessionsService

_log = logging.getLogger(__name__)

KIND: Final = "chat"
_MAX_REPLY_CHARS: Final = 1_000_000
_MAX_UNSAID: Final = 1_000
"""Values that wait for their emit; more are dropped, and the log says so."""

Emit: TypeAlias = Callable[[CardId, str, JsonValue, Cause | None], Awaitable[int]]
ShowRuntime: TypeAlias = Callable[[CardId, Mapping[str, Any]], None]


class Commit(Protocol):
    """How a canvas is changed."""

    def __call__(
        self, workspace_id: WorkspaceId, make: Callable[[Graph], list[Change]], by: str | None = None, /
    ) -> Awaitable[None]: ...


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the cards need of the canvas and of values."""

    commit: Commit
    emit: Emit
    show: ShowRuntime
    now_ms: Callable[[], int]


@dataclass(slots=True)
class _Waiting:
    """The prompts of one card, and the task that says them one after the other."""

    prompts: deque[tuple[str, Cause | None]] = field(default_factory=deque)
    task: asyncio.Task[None] | None = None
    status: str = "idle"
    error: str | None = None


class ChatCards:
    """All chat cards of the server."""

    def __init__(self, service: SessionsService, graph: Graph, hooks: Hooks) -> None:
        self._service = service
        self._graph = graph
        self._hooks = hooks
        self._cards: dict[CardId, _Waiting] = {}
        self._causes: dict[tuple[str, CardId], Cause | None] = {}
        self._out: asyncio.Queue[tuple[CardId, str, JsonValue, Cause | None]] = asyncio.Queue(_MAX_UNSAID)
        service.watch.listeners.append(self._moved)

    async def receive(self, delivery: Delivery) -> None:
        """Takes a prompt in. TOO_LARGE, QUOTA_EXCEEDED when too many wait already, INVALID_PARAMS for an empty one."""
        text = str(delivery.data)
        if not text.strip():
            raise CallError(ErrorCode.INVALID_PARAMS, "a prompt must not be empty", [])
        if utf16_length(text) > limit("promptChars"):
            raise CallError(ErrorCode.TOO_LARGE, f"a prompt may have {limit('promptChars')} characters")
        self._check_way(delivery)
        waiting = self._cards.setdefault(delivery.to.id, _Waiting())
        if len(waiting.prompts) >= limit("queuedPrompts"):
            raise CallError(ErrorCode.QUOTA_EXCEEDED, f"{limit('queuedPrompts')} prompts wait for this chat already")
        waiting.prompts.append((text, delivery.cause))
        if waiting.task is None:
            waiting.task = asyncio.create_task(self._say_all(delivery.to.id, waiting), name=f"chat {delivery.to.id}")
        else:
            self._show(delivery.to.id)

    def _check_way(self, delivery: Delivery) -> None:
        """PERMISSION_DENIED for another card's prompt to an agent: at the agent's own port its arrows are asked."""
        entry = self._service.entries.get(str(delivery.to.content.get("backend")))
        if delivery.from_card is not None and entry is not None and entry.kind == CANVAS:
            raise CallError(
                ErrorCode.PERMISSION_DENIED, "this chat is an agent's; draw the arrow to the agent's own card"
            )

    async def edit(self, card_id: str, fields: Mapping[str, Any], by: str | None) -> Card:
        """Gives a card another session, backend or profile. NOT_FOUND; INVALID_PARAMS for a card of another kind."""
        card = self._graph.card(card_id)
        if card.kind != KIND:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} is no {KIND} but a {card.kind}", [])
        await self._write(card, fields, by)
        return self._graph.card(card_id)

    async def card_removed(self, card: Card) -> None:
        """Drops what waited for a card that is gone; its session stays."""
        waiting = self._cards.pop(card.id, None)
        if waiting is not None and waiting.task is not None:
            waiting.task.cancel()

    async def close(self) -> None:
        """Ends all waiting."""
        tasks = [one.task for one in self._cards.values() if one.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Saying

    async def _say_all(self, card_id: CardId, waiting: _Waiting) -> None:
        try:
            while waiting.prompts:
                text, cause = waiting.prompts[0]
                card = self._graph.find_card(card_id)
                if card is None:
                    return
                try:
                    live = await self._say(card, text, cause)
                except (SessionError, CallError) as error:
                    waiting.prompts.popleft()
                    waiting.status, waiting.error = "error", error.message
                    self._put(card_id, "status", self._status("error", {"message": error.message}), cause)
                    continue
                waiting.prompts.popleft()
                self._show(card_id)
                await _over(live)
        except Exception:  # noqa: BLE001 - a task root: the next prompt tries again
            _log.exception("the chat card %s could not go on", card_id)
            waiting.prompts.clear()
        finally:
            waiting.task = None
            self._show(card_id)

    async def _say(self, card: Card, text: str, cause: Cause | None) -> LiveRun:
        """Begins a run as soon as the session has none."""
        entry, session_id = await self._session(card)
        while True:
            try:
                live = await entry.host.start_run({"sessionId": session_id, "text": text})
            except Conflict as busy:
                run_id = busy.details.get("runId") if isinstance(busy.details, dict) else None
                if not isinstance(run_id, str):
                    raise
                await _over(entry.host.run(run_id))
                continue
            self._causes[live.id, card.id] = cause
            return live

    async def _session(self, card: Card) -> tuple[Entry, str]:
        """The card's backend and session, which is made when the first prompt comes."""
        backend_id, session_id = card.content.get("backend"), card.content.get("sessionId")
        entry = self._service.find(backend_id if isinstance(backend_id, str) else None)
        if isinstance(session_id, str):
            return entry, session_id
        opts: dict[str, Any] = {"title": card.name}
        if isinstance(card.content.get("profile"), str):
            opts["profile"] = card.content["profile"]
        made = await self._service.call("create", {"backend": entry.id, **opts})
        if not made["ok"]:
            raise SessionError(made["error"]["code"], made["error"]["message"])
        await self._write(card, {"backend": entry.id, "sessionId": made["data"]["id"]}, None)
        return entry, str(made["data"]["id"])

    async def _write(self, card: Card, fields: Mapping[str, Any], by: str | None) -> None:
        def make(graph: Graph) -> list[Change]:
            now = graph.card(card.id)
            content = {**now.content, **fields}
            if content == now.content:
                return []
            return [PutCard(replace(now, content=content, revision=now.revision + 1), ("content", "revision"))]

        await self._hooks.commit(card.workspace_id, make, by)

    # Telling

    async def run(self) -> None:
        """Sends what the cards have to say, in order, until cancelled."""
        while True:
            card_id, output, value, cause = await self._out.get()
            if self._graph.find_card(card_id) is None:
                continue
            try:
                await self._hooks.emit(card_id, output, value, cause)
            except CallError as error:
                _log.warning("the chat card %s could not speak: %s", card_id, error)
            except Exception:  # noqa: BLE001 - a task root: the next value is tried
                _log.exception("the chat card %s could not speak", card_id)

    def _moved(self, backend_id: str, live: LiveRun, phase: Phase) -> None:
        for card in self._shown_by(backend_id, live.session_id):
            key = (live.id, card.id)
            cause = self._causes.pop(key, None) if phase in OVER else self._causes.get(key)
            waiting = self._cards.setdefault(card.id, _Waiting())
            waiting.status = _STATUS.get(phase, phase)
            waiting.error = _failure(live)
            self._show(card.id)
            data: dict[str, JsonValue] = {"runId": live.id}
            if waiting.error is not None:
                data["message"] = waiting.error
            self._put(card.id, "status", self._status(waiting.status if phase != "cancelled" else phase, data), cause)
            reply = reply_of(live) if phase == "done" else ""
            if reply:
                self._put(card.id, "reply", reply, cause)

    def _shown_by(self, backend_id: str, session_id: str) -> list[Card]:
        first = next(iter(self._service.entries), None)
        return [
            card
            for workspace_id in self._graph.workspaces
            for card in self._graph.cards_of(workspace_id)
            if card.kind == KIND
            and card.content.get("sessionId") == session_id
            and (card.content.get("backend") or first) == backend_id
        ]

    def _status(self, type_: str, data: dict[str, JsonValue]) -> JsonValue:
        return {"type": type_, "data": data, "at": self._hooks.now_ms()}

    def _put(self, card_id: CardId, output: str, value: JsonValue, cause: Cause | None) -> None:
        try:
            self._out.put_nowait((card_id, output, value, cause))
        except asyncio.QueueFull:
            _log.warning("the chat card %s says more than can be sent; %s was dropped", card_id, output)

    def _show(self, card_id: CardId) -> None:
        waiting = self._cards.get(card_id)
        if waiting is not None:
            told = {"status": waiting.status, "queued": len(waiting.prompts), "error": waiting.error}
            self._hooks.show(card_id, told)


_STATUS: Final[Mapping[str, str]] = {"running": "working", "done": "idle", "cancelled": "idle"}


def reply_of(live: LiveRun) -> str:
    """What a run said last: the text of its last message of the assistant that has any."""
    said = (derived_text(message) for message in reversed(live.log.state.shown) if message.get("role") == "assistant")
    return utf16_cut(next((text for text in said if text), ""), _MAX_REPLY_CHARS)


def _failure(live: LiveRun) -> str | None:
    end = live.log.state.end
    error = None if end is None else end.get("error")
    message = error.get("message") if isinstance(error, Mapping) else None
    return message if isinstance(message, str) else None


async def _over(live: LiveRun) -> None:
    while not live.ended:
        await live.log.more()
