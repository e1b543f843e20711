"""A run of a mapped engine as it is heard: events of the engine in, events of ours out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from cardloom_protocol.jstext import MAX_SAFE_INTEGER, JsonValue
from cardloom_protocol.session.errors import SessionError
from cardloom_protocol.session.events import AskAnswer
from cardloom_protocol.session.info import SessionInfo
from cardloom_protocol.session.json_text import is_number
from cardloom_protocol.session.messages import Message
from cardloom_sdk.backend import Ask, MessageWriter, PartWriter, Run

from .mapping import EngineMapping
from .rules import Rule

ENGINE_FAILED = "engine_failed"
"""The engine says that its run failed."""

SendAnswer: TypeAlias = Callable[[str, AskAnswer], Awaitable[None]]


@dataclass(slots=True)
class _Grown:
    """A part that grows, and how much of it was said."""

    writer: PartWriter
    said: str = ""


@dataclass(slots=True)
class Hearing:
    """One run. `next_place` is the place of the next message, for engines whose messages have no ids."""

    mapping: EngineMapping
    run: Run
    next_place: int
    send_answer: SendAnswer
    user_message_id: str | None = None
    is_over: bool = False
    message: MessageWriter | None = None
    written: list[MessageWriter] = field(default_factory=list)
    _grown: dict[tuple[str, str], _Grown] = field(default_factory=dict)
    _last: tuple[str, str] | None = None
    _is_muted: bool = False
    _asks: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def hear(self, event_name: str, event: JsonValue) -> None:
        """Take one event. SessionError when it says that the run failed."""
        events = self.mapping.events
        if events.session is not None and events.session.text(event) != self.run.session_id:
            return
        kind = event_name if events.type is None else events.type.text(event) or ""
        rule = next((rule for rule in events.rules if rule.fits(kind, event)), None)
        if rule is not None:
            self._follow(rule, event)

    async def close(self) -> None:
        """End the questions that nobody will answer."""
        for task in self._asks.values():
            task.cancel()
        await asyncio.gather(*self._asks.values(), return_exceptions=True)

    def finish(self, stored: dict[str, Message]) -> None:
        """End the last message, with what the engine has stored of it."""
        if self.message is not None:
            self.message.end(stored.get(self.message.id))

    def _follow(self, rule: Rule, event: JsonValue) -> None:
        match rule.do:
            case "message":
                self._begin_message(rule, event)
            case "text" | "thinking":
                self._grow(rule, event)
            case "tool_use" | "tool_result" | "image" | "file":
                if not self._is_muted:
                    self._end_part()
                    self._writing().add(rule.part(event))
            case "ask":
                self._ask(rule, event)
            case "settle":
                option = rule.text("optionId", event)
                answer: AskAnswer = {"optionIds": [option]} if option else {"cancelled": True}
                self.run.settle_ask(rule.text("askId", event) or "", answer)
            case "activity":
                fields = {name: rule.value(name, event) for name in rule.fields}
                self.run.activity(**{name: value for name, value in fields.items() if value is not None})
            case "session":
                title = rule.text("title", event)
                if title is not None:
                    self.run.update_session(cast(SessionInfo, {"title": title}))
            case "usage":
                self._count(rule, event)
            case "end":
                self.is_over = True
                self.run.stop_reason = rule.text("reason", event)
            case "error":
                self._fail(rule, event)

    def _begin_message(self, rule: Rule, event: JsonValue) -> None:
        """A message begins, or goes on when it is the one that is open. What the person said is not said back."""
        message_id, role = rule.text("id", event), rule.text("role", event) or "assistant"
        self._is_muted = role == "user"
        if self._is_muted:
            self.user_message_id = message_id or self.user_message_id
            return
        if self.message is not None and message_id is not None and self.message.id == message_id:
            return
        if self.message is not None:
            self._end_part()
            self.message.end()
        self._open(message_id, role, rule.text("name", event))

    def _writing(self) -> MessageWriter:
        return self.message if self.message is not None else self._open(None, "assistant", None)

    def _open(self, message_id: str | None, role: str, name: str | None) -> MessageWriter:
        made = message_id if self.mapping.message.has_ids else f"pos:{self.next_place}"
        self.next_place += 1
        self._grown.clear()
        self.message = self.run.message(role, message_id=made, name=name or None)
        self.written.append(self.message)
        return self.message

    def _grow(self, rule: Rule, event: JsonValue) -> None:
        text = rule.text("text", event)
        if not text or self._is_muted:
            return
        message = self._writing()
        key = (rule.do, rule.text("part", event) or "")
        if key != self._last and "part" not in rule.fields:
            self._end_part()
        grown = self._grown.get(key)
        if grown is None:
            grown = self._grown[key] = _Grown(message.text() if rule.do == "text" else message.thinking())
        self._last = key
        piece = text
        if rule.is_whole:
            piece = text[len(grown.said) :] if text.startswith(grown.said) else ""
        grown.said += piece
        grown.writer.add(piece)

    def _end_part(self) -> None:
        """End the part that grew last, so that what follows is a part of its own."""
        if self._last is not None:
            grown = self._grown.pop(self._last, None)
            if grown is not None:
                grown.writer.end()
            self._last = None

    def _ask(self, rule: Rule, event: JsonValue) -> None:
        ask_id = rule.text("askId", event) or ""
        if not ask_id or ask_id in self._asks:
            return
        options = rule.asked_options(event)
        ask: dict[str, Any] = {
            "kind": rule.text("kind", event) or ("permission" if options else "input"),
            "title": rule.text("title", event) or "?",
        }
        if options:
            ask["options"] = options
        else:
            ask["custom"] = True
        for name in ("text", "callId"):
            if rule.text(name, event) is not None:
                ask[name] = rule.text(name, event)
        self._asks[ask_id] = asyncio.create_task(self._answer(cast(Ask, ask), ask_id))

    async def _answer(self, ask: Ask, ask_id: str) -> None:
        answer = await self.run.ask(ask, ask_id=ask_id)
        try:
            await self.send_answer(ask_id, answer)
        except SessionError as error:
            self.run.activity(kind="warning", text=f"The answer did not reach the engine: {error.message}")

    def _count(self, rule: Rule, event: JsonValue) -> None:
        read, written = rule.value("input", event), rule.value("output", event)
        if is_number(read) or is_number(written):
            self.run.usage = {"input": _count(read), "output": _count(written)}

    def _fail(self, rule: Rule, event: JsonValue) -> None:
        code, message = rule.text("code", event), rule.text("message", event)
        error = SessionError(code or ENGINE_FAILED, message or "The engine failed and gave no reason.")
        if self.message is not None:
            self.message.fail(error.code, error.message)
        raise error


def _count(value: JsonValue) -> int:
    return int(value) if is_number(value) and 0 <= value <= MAX_SAFE_INTEGER else 0


def answer_fields(answer: AskAnswer) -> dict[str, JsonValue]:
    """An answer as the fields of a route."""
    fields: dict[str, JsonValue] = {}
    if answer.get("optionIds"):
        fields["optionId"] = answer["optionIds"][0]
    if "text" in answer:
        fields["text"] = answer["text"]
    return fields
