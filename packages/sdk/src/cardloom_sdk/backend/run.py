"""A run as the backend sees it: what was asked for, where events go, questions to the person, and being cancelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NotRequired, Protocol, TypedDict, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.events import AskAnswer, AskOption, RunStartInput
from cardloom_protocol.session.info import SessionInfo, SessionModel
from cardloom_protocol.session.json_text import JsonObject, is_number
from cardloom_protocol.session.messages import Usage
from cardloom_protocol.session.model import UNSET, Unset
from cardloom_protocol.session.parts import parts_of, parts_text

from .writing import MessageWriter


class Ask(TypedDict):
    """A question to the person. `kind` is permission, question or input; see `AskEvent` for the rest."""

    kind: str
    title: str
    text: NotRequired[str]
    options: NotRequired[list[AskOption]]
    multiple: NotRequired[bool]
    custom: NotRequired[bool]
    default: NotRequired[JsonValue]
    timeoutMs: NotRequired[int]
    callId: NotRequired[str]
    messageId: NotRequired[str]
    data: NotRequired[JsonValue]


class RunPort(Protocol):
    """What stands behind a run: the host's side, or a test's."""

    def emit(self, event: JsonObject) -> None:
        """Takes an event that has its type and run id."""

    async def ask(self, ask: Ask, ask_id: str | None) -> AskAnswer:
        """Puts a question and waits for its answer."""

    def settle(self, ask_id: str, answer: AskAnswer) -> None:
        """Closes a question that was answered elsewhere."""


class Run:
    """One run of a session.

    `given` is the request as it was checked. `usage` and `stop_reason` set by the backend go into `run_end`.
    """

    def __init__(
        self, run_id: str, given: RunStartInput, port: RunPort, interrupt: Callable[[], None], new_id: Callable[[], str]
    ) -> None:
        self.id = run_id
        self.given = given
        self.session_id = given["sessionId"]
        self.usage: Usage | None = None
        self.stop_reason: str | None = None
        self.cancelled = False
        """Whether somebody asked to end this run; the host sets it before it calls `Backend.cancel`."""
        self._port = port
        self._interrupt = interrupt
        self._new_id = new_id
        self._started = False

    @property
    def started(self) -> bool:
        """Whether `start` was called."""
        return self._started

    @property
    def text(self) -> str:
        """The plain text of the request, whether it came as text or as parts."""
        return parts_text(parts_of(self.given.get("parts"), self.given.get("text")))

    def mark_started(self) -> None:
        """For the port: the run's `run_start` has gone out."""
        self._started = True

    def new_id(self) -> str:
        """A fresh id for a message, to be stored under just this."""
        return self._new_id()

    def start(
        self,
        *,
        user_message_id: str | None = None,
        parent_id: str | Unset | None = UNSET,
        model: SessionModel | None = None,
    ) -> None:
        """Tells that the run has begun. The user's message is stored by now; `parent_id` is what the reply hangs below.

        A second call does nothing.
        """
        if self._started:
            return
        event: JsonObject = {"type": "run_start", "sessionId": self.session_id}
        if user_message_id is not None:
            event["userMessageId"] = user_message_id
        if not isinstance(parent_id, Unset):
            event["parentId"] = parent_id
        if model is not None:
            event["model"] = cast(JsonObject, model)
        self.emit(event)

    def emit(self, event: Mapping[str, object]) -> None:
        """Sends any event of this run with its `runId`. `run_end` comes from the host; nothing goes out after it."""
        self._port.emit({**cast(JsonObject, event), "runId": self.id})

    def message(
        self,
        role: str = "assistant",
        *,
        message_id: str | None = None,
        name: str | None = None,
        parent_id: str | Unset | None = UNSET,
        meta: JsonObject | None = None,
    ) -> MessageWriter:
        """Begins a message; `message_id` is the one that it is or will be stored under."""
        return MessageWriter(self.emit, message_id or self._new_id(), role, name=name, parent_id=parent_id, meta=meta)

    def activity(self, **fields: JsonValue) -> None:
        """Tells what the engine does (activityId, kind, text, progress, done, data). Capability `run.activity`."""
        self.emit({"type": "activity", **fields})

    def update_session(self, session: SessionInfo) -> None:
        """Tells of changed fields of the session."""
        self.emit({"type": "session_update", "sessionId": self.session_id, "session": session})

    def count(self, usage: JsonObject) -> None:
        """Adds the tokens of one message to `usage`: its `input` and `output`, where both are numbers."""
        read, written = usage.get("input"), usage.get("output")
        if is_number(read) and is_number(written):
            before = self.usage or {"input": 0, "output": 0}
            self.usage = {"input": before["input"] + int(read), "output": before["output"] + int(written)}

    async def ask(self, ask: Ask, *, ask_id: str | None = None) -> AskAnswer:
        """Puts a question to the person and waits: optionIds, text, `cancelled` or `timeout`. Capability `run.ask`.

        Several may be open at once. Cancelling the run answers them with `cancelled`. After `timeoutMs` the default
        counts where there is one (an option id, a list of them, or a text).
        """
        return await self._port.ask(ask, ask_id)

    def settle_ask(self, ask_id: str, answer: AskAnswer) -> None:
        """Closes an open question that was answered where the engine runs; `ask` returns this answer."""
        self._port.settle(ask_id, answer)

    def interrupt(self) -> None:
        """Cancels the task that carries this run out."""
        self._interrupt()
