"""Whether connected cards answer."""

from __future__ import annotations

from typing import Any

from cardloom.core.bus import Bus, card_topic
from cardloom.core.clock import VirtualClock
from cardloom.features.cards.heartbeats import Heartbeats
from cardloom_protocol.ids import CardId, ConnectionId

ONE = CardId("c_1")


def make() -> tuple[Heartbeats, VirtualClock, list[int], list[tuple[str, bool]]]:
    bus, clock = Bus(), VirtualClock()
    pings: list[int] = []
    told: list[tuple[str, bool]] = []
    connection = ConnectionId("n_1")

    def hear(event: Any) -> None:
        pings.append(event.data["seq"])

    bus.attach(connection, hear)
    bus.follow(connection, card_topic(ONE))
    beats = Heartbeats(bus, clock, lambda card_id, silent: told.append((card_id, silent)))
    beats.connected(ONE)
    return beats, clock, pings, told


def test_a_card_is_pinged_with_growing_numbers() -> None:
    beats, _, pings, _ = make()
    beats.beat()
    beats.beat()
    assert pings == [1, 2]


def test_fifteen_silent_seconds_are_told_once_and_so_is_the_next_answer() -> None:
    beats, clock, _, told = make()
    for _ in range(5):
        beats.beat()
        clock.advance(5000)
    assert told == [("c_1", True)]
    beats.answered(ONE, 3)
    assert told == [("c_1", True), ("c_1", False)]


def test_a_card_that_answers_is_never_told_of() -> None:
    beats, clock, pings, told = make()
    for _ in range(10):
        beats.beat()
        beats.answered(ONE, pings[-1])
        clock.advance(5000)
    assert told == []


def test_an_answer_to_a_ping_that_was_never_sent_says_nothing() -> None:
    beats, clock, _, told = make()
    for _ in range(4):
        beats.beat()
        clock.advance(5000)
    beats.answered(ONE, 99)
    beats.answered(ONE, 0)
    beats.answered(CardId("c_other"), 1)
    assert told == [("c_1", True)]


def test_a_card_is_not_told_of_when_the_server_stood_still() -> None:
    beats, clock, pings, told = make()
    beats.beat()
    clock.advance(60_000)
    beats.beat()
    beats.answered(ONE, pings[-1])
    clock.advance(5000)
    beats.beat()
    assert told == []


def test_a_card_is_told_of_once_it_missed_pings_after_the_server_stood_still() -> None:
    beats, clock, _, told = make()
    beats.beat()
    clock.advance(60_000)
    for _ in range(3):
        beats.beat()
        clock.advance(5000)
    assert told == [("c_1", True)]


def test_a_card_that_is_gone_is_pinged_no_more() -> None:
    beats, clock, pings, told = make()
    beats.disconnected(ONE)
    clock.advance(60_000)
    beats.beat()
    assert (pings, told) == ([], [])
