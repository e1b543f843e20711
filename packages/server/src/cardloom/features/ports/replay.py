"""The journal delivered again: into a copy of the workspace, in the recorded order, by a clock that follows the record.

What began outside is sent again from the journal: the owner's values and edits, and all that programs sent, since
programs are not started. What built-in cards do must follow by itself and is compared. Afterwards the copy stands
beside its original as a closed workspace. Spec: decision 10; the journal in the protocol guide.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, ChainId, WorkspaceId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit
from cardloom_protocol.ports import coerce

from ...core.bus import Bus
from ...core.call import Cause
from ...core.clock import Clock, VirtualClock
from ...core.delivery import Delivery, Receiver
from ...core.grants import Grants
from ...core.graph import Graph
from ...core.records import Arrow, ArrowStats, Card, Workspace
from ...host.wire_json import loads
from .activity import Activity
from .journal_reading import Recorded
from .model import PREVIEW_CHARS, Body, Entry, body_of, mark_of
from .service import PortsService
from .stage import Builtins, Copy, MemoryLedger, Stage, kept_page
from .store import PortsStore

_MAX_ID: Final = 2**63 - 1
_BREATH: Final = 50
_PROGRAMS: Final = ("terminal", "agent", "other")
_NEVER_SENT_AGAIN: Final = frozenset(("request", "act"))

MakeBuiltins: TypeAlias = Callable[[Stage], Builtins]
AddWorkspace: TypeAlias = Callable[[Workspace, Sequence[Card], Sequence[Arrow], "str | None"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Range:
    """Which entries: by id and by time, both ends included, None for open."""

    from_id: int | None = None
    to_id: int | None = None
    from_ms: int | None = None
    to_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay and the record part. `entry_id` is None for something that the record does not have."""

    entry_id: int | None
    field: str
    recorded: JsonValue
    replayed: JsonValue

    def to_wire(self) -> dict[str, JsonValue]:
        return {
            "entryId": self.entry_id,
            "field": self.field,
            "recorded": self.recorded,
            "replayed": self.replayed,
        }


@dataclass(frozen=True, slots=True)
class Replayed:
    """The outcome: the copy, how many entries were gone through, and where results differ."""

    workspace_id: WorkspaceId
    name: str
    replayed: int
    differences: list[Difference]

    def to_wire(self) -> dict[str, Any]:
        return {
            "workspaceId": self.workspace_id,
            "name": self.name,
            "replayed": self.replayed,
            "differences": [difference.to_wire() for difference in self.differences],
        }


class Replays:
    """Makes copies and plays the journal into them."""

    def __init__(
        self,
        graph: Graph,
        grants: Grants,
        store: PortsStore,
        clock: Clock,
        make_builtins: MakeBuiltins,
        add_workspace: AddWorkspace,
        max_entries: int = limit("replayEntries"),
    ) -> None:
        self._graph = graph
        self._grants = grants
        self._store = store
        self._clock = clock
        self._make_builtins = make_builtins
        self._add_workspace = add_workspace
        self._max_entries = max_entries

    async def run(self, workspace_id: str, asked: Range, by: str | None = None) -> Replayed:
        """Play a range again. NOT_FOUND: the workspace; INVALID_PARAMS: nothing or too much in the range."""
        original = self._graph.workspace(workspace_id)
        ids = (asked.from_id or 1, asked.to_id or _MAX_ID)
        times_ms = (asked.from_ms or 0, _MAX_ID if asked.to_ms is None else asked.to_ms)
        rows = self._store.journal.range(original.id, ids, times_ms, self._max_entries + 1)
        if not rows:
            raise CallError(ErrorCode.INVALID_PARAMS, "the journal holds nothing in this range", [])
        if len(rows) > self._max_entries:
            message = f"more than {self._max_entries} entries (replayEntries); choose a smaller range"
            raise CallError(ErrorCode.INVALID_PARAMS, message, [])
        copy = Copy(self._graph, self._grants, original, self._clock.now_ms())
        play = _Play(copy, self._make_builtins, rows[0].entry.at_ms)
        await play.begin(self._store, rows[0].entry.id)
        for index, page in enumerate(_pages(rows)):
            await play.step(page)
            if index % _BREATH == 0:
                await asyncio.sleep(0)  # others of this process want their turn
        await play.end()
        await self._put_beside(copy, play.builtins, by)
        return Replayed(copy.workspace.id, copy.workspace.name, play.replayed, play.differences)

    async def _put_beside(self, copy: Copy, builtins: Builtins, by: str | None) -> None:
        """Make the copy a workspace of its own, whose outputs have said already what they say."""
        home, now_ms = copy.workspace.id, self._clock.now_ms()
        for card in copy.graph.cards_of(home):
            if card.kind in builtins.receivers:
                output, value = builtins.says(card.id)
                body = body_of(value, limit("largeMessageBytes"))
                arrows = copy.arrows_from(card.id)
                await self._store.write(kept_page(card.id, output, self._store.next_ids(1), now_ms, body, arrows))
        await self._add_workspace(copy.workspace, copy.graph.cards_of(home), copy.graph.arrows_of(home), by)


class _Play:
    """One replay under way."""

    def __init__(self, copy: Copy, make_builtins: MakeBuiltins, start_ms: int) -> None:
        self.differences: list[Difference] = []
        self.replayed = 0
        self._copy = copy
        self._clock = VirtualClock(start_ms)
        self._ledger = MemoryLedger()
        self._compared = 0
        self._refusals: dict[CardId, CallError] = {}
        receivers: MutableMapping[str, Receiver] = dict.fromkeys(_PROGRAMS, self._program)
        self._ports = PortsService(
            copy.graph,
            copy.grants,
            Bus(),
            self._clock,
            self._ledger,
            Activity(copy.graph, Bus(), _write_nothing),
            receivers,
            is_connected=lambda card_id: card_id not in self._refusals,
        )
        self.builtins = make_builtins(Stage(copy.graph, self._clock, self._ports.emit, self._ports.is_said))
        receivers.update(self.builtins.receivers)

    async def begin(self, store: PortsStore, first_id: int) -> None:
        """Put the built-in cards back to where they stood before the range, as far as the journal knows.

        That is what they said last, and what they had taken in since without having told of it yet.
        """
        for original, copied in self._copy.card_ids.items():
            card = self._copy.graph.card(copied)
            state = store.journal.state_before(original, first_id) if self._is_builtin(card) else None
            if state is None or state[1] is None:
                continue
            await self.builtins.restore(copied, loads(state[1]))
            for row in store.journal.taken_in(original, state[0], first_id):
                await self._take_in(copied, row)

    async def step(self, page: Sequence[Recorded]) -> None:
        """Go through what one value left in the journal."""
        first = page[0].entry
        if first.via in _NEVER_SENT_AGAIN:
            return
        self._clock.set(first.at_ms)
        self._copy.draw_until(first.at_ms)
        self._refusals = {}
        sender = self._copy.find(first.from_card)
        if sender is None and first.via != "owner":
            self._differ(first.id, "from", first.from_card, None)
            return
        for row in page:
            self._expect(row.entry)
        try:
            if sender is not None and self._is_builtin(sender) and first.hop > 0:
                await self.builtins.tell(sender.id)
            elif first.via == "state" and len(page) == 1 and sender is not None and page[0].text is not None:
                await self.builtins.restore(sender.id, loads(page[0].text))
                return  # it was changed by hand and nobody was told
            elif page[0].text is None:
                self._differ(first.id, "body", "too large to be kept", None)
                return
            else:
                await self._send_again(first, sender, loads(page[0].text))
        except CallError as error:
            if not any(row.entry.outcome == "refused" for row in page):
                self._differ(first.id, "error", None, error.message)
        self._compare(page)

    async def end(self) -> None:
        """Let built-in cards say what the record does not know that they would."""
        await self.builtins.flush()
        self._compare(())
        self._copy.draw_until(_MAX_ID)

    async def _take_in(self, card_id: CardId, row: Recorded) -> None:
        entry, card = row.entry, self._copy.graph.card(card_id)
        if row.text is None or entry.input_id is None or entry.input_type is None:
            return
        delivery = Delivery(
            card.workspace_id,
            None,
            entry.output or "",
            card,
            entry.input_id,
            entry.input_type,
            entry.type,
            coerce(entry.type, entry.input_type, loads(row.text)),
            entry.at_ms,
            Cause(ChainId(entry.chain), entry.hop, entry.id),
        )
        try:
            await self.builtins.receivers[card.kind](delivery)
        except CallError as error:
            self._differ(entry.id, "error", None, error.message)

    async def _send_again(self, entry: Entry, sender: Card | None, value: JsonValue) -> None:
        cause = Cause(ChainId(entry.chain), entry.hop - 1, entry.cause)
        to = self._copy.find(entry.to_card)
        if sender is None:
            if to is not None:
                await self._ports.deliver(to.id, value, entry.input_id, entry.type, cause)
        elif entry.via in ("emit", "state"):
            if self._is_builtin(sender):
                await self.builtins.restore(sender.id, value)
            await self._ports.emit(sender.id, entry.output or "", value, cause)
        elif to is not None:
            await self._ports.send(sender.id, entry.output or "", value, to.id, entry.input_id, cause)

    def _expect(self, entry: Entry) -> None:
        """Programs take no part: what they did with a value is what the record says."""
        to = self._copy.find(entry.to_card)
        if to is None or self._is_builtin(to) or entry.code is None or entry.outcome == "skipped":
            return
        self._refusals[to.id] = CallError(ErrorCode(entry.code), entry.message or "")

    async def _program(self, delivery: Delivery) -> None:
        refusal = self._refusals.get(delivery.to.id)
        if refusal is not None:
            raise refusal

    def _compare(self, page: Sequence[Recorded]) -> None:
        """Compare what the record says with what was written since the last comparison."""
        new = self._ledger.written[self._compared :]
        self._compared = len(self._ledger.written)
        replayed = {(self._copy.original_of(entry.to_card), entry.via == "state"): (entry, body) for entry, body in new}
        for row in page:
            found = replayed.pop((row.entry.to_card, row.entry.via == "state"), None)
            self.replayed += row.entry.via != "state"
            if found is None:
                self._differ(row.entry.id, "outcome", row.entry.outcome, None)
            else:
                self._compare_one(row, *found)
        for entry, body in replayed.values():
            if entry.via != "state":
                what = f"{entry.outcome}: {body.preview}"
                self._differ(None, "entry", None, what[:PREVIEW_CHARS])

    def _compare_one(self, row: Recorded, entry: Entry, body: Body) -> None:
        recorded = row.entry
        for name, was, now in (
            ("outcome", recorded.outcome, entry.outcome),
            ("code", recorded.code, entry.code),
            ("input", recorded.input_id, entry.input_id),
        ):
            if was != now:
                self._differ(recorded.id, name, was, now)
        if row.mark != mark_of(body.text):
            shown = None if row.text is None else row.text[:PREVIEW_CHARS]
            self._differ(recorded.id, "value", shown, body.text[:PREVIEW_CHARS])
        elif recorded.landed != entry.landed:
            self._differ(recorded.id, "converted", recorded.landed, entry.landed)

    def _is_builtin(self, card: Card) -> bool:
        return card.kind in self.builtins.receivers

    def _differ(self, entry_id: int | None, field: str, recorded: JsonValue, replayed: JsonValue) -> None:
        self.differences.append(Difference(entry_id, field, recorded, replayed))


def _pages(rows: Sequence[Recorded]) -> Iterator[list[Recorded]]:
    for _, page in groupby(rows, key=lambda row: row.page_id):
        yield list(page)


async def _write_nothing(_arrows: Sequence[tuple[ArrowId, ArrowStats]]) -> None:
    """A replay's counts are nobody's."""
