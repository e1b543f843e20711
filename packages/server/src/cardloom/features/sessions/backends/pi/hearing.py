"""A run of pi as it is heard: its events in, ours out. Spec: session protocol, adapters (pi)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from cardloom_protocol.session.codecs.pi_message import read_message
from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.events import AskAnswer, AskOption
from cardloom_protocol.session.json_text import JsonObject, is_number, list_of, object_of, text_of
from cardloom_protocol.session.messages import Message
from cardloom_sdk.backend import Ask, MessageWriter, PartWriter, Run

from .adopting import Adoption
from .rpc import PiRpc

FAILED: Final = "pi_failed"
"""pi's model gave no answer; the message says why."""

Adopt = Callable[[list[JsonObject]], Awaitable[None]]
Stored = Callable[[str], Awaitable[Message | None]]

_NOT_TOLD: Final = frozenset({"system", "user"})
_ROLES: Final = {"toolResult": "tool"}
_CONFIRM: Final[list[AskOption]] = [
    {"id": "yes", "label": "Yes", "kind": "allow_once"},
    {"id": "no", "label": "No", "kind": "reject_once"},
]


class PiHearing:
    """One run. `adopt` appends pi's entries to the session, `stored` gives a message of it."""

    def __init__(self, run: Run, pi: PiRpc, adoption: Adoption, adopt: Adopt, stored: Stored) -> None:
        self._run = run
        self._pi = pi
        self._adoption = adoption
        self._adopt = adopt
        self._stored = stored
        self._parts: dict[int, PartWriter] = {}
        self._asks: set[asyncio.Task[None]] = set()
        self._failure: SessionError | None = None
        self.message: MessageWriter | None = None

    async def hear_all(self) -> None:
        """Hear the run to its end. `pi_failed` for a model that failed, `pi_ended` for a program that is gone."""
        try:
            while True:
                event = await self._pi.event()
                if event is None:
                    raise self._pi.ended()
                if event.get("type") == "agent_settled":
                    break
                await self._hear(event)
        finally:
            for task in self._asks:
                task.cancel()
            await asyncio.gather(*self._asks, return_exceptions=True)
        await self.catch_up(is_over=True)
        if self._failure is not None and not self._run.cancelled:
            raise self._failure

    async def catch_up(self, *, is_over: bool = False) -> None:
        """Take over what pi has written since the last time."""
        since = self._adoption.cursor
        found = await self._pi.ask("get_entries", **({} if since is None else {"since": since}))
        entries = [object_of(entry) for entry in list_of(found.get("entries"))]
        taken = self._adoption.take(entries, is_over=is_over)
        if taken:
            await self._adopt(taken)

    async def _hear(self, event: JsonObject) -> None:
        match event.get("type"):
            case "message_start":
                self._begin(object_of(event.get("message")))
            case "message_update":
                self._update(object_of(event.get("assistantMessageEvent")))
            case "message_end":
                await self._end(object_of(event.get("message")))
            case "extension_ui_request":
                self._ask(event)
            case "auto_retry_start":
                self._run.activity(kind="retry", text=text_of(event.get("errorMessage")), data=event)
            case "compaction_start":
                self._run.activity(kind="compaction", text=text_of(event.get("reason")))
            case "extension_error":
                self._run.activity(kind="warning", text=text_of(event.get("error")))
            case "session_info_changed":
                self._run.update_session({"title": text_of(event.get("name"))})

    def _begin(self, message: JsonObject) -> None:
        role = text_of(message.get("role"))
        if role in _NOT_TOLD:
            return
        meta: JsonObject = {"model": message["model"]} if text_of(message.get("model")) else {}
        self._parts.clear()
        self.message = self._run.message(_ROLES.get(role, role), meta=meta)
        self._adoption.tell(self.message.id)

    def _update(self, update: JsonObject) -> None:
        if self.message is None:
            return
        index, delta = update.get("contentIndex"), text_of(update.get("delta"))
        if not is_number(index):
            return
        part = self._parts.get(int(index))
        match update.get("type"):
            case "toolcall_start":
                call_id, name = text_of(update.get("id")), text_of(update.get("toolName"))
                self._parts[int(index)] = self.message.tool_use(call_id, name)
            case "text_delta" | "thinking_delta" if delta:
                if part is None:
                    is_text = update["type"] == "text_delta"
                    part = self._parts[int(index)] = self.message.text() if is_text else self.message.thinking()
                part.add(delta)
            case "toolcall_delta" if part is not None:
                part.add(delta)

    async def _end(self, message: JsonObject) -> None:
        """What pi says at the end counts: the parts are made by the same rule as when its file is read."""
        if self.message is None or text_of(message.get("role")) in _NOT_TOLD:
            return
        writers = list(self._parts.values())
        parts = read_message(message).parts
        for writer, part in zip(writers, parts, strict=False):
            writer.end(part)
        for part in parts[len(writers) :]:
            self.message.add(part)
        self._run.count(object_of(message.get("usage")))
        self._failure = _failure_of(message)
        ended, self.message = self.message, None
        await self.catch_up()
        ended.end(await self._stored(ended.id))

    def _ask(self, request: JsonObject) -> None:
        ask = _ask_of(request)
        if ask is not None:
            task = asyncio.create_task(self._answer(ask, request))
            self._asks.add(task)
        elif request.get("method") == "notify":
            kind = text_of(request.get("notifyType")) or "info"
            self._run.activity(kind=kind, text=text_of(request.get("message")))

    async def _answer(self, ask: Ask, request: JsonObject) -> None:
        answer = await self._run.ask(ask, ask_id=text_of(request.get("id")))
        said = _answer_record(answer, request)
        await self._pi.send({"type": "extension_ui_response", "id": request["id"], **said})


def _failure_of(message: JsonObject) -> SessionError | None:
    if message.get("stopReason") != "error":
        return None
    return SessionError(FAILED, text_of(message.get("errorMessage")) or "pi's model gave no answer.")


def _ask_of(request: JsonObject) -> Ask | None:
    """The question in a request, None for one that wants no answer."""
    ask: dict[str, Any] = {"title": text_of(request.get("title")) or "?"}
    if text_of(request.get("message")):
        ask["text"] = request["message"]
    if is_number(request.get("timeout")):
        ask["timeoutMs"] = request["timeout"]
    match request.get("method"):
        case "confirm":
            ask |= {"kind": "permission", "options": _CONFIRM}
        case "select":
            options = [text_of(option) for option in list_of(request.get("options"))]
            ask |= {"kind": "question", "options": [{"id": str(n), "label": one} for n, one in enumerate(options)]}
        case "input" | "editor":
            ask |= {"kind": "input", "custom": True}
            prefill = text_of(request.get("prefill")) or text_of(request.get("placeholder"))
            if prefill:
                ask["text"] = prefill
        case _:
            return None
    return cast(Ask, ask)


def _answer_record(answer: AskAnswer, request: JsonObject) -> JsonObject:
    chosen = (answer.get("optionIds") or [""])[0]
    if "text" in answer:
        return {"value": answer["text"]}
    if request.get("method") == "confirm" and chosen:
        return {"confirmed": chosen == "yes"}
    options = list_of(request.get("options"))
    if chosen.isdigit() and int(chosen) < len(options):
        return {"value": options[int(chosen)]}
    return {"cancelled": True}
