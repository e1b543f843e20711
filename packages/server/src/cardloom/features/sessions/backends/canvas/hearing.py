"""One run at an agent's terminal: what its turn tells, as events of the session protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, cast

from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.events import AskOption
from cardloom_protocol.session.json_text import object_of
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.parts import AnyPart, text_part
from cardloom_sdk.backend import Ask, Run

from .agents import AgentCard, Agents, News, Question, Status
from .log import holds_reply, is_said_by_person
from .seen import SeenTalk
from .turn import Turn

ENDED: Final = "agent_ended"
FAILED: Final = "agent_failed"
WITHDRAWN: Final = "agent_prompt_withdrawn"

LOOK_S: Final = 0.5
"""How often a log is looked at while the agent works."""

SETTLE_S: Final = 3.0
"""How long the log may lag behind the end of a turn that was told otherwise."""
_SETTLE_LOOK_S: Final = 0.1

_OPTIONS: Final[tuple[AskOption, ...]] = (
    {"id": "approve", "label": "Approve", "kind": "allow_once"},
    {"id": "always", "label": "Always", "kind": "allow_always"},
    {"id": "deny", "label": "Deny", "kind": "reject_once"},
)


class ReadsHistory(Protocol):
    """The sessions as this needs them."""

    def find(self, card_id: str) -> AgentCard | None: ...

    async def history(self, session_id: str) -> list[Message]: ...


class CanvasHearing:
    """Sends one prompt and hears its turn to the end."""

    def __init__(self, run: Run, agents: Agents, card_id: str, sessions: ReadsHistory, seen: SeenTalk) -> None:
        self._run = run
        self._agents = agents
        self._card_id = card_id
        self._sessions = sessions
        self._seen = seen
        self._turn = Turn(run.id)
        self._news = asyncio.Event()
        self._is_sent = False
        self._told: set[str] = set()
        self._asked: dict[str, str] = {}
        self._settled: set[str] = set()
        self._answers: set[asyncio.Task[None]] = set()

    async def hear_turn(self, text: str, before: Sequence[Message]) -> None:
        """The whole run. A `SessionError` tells why the prompt did not go out, or how its turn failed."""
        unlisten = self._agents.listen(self._heard)
        self._told = {message["id"] for message in before}
        try:
            await self._begin(text)
            await self._agents.prompt(self._card_id, text, self._run.id)
            self._is_sent = True
            if self._run.cancelled:
                await self.cancel()
            ended = await self._hear_until_end()
            await self._tell_rest(ended)
            self._finish(ended)
        except SessionError as error:
            self._run.message().fail(error.code, error.message)
            raise
        finally:
            unlisten()
            for task in self._answers:
                task.cancel()
            await asyncio.gather(*self._answers, return_exceptions=True)

    async def cancel(self) -> None:
        """Takes the prompt back, or interrupts the agent. One that is being typed is interrupted as soon as it is."""
        if not self._is_sent:
            return
        with contextlib.suppress(SessionError):
            if self._agents.waits(self._card_id, self._run.id):
                await self._agents.withdraw(self._card_id, self._run.id)
            elif self._turn.ended_as is None:
                await self._agents.interrupt(self._card_id)
        self._news.set()

    # Inside

    def _heard(self, news: News) -> None:
        if news.card_id == self._card_id:
            self._turn = self._turn.after(news)
            self._news.set()

    async def _begin(self, text: str) -> None:
        """Tell that the run goes on. What is asked is kept where the agent's log does not do that."""
        message_id = None
        if not self._reads_log:
            message_id = await self._seen.add(self._card_id, "user", [text_part(text)])
            self._told.add(message_id)
        self._run.start(user_message_id=message_id)

    @property
    def _reads_log(self) -> bool:
        card = self._sessions.find(self._card_id)
        return card is not None and card.log is not None

    async def _hear_until_end(self) -> Status:
        """Tell what happens until the turn is over; gives the status that ended it."""
        queued = False
        while True:
            self._news.clear()
            waits = self._agents.waits(self._card_id, self._run.id)
            if waits and not queued:
                queued = True
                self._run.activity(activityId="queue", kind="queue", text="Waits for the agent's turn to end.")
            self._follow_question()
            ended = self._turn.ended_as
            if ended is not None:
                return ended
            if self._turn.out_at_ms is None and not waits:
                if self._run.cancelled:
                    return "idle"
                raise SessionError(WITHDRAWN, "The prompt was taken out of the agent's queue.")
            if queued and not waits:
                queued = False
                self._run.activity(activityId="queue", kind="queue", done=True)
            if not waits:
                await self._tell_log()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._news.wait()

    # What is said

    async def _tell_log(self) -> None:
        """Tell the messages that the log has gained, except what the person said."""
        if not self._reads_log:
            return
        fresh = [one for one in await self._sessions.history(self._card_id) if one["id"] not in self._told]
        for message in fresh:
            self._told.add(message["id"])
            if not is_said_by_person(message):
                self._tell(message)

    async def _tell_rest(self, ended: Status) -> None:
        """What was said last: from the log once it has come as far, or the reply as it was seen."""
        if self._sessions.find(self._card_id) is None:
            return
        reply, at_ms = await self._reply(ended)
        if self._reads_log:
            await self._until(lambda: self._log_holds(reply))
            await self._tell_log()
        elif reply:
            message_id = await self._seen.keep_reply(self._card_id, reply, at_ms)
            self._tell({"id": message_id, "role": "assistant", "parts": [text_part(reply)]})

    async def _reply(self, ended: Status) -> tuple[str, int]:
        """What the agent said in this turn, and when; it may come a little after the end of the turn."""
        out_at_ms = self._turn.out_at_ms

        async def is_there() -> bool:
            now = self._agents.now(self._card_id)
            return now.error is not None or (now.reply is not None and now.reply_at_ms >= (out_at_ms or 0))

        if out_at_ms is None or (ended == "finished" and not await self._until(is_there)):
            return "", 0
        now = self._agents.now(self._card_id)
        return (now.reply or "", now.reply_at_ms) if now.reply_at_ms >= out_at_ms else ("", 0)

    async def _log_holds(self, reply: str) -> bool:
        return not reply or holds_reply(await self._sessions.history(self._card_id), reply)

    async def _until(self, holds: Callable[[], Awaitable[bool]]) -> bool:
        """Wait a moment for what was told to be there as well; False when it is not."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + SETTLE_S
        while not await holds():
            if loop.time() >= until_s:
                return False
            await asyncio.sleep(_SETTLE_LOOK_S)
        return True

    def _tell(self, message: Message) -> None:
        writer = self._run.message(message["role"], message_id=message["id"], name=message.get("name"))
        for part in message["parts"]:
            if part.get("type") in ("text", "thinking"):
                growing = writer.begin(cast(AnyPart, {**part, "text": ""}))
                growing.add(str(part.get("text", "")))
                growing.end(part)
            else:
                writer.add(part)
        writer.end(message)
        self._run.count(object_of(object_of(message.get("meta")).get("usage")))

    def _finish(self, ended: Status) -> None:
        if self._run.cancelled:
            return
        if ended == "exited":
            waits = self._turn.out_at_ms is None and self._agents.waits(self._card_id, self._run.id)
            why = "The prompt waits in its queue." if waits else "Start it again to go on."
            raise SessionError(ENDED, f"The agent's program has ended. {why}")
        error = self._agents.now(self._card_id).error
        if ended == "finished" and error is not None:
            raise SessionError(FAILED, error)
        self._run.stop_reason = "interrupted" if ended == "idle" else None

    # What is asked

    def _follow_question(self) -> None:
        """Put the agent's open question, and close those that were answered at its terminal."""
        question = None if self._turn.is_gone else self._agents.now(self._card_id).question
        for key, ask_id in list(self._asked.items()):
            if question is None or question.id != key:
                del self._asked[key]
                if ask_id:
                    self._settled.add(ask_id)
                    self._run.settle_ask(ask_id, {"cancelled": True})
        if question is None or question.id in self._asked or self._run.cancelled:
            return
        if not question.choices:
            self._asked[question.id] = ""
            self._run.activity(activityId="question", kind="question", text=f"Asks at its terminal: {question.title}")
            return
        ask_id = self._asked[question.id] = self._run.new_id()
        task = asyncio.get_running_loop().create_task(self._ask(question, ask_id))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _ask(self, question: Question, ask_id: str) -> None:
        options = [option for option in _OPTIONS if option["id"] in question.choices]
        kind = "permission" if question.is_permission else "question"
        ask: Ask = {"kind": kind, "title": question.title, "text": question.action, "options": options}
        answer = await self._run.ask(ask, ask_id=ask_id)
        if ask_id in self._settled or self._run.cancelled:
            return
        self._settled.add(ask_id)
        chosen = next(iter(answer.get("optionIds", ())), "deny")
        try:
            await self._agents.answer(self._card_id, chosen, question.id)
        except SessionError:  # it was answered at the terminal meanwhile; one that is still open is asked again
            if self._asked.get(question.id) == ask_id:
                del self._asked[question.id]
            self._news.set()
