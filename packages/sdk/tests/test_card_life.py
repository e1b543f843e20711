"""How long a headless card lives: reconnects, replacements, refusals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_sdk import CallError, Card, ErrorCode
from cardloom_sdk.backoff import BackOff
from cardloom_sdk.card_connection import CardConnection
from cardloom_sdk.card_run import EXIT_OVER, EXIT_REFUSED, EXIT_REPLACED, EXIT_USAGE, Ended, be, run_from_environment
from cardloom_sdk.channel import Channel
from cardloom_sdk.testing import CardHost, MemoryChannel, VirtualTiming, settle

from .test_card_messages import MANIFEST


class Doors:
    """Connects a card to test hosts, one attempt after the other; an attempt may be refused."""

    def __init__(self, host: CardHost, *refusals: ErrorCode | None) -> None:
        self.host = host
        self.attempts = 0
        self._refusals = list(refusals)

    async def connect(self) -> Channel:
        self.attempts += 1
        refusal = self._refusals.pop(0) if self._refusals else None
        if refusal is not None:
            raise CallError(refusal, "no")
        return await self.host.connect()


def start(card: Card, doors: Doors) -> asyncio.Task[Ended]:
    return asyncio.create_task(be(card, doors.connect, BackOff(first_ms=100, last_ms=400, chance=lambda: 0.5)))


async def test_a_lost_connection_is_made_again_after_growing_waits() -> None:
    card = Card(MANIFEST, timing=VirtualTiming())
    host = CardHost(card)
    doors = Doors(host, None, ErrorCode.UNAVAILABLE, ErrorCode.UNAVAILABLE)
    life = start(card, doors)
    await settle()
    assert card.connected
    await host.unmount(1006)
    await settle()
    assert not card.connected
    for wait_ms, attempts in ((99, 1), (1, 2), (199, 2), (1, 3), (399, 3), (1, 4)):
        await host.advance(wait_ms)
        assert doors.attempts == attempts
    assert card.connected
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)


@pytest.mark.parametrize(("code", "exit_code"), [(4409, EXIT_REPLACED), (4410, EXIT_OVER), (4403, EXIT_REFUSED)])
async def test_a_host_that_says_it_is_over_is_believed(code: int, exit_code: int) -> None:
    card = Card(MANIFEST, timing=VirtualTiming())
    host = CardHost(card)
    doors = Doors(host)
    life = start(card, doors)
    await settle()
    await host.unmount(code, "said so")
    assert (await life).exit_code == exit_code
    assert doors.attempts == 1


async def test_a_token_that_is_not_accepted_ends_it() -> None:
    card = Card(MANIFEST, timing=VirtualTiming())
    life = start(card, Doors(CardHost(card), ErrorCode.PERMISSION_DENIED))
    assert (await life).exit_code == EXIT_REFUSED


async def test_a_host_that_stays_silent_is_left_after_ten_seconds() -> None:
    timing = VirtualTiming()
    _, theirs = MemoryChannel.pair()
    opening = asyncio.create_task(CardConnection.open(theirs, lambda _name, _data: None, timing))
    await timing.advance(9_999)
    assert not opening.done()
    await timing.advance(1)
    with pytest.raises(CallError, match="did not answer"):
        await opening


async def test_a_refused_handshake_is_told_with_its_code() -> None:
    card = Card(MANIFEST, timing=VirtualTiming())
    host = CardHost(card)
    host.refuse_next("host.ready", CallError(ErrorCode.PROTOCOL_MISMATCH, "too new"))
    life = start(card, Doors(host))
    ended = await life
    assert (ended.exit_code, ended.message) == (EXIT_USAGE, "too new")


async def test_handlers_stop_when_the_card_is_over() -> None:
    card = Card(MANIFEST, timing=VirtualTiming())
    stopped: list[bool] = []

    @card.on_message("in")
    async def endless(_data: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(True)

    host = CardHost(card)
    life = start(card, Doors(host))
    await settle()
    await host.deliver("in", "x")
    await host.unmount(4410)
    await life
    await settle()
    assert stopped == [True]


def test_without_its_environment_a_card_says_how_it_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CARDLOOM_URL", raising=False)
    monkeypatch.delenv("CARDLOOM_CARD_TOKEN", raising=False)
    assert run_from_environment(Card()) == EXIT_USAGE
    assert "cardloom card run" in capsys.readouterr().err


def test_run_ends_the_program_with_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CARDLOOM_URL", raising=False)
    with pytest.raises(SystemExit) as caught:
        Card().run()
    assert caught.value.code == EXIT_USAGE


async def test_more_than_sixty_four_calls_wait_for_their_turn() -> None:
    card = Card(MANIFEST, timing=VirtualTiming())
    async with CardHost(card) as host:
        sent: list[str] = []
        host.fall_silent()
        await settle()
        calls = [asyncio.create_task(card.call("theme.get", {})) for _ in range(70)]
        await settle()
        channel = host._channel
        assert channel is not None
        while not channel._inbox.empty():
            sent.append(str(channel._inbox.get_nowait()))
        assert len(sent) == 64
        await channel.send('{"ns":"nscard","v":1,"kind":"res","id":2,"ok":true,"result":{}}')
        await settle()
        assert channel._inbox.qsize() == 1
        for call in calls:
            call.cancel()
