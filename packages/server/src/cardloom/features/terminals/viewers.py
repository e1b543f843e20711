"""Output on its way to the pages that show a terminal: gathered, counted, and skipped for a page that lags.

Every viewer in step follows one topic, so a piece is encoded once for all. A viewer with too much unacknowledged is
taken off the topic and, when it has caught up, gets a repaint of the screen instead of what it missed. Overflow rule:
skip and repaint. Spec: harnesses, join protocol; the terminal's events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cardloom_protocol.ids import CardId, ConnectionId
from cardloom_protocol.limits import limit

from ...core.bus import Bus, connection_topic, terminal_topic
from ...core.programs import Picture

GATHER_S: Final = limit("terminalGatherMs") / 1000
PIECE_CHARS: Final = limit("terminalPieceChars")
UNACKNOWLEDGED_CHARS: Final = limit("terminalUnacknowledgedChars")
CAUGHT_UP_CHARS: Final = 64 << 10


@dataclass(slots=True)
class _Viewer:
    sent: int
    acknowledged: int
    in_step: bool = True


class Viewers:
    """The viewers of one terminal. `picture` gives what there is to see now, as of everything that was `add`ed."""

    def __init__(
        self,
        bus: Bus,
        card_id: CardId,
        picture: Callable[[], Picture],
        *,
        max_unacknowledged: int = UNACKNOWLEDGED_CHARS,
    ) -> None:
        self._bus = bus
        self._card_id = card_id
        self._topic = terminal_topic(card_id)
        self._picture = picture
        self._max_unacknowledged = max_unacknowledged
        self._viewers: dict[ConnectionId, _Viewer] = {}
        self._pieces: list[str] = []
        self._chars = 0
        self._offset = 0
        self._generation = 0
        self._flush_at_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def attach(self, viewer_id: ConnectionId) -> Picture:
        """Take in a viewer: what it gets here and what the topic brings next join without gap or overlap."""
        self.flush()
        picture = self._picture()
        self._viewers[viewer_id] = _Viewer(picture.offset, picture.offset)
        self._bus.follow(viewer_id, self._topic)
        return picture

    def detach(self, viewer_id: ConnectionId) -> None:
        """Forget a viewer."""
        if self._viewers.pop(viewer_id, None) is not None:
            self._bus.unfollow(viewer_id, self._topic)

    def acknowledge(self, viewer_id: ConnectionId, generation_offset: int) -> None:
        """Note how far a viewer has drawn, and bring it back into step when it has caught up."""
        viewer = self._viewers.get(viewer_id)
        if viewer is None:
            return
        viewer.acknowledged = max(viewer.acknowledged, min(generation_offset, viewer.sent))
        if not viewer.in_step and viewer.sent - viewer.acknowledged <= CAUGHT_UP_CHARS:
            self._bring_back(viewer_id, viewer)

    def add(self, text: str, offset: int, generation: int) -> None:
        """Take in output; `offset` counts the characters up to its end."""
        if self._chars + len(text) > PIECE_CHARS:
            self.flush()
        self._offset = offset
        self._generation = generation
        if not any(viewer.in_step for viewer in self._viewers.values()):
            return
        self._pieces.append(text)
        self._chars += len(text)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._flush_at_s, loop.time()), self.flush)

    def flush(self) -> None:
        """Send what was gathered to the viewers in step."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._pieces:
            return
        data = "".join(self._pieces)
        self._pieces.clear()
        self._chars = 0
        self._flush_at_s = asyncio.get_running_loop().time() + GATHER_S
        for viewer_id, viewer in self._viewers.items():
            if viewer.in_step and viewer.sent - viewer.acknowledged > self._max_unacknowledged:
                viewer.in_step = False
                self._bus.unfollow(viewer_id, self._topic)
            elif viewer.in_step:
                viewer.sent = self._offset
        event = {"cardId": self._card_id, "generation": self._generation, "offset": self._offset, "data": data}
        self._bus.publish("terminal.output", event, self._topic)

    def repaint_all(self) -> None:
        """Give every viewer a new picture: the terminal started anew."""
        self._pieces.clear()
        self._chars = 0
        for viewer_id, viewer in self._viewers.items():
            self._bring_back(viewer_id, viewer)

    def _bring_back(self, viewer_id: ConnectionId, viewer: _Viewer) -> None:
        self.flush()
        picture = self._picture()
        viewer.sent = viewer.acknowledged = picture.offset
        viewer.in_step = True
        self._bus.publish(
            "terminal.resync", {"cardId": self._card_id, **picture.to_wire()}, connection_topic(viewer_id)
        )
        self._bus.follow(viewer_id, self._topic)
