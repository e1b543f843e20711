"""The frames of all cards: mounted in at most one page each, put to sleep out of sight, woken when they are needed.

A page asks to mount what it draws; this room says where a frame is, and calls pages when a card that sleeps is needed.
How a frame ends is seen by its page in two ways: its connection is dismissed, and the card's runtime says why.
Spec: cards, lifecycle; decisions 2-4, 8, 42.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, ConnectionId, WorkspaceId

from ....core.bus import Bus, card_topic, connection_topic
from ....core.clock import Clock
from ....core.graph import Graph
from ....core.mounts import FrameFiles, Mount, Mounts
from ....core.presence import Page, Presence, Visibility
from .model import Frame, FrameRuntime, FrameStatus, FrameTimes, exempt, victim

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FrameTrade:
    """What frames take from their surroundings.

    `files` gives what a card's frame is made of, None for a card that has none; `background` tells whether it may keep
    running out of sight; `show` puts a runtime on the canvas; `dismiss` ends the card's connection.
    """

    files: Callable[[CardId], FrameFiles | None]
    background: Callable[[CardId], bool]
    show: Callable[[CardId, FrameRuntime], None]
    dismiss: Callable[[CardId], None]


class Frames:
    """The frames that are there now, by card."""

    def __init__(
        self, graph: Graph, bus: Bus, clock: Clock, presence: Presence, mounts: Mounts, trade: FrameTrade
    ) -> None:
        self.times = FrameTimes()
        self._graph = graph
        self._bus = bus
        self._clock = clock
        self._presence = presence
        self._mounts = mounts
        self._trade = trade
        self._frames: dict[CardId, Frame] = {}
        self._asleep: set[CardId] = set()
        self._called: dict[CardId, int] = {}
        mounts.loaded = self._loaded
        presence.listen(self._seen)
        presence.listen_pages(self._page_told)
        bus.listen_detach(self._page_gone)

    # What pages ask

    def mount(self, card_id: str, page: Page | None, *, take_over: bool) -> dict[str, Any]:
        """Let a page load a card's frame: its token and address, or the page that has the frame already.

        NOT_FOUND; INVALID_PARAMS for a card without a frame or a caller that is no page; UNAVAILABLE while its package
        is not installed or its workspace is closed; QUOTA_EXCEEDED when too many frames are in sight.
        """
        card = self._graph.card(card_id)
        if page is None:
            raise CallError(ErrorCode.INVALID_PARAMS, "only a page can show a frame", [])
        if not self._graph.workspace(card.workspace_id).is_open:
            raise CallError(ErrorCode.UNAVAILABLE, "the workspace is closed")
        files = self._trade.files(card.id)
        if files is None:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} has no frame", [])
        known = self._frames.get(card.id)
        if known is not None and known.connection_id != page.connection_id and not take_over:
            return {"token": None, "url": None, "heldBy": known.page_id}
        if known is None:
            self._make_room()
        else:
            self._end(known)
            if known.connection_id != page.connection_id:
                taken = {"cardId": card.id, "pageId": page.id}
                self._bus.publish("card.taken", taken, connection_topic(known.connection_id))
        token = self._mounts.issue(Mount(card.id, card.workspace_id, page.connection_id, page.id, files))
        now_ms = self._clock.steady_ms()
        frame = Frame(card.id, token, page.connection_id, page.id, now_ms, "hidden", now_ms)
        self._frames[card.id] = frame
        self._called.pop(card.id, None)
        self._presence.own(card.id, page.connection_id)
        frame.visibility = self._presence.visibility(card.id)
        self._show(frame)
        return {"token": token, "url": f"/frames/{token}/{files.entry}", "heldBy": None}

    def unmount(self, card_id: str, connection_id: ConnectionId) -> None:
        """A page took a frame away. Nothing happens when it has none of that card."""
        frame = self._frames.get(CardId(card_id))
        if frame is not None and frame.connection_id == connection_id:
            self._end(frame)
            self._trade.show(frame.card_id, FrameRuntime("unmounted"))

    def expand(self, card_id: str, connection_id: ConnectionId, *, expanded: bool) -> None:
        """Let a card fill its page, one a page, or no longer. NOT_FOUND when the page does not have its frame."""
        frame = self._frames.get(CardId(card_id))
        if frame is None or frame.connection_id != connection_id:
            raise CallError(ErrorCode.NOT_FOUND, "this page does not show that card's frame")
        if expanded:
            for other in self._frames.values():
                if other.connection_id == connection_id and other is not frame:
                    self._set_expanded(other, False)
        self._set_expanded(frame, expanded)

    # What others ask

    def is_expanded(self, card_id: CardId) -> bool:
        """Whether a card fills its page."""
        frame = self._frames.get(card_id)
        return frame is not None and frame.expanded

    def slept(self, card_id: CardId) -> bool:
        """Whether a card's frame was put to sleep and did not come back since."""
        return card_id in self._asleep

    def has(self, card_id: CardId) -> bool:
        """Whether a card's frame is mounted somewhere."""
        return card_id in self._frames

    def wake(self, card_id: CardId) -> bool:
        """Have a card's frame brought up; False without a page to do so. Whoever asks waits for the handshake."""
        if card_id in self._frames:
            return self._frames[card_id].status != "failed"
        card = self._graph.find_card(card_id)
        page = None if card is None else self._presence.last_active(card.workspace_id)
        if page is None:
            return False
        self._call_up(card_id, page)
        return True

    def begin(self, card_id: CardId) -> None:
        """A card's workspace opened, or the card came: its frame waits for a page that shows it."""
        if card_id not in self._frames:
            self._trade.show(card_id, FrameRuntime("unmounted"))

    def end(self, card_id: CardId) -> None:
        """End a card's frame: its workspace closes, the card goes, or its files changed. Its page may mount it anew."""
        self._asleep.discard(card_id)
        self._called.pop(card_id, None)
        frame = self._frames.get(card_id)
        if frame is not None:
            self._end(frame)
        self._trade.show(card_id, FrameRuntime("unmounted"))

    # What a card's connection tells

    def connected(self, card_id: CardId) -> None:
        """A card's frame did its handshake."""
        self._asleep.discard(card_id)
        self._set_status(card_id, "running")

    def disconnected(self, card_id: CardId, reason: str) -> None:
        """A frame's connection is gone while the frame is still there: it reloads, or its page lost hold of it."""
        frame = self._frames.get(card_id)
        if frame is None:
            return
        if reason == "slow":
            self._set_status(card_id, "failed", "It did not read its messages.")
        else:
            frame.loaded_at_ms = self._clock.steady_ms()
            self._set_status(card_id, "loading")

    def silent(self, card_id: CardId, silent: bool, error: str | None) -> None:
        """A connected frame fell silent, or answers again."""
        self._set_status(card_id, "unresponsive" if silent else "running", error)

    # Time

    def look(self) -> None:
        """Put to sleep what was out of sight for too long, and say which frames never came up."""
        now_ms = self._clock.steady_ms()
        kept = exempt(self._frames.values(), self._trade.background, self.times.background)
        for frame in list(self._frames.values()):
            if frame.status == "loading":
                self._lose_patience(frame, now_ms)
            hidden = frame.visibility == "hidden" and frame.leaving is None and frame.card_id not in kept
            if hidden and now_ms - frame.unseen_since_ms >= self.times.hidden_ms:
                self._lull(frame)

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(self.times.look_ms / 1000)
            try:
                self.look()
            except Exception:  # noqa: BLE001 - a task root: the next look may succeed
                _log.exception("looking at the frames failed")

    # Inside

    def _make_room(self) -> None:
        staying = [frame for frame in self._frames.values() if frame.leaving is None]
        if len(staying) < self.times.live:
            return
        kept = exempt(staying, self._trade.background, self.times.background)
        chosen = victim(staying, self._presence.is_focused, kept)
        if chosen is None:
            raise CallError(ErrorCode.QUOTA_EXCEEDED, f"{self.times.live} cards are in sight already")
        self._lull(chosen)

    def _lull(self, frame: Frame) -> None:
        """Tell a frame that it is about to sleep, and end it after the grace."""
        self._bus.publish("lifecycle.suspend", {"graceMs": self.times.grace_ms}, card_topic(frame.card_id))
        handle = asyncio.get_running_loop().call_later(self.times.grace_ms / 1000, self._sleep, frame)
        frame.leaving = handle.cancel

    def _sleep(self, frame: Frame) -> None:
        self._end(frame)
        self._asleep.add(frame.card_id)
        self._trade.show(frame.card_id, FrameRuntime("suspended"))

    def _end(self, frame: Frame) -> None:
        """Let go of a frame; its page sees its connection dismissed."""
        if frame.leaving is not None:
            frame.leaving()
        del self._frames[frame.card_id]
        self._mounts.drop(frame.token)
        self._trade.dismiss(frame.card_id)
        self._presence.own(frame.card_id, None)

    def _call_up(self, card_id: CardId, page: Page) -> None:
        """Ask a page to mount a card, unless that was asked a moment ago."""
        now_ms = self._clock.steady_ms()
        called_ms = self._called.get(card_id)
        if called_ms is None or now_ms - called_ms >= self.times.recall_ms:
            self._called[card_id] = now_ms
            self._bus.publish("card.wake", {"cardId": card_id}, connection_topic(page.connection_id))

    def _loaded(self, mount: Mount) -> None:
        frame = self._frames.get(mount.card_id)
        if frame is not None:
            frame.loaded_at_ms = self._clock.steady_ms()

    def _lose_patience(self, frame: Frame, now_ms: int) -> None:
        if frame.loaded_at_ms is None:
            late = now_ms - frame.since_ms >= self.times.load_ms
        else:
            late = now_ms - frame.loaded_at_ms >= self.times.ready_ms
        if late:
            self._set_status(frame.card_id, "failed", "It did not start in time.")

    def _seen(self, card_id: CardId, visibility: Visibility) -> None:
        frame = self._frames.get(card_id)
        if frame is None or frame.visibility == visibility:
            return
        if frame.visibility == "visible" or visibility == "hidden":
            frame.unseen_since_ms = self._clock.steady_ms()
        frame.visibility = visibility

    def _page_told(self, page: Page) -> None:
        """A page shows a workspace: cards that may run out of sight begin to."""
        if page.workspace_id is None:
            return
        room = self.times.background - len(exempt(self._frames.values(), self._trade.background, self.times.background))
        for card_id in self._waiting_in(page.workspace_id)[: max(0, room)]:
            self._call_up(card_id, page)

    def _waiting_in(self, workspace_id: WorkspaceId) -> list[CardId]:
        """The cards of a workspace that may run out of sight and neither run nor were put to sleep."""
        return [
            card.id
            for card in self._graph.cards_of(workspace_id)
            if card.kind == "custom"
            and card.id not in self._frames
            and card.id not in self._asleep
            and self._trade.background(card.id)
        ]

    def _page_gone(self, connection_id: ConnectionId) -> None:
        for frame in [frame for frame in self._frames.values() if frame.connection_id == connection_id]:
            self._end(frame)
            self._trade.show(frame.card_id, FrameRuntime("unmounted"))

    def _set_status(self, card_id: CardId, status: FrameStatus, error: str | None = None) -> None:
        frame = self._frames.get(card_id)
        if frame is not None:
            frame.status, frame.error = status, error
            self._show(frame)

    def _set_expanded(self, frame: Frame, expanded: bool) -> None:
        if frame.expanded != expanded:
            frame.expanded = expanded
            self._bus.publish("lifecycle.expanded", {"expanded": expanded}, card_topic(frame.card_id))
            self._show(frame)

    def _show(self, frame: Frame) -> None:
        self._trade.show(frame.card_id, frame.runtime)
