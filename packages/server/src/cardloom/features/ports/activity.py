"""What passes along arrows, counted and shown: many values in a tenth of a second are one pulse.

The counts reach the pages with the pulse and the disk a little later; a killed process loses at most the last few
seconds of them, never an entry of the journal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.ids import ArrowId, WorkspaceId

from ...core.bus import Bus, canvas_topic
from ...core.graph import Graph
from ...core.records import ArrowStats, Flow
from .model import Lane, Outcome

WriteStats: TypeAlias = Callable[[Sequence[tuple[ArrowId, ArrowStats]]], Awaitable[None]]
_Shown: TypeAlias = tuple[WorkspaceId, Outcome, str]
_PULSE: Final = "arrow.activity"


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

    def __init__(self, graph: Graph, bus: Bus, write_stats: WriteStats) -> None:
        self._graph = graph
        self._bus = bus
        self._write_stats = write_stats
        self._to_show: dict[tuple[ArrowId, Flow], _Shown] = {}
        self._to_store: dict[ArrowId, ArrowStats] = {}
        self._rounds: dict[int, _Rounds] = {}

    def count(self, workspace_id: WorkspaceId, lane: Lane, outcome: Outcome, type_: str, at_ms: int) -> None:
        """One value came to its end on an arrow. A skipped one counts as dropped, as far as it is counted."""
        stats = self._stats_at(lane.arrow_id, at_ms)
        if stats is None:
            return
        match outcome:
            case "accepted":
                stats.passed += 1
            case "dropped" | "skipped":
                stats.dropped += 1
            case "refused":
                stats.refused += 1
            case "loop":
                stats.loops += 1
        self._to_show[(lane.arrow_id, lane.flow)] = (workspace_id, outcome, type_)

    def count_round(self, workspace_id: WorkspaceId, lanes: tuple[Lane, ...], type_: str, at_ms: int) -> None:
        """One value was accepted along all of these arrows, which have to be the same object again to be known."""
        rounds = self._rounds.get(id(lanes))
        if rounds is None:
            self._rounds[id(lanes)] = _Rounds(lanes, workspace_id, type_, at_ms)
        else:
            rounds.times += 1
            rounds.at_ms, rounds.type = at_ms, type_

    def _stats_at(self, arrow_id: ArrowId, at_ms: int) -> ArrowStats | None:
        """The counts of an arrow along which something came at that time; None when it is gone."""
        arrow = self._graph.find_arrow(arrow_id)
        if arrow is None:
            return None
        stats = self._to_store[arrow_id] = arrow.stats
        if stats.last_at_ms is None or stats.last_at_ms < at_ms:
            stats.last_at_ms = at_ms
        return stats

    def _count_rounds(self) -> None:
        rounds, self._rounds = self._rounds, {}
        for one in rounds.values():
            shown: _Shown = (one.workspace_id, "accepted", one.type)
            for lane in one.lanes:
                stats = self._stats_at(lane.arrow_id, one.at_ms)
                if stats is not None:
                    stats.passed += one.times
                    self._to_show.setdefault((lane.arrow_id, lane.flow), shown)

    def show(self) -> None:
        """Tell the pages what passed since the last time."""
        self._count_rounds()
        passed, self._to_show = self._to_show, {}
        pulses: dict[WorkspaceId, list[dict[str, Any]]] = {}
        for workspace_id in {workspace_id for workspace_id, _, _ in passed.values()}:
            if self._bus.reaches_anybody(_PULSE, canvas_topic(workspace_id)):
                pulses[workspace_id] = []
        for (arrow_id, flow), (workspace_id, outcome, type_) in passed.items():
            if workspace_id in pulses:
                stats = self._to_store[arrow_id].to_wire()
                pulse = {"arrowId": arrow_id, "direction": flow, "stats": stats, "outcome": outcome, "type": type_}
                pulses[workspace_id].append(pulse)
        for workspace_id, arrows in pulses.items():
            self._bus.publish(_PULSE, {"workspaceId": workspace_id, "arrows": arrows}, canvas_topic(workspace_id))

    async def store(self) -> None:
        """Write the counts that changed since the last time."""
        self.show()
        changed, self._to_store = list(self._to_store.items()), {}
        if changed:
            await self._write_stats(changed)
