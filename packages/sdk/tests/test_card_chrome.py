"""The chrome setters: merged, waited out, refused."""

from __future__ import annotations

import asyncio

import pytest

from cardloom_sdk import CallError, Card, ErrorCode
from cardloom_sdk.testing import CardHost, VirtualTiming, settle

from .test_card_messages import MANIFEST


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


async def test_of_many_updates_at_once_only_the_newest_is_sent() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await asyncio.gather(*(card.set_status(f"step {number}") for number in range(10)))
        sent = [call.params for call in host.calls if call.method == "card.setStatus"]
    assert sent == [{"text": "step 9"}]


async def test_while_one_is_on_its_way_the_newest_waits() -> None:
    card = make_card()
    async with CardHost(card) as host:
        first = asyncio.create_task(card.set_status("step 0"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.gather(first, *(card.set_status(f"step {number}") for number in range(1, 10)))
        sent = [call.params for call in host.calls if call.method == "card.setStatus"]
    assert sent == [{"text": "step 0"}, {"text": "step 9"}]


async def test_too_often_is_waited_out_and_the_newest_value_wins() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.refuse_next("card.setBadge", CallError(ErrorCode.RATE_LIMITED, "slow", {"retryAfterMs": 400}))
        first = asyncio.create_task(card.set_badge(1))
        await settle()
        second = asyncio.create_task(card.set_badge(2, tone="danger"))
        await host.advance(424)
        assert not first.done()
        await host.advance(1)
        await asyncio.gather(first, second)
        assert host.shown.badge == {"count": 2, "text": None, "tone": "danger"}
        sent = [call.params for call in host.calls if call.method == "card.setBadge"]
        assert [params["count"] for params in sent if isinstance(params, dict)] == [1, 2]


async def test_without_a_hint_the_wait_is_a_second() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.refuse_next("card.setTitle", CallError(ErrorCode.RATE_LIMITED, "slow"))
        task = asyncio.create_task(card.set_title("A"))
        await host.advance(1024)
        assert not task.done()
        await host.advance(1)
        await task
        assert host.shown.title == "A"


async def test_any_other_refusal_reaches_the_callers_of_that_update() -> None:
    card = make_card()
    async with CardHost(card) as host:
        host.refuse_next("card.setTitle", CallError(ErrorCode.UNAVAILABLE, "gone"))
        with pytest.raises(CallError, match="gone"):
            await card.set_title("A")
        await card.set_title("B")
        assert host.shown.title == "B"


async def test_values_that_do_not_fit_are_refused_before_they_are_sent() -> None:
    card = make_card()
    async with CardHost(card) as host:
        with pytest.raises(CallError) as caught:
            await card.set_status("x" * 81)
        assert caught.value.code is ErrorCode.INVALID_PARAMS
        assert all(call.method != "card.setStatus" for call in host.calls)


async def test_the_badge_names_both_its_fields() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await card.set_badge(text="new")
        assert [call.params for call in host.calls[1:]] == [{"count": None, "text": "new"}]
        await card.set_badge()
        assert host.shown.badge is None


async def test_attention_within_ten_seconds_waits() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await card.attention("info", "look")
        task = asyncio.create_task(card.attention("none"))
        await host.advance(10_000)
        assert not task.done()
        await host.advance(25)
        await task
        assert host.shown.attention is None


async def test_forty_nine_log_lines_a_second_pass_and_the_rest_is_counted() -> None:
    card = make_card()
    async with CardHost(card) as host:
        for number in range(60):
            await card.log(f"line {number}")
        assert len(host.shown.log) == 49
        await host.advance(1000)
        await card.log("later", "warn")
        assert host.shown.log[-2:] == [
            ("warn", "11 lines were left out: more than 49 in a second."),
            ("warn", "later"),
        ]


async def test_a_toast_is_shown() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await card.toast("Saved", tone="success", duration_ms=2000)
        assert host.shown.toasts == [{"message": "Saved", "tone": "success", "durationMs": 2000}]
