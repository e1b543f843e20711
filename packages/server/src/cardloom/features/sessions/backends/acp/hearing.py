"""A run of an agent as it is heard: its updates in, messages of ours out, each stored as it ends.

Words after the results of calls begin a new message; the results form one of role `tool` before it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.events import AskAnswer, AskOption
from cardloom_protocol.session.json_text import JsonObject, list_of, object_of, text_of
from cardloom_protocol.session.parts import AnyPart
from cardloom_sdk.backend import Ask, MessageWriter, PartWriter, Run, StoreSessions

from .agent import content_text


@dataclass(slots=True)
class _Call:
    """A tool call as far as it is known; later updates fill in what earlier ones left out."""

    writer: PartWriter
    call_id: str
    name: str
    data: JsonValue
    text: str = ""
    output: JsonValue = None
    status: str = "pending"

    @property
    def is_over(self) -> bool:
        return self.status in ("completed", "failed")

    def use(self) -> AnyPart:
        return {"type": "tool_use", "data": self.data, "meta": {"callId": self.call_id, "name": self.name}}

    def result(self) -> AnyPart:
        text = self.text or ("" if self.output is None else compact_json(self.output))
        is_error = self.status == "failed"
        meta: JsonObject = {"callId": self.call_id, "name": self.name, "error": is_error}
        part: AnyPart = {"type": "tool_result", "text": text, "meta": meta}
        if self.output is not None:
            part["data"] = self.output
        return part


class AcpHearing:
    """One run. Updates are put in with `hear` and taken in order by `hear_until`."""

    def __init__(self, run: Run, sessions: StoreSessions, parent_id: str | None) -> None:
        self._run = run
        self._sessions = sessions
        self._parent_id = parent_id
        self._updates: asyncio.Queue[JsonObject | None] = asyncio.Queue()
        self._message: MessageWriter | None = None
        self._open: tuple[Literal["text", "thinking"], PartWriter] | None = None
        self._calls: dict[str, _Call] = {}

    @property
    def last_id(self) -> str | None:
        """The last message of the run."""
        return self._parent_id

    def hear(self, update: JsonObject) -> None:
        """Take an update in."""
        self._updates.put_nowait(update)

    async def hear_until(self, answer: asyncio.Task[JsonObject]) -> JsonObject:
        """Write what the agent says until its answer to the prompt, which is given back."""
        answer.add_done_callback(lambda _: self._updates.put_nowait(None))
        while (update := await self._updates.get()) is not None:
            await self._take(update)
        return answer.result()

    async def permit(self, call: JsonObject, options: list[JsonObject]) -> AskAnswer:
        """Ask the person by the agent's options."""
        offered: list[AskOption] = [
            {
                "id": text_of(option.get("optionId")),
                "label": text_of(option.get("name")),
                "kind": text_of(option.get("kind")),
            }
            for option in options
        ]
        ask: Ask = {
            "kind": "permission",
            "title": text_of(call.get("title")) or "May the agent go on?",
            "options": offered,
            "callId": text_of(call.get("toolCallId")),
            "data": call.get("rawInput"),
        }
        return await self._run.ask(ask)

    async def finish(self, *, cancelled: bool = False, error: tuple[str, str] | None = None) -> None:
        """Store what is still open, with what went wrong."""
        if error is not None:
            self._writing().fail(*error)
        if self._message is not None and cancelled:
            self._message.meta["cancelled"] = True
        await self._store()

    async def _take(self, update: JsonObject) -> None:
        match update.get("sessionUpdate"):
            case "agent_message_chunk":
                await self._say("text", object_of(update.get("content")))
            case "agent_thought_chunk":
                await self._say("thinking", object_of(update.get("content")))
            case "tool_call" | "tool_call_update":
                await self._call(update)
            case "plan":
                self._run.activity(kind="plan", data=update.get("entries"))
            case "session_info_update" if text_of(update.get("title")):
                self._run.update_session({"title": text_of(update["title"])})

    async def _say(self, kind: Literal["text", "thinking"], content: JsonObject) -> None:
        await self._begin_anew_after_results()
        text = text_of(content.get("text"))
        if content.get("type") == "text":
            if text:
                self._part(kind).add(text)
            return
        self._close()
        self._writing().add(_part_of(content))

    async def _call(self, update: JsonObject) -> None:
        call_id = text_of(update.get("toolCallId"))
        call = self._calls.get(call_id)
        if call is None:
            await self._begin_anew_after_results()
            self._close()
            name = text_of(update.get("title")) or text_of(update.get("kind")) or "tool"
            writer = self._writing().tool_use(call_id, name)
            call = self._calls[call_id] = _Call(writer, call_id, name, update.get("rawInput", {}))
        if update.get("rawInput") is not None:
            call.data = update["rawInput"]
        if "content" in update:
            call.text = content_text(list_of(update.get("content")))
        if update.get("rawOutput") is not None:
            call.output = update["rawOutput"]
        call.status = text_of(update.get("status")) or call.status
        if call.is_over:
            call.writer.end(call.use())

    async def _begin_anew_after_results(self) -> None:
        if self._calls and all(call.is_over for call in self._calls.values()):
            await self._store()

    async def _store(self) -> None:
        """Store the message, then the results of its calls as one of their own."""
        message, self._message = self._message, None
        calls, self._calls = list(self._calls.values()), {}
        self._close()
        if message is None:
            return
        for call in calls:
            call.writer.end(call.use())
        await self._sessions.keep(self._run, message)
        self._parent_id = message.id
        results = [call.result() for call in calls if call.is_over]
        if results:
            told = self._run.message("tool", parent_id=self._parent_id)
            for result in results:
                told.add(result)
            await self._sessions.keep(self._run, told)
            self._parent_id = told.id

    def _writing(self) -> MessageWriter:
        if self._message is None:
            self._message = self._run.message(parent_id=self._parent_id)
        return self._message

    def _part(self, kind: Literal["text", "thinking"]) -> PartWriter:
        if self._open is not None and self._open[0] == kind:
            return self._open[1]
        self._close()
        message = self._writing()
        self._open = (kind, message.text() if kind == "text" else message.thinking())
        return self._open[1]

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].end()
            self._open = None


def _part_of(content: JsonObject) -> AnyPart:
    """A block that is no text."""
    mime, resource = text_of(content.get("mimeType")), object_of(content.get("resource"))
    match content.get("type"):
        case "image":
            return {
                "type": "image",
                "meta": {"mime": mime, "url": f"data:{mime};base64,{text_of(content.get('data'))}"},
            }
        case "resource_link":
            meta: JsonObject = {"name": text_of(content.get("name")), "url": text_of(content.get("uri"))}
            return {"type": "file", "meta": meta}
        case "resource" if isinstance(resource.get("text"), str):
            return {"type": "file", "text": text_of(resource["text"]), "meta": {"name": text_of(resource.get("uri"))}}
        case kind:
            return {"type": "custom", "data": content, "meta": {"hint": f"acp.{text_of(kind)}"}}
