"""Questions to the owner: how long they wait, and what ends the wait."""

from __future__ import annotations

import asyncio

from cardloom.core.bus import Bus
from cardloom.core.clock import SystemClock
from cardloom.core.dialogs import UNANSWERED, Dialogs
from cardloom_protocol.ids import CardId, WorkspaceId

WORKSPACE = WorkspaceId("w")
CARD = CardId("c")


async def test_a_question_that_begins_anew_waits_its_whole_time_again() -> None:
    dialogs = Dialogs(Bus(), SystemClock(), timeout_ms=60_000)
    question = asyncio.create_task(dialogs.ask_which("startProgram", WORKSPACE, CARD, "Echo", {}))
    await asyncio.sleep(0)
    (one,) = dialogs._open.values()
    before = (one.wait.when(), one.dialog.deadline_at_ms)
    dialogs.begin_anew("startProgram", CardId("another"))
    dialogs.begin_anew("confirm", CARD)
    assert (one.wait.when(), one.dialog.deadline_at_ms) == before
    dialogs.begin_anew("startProgram", CARD)
    assert before[0] is not None
    assert (one.wait.when() or 0) > before[0]
    dialogs.refuse_of(CARD)
    assert not (await question).silent


async def test_silence_is_a_refusal_that_can_be_told_from_one() -> None:
    dialogs = Dialogs(Bus(), SystemClock(), timeout_ms=1)
    answer = await dialogs.ask_which("startProgram", WORKSPACE, CARD, "Echo", {})
    assert answer is UNANSWERED
    assert not answer.accepted
