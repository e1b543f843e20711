"""Writing a message as it comes: parts with their deltas go out as events and gather into what will be stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import JsonObject, copy_object, read_json, text_of
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.model import UNSET, Unset
from cardloom_protocol.session.parts import AnyPart

Emit: TypeAlias = Callable[[Mapping[str, object]], None]


class PartWriter:
    """One part that grows. `add` appends text; for a tool call, pieces of the JSON of its arguments."""

    def __init__(self, message: MessageWriter, index: int, part: AnyPart) -> None:
        self._message = message
        self._pieces: list[str] = []
        self.index = index
        self.part = part
        self.is_open = True

    def add(self, delta: str) -> None:
        """Appends a piece; an empty one is not sent."""
        if delta and self.is_open:
            self._pieces.append(delta)
            self._message.tell("part_delta", part=self.index, delta=delta)

    def end(self, part: AnyPart | None = None) -> AnyPart:
        """Completes the part with what was gathered, or with `part` where that is better known. Once only."""
        if self.is_open:
            self.is_open = False
            self.part = self.gathered() if part is None else part
            self._message.tell("part_end", part=self.index, value=self.part)
        return self.part

    def gathered(self) -> AnyPart:
        """The part as far as it has come. Arguments that are no JSON stay the text that they are."""
        text = "".join(self._pieces)
        if self.part.get("type") != "tool_use":
            return {**self.part, "text": text_of(self.part.get("text")) + text} if text else self.part
        return {**self.part, "data": _arguments(text)} if text else self.part


class MessageWriter:
    """One message of a run: `message_start` at once, parts as they come, `message_end` when it is stored."""

    def __init__(
        self,
        emit: Emit,
        message_id: str,
        role: str,
        *,
        name: str | None = None,
        parent_id: str | Unset | None = UNSET,
        meta: JsonObject | None = None,
    ) -> None:
        self._emit = emit
        self._writers: list[PartWriter] = []
        self.id = message_id
        self.role = role
        self.name = name
        self.parent_id = parent_id
        self.meta: JsonObject = dict(meta or {})
        """What is stored beside the parts; may be added to until the message ends."""
        self.is_open = True
        fields: JsonObject = {"role": role}
        if name is not None:
            fields["name"] = name
        if not isinstance(parent_id, Unset):
            fields["parentId"] = parent_id
        if meta:
            fields["meta"] = copy_object(meta)
        self.tell("message_start", **fields)

    @property
    def parts(self) -> list[AnyPart]:
        """The parts so far, unfinished ones as far as they have come."""
        return [writer.gathered() if writer.is_open else writer.part for writer in self._writers]

    def text(self) -> PartWriter:
        """Begins a text part."""
        return self.begin({"type": "text", "text": ""})

    def thinking(self) -> PartWriter:
        """Begins a thinking part."""
        return self.begin({"type": "thinking", "text": ""})

    def tool_use(self, call_id: str, name: str) -> PartWriter:
        """Begins a tool call; its deltas are pieces of the JSON of its arguments."""
        return self.begin({"type": "tool_use", "data": {}, "meta": {"callId": call_id, "name": name}})

    def begin(self, skeleton: AnyPart) -> PartWriter:
        """Begins a part of any kind; parts of one message may grow side by side."""
        writer = PartWriter(self, len(self._writers), skeleton)
        self._writers.append(writer)
        self.tell("part_start", part=writer.index, value=skeleton)
        return writer

    def add(self, part: AnyPart) -> PartWriter:
        """A whole part at once."""
        writer = self.begin(part)
        writer.end()
        return writer

    def fail(self, code: str, text: str) -> None:
        """Closes what is open and adds an error part."""
        self.end_parts()
        self.add({"type": "error", "text": text, "meta": {"code": code}})

    def end_parts(self) -> None:
        """Completes every part that still grows."""
        for writer in self._writers:
            writer.end()

    def end(self, message: Message | None = None) -> None:
        """Ends the message; `message` is the one that was stored. Once only."""
        if self.is_open:
            self.end_parts()
            self.is_open = False
            fields: JsonObject = {} if message is None else {"message": cast(JsonValue, message)}
            if message is None and self.meta:
                fields["meta"] = self.meta
            self.tell("message_end", **fields)

    def tell(self, kind: str, **fields: JsonValue) -> None:
        """Sends an event of this message."""
        self._emit({"type": kind, "messageId": self.id, **fields})


def _arguments(text: str) -> JsonValue:
    try:
        return read_json(text)
    except ValueError:
        return text
