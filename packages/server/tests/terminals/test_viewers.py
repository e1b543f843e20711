"""Output on its way to pages: no gap, no duplicate, and a repaint for those that lag."""

from __future__ import annotations

import asyncio
from typing import Any

from cardloom.core.bus import Bus, Event
from cardloom.core.programs import Picture
from cardloom.features.terminals.viewers import CAUGHT_UP_CHARS, PIECE_CHARS, Viewers
from cardloom_protocol.ids import CardId, ConnectionId

CARD = CardId("c_1")


class _Terminal:
    """Prints, and collects what each viewer gets."""

    def __init__(self, max_unacknowledged: int = 1000) -> None:
        self.bus = Bus()
        self.printed = ""
        self.news = asyncio.Event()
        self.got: dict[str, list[tuple[str, Any]]] = {}
        self.viewers = Viewers(self.bus, CARD, self.picture, max_unacknowledged=max_unacknowledged)

    def picture(self) -> Picture:
        return Picture(1, len(self.printed), 80, 24, self.printed)

    def print(self, text: str) -> None:
        self.printed += text
        self.viewers.add(text, len(self.printed), 1)

    def join(self, name: str) -> Picture:
        got = self.got[name] = []

        def take(event: Event) -> None:
            got.append((event.name, event.data))
            self.news.set()

        self.bus.attach(ConnectionId(name), take)
        return self.viewers.attach(ConnectionId(name))

    def shown(self, name: str, picture: Picture) -> str:
        """What a viewer shows after all it got."""
        text = picture.data
        for event, data in self.got[name]:
            text = data["data"] if event == "terminal.resync" else text + data["data"]
            assert data["offset"] == len(text)
        return text


async def test_a_viewer_that_joins_in_the_middle_gets_all_exactly_once() -> None:
    terminal = _Terminal()
    first = terminal.join("one")
    terminal.print("abc")
    second = terminal.join("two")
    terminal.print("def")
    terminal.viewers.flush()
    assert terminal.shown("one", first) == terminal.shown("two", second) == "abcdef"
    assert second.data == "abc"
    assert [data["data"] for _, data in terminal.got["one"]] == ["abc", "def"]


async def test_output_is_gathered_before_it_is_sent() -> None:
    terminal = _Terminal()
    picture = terminal.join("one")
    for _ in range(50):
        terminal.print("x")
    await asyncio.wait_for(terminal.news.wait(), 60)
    assert len(terminal.got["one"]) == 1
    assert terminal.shown("one", picture) == "x" * 50


async def test_a_piece_is_never_longer_than_promised() -> None:
    terminal = _Terminal(max_unacknowledged=10 * PIECE_CHARS)
    terminal.join("one")
    for _ in range(5):
        terminal.print("x" * (PIECE_CHARS - 1000))
    terminal.viewers.flush()
    assert all(len(data["data"]) <= PIECE_CHARS for _, data in terminal.got["one"])
    assert len(terminal.got["one"]) == 5


async def test_a_viewer_that_does_not_keep_up_is_skipped_and_then_repainted() -> None:
    terminal = _Terminal()
    slow, quick = terminal.join("slow"), terminal.join("quick")
    for _ in range(100):
        terminal.print("x" * 500)
        terminal.viewers.flush()
        terminal.viewers.acknowledge(ConnectionId("quick"), len(terminal.printed))
    assert len(terminal.got["slow"]) == 3
    assert len(terminal.got["quick"]) == 100
    terminal.print("unsent")
    terminal.viewers.acknowledge(ConnectionId("slow"), 1500)
    assert terminal.got["slow"][-1][0] == "terminal.resync"
    terminal.print("after")
    terminal.viewers.flush()
    assert terminal.shown("slow", slow) == terminal.shown("quick", quick) == terminal.printed


async def test_an_acknowledgement_that_is_not_near_the_end_does_not_bring_a_viewer_back() -> None:
    terminal = _Terminal(max_unacknowledged=2 * CAUGHT_UP_CHARS)
    terminal.join("slow")
    for _ in range(8):
        terminal.print("x" * (CAUGHT_UP_CHARS // 2))
        terminal.viewers.flush()
    sent = len(terminal.got["slow"])
    terminal.viewers.acknowledge(ConnectionId("slow"), 1)
    assert len(terminal.got["slow"]) == sent
    terminal.viewers.acknowledge(ConnectionId("slow"), 10**9)
    assert terminal.got["slow"][-1][0] == "terminal.resync"


async def test_nothing_is_kept_while_nobody_looks() -> None:
    terminal = _Terminal()
    terminal.print("x" * 100)
    terminal.viewers.flush()
    assert terminal.join("late").data == "x" * 100
    terminal.viewers.detach(ConnectionId("late"))
    terminal.print("y")
    terminal.viewers.flush()
    assert terminal.got["late"] == []
