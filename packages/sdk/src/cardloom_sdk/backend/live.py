"""A run while it goes on and for a while after: its log, its questions, its end.

Whatever the backend does, listeners see `run_start` first, `run_end` last and once, and everything closed in between.
Spec: session protocol, run, cancel and ask.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import Conflict, NotFound, SessionError, SessionErrorCode
from cardloom_protocol.session.events import AskAnswer, RunStartInput
from cardloom_protocol.session.json_text import JsonObject

from .asking import answer_after_deadline, checked_answer
from .contract import Backend
from .log import LogLimits, RunLog
from .run import Ask, Run


class _Cancelled(SessionError):
    def __init__(self) -> None:
        super().__init__(SessionErrorCode.CONFLICT, "The run was cancelled.")


_logger = logging.getLogger(__name__)


class LiveRun:
    """One run on the host's side."""

    def __init__(
        self,
        backend: Backend,
        run_id: str,
        given: RunStartInput,
        limits: LogLimits,
        *,
        new_id: Callable[[], str],
        on_over: Callable[[], None],
    ) -> None:
        self.log = RunLog(run_id, limits)
        self.run = Run(run_id, given, self, self._interrupt, new_id)
        self.started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the run has begun; fails when the backend refused it."""
        self._backend = backend
        self._new_id = new_id
        self._on_over = on_over
        self._asks: dict[str, tuple[JsonObject, asyncio.Future[AskAnswer]]] = {}
        self._settled: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        return self.run.id

    @property
    def session_id(self) -> str:
        return self.run.session_id

    @property
    def ended(self) -> bool:
        """Whether the run is over, or never began."""
        return self.log.ended

    def status(self) -> JsonObject:
        """The run as a client sees it: `running`, or how it ended."""
        state = self.log.state
        status: JsonObject = {
            "runId": self.id,
            "sessionId": self.session_id,
            "status": state.status or "running",
            "lastEventId": f"{self.id}:{self.log.last}",
        }
        if state.start is not None and "userMessageId" in state.start:
            status["messageId"] = state.start["userMessageId"]
        if state.end is not None and "error" in state.end:
            status["error"] = state.end["error"]
        return status

    # Carrying out

    def begin(self) -> asyncio.Task[None]:
        """Lets the backend start; the task ends when the run has."""
        self._task = asyncio.create_task(self._backend.run(self.run), name=f"run {self.id}")
        return asyncio.create_task(self._watch(self._task))

    async def cancel(self, grace_ms: int) -> None:
        """Ends the run early: questions are given up, then the backend is told.

        It has `grace_ms` to answer, and as long again to end by itself.
        """
        if self.run.cancelled or self.ended or self._task is None:
            return
        self.run.cancelled = True
        for ask_id in list(self._asks):
            self.settle(ask_id, {"cancelled": True})
        try:
            async with asyncio.timeout(grace_ms / 1000):
                await self._backend.cancel(self.run)
        except Exception:  # an engine that cannot be asked to end, or does not answer, is ended all the same
            _logger.exception("run %s could not be cancelled gently", self.id)
            self._interrupt()
        asyncio.get_running_loop().call_later(grace_ms / 1000, self._interrupt)

    def _interrupt(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self, task: asyncio.Task[None]) -> None:
        await asyncio.wait([task])
        self._on_over()  # whoever hears of the end may start the next run at once
        failure = _Cancelled() if task.cancelled() else task.exception()
        if not self.run.started and failure is not None:
            self.log.give_up()
            self.started.set_exception(_told(failure, self.id))
            return
        self.run.start()
        if self.run.cancelled or isinstance(failure, _Cancelled):
            self._finish("cancelled", None)
        else:
            self._finish("error" if failure else "done", None if failure is None else _told(failure, self.id))

    def _finish(self, status: str, error: SessionError | None) -> None:
        for ask_id in list(self._asks):
            self.settle(ask_id, {"cancelled": True})
        for event in self.log.state.closing():
            self.log.append(event)
        end: JsonObject = {"type": "run_end", "runId": self.id, "sessionId": self.session_id, "status": status}
        if error is not None:
            end["error"] = {"code": error.code, "message": error.message}
        if self.run.usage is not None:
            end["usage"] = cast(JsonObject, self.run.usage)
        if self.run.stop_reason is not None:
            end["stopReason"] = self.run.stop_reason
        self.log.append(end)

    # What the backend's side of the run uses

    def emit(self, event: JsonObject) -> None:
        """Takes an event into the log. The first one is always `run_start`; `run_end` is not the backend's to say."""
        if self.ended or event.get("type") == "run_end":
            return
        if event.get("type") == "run_start":
            if self.log.state.start is None:
                self.run.mark_started()
                self.log.append(event)
                self.started.set_result(None)
            return
        self.run.start()
        self.log.append(event)

    async def ask(self, ask: Ask, ask_id: str | None) -> AskAnswer:
        """Puts a question and waits for its answer."""
        name = ask_id or self._new_id()
        if name in self._asks or name in self._settled:
            raise Conflict(f"The question {name!r} was put already.")
        event: JsonObject = {**cast(JsonObject, ask), "type": "ask", "runId": self.id, "askId": name}
        if self.run.cancelled or self.ended:
            return {"cancelled": True}
        future: asyncio.Future[AskAnswer] = asyncio.get_running_loop().create_future()
        self._asks[name] = (event, future)
        self.emit(event)
        try:
            async with asyncio.timeout(ask["timeoutMs"] / 1000 if "timeoutMs" in ask else None):
                return await asyncio.shield(future)
        except TimeoutError:
            self.settle(name, answer_after_deadline(ask))
            return future.result()
        finally:
            self.settle(name, {"cancelled": True})

    def settle(self, ask_id: str, answer: AskAnswer) -> None:
        """Closes a question; one that is closed already stays as it is."""
        found = self._asks.pop(ask_id, None)
        if found is None:
            return
        event, future = found
        self._settled.add(ask_id)
        future.set_result(answer)
        self.log.append({**event, "resolved": cast(JsonObject, answer)})

    # What clients use

    def open_asks(self) -> list[JsonObject]:
        """The questions that wait for an answer."""
        return [event for event, _ in self._asks.values()]

    def answer(self, ask_id: str, given: JsonObject) -> JsonObject:
        """Answers a question and gives its event. CONFLICT when it is settled already, BAD_REQUEST if it cannot be."""
        found = self._asks.get(ask_id)
        if found is None:
            if ask_id in self._settled:
                raise Conflict("The question is settled already.")
            raise NotFound(f"The run has no question {ask_id!r}.")
        answer = checked_answer(found[0], given)
        self.settle(ask_id, answer)
        return {**found[0], "resolved": cast(JsonValue, answer)}


def _told(failure: BaseException, run_id: str) -> SessionError:
    """A failure as clients hear of it; what is not meant for them goes to the log."""
    if isinstance(failure, SessionError):
        return failure
    _logger.error("run %s failed", run_id, exc_info=failure)
    return SessionError(SessionErrorCode.INTERNAL, "The backend failed.")
