"""Built-in cards at work: edits and values change them, every change is told on their output.

Outputs speak at most a few times a second, the first change at once and the last state always; what caused a change
goes along, so that values going round in a circle are found. Spec: ports, built-in cards; decisions 10, 43.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, WorkspaceId
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit

from ....core.call import Cause
from ....core.clock import Clock
from ....core.delivery import Delivery, Receiver
from ....core.graph import Graph
from ....core.records import Card, Change, PutCard, RemoveCard
from .kanban import Kanban
from .note import Note
from .state import Conflict, Kind, NewId, State
from .sticky import Sticky
from .todo import Todo

_log = logging.getLogger(__name__)

Step: TypeAlias = Callable[[State], State | Conflict]
Emit: TypeAlias = Callable[[CardId, str, JsonValue, Cause | None], Awaitable[int]]
IsSaid: TypeAlias = Callable[[CardId, str, JsonValue], Awaitable[bool]]
"""Whether an output said this very value last, as far as that can be known."""

KINDS: Final[Mapping[str, Kind]] = {"note": Note(), "todo": Todo(), "kanban": Kanban(), "sticky": Sticky()}


class Commit(Protocol):
    """How a canvas is changed."""

    def __call__(
        self, workspace_id: WorkspaceId, make: Callable[[Graph], Sequence[Change]], by: str | None = None, /
    ) -> Awaitable[None]: ...


@dataclass(slots=True)
class _Due:
    """A change that is to be told. `unless_said` leaves it out where the output keeps that very value already."""

    cause: Cause | None = None
    unless_said: bool = False


class BuiltinCards:
    """Changes built-in cards and tells of it."""

    def __init__(
        self,
        graph: Graph,
        commit: Commit,
        emit: Emit,
        is_said: IsSaid,
        clock: Clock,
        new_id: NewId,
        *,
        kinds: Mapping[str, Kind] = KINDS,
        per_second: int = limit("builtinOutputsPerSecond"),
    ) -> None:
        self._graph = graph
        self._commit = commit
        self._emit = emit
        self._is_said = is_said
        self._clock = clock
        self._new_id = new_id
        self._kinds = kinds
        self._gap_ms = -(-1000 // per_second)
        self._due: dict[CardId, _Due] = {}
        self._told_ms: dict[CardId, int] = {}
        self._telling: set[CardId] = set()
        self._writing: dict[CardId, int] = {}
        self._something = asyncio.Event()

    @property
    def receivers(self) -> dict[str, Receiver]:
        """What takes values in, by kind of card."""
        return dict.fromkeys(self._kinds, self.receive)

    async def receive(self, delivery: Delivery) -> None:
        """Take in a value. CallError refuses it; then nothing is changed."""
        kind = self._kinds[delivery.to.kind]

        def step(state: State) -> State:
            return kind.receive(state, delivery.input_id, delivery.data, self._new_id)

        await self._change(delivery.to, step, None, delivery.cause)

    async def edit(self, card_id: str, kind: str, step: Step, by: str | None) -> Card | Conflict:
        """Carry out a person's step. NOT_FOUND; INVALID_PARAMS when the card is of another kind."""
        card = self._graph.card(card_id)
        if card.kind != kind:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} is no {kind} but a {card.kind}", [])
        return await self._change(card, step, by, None)

    async def restore(self, card_id: CardId, value: JsonValue) -> None:
        """Put a card back to where its output said this; nothing is told."""
        card = self._graph.card(card_id)
        kind = self._kinds[card.kind]
        await self._change(card, lambda state: kind.restored(state, value), None, None)
        self._due.pop(card_id, None)

    def says(self, card_id: CardId) -> tuple[str, JsonValue]:
        """A card's output and what it says now."""
        card = self._graph.card(card_id)
        kind = self._kinds[card.kind]
        return kind.output, kind.value(State(card.content, card.title))

    def changed(self, _workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """The canvas changed: new cards and renamed stickies have something to tell."""
        for change in changes:
            match change:
                case PutCard(card, None) if card.kind in self._kinds:
                    self._mark(card.id, None, unless_said=True)
                case PutCard(card, fields) if card.kind == "sticky" and fields is not None and "title" in fields:
                    if card.id not in self._writing:
                        self._mark(card.id, None)
                case RemoveCard(card_id):
                    self._due.pop(card_id, None)
                    self._told_ms.pop(card_id, None)

    def resume(self) -> None:
        """After a start: tell what changed before the last end and was not told any more."""
        for workspace_id in self._graph.workspaces:
            for card in self._graph.cards_of(workspace_id):
                if card.kind in self._kinds:
                    self._mark(card.id, None, unless_said=True)

    async def run(self) -> None:
        """Tell what is to be told, in time, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._something.clear()
                wait_ms = self._start(group)
                try:
                    async with asyncio.timeout(None if wait_ms is None else wait_ms / 1000):
                        await self._something.wait()
                except TimeoutError:
                    continue

    async def tell(self, card_id: CardId) -> bool:
        """Tell what a card has to tell now; False when it has nothing."""
        due = self._due.pop(card_id, None)
        if due is None or self._graph.find_card(card_id) is None:
            return False
        output, value = self.says(card_id)
        if due.unless_said and await self._is_said(card_id, output, value):
            return False
        self._told_ms[card_id] = self._clock.steady_ms()
        await self._emit(card_id, output, value, due.cause)
        return True

    async def flush(self) -> None:
        """Tell everything that is to be told, without waiting for its time."""
        for card_id in list(self._due):
            await self._tell_safely(card_id)

    async def _change(self, card: Card, step: Step, by: str | None, cause: Cause | None) -> Card | Conflict:
        conflict: Conflict | None = None
        changed = False

        def make(graph: Graph) -> list[Change]:
            nonlocal conflict, changed
            now = graph.card(card.id)
            before = State(now.content, now.title)
            after = step(before)
            if isinstance(after, Conflict):
                conflict = after
                return []
            changed = after != before
            return [_put(now, after)] if changed else []

        self._writing[card.id] = self._writing.get(card.id, 0) + 1
        try:
            await self._commit(card.workspace_id, make, by)
        finally:
            self._writing[card.id] -= 1
            if not self._writing[card.id]:
                del self._writing[card.id]
        if conflict is not None:
            return conflict
        if changed:
            self._mark(card.id, cause)
        return self._graph.card(card.id)

    def _mark(self, card_id: CardId, cause: Cause | None, *, unless_said: bool = False) -> None:
        """Something is to be told. Of several causes the one deepest in its chain counts, so no circle goes unseen."""
        due = self._due.get(card_id)
        if due is None:
            self._due[card_id] = _Due(cause, unless_said)
        else:
            due.unless_said = due.unless_said and unless_said
            if cause is not None and (due.cause is None or cause.hop >= due.cause.hop):
                due.cause = cause
        self._something.set()

    def _start(self, group: asyncio.TaskGroup) -> int | None:
        """Start telling what is due; gives the milliseconds until the next is."""
        now_ms = self._clock.steady_ms()
        next_ms: int | None = None
        for card_id in self._due:
            if card_id in self._telling:
                continue
            wait_ms = self._told_ms.get(card_id, now_ms - self._gap_ms) + self._gap_ms - now_ms
            if wait_ms <= 0:
                self._telling.add(card_id)
                group.create_task(self._tell_in_time(card_id))
            else:
                next_ms = wait_ms if next_ms is None else min(next_ms, wait_ms)
        return next_ms

    async def _tell_in_time(self, card_id: CardId) -> None:
        try:
            await self._tell_safely(card_id)
        finally:
            self._telling.discard(card_id)
            self._something.set()

    async def _tell_safely(self, card_id: CardId) -> None:
        try:
            await self.tell(card_id)
        except CallError as error:
            _log.warning("the output of card %s could not speak: %s", card_id, error)
        except Exception:  # noqa: BLE001 - a task root: the next change tries again
            _log.exception("the output of card %s could not speak", card_id)


def _put(card: Card, after: State) -> PutCard:
    fields: dict[str, Any] = {}
    names: list[str] = []
    if after.content != card.content:
        fields["content"] = after.content
        names.append("content")
    if after.title != card.title:
        fields["title"] = after.title
        names += ["title", "name"]
    return PutCard(replace(card, revision=card.revision + 1, **fields), (*names, "revision"))
