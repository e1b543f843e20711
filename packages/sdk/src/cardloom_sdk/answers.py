"""Questions from other cards and their answers: a handler an input, each question answered once, before its deadline.

Spec: ports, requests; cards behaviour, message flow ("no handler" 50 ms before the deadline).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode

from .card_types import Question
from .listeners import Report, adapt
from .timing import Timing

Respond: TypeAlias = Callable[[dict[str, Any]], Awaitable[Any]]

_NO_HANDLER_MS: Final = 50
_MAX_ERROR_CHARS: Final = 1000


class Answers:
    """The request handlers of one card and the questions being answered."""

    def __init__(self, respond: Respond, timing: Timing, report: Report) -> None:
        self._respond = respond
        self._timing = timing
        self._report = report
        self._handlers: dict[str, Callable[..., Awaitable[Any]]] = {}
        self._arrived: dict[str, asyncio.Event] = {}
        self._running: set[asyncio.Task[None]] = set()

    def add(self, input_id: str, handler: Callable[..., Any]) -> None:
        """Let a function answer an input's questions. ValueError when one does already."""
        if input_id in self._handlers:
            raise ValueError(f"input {input_id!r} has a request handler already")
        self._handlers[input_id] = adapt(handler)
        if input_id in self._arrived:
            self._arrived.pop(input_id).set()

    def take(self, question: Question) -> None:
        """Answer a question in its own task."""
        task = asyncio.create_task(self._answer(question))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def cancel(self) -> None:
        """Leave every open question unanswered."""
        for task in self._running:
            task.cancel()

    @property
    def busy(self) -> bool:
        """Whether a handler works on a question; one that waits for its handler is no work."""
        return any(question_task.get_name() == _WORKING for question_task in self._running)

    async def _answer(self, question: Question) -> None:
        if question.input not in self._handlers and not await self._handler_comes(question):
            await self._send({"requestId": question.request_id, "error": f"no handler for input {question.input}"})
            return
        task = asyncio.current_task()
        if task is not None:
            task.set_name(_WORKING)
        work = asyncio.create_task(self._outcome(question))
        deadline = asyncio.create_task(self._timing.sleep_ms(question.deadline_ms - self._timing.now_ms()))
        try:
            await asyncio.wait((work, deadline), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await self._send(await work)
        finally:
            work.cancel()
            deadline.cancel()

    async def _handler_comes(self, question: Question) -> bool:
        """Wait for a handler until shortly before the deadline; whether one came."""
        arrived = self._arrived.setdefault(question.input, asyncio.Event())
        patience_ms = question.deadline_ms - self._timing.now_ms() - _NO_HANDLER_MS
        coming = asyncio.create_task(arrived.wait())
        late = asyncio.create_task(self._timing.sleep_ms(max(0, patience_ms)))
        try:
            await asyncio.wait((coming, late), return_when=asyncio.FIRST_COMPLETED)
        finally:
            coming.cancel()
            late.cancel()
        return question.input in self._handlers

    async def _outcome(self, question: Question) -> dict[str, Any]:
        answer: dict[str, Any] = {"requestId": question.request_id}
        try:
            answer["data"] = await self._handlers[question.input](question.data, question)
        except Exception as error:  # noqa: BLE001 - a card author's code: its fault is the answer
            self._report(f"request {question.input}", error)
            answer["error"] = _reason(error)
        return answer

    async def _send(self, answer: dict[str, Any]) -> None:
        try:
            await self._respond(answer)
        except CallError as error:
            if "error" in answer or error.code in (ErrorCode.NOT_FOUND, ErrorCode.UNAVAILABLE):
                return  # nobody waits any more
            self._report("answer", error)
            await self._send({"requestId": answer["requestId"], "error": _reason(error)})


_WORKING: Final = "working"


def _reason(error: Exception) -> str:
    text = error.message if isinstance(error, CallError) else str(error)
    return (text or type(error).__name__)[:_MAX_ERROR_CHARS]
