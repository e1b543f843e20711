"""Messages of AG-UI and of the session protocol, each as the other. Spec: session protocol, mappings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import InvalidId
from cardloom_protocol.session.json_text import JsonObject, is_object, list_of, object_of, read_json, text_of
from cardloom_protocol.session.messages import MessageAppendOpts
from cardloom_protocol.session.names import safe_id
from cardloom_protocol.session.parts import AnyPart, parts_text


def own_id(given: str) -> str:
    """An id that can be stored: the given one where it can, else one made of it, always the same."""
    try:
        return safe_id(given)
    except InvalidId:
        return "x" + hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()[:31]


def parts_of_content(content: object) -> list[AnyPart]:
    """The parts of a content: a text, or a list of texts and media."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [_part(item) for item in list_of(content) if is_object(item)]


def _part(item: JsonObject) -> AnyPart:
    kind, source = text_of(item.get("type")), object_of(item.get("source"))
    if kind == "text":
        return {"type": "text", "text": text_of(item.get("text"))}
    mime, value = text_of(source.get("mimeType")), text_of(source.get("value"))
    url = f"data:{mime};base64,{value}" if source.get("type") == "data" else value
    meta: JsonObject = {"url": url}
    if mime:
        meta["mime"] = mime
    return {"type": "image", "meta": meta} if kind == "image" else {"type": "file", "meta": {"name": kind, **meta}}


def appended(message: Mapping[str, Any]) -> MessageAppendOpts | None:
    """A message of AG-UI as one that is appended; None for a kind that has no place in a session."""
    given: MessageAppendOpts = {"id": own_id(text_of(message.get("id")))}
    match message.get("role"):
        case "user":
            return {**given, "role": "user", "parts": parts_of_content(message.get("content"))}
        case "assistant":
            content = message.get("content")
            parts = parts_of_content(content) if content else []
            return {**given, "role": "assistant", "parts": [*parts, *map(_tool_use, list_of(message.get("toolCalls")))]}
        case "tool":
            meta: JsonObject = {"callId": text_of(message.get("toolCallId"))}
            text = parts_text(parts_of_content(message.get("content")))
            return {**given, "role": "tool", "parts": [{"type": "tool_result", "text": text, "meta": meta}]}
        case _:
            return None


def _tool_use(call: JsonValue) -> AnyPart:
    function = object_of(object_of(call).get("function"))
    text = text_of(function.get("arguments"))
    try:
        data: JsonValue = read_json(text)
    except ValueError:
        data = text
    meta: JsonObject = {"callId": text_of(object_of(call).get("id")), "name": text_of(function.get("name"))}
    return {"type": "tool_use", "data": data, "meta": meta}


def snapshot(messages: Iterable[Mapping[str, Any]]) -> list[JsonObject]:
    """The messages of a session as AG-UI shows them."""
    return [shown for message in messages for shown in _shown(message)]


def _shown(message: Mapping[str, Any]) -> list[JsonObject]:
    message_id, parts = text_of(message.get("id")), message["parts"]
    results = [part for part in parts if part.get("type") == "tool_result"]
    shown: list[JsonObject] = [
        {
            "id": message_id if place == 0 else f"{message_id}:{place}",
            "role": "tool",
            "toolCallId": text_of(object_of(part.get("meta")).get("callId")),
            "content": result_text(part),
        }
        for place, part in enumerate(results)
    ]
    if results:
        return shown
    text = parts_text(parts)
    if message["role"] == "user":
        return [{"id": message_id, "role": "user", "content": text}]
    calls: list[JsonValue] = [_call(part) for part in parts if part.get("type") == "tool_use"]
    answer: JsonObject = {"id": message_id, "role": "assistant"}
    if text or not calls:
        answer["content"] = text
    return [answer | ({"toolCalls": calls} if calls else {})]


def _call(part: AnyPart) -> JsonObject:
    meta = object_of(part.get("meta"))
    function: JsonObject = {"name": text_of(meta.get("name")), "arguments": arguments_text(part.get("data"))}
    return {"id": text_of(meta.get("callId")), "type": "function", "function": function}


def arguments_text(data: JsonValue) -> str:
    """The arguments of a call as the JSON text that AG-UI carries."""
    return data if isinstance(data, str) else compact_json(data)


def result_text(part: AnyPart) -> str:
    """What a tool answered as a text."""
    text = part.get("text")
    return text if isinstance(text, str) else compact_json(part.get("data"))
