"""Questions from card to card: asked along an arrow of either direction, answered before a deadline.

Spec: ports, requests; cards, ports. A card whose program is not there is woken where somebody knows how.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import ask, check_answer
from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.ports import Check, PortInfo, check_value

from ...core.bus import Bus, card_topic
from ...core.call import Cause
from ...core.clock import Clock
from ...core.graph import Graph
from ...core.records import Card
from .draft import LOOP_MESSAGE, Draft
from .model import Outcome, body_of
from .post import Parcel
from .service import PortsService

Wake: TypeAlias = Callable[[CardId], Awaitable[bool]]
"""Brings a sleeping card's program up; True once it is connected."""


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """How long answers and sleepers may take."""

    timeout_ms: int = limit("portRequestTimeoutMs")
    wake_ms: int = limit("wakeTimeoutMs")


@dataclass(slots=True)
class _Open:
    """A question that waits for its answer."""

    to: CardId
    port: PortInfo
    answer: asyncio.Future[JsonValue]


class Questions:
    """The open questions of all cards."""

    def __init__(
        self,
        ports: PortsService,
        graph: Graph,
        bus: Bus,
        clock: Clock,
        *,
        wake: Wake | None = None,
        limits: QuestionLimits = QuestionLimits(),
        check: Check = check_value,
    ) -> None:
        self.wake = wake
        self._ports = ports
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._limits = limits
        self._check = check
        self._open: dict[str, _Open] = {}

    async def request(
        self,
        card_id: CardId,
        to: str,
        input_id: str,
        value: JsonValue,
        timeout_ms: int | None = None,
        cause: Cause | None = None,
    ) -> JsonValue:
        """Ask a joined card and give its answer.

        Errors: NOT_CONNECTED, NOT_FOUND (input), INVALID_PARAMS (not a request input, or the question does not fit),
        PERMISSION_DENIED, UNAVAILABLE (not running, not woken, gone meanwhile, arrow paused), TIMEOUT, and INTERNAL
        with the message of the answering card's failure.
        """
        card = self._graph.card(card_id)
        asked = ask(self._ports.wiring.view(card), to, input_id, value, self._check)
        draft = self._draft(card, asked.input, value, cause)
        entry_id = draft.take_id()
        joint = self._ports.wiring.joint(card, to)
        error: CallError | None = None
        looped = not self._ports.post.admit(draft.parcel.place, 1)
        try:
            if joint is not None and joint.paused:
                raise CallError(ErrorCode.UNAVAILABLE, f"The arrow to {asked.peer.name} is paused.")
            if looped:
                raise CallError(ErrorCode.UNAVAILABLE, LOOP_MESSAGE)
            return await self._answered(draft, CardId(to), asked.input, value, entry_id, timeout_ms)
        except CallError as refusal:
            error = refusal
            raise
        except asyncio.CancelledError:
            error = CallError(ErrorCode.UNAVAILABLE, "the asker went away")
            raise
        finally:
            outcome: Outcome = "accepted" if error is None else "loop" if looped else "refused"
            lane = None if joint is None else joint.lane
            draft.note(entry_id, outcome, to, asked.input, lane, error=error)
            written = draft.write()
            if written is not None:
                await written

    def respond(self, card_id: CardId, request_id: str, data: JsonValue, error: str | None) -> None:
        """Take a card's answer. NOT_FOUND: no such question waits for this card; INVALID_PARAMS: it does not fit."""
        waiting = self._open.get(request_id)
        if waiting is None or waiting.to != card_id or waiting.answer.done():
            raise CallError(ErrorCode.NOT_FOUND, "no question of this id waits for an answer")
        if error is not None:
            waiting.answer.set_exception(CallError(ErrorCode.INTERNAL, error))
            return
        check_answer(waiting.port, data, self._check)
        waiting.answer.set_result(data)

    def lost(self, card_id: CardId) -> None:
        """Fail what waits for a card whose program went away."""
        for waiting in self._open.values():
            if waiting.to == card_id and not waiting.answer.done():
                waiting.answer.set_exception(CallError(ErrorCode.UNAVAILABLE, "the card stopped before it answered"))

    async def _answered(
        self, draft: Draft, to: CardId, port: PortInfo, value: JsonValue, entry_id: int, timeout_ms: int | None
    ) -> JsonValue:
        allowed_ms = self._limits.timeout_ms if timeout_ms is None else timeout_ms
        deadline_ms = draft.parcel.at_ms + allowed_ms
        request_id = secrets.token_urlsafe(12)
        answer: asyncio.Future[JsonValue] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(allowed_ms / 1000):
                await self._reach(to)
                self._open[request_id] = _Open(to, port, answer)
                self._ports.post.received(to, draft.parcel.place, entry_id)
                event = {
                    "requestId": request_id,
                    "from": draft.parcel.sender.id if draft.parcel.sender else "",
                    "input": port.id,
                    "data": value,
                    "deadline": deadline_ms,
                }
                self._bus.publish("ports.request", event, card_topic(to))
                return await answer
        except TimeoutError:
            name = self._graph.card(to).name
            raise CallError(ErrorCode.TIMEOUT, f"{name} did not answer within {allowed_ms} ms") from None
        finally:
            self._open.pop(request_id, None)

    async def _reach(self, to: CardId) -> None:
        """Make sure that a program is there to answer. UNAVAILABLE."""
        card = self._graph.card(to)
        if card.kind != "custom":
            raise CallError(ErrorCode.UNAVAILABLE, f"{card.name} answers no questions")
        if self._ports.post.reachable(card):
            return
        woken = False
        if self.wake is not None:
            try:
                async with asyncio.timeout(self._limits.wake_ms / 1000):
                    woken = await self.wake(to)
            except TimeoutError:
                woken = False
        if not woken or not self._ports.post.reachable(card):
            raise CallError(ErrorCode.UNAVAILABLE, f"{card.name} is not running")

    def _draft(self, card: Card, port: PortInfo, value: JsonValue, cause: Cause | None) -> Draft:
        ports = self._ports
        place = ports.post.place_after(cause)
        parcel = Parcel(card.workspace_id, card, "", port.type, self._clock.now_ms(), place)
        body = body_of(value, ports.limits.message_units)
        return Draft(ports.ledger, ports.activity, parcel, body, "request", ports.ledger.next_ids(1), "request")
