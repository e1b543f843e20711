"""What the journal records of a value's journey, as values: bodies, entries, kept values. No time, no disk.

A body is one value as compact JSON, stored once however many cards it went to. Spec: decisions 10, 43; the entry's
wire shape is the journal's in the protocol guide.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, ChainId, WorkspaceId
from cardloom_protocol.jstext import JsonValue, json_length

from ...core.call import Cause
from ...core.records import Flow
from ...host.wire_json import dumps

Kind = Literal["delivery", "refusal", "loop", "prompt", "command", "request", "resend", "retained"]
Outcome = Literal["accepted", "skipped", "refused", "dropped", "loop"]
Via = Literal["emit", "send", "owner", "late", "resend", "request", "act", "state"]
"""How a value was sent. "late" is a kept value given to a card that came later. "act" is a prompt or a command. "state"
records what a built-in card held, for replays; it is never listed."""

OWNER = "owner"
"""What stands as the sender where the owner sent."""

PREVIEW_CHARS = 200
_GROWTH = 6  # one unit of our JSON text becomes at most this many where JavaScript writes the value
_MINTED = re.compile(r'"i_[A-Za-z0-9_-]{12}"')


@dataclass(frozen=True, slots=True)
class Body:
    """One value as compact JSON. `preview` begins it, or begins the value itself where that is a text."""

    text: str
    size_bytes: int
    preview: str


class Receipt(NamedTuple):
    """What became of a value at one card. The same sender's next value mostly brings the same receipts.

    `offset` is the entry's number less the page's; `landed` says which of the page's marks is that of the value as the
    input got it, None where it got the body.
    """

    offset: int
    kind: Kind
    via: Via
    to_card: str | None
    input_id: str | None
    input_type: str | None
    arrow_id: str | None
    outcome: Outcome
    code: str | None = None
    message: str | None = None
    landed: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal. `landed` is the mark of the value as the input got it, None where it got the body."""

    id: int
    at_ms: int
    workspace_id: WorkspaceId
    kind: Kind
    via: Via
    from_card: str
    output: str | None
    type: str
    to_card: str | None
    input_id: str | None
    input_type: str | None
    arrow_id: str | None
    outcome: Outcome
    code: str | None
    message: str | None
    chain: str
    hop: int
    cause: int | None
    landed: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry with what the journal shows of its body."""

    entry: Entry
    size_bytes: int
    preview: str
    body_kept: bool

    def to_wire(self) -> dict[str, Any]:
        """The entry as pages read it."""
        entry = self.entry
        return {
            "id": entry.id,
            "atMs": entry.at_ms,
            "kind": entry.kind,
            "from": entry.from_card,
            "output": entry.output,
            "type": entry.type,
            "to": entry.to_card,
            "input": entry.input_id,
            "inputType": entry.input_type,
            "arrowId": entry.arrow_id,
            "outcome": entry.outcome,
            "code": entry.code,
            "message": entry.message,
            "sizeBytes": self.size_bytes,
            "chain": entry.chain,
            "hop": entry.hop,
            "cause": entry.cause,
            "preview": self.preview,
            "bodyKept": self.body_kept,
        }


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A body as read back: `text` is None where only `head` and hash were kept."""

    text: str | None
    head: str | None
    size_bytes: int
    sha256: str

    def to_wire(self, body: JsonValue) -> dict[str, Any]:
        return {"body": body, "sizeBytes": self.size_bytes, "sha256": self.sha256, "head": self.head}


@dataclass(frozen=True, slots=True)
class Kept:
    """The last value of an output that keeps it. `seq` grows with every value; `text` None forgets the value."""

    card_id: CardId
    output: str
    seq: int
    at_ms: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Given:
    """Which kept value went along an arrow last, so that none goes twice."""

    arrow_id: ArrowId
    card_id: CardId
    output: str
    seq: int


@dataclass(frozen=True, slots=True)
class Round:
    """What a value leaves behind that everybody accepted as it was, and the arrows it went along."""

    receipts: tuple[Receipt, ...]
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a new value stands in its chain: `hop` is 0 where the chain begins."""

    chain: ChainId
    hop: int
    cause: int | None

    def cause_of_next(self, entry_id: int) -> Cause:
        """The cause of what is sent while handling the delivery of that entry."""
        return Cause(self.chain, self.hop, entry_id)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Who sent a value, and what became of it at each card: all entries of one page."""

    first_id: int
    at_ms: int
    workspace_id: WorkspaceId
    from_card: str
    output: str | None
    type: str
    place: Place
    receipts: Sequence[Receipt]
    marks: Sequence[str] = ()

    def entries(self) -> list[Entry]:
        """The receipts as lines of the journal."""
        return [self.entry(receipt) for receipt in self.receipts]

    def entry(self, receipt: Receipt) -> Entry:
        """One receipt as a line of the journal."""
        place = self.place
        return Entry(
            self.first_id + receipt.offset,
            self.at_ms,
            self.workspace_id,
            receipt.kind,
            receipt.via,
            self.from_card,
            self.output,
            self.type,
            receipt.to_card,
            receipt.input_id,
            receipt.input_type,
            receipt.arrow_id,
            receipt.outcome,
            receipt.code,
            receipt.message,
            place.chain,
            place.hop,
            place.cause,
            None if receipt.landed is None else self.marks[receipt.landed],
        )


@dataclass(frozen=True, slots=True)
class Page:
    """What one emission leaves behind, written as one: its body, its entries, the value kept, the arrows served."""

    body: Body
    sheet: Sheet | None
    kept: Kept | None = None
    given: Sequence[Given] = ()


class Ledger(Protocol):
    """Where pages go: the database, or a list during a replay."""

    def next_ids(self, count: int) -> int:
        """Reserve so many ids in a row and give the first."""

    def write(self, page: Page) -> Awaitable[None]:
        """Take a page in at once; what it gives is done when the page is on disk."""

    async def kept(self, card_id: CardId, output: str) -> Kept | None:
        """The value kept for an output, writes under way included."""

    def kept_seqs(self) -> Mapping[tuple[CardId, str], int]:
        """The number of the value that each output keeps."""

    def given_seq(self, arrow_id: ArrowId, card_id: CardId, output: str) -> int:
        """The number of the kept value that went along an arrow last, 0 for none."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The arrow that a value travels, seen from its sender."""

    arrow_id: ArrowId
    flow: Flow


def body_of(value: JsonValue, max_units: int) -> Body:
    """The value as the journal keeps it. TOO_LARGE when it is over the limit, measured as compact JSON."""
    text = dumps(value)
    if len(text) * _GROWTH > max_units:
        units = json_length(value)
        if units > max_units:
            raise CallError(ErrorCode.TOO_LARGE, f"The value is {units} characters as JSON; at most {max_units} pass.")
    size_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    preview = value if isinstance(value, str) else text
    return Body(text, size_bytes, whole_characters(preview[:PREVIEW_CHARS]))


def digest_of(text: str) -> str:
    """The SHA-256 of a body, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def whole_characters(text: str) -> str:
    """The text with a question mark for each half of a character, which no database takes."""
    return text.encode("utf-8", "replace").decode()


def mark_of(text: str) -> str:
    """A mark of a body, equal for those that differ only in ids that Cardloom made up."""
    if '"i_' in text:
        seen: dict[str, str] = {}
        text = _MINTED.sub(lambda found: seen.setdefault(found[0], f'"i#{len(seen)}"'), text)
    return digest_of(text)


def too_large_to_keep(body: Body, value: JsonValue, max_units: int) -> bool:
    """Whether a value is over the limit for kept ones."""
    return len(body.text) * _GROWTH > max_units and json_length(value) > max_units
