"""What passes along arrows, counted and shown: many values in a tenth of a second are one pulse.

The counts reach the pages with the pulse and the disk a little later; a killed process loses at most the last few
seconds of them, never an entry of the journal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cardloom_protocol.ids import ArrowId, WorkspaceId

from ...core.bus import Bus, canvas_topic
from ...core.graph import Graph
from ...core.records import ArrowStats, Flow
from .model import Lane, Outcome

PatchStats: TypeAlias = Callable[[ArrowId, ArrowStats], None]
WriteStats: TypeAlias = Callable[[Sequence[tuple[ArrowId, ArrowStats]]], Awaitable[None]]


@dataclass(slots=True)
class _Counts:
    """The running counts of one arrow, by outcome. A skipped value counts as dropped, as far as it is counted."""

    by_outcome: dict[Outcome, int]
    last_at_ms: int | None

    @classmethod
    def after(cls, stats: ArrowStats) -> _Counts:
        """Counts that go on from what was counted before."""
        before: dict[Outcome, int] = {
            "accepted": stats.passed,
            "dropped": stats.dropped,
            "refused": stats.refused,
            "loop": stats.loops,
            "skipped": 0,
        }
        return cls(before, stats.last_at_ms)

    def stats(self) -> ArrowStats:
        by = self.by_outcome
        return ArrowStats(by["accepted"], by["dropped"] + by["skipped"], by["refused"], by["loop"], self.last_at_ms)


@dataclass(slots=True)
class _Rounds:
    """How often a value was accepted along all of these arrows since the last time they were shown."""

    lanes: tuple[Lane, ...]
    workspace_id: WorkspaceId
    type: str
    at_ms: int
    times: int = 1


class Activity:
    """Counts now, tells later: `show` and `store` are called by whoever keeps the time."""

    def __init__(self, graph: Graph, bus: Bus, patch_stats: PatchStats, write_stats: WriteStats) -> None:
        self._graph = graph
        self._bus = bus
        self._patch_stats = patch_stats
        self._write_stats = write_stats
        self._counts: dict[ArrowId, _Counts] = {}
        self._to_show: dict[tuple[ArrowId, Flow], tuple[WorkspaceId, Outcome, str]] = {}
        self._to_store: dict[ArrowId, None] = {}
        self._rounds: dict[int, _Rounds] = {}

    @property
    def pending(self) -> bool:
        """Whether there is something to show."""
        return bool(self._to_show or self._rounds)

    def count(self, workspace_id: WorkspaceId, lane: Lane, outcome: Outcome, type_: str, at_ms: int) -> None:
        """One value came to its end on an arrow."""
        if self._count(lane, outcome, at_ms, 1):
            self._to_show[(lane.arrow_id, lane.flow)] = (workspace_id, outcome, type_)

    def count_round(self, workspace_id: WorkspaceId, lanes: tuple[Lane, ...], type_: str, at_ms: int) -> None:
        """One value was accepted along all of these arrows, which have to be the same object again to be known."""
        rounds = self._rounds.get(id(lanes))
        if rounds is None:
            self._rounds[id(lanes)] = _Rounds(lanes, workspace_id, type_, at_ms)
        else:
            rounds.times += 1
            rounds.at_ms = at_ms

    def _count(self, lane: Lane, outcome: Outcome, at_ms: int, times: int) -> bool:
        counts = self._counts.get(lane.arrow_id)
        if counts is None:
            arrow = self._graph.find_arrow(lane.arrow_id)
            if arrow is None:
                return False
            counts = self._counts[lane.arrow_id] = _Counts.after(arrow.stats)
        counts.by_outcome[outcome] += times
        counts.last_at_ms = max(counts.last_at_ms or 0, at_ms)
        return True

    def _count_rounds(self) -> None:
        rounds, self._rounds = self._rounds, {}
        for one in rounds.values():
            for lane in one.lanes:
                if self._count(lane, "accepted", one.at_ms, one.times):
                    self._to_show.setdefault((lane.arrow_id, lane.flow), (one.workspace_id, "accepted", one.type))

    def show(self) -> None:
        """Tell the pages what passed since the last time."""
        self._count_rounds()
        pulses: dict[WorkspaceId, list[dict[str, Any]]] = {}
        for (arrow_id, flow), (workspace_id, outcome, type_) in self._to_show.items():
            stats = self._counts[arrow_id].stats()
            self._patch_stats(arrow_id, stats)
            self._to_store[arrow_id] = None
            pulse = {
                "arrowId": arrow_id,
                "direction": flow,
                "stats": stats.to_wire(),
                "outcome": outcome,
                "type": type_,
            }
            pulses.setdefault(workspace_id, []).append(pulse)
        self._to_show.clear()
        for workspace_id, arrows in pulses.items():
            self._bus.publish(
                "arrow.activity", {"workspaceId": workspace_id, "arrows": arrows}, canvas_topic(workspace_id)
            )

    async def store(self) -> None:
        """Write the counts that changed since the last time."""
        self.show()
        changed = [(arrow_id, self._counts[arrow_id].stats()) for arrow_id in self._to_store]
        self._to_store.clear()
        for arrow_id, _ in changed:
            if self._graph.find_arrow(arrow_id) is None:
                del self._counts[arrow_id]
        if changed:
            await self._write_stats(changed)
