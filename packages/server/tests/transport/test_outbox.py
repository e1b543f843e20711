"""What waits for a peer is bounded, and answers are never dropped."""

from __future__ import annotations

import asyncio

import pytest

from cardloom.transport.outbox import Outbox


def _drained(outbox: Outbox) -> list[str]:
    texts = []
    while (text := outbox.take()) is not None:
        texts.append(text)
    return texts


def _outbox(*, max_events: int = 3, max_event_chars: int = 100, max_reply_chars: int = 10) -> Outbox:
    return Outbox(
        "GAP",
        lambda: None,
        max_events=max_events,
        max_event_chars=max_event_chars,
        max_reply_chars=max_reply_chars,
    )


def test_answers_and_events_leave_in_the_order_they_came() -> None:
    outbox = _outbox()
    outbox.event("e1")
    outbox.reply("r1")
    outbox.event("e2")
    assert _drained(outbox) == ["e1", "r1", "e2"]


def test_too_many_events_give_way_to_one_gap_mark_and_answers_stay() -> None:
    outbox = _outbox()
    outbox.reply("r1")
    for number in range(9):
        outbox.event(f"e{number}")
    outbox.reply("r2")
    assert _drained(outbox) == ["r1", "GAP", "e7", "e8", "r2"]


def test_events_are_bounded_by_size_but_one_may_be_of_any_size() -> None:
    outbox = _outbox(max_event_chars=10)
    outbox.event("x" * 50)
    assert _drained(outbox) == ["x" * 50]
    outbox.event("x" * 8)
    outbox.event("y" * 8)
    assert _drained(outbox) == ["GAP"]


def test_a_card_that_does_not_keep_up_is_told_of_instead_of_losing_messages_silently() -> None:
    told: list[bool] = []
    outbox = Outbox(None, lambda: told.append(True), max_events=1)
    outbox.event("e1")
    outbox.event("e2")
    assert told == [True]


def test_a_text_goes_out_at_once_while_nothing_waits_before_it() -> None:
    written: list[str] = []
    open_ = [True]

    def post(text: str) -> bool:
        if open_[0]:
            written.append(text)
        return open_[0]

    outbox = _outbox()
    outbox.post = post
    outbox.event("e1")
    outbox.reply("r1")
    open_[0] = False
    outbox.event("e2")
    open_[0] = True
    outbox.event("e3")
    outbox.reply("r2")
    assert written == ["e1", "r1"]
    assert _drained(outbox) == ["e2", "e3", "r2"]


async def test_no_more_calls_are_read_while_too_many_answers_are_unread() -> None:
    outbox = _outbox(max_reply_chars=10)
    outbox.reply("x" * 6)
    await outbox.room()
    outbox.reply("y" * 6)
    reader = asyncio.create_task(outbox.room())
    await asyncio.sleep(0)
    assert not reader.done()
    outbox.take()
    await reader


async def test_a_closed_outbox_gives_what_waits_and_then_nothing() -> None:
    outbox = _outbox()
    outbox.reply("r")
    outbox.close()
    outbox.event("late")
    assert await outbox.next() == "r"
    assert await outbox.next() is None


async def test_whoever_waits_for_a_text_is_woken() -> None:
    outbox = _outbox()
    waiting = asyncio.create_task(outbox.next())
    await asyncio.sleep(0)
    outbox.event("e")
    async with asyncio.timeout(60):
        assert await waiting == "e"


@pytest.mark.parametrize("closes", [True, False])
async def test_closing_wakes_whoever_waits(closes: bool) -> None:
    outbox = _outbox()
    waiting = asyncio.create_task(outbox.next())
    await asyncio.sleep(0)
    if closes:
        outbox.close()
    else:
        outbox.reply("r")
    async with asyncio.timeout(60):
        assert await waiting == (None if closes else "r")
