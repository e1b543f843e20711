"""The page of the journal that one emission fills, while it happens."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field

from cardloom_protocol.errors import CallError, ErrorCode, JsonValue
from cardloom_protocol.ids import CardId
from cardloom_protocol.ports import PeerInfo, PortInfo

from ...core.records import Card
from ...host.wire_json import dumps
from .activity import Activity
from .model import (
    OWNER,
    Body,
    Given,
    Kept,
    Kind,
    Lane,
    Ledger,
    Outcome,
    Page,
    Receipt,
    Round,
    Sheet,
    Via,
    mark_of,
    whole_characters,
)
from .post import Handed, Parcel

LOOP_MESSAGE = "This value goes round in a circle; it was dropped."
PAUSED_MESSAGE = "The arrow is paused."


@dataclass(slots=True)
class Draft:
    """One value's page. `take_id` numbers its entries in a row; `kind` overrides what the outcomes would name it."""

    ledger: Ledger
    activity: Activity
    parcel: Parcel
    body: Body
    via: Via
    first_id: int
    kind: Kind | None = None
    kept: Kept | None = None
    receipts: list[Receipt] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    _round: tuple[Receipt, ...] = ()
    _taken: int = 0
    _marks: list[str] = field(default_factory=list)
    _marked: dict[int, int] = field(default_factory=dict)

    @property
    def next_id(self) -> int:
        """The number that the next entry will have."""
        return self.first_id + self._taken

    def take_id(self) -> int:
        """The number of the next entry."""
        self._taken += 1
        return self.first_id + self._taken - 1

    def note(
        self,
        entry_id: int,
        outcome: Outcome,
        to: str | None,
        port: PortInfo | None,
        lane: Lane | None,
        *,
        error: CallError | None = None,
        message: str | None = None,
        landed: int | None = None,
        counted: bool = True,
    ) -> None:
        """Record what became of the value at one card, and count it on its arrow."""
        parcel, said = self.parcel, message if error is None else error.message
        self.receipts.append(
            Receipt(
                entry_id - self.first_id,
                self.kind or _KINDS.get(outcome, "delivery"),
                self.via,
                to,
                None if port is None else port.id,
                None if port is None else port.type,
                None if lane is None else lane.arrow_id,
                outcome,
                None if error is None else error.code.value,
                None if said is None else whole_characters(said),
                landed,
            )
        )
        if lane is not None and counted:
            self.activity.count(parcel.workspace_id, lane, outcome, parcel.source_type, parcel.at_ms)

    def note_round(self, round_: Round) -> None:
        """Record, before anything else, that everybody accepted the value as it is, and count it on their arrows."""
        self._round = round_.receipts
        self._taken += len(round_.receipts)
        parcel = self.parcel
        self.activity.count_round(parcel.workspace_id, round_.lanes, parcel.source_type, parcel.at_ms)

    def note_handed(
        self, entry_id: int, handed: Handed, to: PeerInfo | Card, port: PortInfo, lane: Lane | None, landed: int | None
    ) -> None:
        """Record what became of a value that was handed over; a kept one does not go along that arrow again."""
        card_id = to.id if isinstance(to, Card) else to.card_id
        self.note(entry_id, handed.outcome, card_id, port, lane, error=handed.error, landed=landed)
        if self.kept is not None and lane is not None and handed.outcome != "dropped":
            self.given.append(Given(lane.arrow_id, self.kept.card_id, self.kept.output, self.kept.seq))

    def mark(self, value: JsonValue, data: JsonValue) -> int | None:
        """Which mark is a converted value's, worked out once for all that share it; None for the value itself."""
        if data is value:
            return None
        found = self._marked.get(id(data))
        if found is None:
            found = self._marked[id(data)] = len(self._marks)
            self._marks.append(mark_of(dumps(data)))
        return found

    def keep(self, card: Card, port: PortInfo, *, too_large: bool, max_units: int, records_state: bool) -> None:
        """Keep the value for cards that come later; one over the limit takes the place of the last and is not kept."""
        seq = self.take_id()
        text = None if too_large else self.body.text
        self.kept = Kept(CardId(card.id), port.id, seq, self.parcel.at_ms, text)
        if too_large:
            message = f"Delivered, but not kept: over {max_units} characters (retainedValueBytes)."
            kind, self.kind = self.kind, "retained"
            self.note(seq, "refused", None, None, None, error=CallError(ErrorCode.TOO_LARGE, message))
            self.kind = kind
        elif records_state:
            via, self.via = self.via, "state"
            self.note(seq, "accepted", None, None, None)
            self.via = via

    def write(self) -> Awaitable[None] | None:
        """Hand the page to the ledger; None when there is nothing to write."""
        receipts = (*self._round, *self.receipts) if self.receipts else self._round
        if not receipts and self.kept is None:
            return None
        return self.ledger.write(Page(self.body, self._sheet(receipts) if receipts else None, self.kept, self.given))

    def _sheet(self, receipts: tuple[Receipt, ...]) -> Sheet:
        parcel = self.parcel
        return Sheet(
            self.first_id,
            parcel.at_ms,
            parcel.workspace_id,
            OWNER if parcel.sender is None else parcel.sender.id,
            parcel.output or None,
            parcel.source_type,
            parcel.place,
            receipts,
            self._marks,
        )


_KINDS: dict[str, Kind] = {"refused": "refusal", "loop": "loop"}
