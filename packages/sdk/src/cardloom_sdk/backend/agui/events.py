"""The events of a run as those of AG-UI 1.0, in an order that its verification accepts.

Each text part is a text message, each thinking part a reasoning span, each tool call one of its own; the first text of
a message bears the id that the message is stored under. What AG-UI has no event for travels as CUSTOM. Spec: session
protocol, mappings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cardloom_protocol.session.events import run_status
from cardloom_protocol.session.json_text import JsonObject, is_object, object_of, text_of
from cardloom_protocol.session.parts import AnyPart

from .messages import arguments_text, result_text

AguiEvent: TypeAlias = JsonObject

_ROLES: Final = frozenset(("developer", "system", "assistant", "user"))


@dataclass(slots=True)
class _Open:
    """A part that AG-UI has seen begin: its kind there, the id it has there, and what was sent of it."""

    kind: str
    id: str
    sent: str = ""
    is_ended: bool = False


class AguiEvents:
    """Translates one run. An open question ends the AG-UI run with an interrupt; `resumed` goes on in a new one."""

    def __init__(self, thread_id: str, run_id: str) -> None:
        self._thread_id = thread_id
        self._run_id = run_id
        self._open: dict[tuple[str, object], _Open] = {}
        self._roles: dict[str, JsonObject] = {}
        self._ids: set[str] = set()
        self._activities = 0

    def resumed(self, run_id: str) -> None:
        """Goes on in a new run of AG-UI."""
        self._run_id = run_id

    def started(self) -> AguiEvent:
        """The first event of a run."""
        return {"type": "RUN_STARTED", "threadId": self._thread_id, "runId": self._run_id}

    def interrupted(self, asks: list[JsonObject]) -> list[AguiEvent]:
        """Ends the AG-UI run because the backend's waits for answers."""
        outcome: JsonObject = {"type": "interrupt", "interrupts": [_interrupt(ask) for ask in asks]}
        return [*self._close_all(), self._finished(outcome)]

    def translated(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        """What AG-UI is told for one event. Questions are the caller's."""
        translate = _TRANSLATIONS.get(text_of(event.get("type")))
        if translate is not None:
            return translate(self, event)
        if event.get("type") in ("run_start", "message_end", "ask"):
            return []
        return [{"type": "CUSTOM", "name": text_of(event.get("type")), "value": dict(event)}]

    def _message_start(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        message_id = text_of(event.get("messageId"))
        events = [found for key in list(self._open) if key[0] == message_id for found in self._end(self._open[key])]
        for key in [key for key in self._open if key[0] == message_id]:
            del self._open[key]
        role = text_of(event.get("role"))
        named: JsonObject = {"name": event["name"]} if isinstance(event.get("name"), str) else {}
        self._roles[message_id] = {"role": role if role in _ROLES else "assistant", **named}
        return events

    def _part_start(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        part, message_id = object_of(event.get("value")), text_of(event.get("messageId"))
        meta, place = object_of(part.get("meta")), f"{message_id}:{event.get('part')}"
        key = (message_id, event.get("part"))
        match part.get("type"):
            case "text":
                opened = self._open[key] = _Open("text", self._fresh(message_id, place))
                role = self._roles.get(message_id, {"role": "assistant"})
                events: list[AguiEvent] = [{"type": "TEXT_MESSAGE_START", "messageId": opened.id, **role}]
            case "thinking":
                opened = self._open[key] = _Open("thinking", self._fresh(place, f"{place}:again"))
                events = [
                    {"type": "REASONING_START", "messageId": opened.id},
                    {"type": "REASONING_MESSAGE_START", "messageId": opened.id, "role": "reasoning"},
                ]
            case "tool_use":
                opened = self._open[key] = _Open("tool", self._fresh(text_of(meta.get("callId")), place))
                call: AguiEvent = {"type": "TOOL_CALL_START", "toolCallId": opened.id, "parentMessageId": message_id}
                return [call | {"toolCallName": text_of(meta.get("name"))}]
            case _:
                self._open[key] = _Open("whole", place)
                return []
        so_far = text_of(part.get("text"))
        return [*events, *self._content(opened, so_far)] if so_far else events

    def _part_delta(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        opened = self._open.get((text_of(event.get("messageId")), event.get("part")))
        if opened is None or opened.kind == "whole":
            return []
        reopened = self._reopen(opened, text_of(event.get("messageId"))) if opened.is_ended else []
        return [*reopened, *self._content(opened, text_of(event.get("delta")))]

    def _part_end(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        opened = self._open.pop((text_of(event.get("messageId")), event.get("part")), None)
        part = object_of(event.get("value"))
        if opened is None:
            return []
        if opened.kind == "whole":
            return self._whole(event, part, opened)
        if opened.is_ended:
            return []
        known = arguments_text(part.get("data")) if opened.kind == "tool" else text_of(part.get("text"))
        missing = known if not opened.sent else known.removeprefix(opened.sent) if opened.kind != "tool" else ""
        is_rest = not opened.sent or known.startswith(opened.sent)
        rest = self._content(opened, missing) if missing and is_rest and part else []
        return [*rest, *self._end(opened)]

    def _whole(self, event: Mapping[str, Any], part: AnyPart, opened: _Open) -> list[AguiEvent]:
        message_id = text_of(event.get("messageId"))
        if part.get("type") == "tool_result":
            result: AguiEvent = {"type": "TOOL_CALL_RESULT", "messageId": self._fresh(message_id, opened.id)}
            result |= {"toolCallId": text_of(object_of(part.get("meta")).get("callId")), "role": "tool"}
            return [result | {"content": result_text(part)}]
        value: JsonObject = {"messageId": message_id, "part": event.get("part"), "value": part}
        return [{"type": "CUSTOM", "name": "part", "value": value}]

    def _activity(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        self._activities += 1
        activity_id = text_of(event.get("activityId")) or f"{self._run_id}:{self._activities}"
        content = {name: value for name, value in event.items() if name not in ("type", "runId", "activityId")}
        told: AguiEvent = {"type": "ACTIVITY_SNAPSHOT", "messageId": f"activity:{activity_id}", "replace": True}
        return [told | {"activityType": text_of(event.get("kind")) or "activity", "content": content}]

    def _session_update(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        return [{"type": "CUSTOM", "name": "session_update", "value": event.get("session")}]

    def _run_end(self, event: Mapping[str, Any]) -> list[AguiEvent]:
        closing, status = self._close_all(), run_status(event)
        if status == "error":
            error = object_of(event.get("error"))
            failed: AguiEvent = {"type": "RUN_ERROR", "message": text_of(error.get("message")) or "The run failed."}
            return [*closing, failed | ({"code": text_of(error.get("code"))} if error.get("code") else {})]
        finished = self._finished({"type": "success" if status == "done" else "cancelled"})
        usage = event.get("usage")
        if is_object(usage):
            finished["usage"] = [{"inputTokens": usage.get("input"), "outputTokens": usage.get("output")}]
        return [*closing, finished]

    def _finished(self, outcome: JsonObject) -> AguiEvent:
        return {"type": "RUN_FINISHED", "threadId": self._thread_id, "runId": self._run_id, "outcome": outcome}

    def _content(self, opened: _Open, delta: str) -> list[AguiEvent]:
        opened.sent += delta
        match opened.kind:
            case "text":
                return [{"type": "TEXT_MESSAGE_CONTENT", "messageId": opened.id, "delta": delta}]
            case "thinking":
                return [{"type": "REASONING_MESSAGE_CONTENT", "messageId": opened.id, "delta": delta}]
            case _:
                return [{"type": "TOOL_CALL_ARGS", "toolCallId": opened.id, "delta": delta}]

    def _end(self, opened: _Open) -> list[AguiEvent]:
        if opened.is_ended:
            return []
        opened.is_ended = True
        match opened.kind:
            case "text":
                return [{"type": "TEXT_MESSAGE_END", "messageId": opened.id}]
            case "thinking":
                return [
                    {"type": "REASONING_MESSAGE_END", "messageId": opened.id},
                    {"type": "REASONING_END", "messageId": opened.id},
                ]
            case "tool":
                return [{"type": "TOOL_CALL_END", "toolCallId": opened.id}]
            case _:
                return []

    def _reopen(self, opened: _Open, message_id: str) -> list[AguiEvent]:
        """Goes on with a text or thinking that an interrupt had ended; a call's arguments cannot go on."""
        if opened.kind == "tool":
            return []
        opened.id, opened.is_ended = self._fresh(f"{opened.id}:more", f"{opened.id}:more"), False
        if opened.kind == "text":
            role = self._roles.get(message_id, {"role": "assistant"})
            return [{"type": "TEXT_MESSAGE_START", "messageId": opened.id, **role}]
        return [
            {"type": "REASONING_START", "messageId": opened.id},
            {"type": "REASONING_MESSAGE_START", "messageId": opened.id, "role": "reasoning"},
        ]

    def _close_all(self) -> list[AguiEvent]:
        return [event for opened in self._open.values() for event in self._end(opened)]

    def _fresh(self, wanted: str, otherwise: str) -> str:
        """`wanted` where it is not taken yet, else the other one, numbered until it is free."""
        found, number = wanted or otherwise, 1
        while found in self._ids:
            found, number = otherwise if number == 1 else f"{otherwise}:{number}", number + 1
        self._ids.add(found)
        return found


_TRANSLATIONS: Final[Mapping[str, Callable[[AguiEvents, Mapping[str, Any]], list[AguiEvent]]]] = {
    "message_start": AguiEvents._message_start,
    "part_start": AguiEvents._part_start,
    "part_delta": AguiEvents._part_delta,
    "part_end": AguiEvents._part_end,
    "activity": AguiEvents._activity,
    "session_update": AguiEvents._session_update,
    "run_end": AguiEvents._run_end,
}


def _interrupt(ask: JsonObject) -> JsonObject:
    metadata: JsonObject = {
        name: ask[name] for name in ("text", "options", "multiple", "custom", "default", "data") if name in ask
    }
    found: JsonObject = {
        "id": text_of(ask.get("askId")),
        "reason": text_of(ask.get("kind")),
        "message": text_of(ask.get("title")),
    }
    if isinstance(ask.get("callId"), str):
        found["toolCallId"] = ask["callId"]
    if metadata:
        found["metadata"] = metadata
    return found
