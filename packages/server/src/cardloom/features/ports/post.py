"""The last step of a value: into a card's program or into a built-in card, within the limits of its chain.

Spec: ports, receiving; decision 10 (chains); a program that is not connected misses what streams.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from cardloom_protocol import hosting
from cardloom_protocol.errors import CallError, ErrorCode, JsonValue
from cardloom_protocol.hosting import ChainGuard
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.ports import PortInfo

from ...core.bus import Bus, Event, card_topic
from ...core.call import Cause
from ...core.clock import Clock
from ...core.delivery import Delivery, Receiver
from ...core.ids import new_chain_id
from ...core.records import Card
from .model import OWNER, Outcome, Place
from .wiring import Row, peer_kind

IsConnected: TypeAlias = Callable[[CardId], bool]
PROGRAM: Final = "custom"
"""The kind of cards that have a program."""


@dataclass(slots=True)
class Parcel:
    """What is the same for all receivers of one value. `sender` is None where the owner sends.

    `events` holds one event, with its encoded frame, for all programs that get the same at an input of the same id.
    """

    workspace_id: WorkspaceId
    sender: Card | None
    output: str
    source_type: str
    at_ms: int
    place: Place
    events: dict[tuple[str, str, int], Event] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Handed:
    """What became of a value at one card. `error` is the refusal of a built-in card."""

    outcome: Outcome
    error: CallError | None = None


ACCEPTED = Handed("accepted")


class Post:
    """Hands values over and remembers which one each program received last."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        receivers: MutableMapping[str, Receiver],
        is_connected: IsConnected | None,
        guard: ChainGuard,
        cause_ms: int,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._receivers = receivers
        self._is_connected = is_connected or (lambda card_id: bus.is_followed(card_topic(card_id)))
        self.bus_knows = is_connected is None
        self._guard = guard
        self._cause_ms = cause_ms
        self._received: dict[CardId, tuple[Place, int, int]] = {}

    def place_after(self, cause: Cause | None) -> Place:
        """Where a value stands that is sent for this cause, or for none."""
        if cause is None:
            return Place(new_chain_id(), 0, None)
        return Place(cause.chain, cause.hop + 1, cause.entry_id)

    def cause_of(self, card_id: CardId) -> Cause | None:
        """What a program is taken to be answering: what it received last, if that was a moment ago."""
        received = self._received.get(card_id)
        if received is None:
            return None
        place, entry_id, steady_ms = received
        return place.cause_of_next(entry_id) if self._clock.steady_ms() - steady_ms <= self._cause_ms else None

    def admit(self, place: Place, count: int) -> int:
        """How many deliveries may go ahead; the others are a loop."""
        return self._guard.admit(hosting.Cause(place.chain, place.hop + 1), self._clock.steady_ms(), count)

    def reachable(self, card: Card) -> bool:
        """Whether a value would be received now."""
        return self._is_connected(card.id) if card.kind == PROGRAM else card.kind in self._receivers

    def received(self, card_id: CardId, place: Place, entry_id: int) -> None:
        """Remember what a program received last."""
        self._received[card_id] = (place, entry_id, self._clock.steady_ms())

    def forget(self, card_id: CardId) -> None:
        self._received.pop(card_id, None)

    async def hand_over(self, parcel: Parcel, to: Card, port: PortInfo, data: JsonValue, entry_id: int) -> Handed:
        """Give a value to one card."""
        if to.kind == PROGRAM:
            return self.give_program(parcel, to, port, data, entry_id)
        receiver = self._receivers.get(to.kind)
        if receiver is None:
            return Handed("refused", CallError(ErrorCode.UNAVAILABLE, f"{to.name} takes no values."))
        from_card = None if parcel.sender is None else parcel.sender.id
        delivery = Delivery(
            parcel.workspace_id,
            from_card,
            parcel.output,
            to,
            port.id,
            port.type,
            parcel.source_type,
            data,
            parcel.at_ms,
            parcel.place.cause_of_next(entry_id),
        )
        try:
            await receiver(delivery)
        except CallError as error:
            return Handed("refused", error)
        return ACCEPTED

    def give_program(self, parcel: Parcel, to: Card, port: PortInfo, data: JsonValue, entry_id: int) -> Handed:
        """Give a value to a card's program, which takes whatever fits its input."""
        if self._is_connected(to.id):
            self.received(to.id, parcel.place, entry_id)
            self._bus.hand(_event(parcel, port, data), card_topic(to.id))
            return ACCEPTED
        return not_running(to.name)

    def give_programs(self, parcel: Parcel, row: Row, value: JsonValue, first_id: int) -> list[int]:
        """Give a value as it is to programs alone, numbered in a row; gives the places of those that do not run.

        Only where `bus_knows` who runs.
        """
        topics = row.topics or ()
        missing = self._bus.hand_each([_event(parcel, port, value) for port in row.inputs], topics)
        place, steady_ms, received = parcel.place, self._clock.steady_ms(), self._received
        for at, ((_, card_id), _) in enumerate(topics):
            if not missing or at not in missing:
                received[CardId(card_id)] = (place, first_id + at, steady_ms)
        return missing


def not_running(name: str) -> Handed:
    """What becomes of a value whose receiver's program is not there."""
    return Handed("dropped", CallError(ErrorCode.UNAVAILABLE, f"{name} is not running."))


def _event(parcel: Parcel, port: PortInfo, data: JsonValue) -> Event:
    key = (port.id, port.type, id(data))
    found = parcel.events.get(key)
    if found is None:
        found = parcel.events[key] = Event("ports.message", _message(parcel, port, data))
    return found


def _message(parcel: Parcel, port: PortInfo, data: JsonValue) -> dict[str, JsonValue]:
    return {
        "from": OWNER if parcel.sender is None else parcel.sender.id,
        "fromKind": "other" if parcel.sender is None else peer_kind(parcel.sender),
        "output": parcel.output,
        "input": port.id,
        "type": port.type,
        "sourceType": parcel.source_type,
        "data": data,
        "at": parcel.at_ms,
    }
