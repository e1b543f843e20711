"""What is known of frames, and which of them has to make room: pure rules. Spec: cards, lifecycle; decision 8."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from cardloom_protocol.ids import CardId, ConnectionId, PageId
from cardloom_protocol.limits import limit

from ....core.presence import Visibility

FrameStatus: TypeAlias = Literal["unmounted", "loading", "running", "suspended", "unresponsive", "failed"]


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """How many frames live and for how long; tests make the numbers small."""

    live: int = limit("liveFrames")
    background: int = limit("backgroundFrames")
    hidden_ms: int = limit("hiddenSuspendMs")
    grace_ms: int = limit("suspendGraceMs")
    load_ms: int = limit("frameTokenTtlMs")
    ready_ms: int = limit("readyTimeoutMs")
    recall_ms: int = limit("wakeTimeoutMs")
    look_ms: int = limit("frameLookMs")


@dataclass(frozen=True, slots=True)
class FrameRuntime:
    """What a card's frame does, as pages see it. `page_id` is the page that has it."""

    status: FrameStatus
    page_id: PageId | None = None
    error: str | None = None
    expanded: bool = False

    def to_wire(self) -> dict[str, Any]:
        return {
            "kind": "frame",
            "status": self.status,
            "error": self.error,
            "pageId": self.page_id,
            "expanded": self.expanded,
        }


@dataclass(slots=True)
class Frame:
    """One frame that is there: mounted in a page, from its token on. Times are steady milliseconds."""

    card_id: CardId
    token: str
    connection_id: ConnectionId
    page_id: PageId | None
    since_ms: int
    visibility: Visibility
    unseen_since_ms: int
    """Since when it is in overview or hidden; without meaning while it is visible."""
    status: FrameStatus = "loading"
    error: str | None = None
    expanded: bool = False
    loaded_at_ms: int | None = None
    leaving: Callable[[], None] | None = field(default=None, repr=False)
    """Calls off its end; set from the moment it was told to sleep."""

    @property
    def runtime(self) -> FrameRuntime:
        return FrameRuntime(self.status, self.page_id, self.error, self.expanded)


def exempt(frames: Iterable[Frame], background: Callable[[CardId], bool], most: int) -> frozenset[CardId]:
    """The frames that keep running out of sight: those allowed to, the earliest first, no more than `most`."""
    allowed = [frame.card_id for frame in sorted(frames, key=lambda frame: frame.since_ms) if background(frame.card_id)]
    return frozenset(allowed[:most])


def victim(frames: Iterable[Frame], focused: Callable[[CardId], bool], kept: frozenset[CardId]) -> Frame | None:
    """The frame that sleeps so that another can live.

    First the hidden one longest out of sight, then the same of those in overview, last a hidden one that may keep
    running; never the focused one, never one that is visible.
    """
    choices = [
        frame
        for frame in frames
        if frame.leaving is None and frame.visibility != "visible" and not focused(frame.card_id)
    ]

    def rank(frame: Frame) -> tuple[int, int]:
        level = 2 if frame.card_id in kept else 0 if frame.visibility == "hidden" else 1
        return level, frame.unseen_since_ms

    return min(choices, key=rank, default=None)
