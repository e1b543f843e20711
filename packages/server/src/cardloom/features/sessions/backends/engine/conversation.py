"""The history of a session as a model is told it: turns that every interface can express.

Interfaces refuse histories in which a call has no result, so each call gets one: a run that was ended between the two
leaves none behind. Spec: session protocol, message (flags) and parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.json_text import JsonObject, is_object, object_of, text_of
from cardloom_protocol.session.messages import Message, current_flags

NO_RESULT: Final = "There is no result: the run ended before the tool did."

ImageUrl: TypeAlias = Callable[[JsonObject], str | None]
"""The address of an image part (its `meta`) that an endpoint can read, None when there is none."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its address, mostly a `data:` one."""

    url: str


Content: TypeAlias = str | Image


@dataclass(frozen=True, slots=True)
class PersonTurn:
    """What a person says: texts and images."""

    content: Sequence[Content]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model made; its arguments are an object, even where the model's own text was none."""

    call_id: str
    name: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Thought:
    """What the model thought, with the signature that its endpoint gave."""

    text: str
    signature: str | None


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What the model said, and what it called."""

    text: str
    thoughts: Sequence[Thought] = ()
    calls: Sequence[ToolCall] = ()


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """What a call gave."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


Turn: TypeAlias = PersonTurn | ModelTurn | ToolTurn


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as a model is told of it."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything that a request is made from. `thinking` is one of the endpoint's levels."""

    model: str
    system: str
    turns: Sequence[Turn]
    offers: Sequence[Offer] = ()
    thinking: str | None = None
    max_tokens: int = 8192
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


def turns_of(messages: Iterable[Message], image_url: ImageUrl) -> list[Turn]:
    """The turns of a history. Disabled messages are left out; roles other than the usual ones are a person's words."""
    turns: list[Turn] = []
    waiting: dict[str, ToolCall] = {}

    def settle() -> None:
        turns.extend(ToolTurn(call.call_id, call.name, NO_RESULT, is_error=True) for call in waiting.values())
        waiting.clear()

    for message in messages:
        if current_flags(message.get("flags") or {}).get("disabled") is True:
            continue
        parts = [part for part in message["parts"] if is_object(part)]
        if message["role"] == "assistant":
            settle()
            turn = _model_turn(parts)
            if turn.text or turn.calls:
                turns.append(turn)
            waiting = {call.call_id: call for call in turn.calls}
        for part in parts:
            if part.get("type") == "tool_result":
                call = waiting.pop(text_of(object_of(part.get("meta")).get("callId")), None)
                if call is not None:  # a result without its call means nothing to an endpoint
                    turns.append(_tool_turn(call, part))
        if message["role"] not in ("assistant", "tool"):
            settle()
            content = _content(parts, image_url)
            if content:
                turns.append(PersonTurn(content))
    settle()
    return turns


def _model_turn(parts: list[JsonObject]) -> ModelTurn:
    texts: list[str] = []
    thoughts: list[Thought] = []
    calls: list[ToolCall] = []
    for part in parts:
        meta = object_of(part.get("meta"))
        match part.get("type"):
            case "text":
                texts.append(text_of(part.get("text")))
            case "thinking":
                signature = meta.get("signature")
                thoughts.append(Thought(text_of(part.get("text")), signature if isinstance(signature, str) else None))
            case "tool_use":
                arguments = part.get("data")
                call_id, name = text_of(meta.get("callId")), text_of(meta.get("name"))
                if call_id and name:
                    calls.append(ToolCall(call_id, name, arguments if is_object(arguments) else {}))
    return ModelTurn("".join(texts), thoughts, calls)


def _tool_turn(call: ToolCall, part: JsonObject) -> ToolTurn:
    text, meta = part.get("text"), object_of(part.get("meta"))
    if not isinstance(text, str):
        text = compact_json(part["data"]) if part.get("data") is not None else ""
    return ToolTurn(call.call_id, call.name, text, meta.get("error") is True)


def _content(parts: list[JsonObject], image_url: ImageUrl) -> list[Content]:
    content: list[Content] = []
    for part in parts:
        meta, text = object_of(part.get("meta")), text_of(part.get("text"))
        match part.get("type"):
            case "image":
                url = image_url(meta)
                if url is not None:
                    content.append(Image(url))
                elif text or meta.get("alt"):
                    content.append(f"[image: {text or text_of(meta.get('alt'))}]")
            case "file":
                name = text_of(meta.get("name"))
                content.append(f"[file {name}]\n{text}" if text else f"[file {name}]")
            case "text" | "custom" if text:
                content.append(text)
    return content
