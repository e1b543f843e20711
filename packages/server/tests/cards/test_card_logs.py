"""What cards log and print."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cardloom.core.bus import Bus, Event
from cardloom.core.clock import VirtualClock
from cardloom.core.graph import Graph
from cardloom.core.records import Card, PutCard, PutWorkspace, Workspace
from cardloom.features.cards.logs import CardLogs, LineSplitter
from cardloom_protocol.ids import CardId, WorkspaceId

HOME = WorkspaceId("w_1")
ONE = CardId("c_1")


class Told(list[Any]):
    """What was told of a card's log; `first` waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self._came = asyncio.Event()

    def hear(self, event: Event) -> None:
        self.append(event.data)
        self._came.set()

    async def first(self) -> dict[str, Any]:
        async with asyncio.timeout(60):
            await self._came.wait()
        data: dict[str, Any] = self[0]
        return data


def make(**sizes: int) -> tuple[CardLogs, Told]:
    graph, bus, told = Graph(), Bus(), Told()
    card = Card(ONE, HOME, "custom", 0, 0, 1, 1, 1, 0)
    graph.apply(HOME, [PutWorkspace(Workspace(HOME, "W", "/w", 0)), PutCard(card)])
    bus.listen("card.log", told.hear)
    return CardLogs(bus, graph, VirtualClock(1000), **sizes), told


async def test_lines_written_together_are_told_together() -> None:
    logs, told = make(flush_ms=1)
    logs.write(ONE, "info", "a")
    logs.write(ONE, "warn", "b")
    await told.first()
    assert told == [
        {
            "cardId": "c_1",
            "lines": [{"atMs": 1000, "level": "info", "text": "a"}, {"atMs": 1000, "level": "warn", "text": "b"}],
        }
    ]


async def test_only_the_latest_lines_are_kept() -> None:
    logs, told = make(max_lines=3, flush_ms=1)
    for number in range(5):
        logs.write(ONE, "info", str(number))
    await told.first()
    assert [line["text"] for line in logs.lines(ONE)] == ["2", "3", "4"]
    assert [line["text"] for line in logs.lines(ONE, 2)] == ["3", "4"]


async def test_of_too_many_at_once_the_rest_is_counted() -> None:
    logs, told = make(max_fresh=2, flush_ms=1)
    for number in range(5):
        logs.write(ONE, "info", str(number))
    assert [line["text"] for line in (await told.first())["lines"]] == [
        "0",
        "1",
        "3 lines were left out: too many at once",
    ]


async def test_what_waits_is_told_when_asked_for_and_only_once() -> None:
    logs, told = make(flush_ms=600_000)
    logs.tell_now(ONE)
    logs.write(ONE, "info", "a")
    logs.tell_now(ONE)
    logs.tell_now(ONE)
    logs.write(ONE, "info", "b")
    logs.tell_now(ONE)
    assert [[line["text"] for line in one["lines"]] for one in told] == [["a"], ["b"]]


async def test_a_long_line_is_cut() -> None:
    logs, _ = make()
    logs.write(ONE, "info", "x" * 5000)
    assert len(logs.lines(ONE)[0]["text"]) == 2000


async def test_the_log_of_a_card_that_is_gone_is_empty() -> None:
    logs, _ = make()
    logs.write(ONE, "info", "a")
    logs.forget(ONE)
    assert logs.lines(ONE) == []


def test_lines_are_found_across_pieces() -> None:
    lines = LineSplitter()
    assert lines.feed(b"one\ntw") == ["one"]
    assert lines.feed(b"o\r\n") == ["two"]
    assert lines.feed("café"[:3].encode() + b"\xc3") == []
    assert lines.feed(b"\xa9\n") == ["café"]
    assert lines.feed(b"\xff\xfe rest") == []
    assert lines.rest() == ["\ufffd\ufffd rest"]
    assert lines.rest() == []


def test_a_line_without_end_does_not_grow_for_ever() -> None:
    lines = LineSplitter()
    for _ in range(100):
        assert lines.feed(b"x" * 10_000) == []
    assert len(lines.feed(b"\n")[0]) <= 4000


@given(st.text(alphabet="ab\n\réю", max_size=60), st.lists(st.integers(1, 5), max_size=40))
def test_however_bytes_are_cut_the_lines_are_the_same(text: str, cuts: list[int]) -> None:
    data = text.encode()
    lines, found, at = LineSplitter(), [], 0
    for cut in [*cuts, len(data)]:
        found += lines.feed(data[at : at + cut])
        at += cut
    found += lines.rest()
    whole = LineSplitter()
    assert found == [*whole.feed(data), *whole.rest()]
