"""Answers an agent's open question by keys, and sees that its dialog took them.

A program tells of its question before it draws the dialog, and what is typed before that is lost. So the keys wait for
the dialog, and are pressed again while it stands there untouched. Spec: harnesses, answers; issue: agents.
"""

from __future__ import annotations

import re
from typing import Final

from cardloom_protocol.agents import AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode

from ..signals import AnswerMissed, AnswerSent, Choice
from .seat import Seat
from .showing import question_key

DRAWN_WAIT_MS: Final = 2_000
TAKEN_WAIT_MS: Final = 1_000
PRESSED_MOST: Final = 3
_TITLE_LINES: Final = 6
"""How far above the choices a dialog may begin."""
_SPINNER: Final = re.compile("[\u2800-\u28ff]")
_BLINKING: Final = " ●"


async def answer(seat: Seat, choice: Choice) -> None:
    """Answer the open question.

    Errors: BUSY (none is open, or another one by now), INVALID_PARAMS (only the terminal can answer), UNAVAILABLE (the
    dialog took no key; the question stays open).
    """
    question, key = seat.state.question, question_key(seat.state)
    if seat.status is not AgentStatus.NEEDS_INPUT or question is None:
        raise CallError(ErrorCode.BUSY, "this agent asks nothing now; it may have been answered already")
    delivery = seat.harness.answer(question, choice)
    if not isinstance(delivery, tuple):
        raise CallError(ErrorCode.INVALID_PARAMS, f"{choice!r} is no answer to this; answer it in the terminal")
    if seat.harness.asking:
        await seat.until(lambda: _dialog(seat) is not None or question_key(seat.state) != key, DRAWN_WAIT_MS)
        if question_key(seat.state) != key:
            raise CallError(ErrorCode.BUSY, "that question is not open any more")
    drawn = _dialog(seat)
    for pressed in range(PRESSED_MOST):
        if not await seat.press(delivery):
            return
        if pressed == 0:
            seat.take(AnswerSent(choice))
        if drawn is None or await seat.until(lambda: _is_taken(seat, key, drawn), TAKEN_WAIT_MS):
            return
    seat.take(AnswerMissed(question))
    raise CallError(ErrorCode.UNAVAILABLE, "the agent took no answer; its question is still open in its terminal")


def _dialog(seat: Seat) -> str | None:
    """The part of the screen with a question's dialog, without what moves by itself; None where none is seen."""
    if not seat.alive or not seat.harness.asking:
        return None
    lines = [line for line in seat.text(None).splitlines() if not _SPINNER.search(line)]
    choices = [number for number, line in enumerate(lines) if re.search(seat.harness.asking, line)]
    if not choices:
        return None
    return "\n".join(line.strip(_BLINKING) for line in lines[max(0, choices[-1] - _TITLE_LINES) :])


def _is_taken(seat: Seat, key: str | None, drawn: str) -> bool:
    """Whether anything came of the keys. Where another question may stand there, no key meant for this one goes."""
    state = seat.state
    asks_more = bool(state.asks) or question_key(state) not in (None, key)
    return asks_more or state.program not in (None, "blocked") or _dialog(seat) != drawn
