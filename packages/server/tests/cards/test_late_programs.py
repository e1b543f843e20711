"""Programs of cards that run and do not connect."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from cardloom.core.clock import SystemClock
from cardloom.core.records import Card as CanvasCard
from cardloom.core.tokens import CardTokens
from cardloom.features.cards.model import Runtime
from cardloom.features.cards.programs import Patience, Programs, Trade
from cardloom_protocol.ids import CardId

from .conftest import CAP_S, ECHO

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX"),
    pytest.mark.usefixtures("listening"),
]


async def test_a_program_that_does_not_connect_is_said_not_to_with_what_it_printed_last(desk: Any, shelf: Any) -> None:
    package_id = shelf.add("probe", ECHO)
    card = desk.app.graph.card(CardId(await desk.put(package_id)))
    await desk.answer(accepted=False)
    shelf.add("probe", "import time\ntime.sleep(600)\n")
    for number in range(9):
        desk.app.cards.logs.write(card.id, "info", f"step {number}")
    shown: list[Runtime] = []
    told = asyncio.Event()

    async def ask(*_: object) -> bool:
        return True

    async def package(_: CanvasCard) -> Any:
        return desk.app.cards.book.package_of(card)

    def show(_: CardId, runtime: Runtime) -> None:
        shown.append(runtime)
        if runtime.error:
            told.set()

    programs = Programs(
        desk.app.graph,
        CardTokens(),
        desk.app.cards.logs,
        SystemClock(),
        Trade(ask, lambda *_: frozenset(), package, show),
        patience=Patience(connect_ms=50),
    )
    programs.serve_at("http://127.0.0.1:9")
    programs.start(card)
    async with asyncio.timeout(CAP_S):
        await told.wait()
    assert [runtime.status for runtime in shown] == ["waiting", "starting", "starting"]
    assert shown[-1].error == "It runs and has not connected for 0.05 s.\n" + "\n".join(
        f"step {n}" for n in range(4, 9)
    )
    programs.connected(card.id)
    assert shown[-1] == Runtime("running")
    await programs.stop(card.id)
