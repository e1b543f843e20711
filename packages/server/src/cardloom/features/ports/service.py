"""Values along arrows: emitted to all, sent to one, given by hand, sent again, read.

A value is handed over first and then journalled, since what became of it is part of the record; the sender hears of
it once the record is on disk. Values of one output wait for each other, so each receiver gets them in order, and the
receivers of one value are served in the order their arrows were drawn. Spec: ports; decisions 10, 11, 18, 36, 43.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import (
    ChainGuard,
    Plan,
    RateWindow,
    check_output,
    land,
    may_read,
    rate_limited,
)
from cardloom_protocol.ids import CardId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.ports import Check, PeerInfo, PortInfo, check_value

from ...core.bus import Bus
from ...core.call import Cause
from ...core.clock import Clock
from ...core.delivery import Receiver
from ...core.grants import Grants
from ...core.graph import Graph
from ...core.records import Card
from ...host.wire_json import loads
from .activity import Activity
from .draft import Draft
from .model import Body, Entry, Kind, Lane, Ledger, Outcome, Place, Via, body_of, too_large_to_keep
from .picking import pick
from .post import IsConnected, Parcel, Post
from .serving import Serving
from .wiring import Wiring, port_of

_WINDOW_MS: Final = 1000
_KEEPERS: Final = frozenset(("note", "todo", "kanban", "sticky"))
"""Kinds whose kept output says all they hold, so that a replay can begin where the journal did."""

_ACTORS: Final = frozenset(("terminal", "agent", "chat"))
"""Kinds that act on what they get."""


@dataclass(frozen=True, slots=True)
class PortLimits:
    """The numbers of this feature; tests make them small."""

    message_units: int = limit("messageBytes")
    kept_units: int = limit("retainedValueBytes")
    per_second: int = limit("portMessagesPerSecond")
    hops: int = limit("cascadeHops")
    chain_per_second: int = limit("cascadePerSecond")
    cause_ms: int = limit("causeMs")


@dataclass(slots=True)
class _Output:
    """One output's turn and its rate."""

    rate: RateWindow
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class PortsService:
    """Routes values. `receivers` take them in for built-in kinds; features add theirs."""

    def __init__(
        self,
        graph: Graph,
        grants: Grants,
        bus: Bus,
        clock: Clock,
        ledger: Ledger,
        activity: Activity,
        receivers: MutableMapping[str, Receiver],
        *,
        limits: PortLimits = PortLimits(),
        check: Check = check_value,
        is_connected: IsConnected | None = None,
    ) -> None:
        self.receivers = receivers
        self.ledger = ledger
        self.activity = activity
        self.wiring = Wiring(graph, grants)
        guard = ChainGuard(limits.hops, limits.chain_per_second)
        self.post = Post(bus, clock, receivers, is_connected, guard, limits.cause_ms)
        self.limits = limits
        self._serving = Serving(graph, self.wiring, self.post, check)
        self._graph = graph
        self._clock = clock
        self._check = check
        self._outputs: dict[tuple[str, str], _Output] = {}

    # What a card can see

    def describe(self, card_id: CardId) -> dict[str, Any]:
        """A card's own ports. NOT_FOUND."""
        card = self._graph.card(card_id)
        return {
            "inputs": [port.to_wire() for port in card.inputs],
            "outputs": [port.to_wire() for port in card.outputs],
        }

    def peers(self, card_id: CardId) -> list[PeerInfo]:
        """The cards joined to a card. NOT_FOUND."""
        return self.wiring.peers(self._graph.card(card_id))

    async def read(self, card_id: CardId, source: str, port_id: str) -> dict[str, JsonValue] | None:
        """The kept value of a joined card's output, None when there is none.

        Errors: NOT_CONNECTED, NOT_FOUND, PERMISSION_DENIED, UNAVAILABLE (the arrow is paused).
        """
        card = self._graph.card(card_id)
        may_read(self.wiring.view(card), source, port_id)
        self._refuse_paused(card, source)
        kept = await self.ledger.kept(CardId(source), port_id)
        return None if kept is None or kept.text is None else {"data": loads(kept.text), "at": kept.at_ms}

    async def is_said(self, card_id: CardId, output: str, value: JsonValue) -> bool:
        """Whether an output keeps this very value; for a value too large to be kept nobody can tell: True."""
        known = (card_id, output) in self.ledger.kept_seqs()
        kept = await self.ledger.kept(card_id, output) if known else None
        if kept is None or kept.text is None:
            return too_large_to_keep(self._body(value), value, self.limits.kept_units)
        return kept.text == self._body(value).text

    # Sending

    async def emit(
        self, card_id: CardId, output: str, value: JsonValue, cause: Cause | None = None, *, rated: bool = False
    ) -> int:
        """Send a value to every downstream card with a fitting input; gives how many accepted it.

        `rated` applies the limit of messages a second. Errors: NOT_FOUND (output), INVALID_PARAMS (the value does not
        fit the output), TOO_LARGE, RATE_LIMITED, UNAVAILABLE (the disk refuses the record).
        """
        body = self._body(value)
        async with self._turn(card_id, output) as state:
            card = self._graph.card(card_id)
            port = self._output(card, output)
            routes = self.wiring.routes(card, port)
            landed = land(routes.plan, value, self._check)
            if rated:
                self._take(state, output)
            place = self.post.place_after(cause)
            count = 1 + len(routes.plan.targets) + len(routes.plan.skipped) + len(routes.paused)
            draft = self._draft(card, port, body, place, "emit", count)
            if port.retain:
                self._keep(draft, card, port, value)
            delivered, written = await self._serving.to_all(draft, routes, landed, value)
        await _settled(written)
        return delivered

    async def send(
        self,
        card_id: CardId,
        output: str,
        value: JsonValue,
        to: str,
        input_id: str | None = None,
        cause: Cause | None = None,
        *,
        rated: bool = False,
        via: Via = "send",
    ) -> tuple[int, Outcome]:
        """Send a value to one downstream card; gives 1 when it was accepted, else 0, and what became of it.

        Errors: those of `emit`; NOT_CONNECTED, NOT_FOUND (input), PERMISSION_DENIED, INVALID_PARAMS (the input refuses
        the value), and what a built-in card refuses with.
        """
        body = self._body(value)
        async with self._turn(card_id, output) as state:
            card = self._graph.card(card_id)
            port = self._output(card, output)
            check_output(port, value, self._check)
            joint = self.wiring.joint(card, to)
            if rated:
                self._take(state, output)
            place = self.post.place_after(cause)
            draft = self._draft(card, port, body, place, via, 1)
            outcome, error, written = await self._serving.to_one(draft, card, joint, port, value, to, input_id)
        await _settled(written)
        if error is not None:
            raise error
        return (1 if outcome == "accepted" else 0), outcome

    async def deliver(
        self,
        to: str,
        value: JsonValue,
        input_id: str | None = None,
        type_: str | None = None,
        cause: Cause | None = None,
    ) -> tuple[int, Outcome]:
        """Give a card a value in the owner's name; no arrow and no permission is needed.

        Errors: NOT_FOUND, INVALID_PARAMS with the place, TOO_LARGE, and what a built-in card refuses with.
        """
        body = self._body(value)
        async with self._turn("owner", to):
            card = self._graph.card(to)
            picked = pick(card, value, input_id, type_, self._check)
            parcel = Parcel(
                card.workspace_id, None, "", picked.source_type, self._clock.now_ms(), self.post.place_after(cause)
            )
            draft = Draft(self.ledger, self.activity, parcel, body, "owner", self.ledger.next_ids(1))
            entry_id = draft.take_id()
            self.post.admit(parcel.place, 1)
            handed = await self.post.hand_over(parcel, card, picked.port, picked.data, entry_id)
            landed = draft.mark(value, picked.data)
            draft.note_handed(entry_id, handed, card, picked.port, None, landed)
            written = draft.write()
        await _settled(written)
        if handed.error is not None and handed.outcome == "refused":
            raise handed.error
        return (1 if handed.outcome == "accepted" else 0), handed.outcome

    async def resend(self, entry: Entry, value: JsonValue) -> tuple[int, Outcome]:
        """Send a journalled value along its arrow again, by the owner's will and the arrow's present rules.

        Errors: those of `send`; UNAVAILABLE when the arrow is paused; NOT_FOUND when the sender is gone.
        """
        sender, to = CardId(entry.from_card), entry.to_card or ""
        card = self._graph.card(sender)
        self._refuse_paused(card, to)
        peer = self.wiring.joint(card, to)
        known = peer is not None and peer.peer.info.input(entry.input_id or "") is not None
        input_id = entry.input_id if known else None
        return await self.send(sender, entry.output or "", value, to, input_id, via="resend")

    async def record_act(
        self,
        kind: Kind,
        by: CardId | None,
        to: CardId,
        text: str,
        cause: Cause | None = None,
        *,
        error: CallError | None = None,
    ) -> Cause:
        """Journal a prompt or a command that a card or the owner gave, on the arrow where there is one.

        Gives the cause of what follows from it.
        """
        body = self._body(text)
        sender = None if by is None else self._graph.card(by)
        home = self._graph.card(to).workspace_id
        parcel = Parcel(home, sender, "", "ns:text", self._clock.now_ms(), self.post.place_after(cause))
        draft = Draft(self.ledger, self.activity, parcel, body, "act", self.ledger.next_ids(1), kind)
        entry_id = draft.take_id()
        arrow = None if by is None else self._graph.arrow_between(by, to)
        lane = None if arrow is None or by is None else Lane(arrow.id, arrow.flow_from(by))
        draft.note(entry_id, "accepted" if error is None else "refused", to, None, lane, error=error)
        await _settled(draft.write())
        return parcel.place.cause_of_next(entry_id)

    # Kept values for cards that come later

    def waiting_for(self, card: Card, output: str, seq: int) -> list[str]:
        """Who should get the kept value of an output once and can receive it now, as card ids.

        Never terminals, agents and chats: drawing an arrow must not run a command.
        """
        port = port_of(card.outputs, output)
        if port is None or not port.retain:
            return []
        routes = self.wiring.routes(card, port)
        return [
            target.peer.card_id
            for target in routes.plan.targets
            if self.ledger.given_seq(routes.lanes[target.peer.card_id].arrow_id, card.id, output) < seq
            and self._graph.card(target.peer.card_id).kind not in _ACTORS
            and self._is_reachable(target.peer.card_id)
        ]

    async def give_kept(self, card_id: CardId, output: str) -> int:
        """Give an output's kept value to those it never went to; gives how many accepted it."""
        async with self._turn(card_id, output):
            card = self._graph.find_card(card_id)
            seq = self.ledger.kept_seqs().get((card_id, output), 0)
            waiting = set() if card is None else set(self.waiting_for(card, output, seq))
            kept = await self.ledger.kept(card_id, output) if waiting else None
            card = self._graph.find_card(card_id)
            if card is None or kept is None or kept.text is None:
                return 0
            port = self._output(card, output)
            routes = self.wiring.routes(card, port)
            targets = tuple(target for target in routes.plan.targets if target.peer.card_id in waiting)
            value = loads(kept.text)
            if self._check(port, value):
                return 0  # the output was declared anew and the old value no longer fits it
            plan = Plan(port, targets, routes.plan.kinds, ())
            landed = land(plan, value, self._check)
            place = self.post.place_after(None)
            draft = self._draft(card, port, self._body(value), place, "late", len(targets), "retained")
            draft.kept = kept  # and so it goes to each of these alone, not along the whole row
            delivered, written = await self._serving.to_all(draft, replace(routes, plan=plan, paused=()), landed, value)
        await _settled(written)
        return delivered

    # Life of cards

    def forget(self, card_id: CardId) -> None:
        """Drop what is remembered of a card that is gone; what is kept on disk stays for undo."""
        for key in [key for key in self._outputs if card_id in key]:
            del self._outputs[key]
        self.post.forget(card_id)

    # Inside

    def _draft(
        self, card: Card, port: PortInfo, body: Body, place: Place, via: Via, count: int, kind: Kind | None = None
    ) -> Draft:
        if via == "resend":
            kind = "resend"
        parcel = Parcel(card.workspace_id, card, port.id, port.type, self._clock.now_ms(), place)
        return Draft(self.ledger, self.activity, parcel, body, via, self.ledger.next_ids(count), kind)

    def _keep(self, draft: Draft, card: Card, port: PortInfo, value: JsonValue) -> None:
        too_large = too_large_to_keep(draft.body, value, self.limits.kept_units)
        draft.keep(
            card,
            port,
            too_large=too_large,
            max_units=self.limits.kept_units,
            records_state=card.kind in _KEEPERS,
        )

    def _body(self, value: JsonValue) -> Body:
        return body_of(value, self.limits.message_units)

    def _output(self, card: Card, output: str) -> PortInfo:
        port = port_of(card.outputs, output)
        if port is None:
            raise CallError(ErrorCode.NOT_FOUND, f"{card.name} has no output {output}.")
        return port

    def _is_reachable(self, card_id: str) -> bool:
        card = self._graph.find_card(card_id)
        return card is not None and self.post.reachable(card)

    def _refuse_paused(self, card: Card, other: str) -> None:
        joint = self.wiring.joint(card, other)
        if joint is not None and joint.paused:
            raise CallError(
                ErrorCode.UNAVAILABLE, f"The arrow between {card.name} and {joint.peer.info.name} is paused."
            )

    def _take(self, state: _Output, output: str) -> None:
        wait_ms = state.rate.take(self._clock.steady_ms())
        if wait_ms:
            raise rate_limited(wait_ms, f"output {output}")

    def _turn(self, card_id: str, output: str) -> _Turn:
        state = self._outputs.get((card_id, output))
        if state is None:
            state = _Output(RateWindow(self.limits.per_second, window_ms=_WINDOW_MS))
            self._outputs[(card_id, output)] = state
        return _Turn(state)


class _Turn:
    """Waits for an output's turn and gives its state."""

    __slots__ = ("_state",)

    def __init__(self, state: _Output) -> None:
        self._state = state

    async def __aenter__(self) -> _Output:
        await self._state.turn.acquire()
        return self._state

    async def __aexit__(self, *_: object) -> None:
        self._state.turn.release()


async def _settled(written: Awaitable[None] | None) -> None:
    if written is not None:
        await written
