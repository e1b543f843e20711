"""How the canvas changes: decided by a pure function, written to disk, applied, announced, in this order.

One write at a time a workspace. What is asked for meanwhile waits and is then decided in the order of asking, each on
what the ones before it make of the canvas, and written as one. Once a write is queued nothing can tear it from its
announcement: whoever waits may be cancelled, disk and memory stay equal. Spec: architecture, invariants (publish after
commit); decision record 1.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from cardloom_protocol.errors import CallError
from cardloom_protocol.ids import CardId, WorkspaceId

from ...core.bus import Bus, canvas_topic
from ...core.clock import Clock
from ...core.graph import Graph
from ...core.records import (
    Arrow,
    Card,
    Change,
    JsonObject,
    PutArrow,
    PutCard,
    PutWorkspace,
    RemoveCard,
    Workspace,
    change_to_wire,
)
from ...host.database import Database
from .store import save

_log = logging.getLogger(__name__)

Make: TypeAlias = Callable[[Graph], Sequence[Change]]
CardListener: TypeAlias = Callable[[Card], Awaitable[None]]
WorkspaceListener: TypeAlias = Callable[[Workspace], Awaitable[None]]
ChangesListener: TypeAlias = Callable[[WorkspaceId, Sequence[Change]], None]


@dataclass(slots=True)
class Listeners:
    """What other features do after a commit. `changed` is called at once and must not wait or raise.

    The others run as tasks of their own, in the order of registration, and the committing call waits for them: what
    may take long (asking the owner, starting a program) belongs into a task of the listener's feature.
    """

    card_added: list[CardListener] = field(default_factory=list)
    card_removed: list[CardListener] = field(default_factory=list)
    workspace_opened: list[WorkspaceListener] = field(default_factory=list)
    workspace_closed: list[WorkspaceListener] = field(default_factory=list)
    changed: list[ChangesListener] = field(default_factory=list)


@dataclass(slots=True)
class _Wanted:
    """A change that somebody waits for. `done` gives the listeners' work that it started."""

    make: Make
    by: str | None
    alone: bool
    done: asyncio.Future[list[asyncio.Task[None]]]


@dataclass(slots=True)
class _Decided:
    """A change between its decision and its end, with what stood there before."""

    wanted: _Wanted
    changes: list[Change]
    before: dict[str, Card | Arrow | Workspace | None]


class Commits:
    """The one writer of the graph."""

    def __init__(self, database: Database, graph: Graph, bus: Bus, clock: Clock) -> None:
        self.listeners = Listeners()
        self._database = database
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._waiting: dict[WorkspaceId, deque[_Wanted]] = {}
        self._seqs: dict[WorkspaceId, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def seq(self, workspace_id: WorkspaceId) -> int:
        """The number of the last announced change."""
        return self._seqs.get(workspace_id, 0)

    def busy(self, workspace_id: WorkspaceId) -> bool:
        """Whether a commit is under way."""
        return workspace_id in self._waiting

    async def commit(
        self, workspace_id: WorkspaceId, make: Make, by: str | None = None, *, alone: bool = False
    ) -> None:
        """Decide on changes, write, apply and announce them. `by` is the page whose doing it is.

        `alone` is for a `make` that reads the disk too: everything asked for earlier is there before it is called.
        Whatever `make` raises comes out and nothing happened; UNAVAILABLE when the disk refuses.
        """
        wanted = _Wanted(make, by, alone, asyncio.get_running_loop().create_future())
        waiting = self._waiting.get(workspace_id)
        if waiting is None:
            self._waiting[workspace_id] = deque([wanted])
            self._write_next(workspace_id)
        else:
            waiting.append(wanted)
        for task in await wanted.done:
            await asyncio.shield(task)

    def patch_runtime(self, card_id: CardId, runtime: JsonObject | None) -> None:
        """Show what a card's program does now; never stored. Nothing happens for a card that is gone."""
        card = self._graph.find_card(card_id)
        if card is not None and card.runtime != runtime:
            self._announce(card.workspace_id, [PutCard(replace(card, runtime=runtime), ("runtime",))], None)

    def patch_problem(self, workspace_id: WorkspaceId, problem: str | None) -> bool:
        """Show what is wrong with a workspace's folder; never stored. Tells whether that is news."""
        workspace = self._graph.workspaces.get(workspace_id)
        if workspace is None or workspace.problem == problem:
            return False
        self._announce(workspace_id, [PutWorkspace(replace(workspace, problem=problem))], None)
        return True

    def forget(self, workspace_id: WorkspaceId) -> None:
        """Drop what is remembered of a workspace that is gone."""
        self._graph.forget(workspace_id)
        self._seqs.pop(workspace_id, None)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run listeners' work as a task that is waited for at the end."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def announce(self, workspace: Workspace) -> None:
        """Tell the listeners that a workspace is open."""
        await _each(self.listeners.workspace_opened, workspace)

    async def settle(self) -> None:
        """Wait for the listeners' work that is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _write_next(self, workspace_id: WorkspaceId) -> None:
        """Write what waits for a workspace; nothing waits any more once its queue is gone."""
        while waiting := self._waiting[workspace_id]:
            batch = self._decide(workspace_id, waiting)
            if not batch:
                continue
            changes = [change for decided in batch for change in decided.changes]
            try:
                written = self._database.submit(partial(save, changes=changes, now_ms=self._clock.now_ms()))
            except CallError as error:
                _fail(batch, error)
                continue
            written.add_done_callback(partial(self._finish, workspace_id, batch))
            return
        del self._waiting[workspace_id]

    def _decide(self, workspace_id: WorkspaceId, waiting: deque[_Wanted]) -> list[_Decided]:
        """Take from the queue what can be written as one."""
        graph, batch = self._graph, list[_Decided]()
        while waiting and not (waiting[0].alone and batch):
            wanted = waiting.popleft()
            if wanted.done.done():
                continue  # whoever asked went away
            try:
                changes = list(wanted.make(graph))
            except Exception as error:  # noqa: BLE001 - it belongs to the one who asked, not to the others
                wanted.done.set_exception(error)
                continue
            if not changes:
                wanted.done.set_result([])
                continue
            batch.append(_Decided(wanted, changes, {_key(change): _present(graph, change) for change in changes}))
            if wanted.alone:
                break
            if waiting:
                graph = self._graph.draft() if graph is self._graph else graph
                graph.apply(workspace_id, changes)
        return batch

    def _finish(self, workspace_id: WorkspaceId, batch: Sequence[_Decided], written: asyncio.Future[None]) -> None:
        """What follows a write, at once and undivided."""
        error = asyncio.CancelledError() if written.cancelled() else written.exception()
        if error is not None:
            _fail(batch, error)
        else:
            for decided in batch:
                try:
                    self._conclude(workspace_id, decided)
                except Exception as fault:  # noqa: BLE001 - a callback's root: the change stands, who asked is told
                    _fail([decided], fault)
        self._write_next(workspace_id)

    def _conclude(self, workspace_id: WorkspaceId, decided: _Decided) -> None:
        changes = [self._rebased(change, decided.before[_key(change)]) for change in decided.changes]
        self._announce(workspace_id, changes, decided.wanted.by)
        tasks = [self.start(work) for work in self._lifecycle(changes, decided.before)]
        if not decided.wanted.done.done():
            decided.wanted.done.set_result(tasks)

    def _rebased(self, change: Change, before: Card | Arrow | Workspace | None) -> Change:
        """Keep what was patched in memory while the change was being written."""
        now = _present(self._graph, change)
        match change, before, now:
            case PutCard(card, fields), Card(runtime=earlier), Card(runtime=latest) if card.runtime == earlier:
                return PutCard(replace(card, runtime=latest), fields)
            case PutWorkspace(workspace), Workspace(problem=before_problem), Workspace(problem=problem) if (
                workspace.problem == before_problem
            ):
                return PutWorkspace(replace(workspace, problem=problem))
            case _:
                return change

    def _announce(self, workspace_id: WorkspaceId, changes: Sequence[Change], by: str | None) -> None:
        self._graph.apply(workspace_id, changes)
        seq = self._seqs[workspace_id] = self.seq(workspace_id) + 1
        data = {
            "workspaceId": workspace_id,
            "seq": seq,
            "by": by,
            "changes": [change_to_wire(change) for change in changes],
        }
        self._bus.publish("canvas.changed", data, canvas_topic(workspace_id))
        for listener in self.listeners.changed:
            listener(workspace_id, changes)

    def _lifecycle(
        self, changes: Iterable[Change], before: dict[str, Card | Arrow | Workspace | None]
    ) -> Iterable[Coroutine[Any, Any, None]]:
        for change in changes:
            match change, before[_key(change)]:
                case PutCard(card), None:
                    yield _each(self.listeners.card_added, card)
                case RemoveCard(), Card() as gone:
                    yield _each(self.listeners.card_removed, gone)
                case PutWorkspace(workspace), earlier:
                    was_open = isinstance(earlier, Workspace) and earlier.is_open
                    if workspace.is_open and not was_open:
                        yield _each(self.listeners.workspace_opened, workspace)
                    elif was_open and not workspace.is_open:
                        yield _each(self.listeners.workspace_closed, workspace)


def _present(graph: Graph, change: Change) -> Card | Arrow | Workspace | None:
    match change:
        case PutCard(card):
            return graph.find_card(card.id)
        case RemoveCard(card_id):
            return graph.find_card(card_id)
        case PutArrow(arrow):
            return graph.find_arrow(arrow.id)
        case PutWorkspace(workspace):
            return graph.workspaces.get(workspace.id)
        case _:
            return None


def _fail(batch: Sequence[_Decided], error: BaseException) -> None:
    for decided in batch:
        if not decided.wanted.done.done():
            decided.wanted.done.set_exception(error)


def _key(change: Change) -> str:
    match change:
        case PutCard(card):
            return card.id
        case RemoveCard(card_id):
            return card_id
        case PutArrow(arrow):
            return arrow.id
        case PutWorkspace(workspace):
            return workspace.id
        case _:
            return change.arrow_id


async def _each(listeners: Sequence[Callable[[Any], Awaitable[None]]], subject: Card | Workspace) -> None:
    for listener in listeners:
        try:
            await listener(subject)
        except Exception:  # noqa: BLE001 - a task root: the change stands, the fault is told, the others go on
            _log.exception("a listener failed after a change of the canvas")
