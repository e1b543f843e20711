"""A run of OpenCode as it is heard: its events in, ours out. Spec: session protocol, adapters (OpenCode)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeAlias, cast

from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.events import AskAnswer, AskOption
from cardloom_protocol.session.json_text import JsonObject, object_of, text_of
from cardloom_protocol.session.messages import Message
from cardloom_sdk.backend import Ask, MessageWriter, PartWriter, Run

from .server import ENDED, PROGRAM_ENDED, RECONNECTED
from .shapes import RESULTS, meta_of, objects, said_part, was_aborted

FAILED: Final = "opencode_failed"
"""OpenCode's model gave no answer; the message says why."""

END_S: Final = 10.0
"""How long the last words of an answer are waited for once OpenCode says that it is idle."""

AskOpenCode: TypeAlias = Callable[..., Awaitable[Any]]
Stored: TypeAlias = Callable[[], Awaitable[list[Message]]]

_PERMISSION: Final[list[AskOption]] = [
    {"id": "once", "label": "Allow once", "kind": "allow_once"},
    {"id": "always", "label": "Always allow", "kind": "allow_always"},
    {"id": "reject", "label": "Reject", "kind": "reject_once"},
]


class OpenCodeHearing:
    """One run. `ask` asks OpenCode, `stored` gives the session's messages; those in `known` were there before."""

    def __init__(self, run: Run, ask: AskOpenCode, stored: Stored, known: Iterable[Message]) -> None:
        self._run = run
        self._ask_opencode = ask
        self._stored = stored
        self._known = {message["id"] for message in known}
        self._events: asyncio.Queue[JsonObject] = asyncio.Queue()
        self._sessions = {run.session_id}
        self._message: MessageWriter | None = None
        self._parts: dict[str, PartWriter] = {}
        self._thoughts: set[str] = set()
        self._begun: set[str] = set()
        self._has_user = False
        self._is_idle = False
        self._is_open = False
        self._has_missed = False
        self._failure: SessionError | None = None
        self._asks: dict[str, asyncio.Task[None]] = {}

    def hear(self, event: JsonObject) -> None:
        """Take an event of the server; those of other sessions are left out, those of sub-agents are not."""
        properties = object_of(event.get("properties"))
        if event.get("type") == "session.created":
            info = object_of(properties.get("info"))
            if info.get("parentID") in self._sessions:
                self._sessions.add(text_of(info.get("id")))
        if event.get("type") in (RECONNECTED, PROGRAM_ENDED) or properties.get("sessionID") in self._sessions:
            self._events.put_nowait(event)

    async def hear_all(self) -> None:
        """Hear the run to its end. `opencode_failed` for a model that failed."""
        try:
            while not self._is_over():
                try:
                    async with asyncio.timeout(END_S if self._is_idle else None):
                        event = await self._events.get()
                except TimeoutError:
                    break
                await self._take(event)
        finally:
            for task in self._asks.values():
                task.cancel()
            await asyncio.gather(*self._asks.values(), return_exceptions=True)
        await self._end_message()
        if self._failure is not None and not self._run.cancelled:
            raise self._failure

    def _is_over(self) -> bool:
        """Whether OpenCode rests after what was asked, not before it began: that is waited for a while."""
        has_answered = self._begun or self._failure is not None or self._run.cancelled or self._has_missed
        return self._is_idle and not self._is_open and bool(has_answered)

    async def _take(self, event: JsonObject) -> None:
        properties = object_of(event.get("properties"))
        kind = text_of(event.get("type"))
        if kind in ("permission.asked", "question.asked"):
            self._put(kind, properties)
        elif kind in ("permission.replied", "question.replied", "question.rejected"):
            self._settle(properties)
        elif kind == RECONNECTED:
            await self._look_again()
        elif kind == PROGRAM_ENDED:
            raise SessionError(ENDED, text_of(properties.get("message")))
        elif properties.get("sessionID") == self._run.session_id:
            await self._take_own(kind, properties)

    async def _take_own(self, kind: str, properties: JsonObject) -> None:
        match kind:
            case "message.updated":
                await self._update_message(object_of(properties.get("info")))
            case "message.part.updated":
                self._update_part(object_of(properties.get("part")))
            case "message.part.delta":
                self._grow(properties)
            case "session.status":
                self._hear_status(object_of(properties.get("status")))
            case "session.idle":
                self._is_idle = self._has_user
            case "session.error":
                self._hear_error(object_of(properties.get("error")))
            case "session.updated":
                title = text_of(object_of(properties.get("info")).get("title"))
                if title:
                    self._run.update_session({"title": title})
            case "todo.updated":
                self._run.activity(kind="todo", data=properties.get("todos"))

    async def _update_message(self, info: JsonObject) -> None:
        message_id = text_of(info.get("id"))
        if info.get("role") == "user":
            self._hear_user(message_id)
            return
        if message_id not in self._begun:
            await self._end_message()
            self._begun.add(message_id)
            self._is_open, self._is_idle = True, False
            self._parts.clear()
            model = meta_of(info).get("model")
            self._message = self._run.message(message_id=message_id, meta={} if model is None else {"model": model})
        if (
            self._message is not None
            and self._message.id == message_id
            and object_of(info.get("time")).get("completed")
        ):
            if object_of(info.get("error")) and not was_aborted(info):
                self._hear_error(object_of(info["error"]))
            await self._end_message()

    def _hear_user(self, message_id: str) -> None:
        if not self._has_user:
            self._has_user = True
            self._run.start(user_message_id=message_id, parent_id=message_id)

    def _update_part(self, part: JsonObject) -> None:
        """A part begins or has changed. What it says in the end is read from the stored message."""
        if self._message is None or part.get("messageID") != self._message.id:
            return
        part_id = text_of(part.get("id"))
        if part.get("type") == "reasoning":
            self._thoughts.add(part_id)
        said = said_part(part)
        if part_id in self._parts or said is None:
            return
        if part.get("type") in ("text", "reasoning"):
            writer = self._begin(part_id, thinking=part["type"] == "reasoning")
            writer.add(text_of(part.get("text")))
        else:
            self._parts[part_id] = self._message.begin(said)

    def _grow(self, properties: JsonObject) -> None:
        if self._message is None or properties.get("messageID") != self._message.id:
            return
        part_id, delta = text_of(properties.get("partID")), text_of(properties.get("delta"))
        if properties.get("field") == "text" and delta:
            writer = self._parts.get(part_id)
            (writer or self._begin(part_id, thinking=part_id in self._thoughts)).add(delta)

    def _begin(self, part_id: str, *, thinking: bool) -> PartWriter:
        assert self._message is not None
        writer = self._parts[part_id] = self._message.thinking() if thinking else self._message.text()
        return writer

    async def _end_message(self) -> None:
        """End the message with what OpenCode has stored, and tell the results of its calls."""
        message, self._message, self._is_open = self._message, None, False
        if message is None:
            return
        stored = {one["id"]: one for one in await self._stored()}
        kept = stored.get(message.id)
        if kept is not None:
            writers = list(self._parts.values())
            for writer, part in zip(writers, kept["parts"], strict=False):
                writer.end(part)
            for part in kept["parts"][len(writers) :]:
                message.add(part)
            self._run.count(object_of(object_of(kept.get("meta")).get("usage")))
        message.end(kept)
        results = stored.get(message.id + RESULTS)
        if results is not None:
            told = self._run.message("tool", message_id=results["id"], parent_id=message.id)
            for part in results["parts"]:
                told.add(part)
            told.end(results)

    def _hear_status(self, status: JsonObject) -> None:
        match status.get("type"):
            case "idle":
                self._is_idle = self._has_user
            case "retry":
                self._run.activity(kind="retry", text=text_of(status.get("message")), data=status)
            case _:
                self._is_idle = False

    def _hear_error(self, error: JsonObject) -> None:
        if error.get("name") != "MessageAbortedError":
            message = text_of(object_of(error.get("data")).get("message")) or text_of(error.get("name"))
            self._failure = SessionError(FAILED, message or "OpenCode failed.")

    async def _look_again(self) -> None:
        """After a gap: whether the run is still going on. What was missed stands in the stored messages."""
        status = object_of(await self._ask_opencode("GET", "/session/status"))
        if not self._has_user:
            fresh = [one for one in await self._stored() if one["id"] not in self._known]
            if not fresh or fresh[-1]["role"] == "user":
                return  # it is still to begin
            self._hear_user(fresh[0]["id"])
        if object_of(status.get(self._run.session_id)).get("type", "idle") == "idle" and self._has_user:
            self._is_idle, self._is_open, self._has_missed = True, False, True

    def _put(self, kind: str, request: JsonObject) -> None:
        request_id = text_of(request.get("id"))
        if request_id not in self._asks:
            work = self._permit if kind == "permission.asked" else self._question
            self._asks[request_id] = asyncio.create_task(work(request_id, request))

    def _settle(self, properties: JsonObject) -> None:
        reply = text_of(properties.get("reply"))
        answer: AskAnswer = {"optionIds": [reply]} if reply else {"cancelled": True}
        self._run.settle_ask(text_of(properties.get("requestID")), answer)

    async def _permit(self, request_id: str, request: JsonObject) -> None:
        patterns = [one for one in cast(list[Any], request.get("patterns") or []) if isinstance(one, str)]
        ask: Ask = {
            "kind": "permission",
            "title": f"{text_of(request.get('permission'))}: {', '.join(patterns)}"[:300],
            "options": _PERMISSION,
            "data": request.get("metadata"),
        }
        call_id = text_of(object_of(request.get("tool")).get("callID"))
        if call_id:
            ask["callId"] = call_id
        answer = await self._run.ask(ask, ask_id=request_id)
        reply = (answer.get("optionIds") or ["reject"])[0]
        await self._reply(f"/permission/{request_id}/reply", {"reply": reply})

    async def _question(self, request_id: str, request: JsonObject) -> None:
        """The questions of a request one after the other; giving one up rejects them all."""
        answers: list[Any] = []
        for number, question in enumerate(objects(request.get("questions"))):
            labels = [text_of(option.get("label")) for option in objects(question.get("options"))]
            answer = await self._run.ask(_ask_of(question, labels), ask_id=f"{request_id}.{number}")
            if answer.get("cancelled") or answer.get("timeout"):
                await self._reply(f"/question/{request_id}/reject", {})
                return
            chosen = [labels[int(one)] for one in answer.get("optionIds", [])]
            answers.append([*chosen, *([answer["text"]] if "text" in answer else [])])
        await self._reply(f"/question/{request_id}/reply", {"answers": answers})

    async def _reply(self, path: str, body: JsonObject) -> None:
        try:
            await self._ask_opencode("POST", path, body, again=True)
        except SessionError:
            return  # answered elsewhere, or the run is over


def _ask_of(question: JsonObject, labels: list[str]) -> Ask:
    ask: Ask = {
        "kind": "question",
        "title": text_of(question.get("question")) or text_of(question.get("header")),
        "options": [{"id": str(number), "label": label} for number, label in enumerate(labels)],
        "custom": question.get("custom") is not False,
    }
    if question.get("multiple") is True:
        ask["multiple"] = True
    return ask
