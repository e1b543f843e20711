"""The parts of a node ⇄ the body of its message and the `%%…` messages below it. Spec: session protocol, nr-chat text.

A part that the format has no form for is written whole into a custom one, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ...jstext import JsonValue
from ..errors import CodecError
from ..json_text import JsonObject, is_object, object_of, text_of
from ..parts import AnyPart, text_part
from .json5 import read_json5, write_json5
from .nr_chat import ChatMessage, parse_chat, write_chat_message

WHOLE_PART_HINT = "cardloom.part"
"""Custom parts of this hint hold another part, or null where a message has no part at all."""

Decoders: TypeAlias = Mapping[str, Callable[[str], JsonValue]]
"""Formats of bodies beyond JSON5; a decoder raises ValueError for a body that it cannot read."""

_CR_OF_LINE_END = re.compile(r"\r(?=\n|\Z)")
_ENVELOPE_FIELDS = frozenset({"format", "text"})


# Reading


def read_parts(body: str, below: Sequence[ChatMessage], decoders: Decoders | None = None) -> list[AnyPart]:
    """The parts of a message: its body first, unless that is empty and something stands below it."""
    parts: list[AnyPart] = [] if body == "" and below else [text_part(body)]
    for message in below:
        part = read_part(message, decoders or {})
        if part is not None:
            parts.append(part)
    return parts


def read_part(message: ChatMessage, decoders: Decoders) -> AnyPart | None:
    """The part of a message below another one; None for the mark of a message without parts."""
    meta: JsonObject = dict(message.meta or {})
    match message.role.removeprefix("%"):
        case "text":
            return text_part(message.body)
        case "thinking":
            part: AnyPart = {"type": "thinking", "text": message.body}
            return part | ({"meta": meta} if meta else {})
        case "tool_use":
            return _read_tool_use(message.body, meta)
        case "tool_result":
            return _read_result(message.body, meta, decoders)
        case "attach":
            return _read_attachment(message, meta)
        case "error":
            failure: AnyPart = {"type": "error", "text": message.body}
            return failure | ({"meta": meta} if meta else {})
        case "custom":
            return _read_custom(message.body, meta, decoders)
        case other:
            return {"type": "custom", "text": message.body, "meta": {"hint": other, **meta}}


def decoded_body(body: str, form: JsonValue, decoders: Decoders) -> JsonValue:
    """What a body says in its format; the raw text when nobody can read it."""
    decode = read_json5 if form == "json5" else decoders.get(text_of(form))
    if decode is None:
        return body
    try:
        return decode(body)
    except (CodecError, ValueError):
        return body


def _read_tool_use(body: str, meta: JsonObject) -> AnyPart:
    part: AnyPart = {"type": "tool_use"}
    if body:
        part["data"] = decoded_body(body, "json5", {})
    part["meta"] = {"callId": text_of(meta.pop("callId", "")), "name": text_of(meta.pop("name", "")), **meta}
    return part


def _read_result(body: str, meta: JsonObject, decoders: Decoders) -> AnyPart:
    rest: JsonObject = {name: value for name, value in meta.items() if name not in _ENVELOPE_FIELDS}
    if "format" not in meta:
        return {"type": "tool_result", "text": body, "meta": rest}
    part: AnyPart = {"type": "tool_result", "data": decoded_body(body, meta["format"], decoders), "meta": rest}
    return _with_text(part, meta.get("text"))


def _read_custom(body: str, meta: JsonObject, decoders: Decoders) -> AnyPart | None:
    hint = text_of(meta.get("hint")) or "custom"
    rest: JsonObject = {name: value for name, value in meta.items() if name not in (*_ENVELOPE_FIELDS, "hint")}
    part: AnyPart = {"type": "custom", "meta": {"hint": hint, **rest}}
    if "format" not in meta:
        return _with_text(part, body)
    part["data"] = decoded_body(body, meta["format"], decoders)
    if hint == WHOLE_PART_HINT:
        whole = part["data"]
        return whole if is_object(whole) and isinstance(whole.get("type"), str) else None
    return _with_text(part, meta.get("text"))


def _read_attachment(message: ChatMessage, meta: JsonObject) -> AnyPart:
    is_image = text_of(meta.get("mime")).startswith("image/")
    placed: JsonObject = {} if is_image else {"name": message.name or ""}
    for name, wire in (("mime", "mime"), ("ref", "file"), ("url", "url"), ("tokens", "tokens")):
        if wire in meta:
            placed[name] = meta.pop(wire)
    if is_image and message.name:
        placed["alt"] = message.name
    part: AnyPart = {"type": "image" if is_image else "file", "meta": placed | meta}
    return _with_text(part, message.body or None)


def _with_text(part: AnyPart, text: JsonValue) -> AnyPart:
    return {**part, "text": text} if isinstance(text, str) else part


# Writing


def write_parts(parts: Sequence[AnyPart]) -> tuple[str, list[ChatMessage]]:
    """The body and the messages below it for some parts."""
    rest = list(parts)
    body = ""
    if rest and _is_plain_text(rest[0]) and (rest[0]["text"] or len(rest) == 1):
        body = text_of(rest.pop(0)["text"])
    below = [_write_faithfully(part) for part in rest]
    return body, below if parts else [_whole(None)]


def _is_plain_text(part: AnyPart) -> bool:
    return part.get("type") == "text" and part.keys() == {"type", "text"} and isinstance(part["text"], str)


def _write_faithfully(part: AnyPart) -> ChatMessage:
    """The part in its own form where that reads back as the same part, else whole inside a custom one."""
    message = _write_part(part)
    if message is None or not _says_the_same(_read_again(message), part):
        return _whole(part)
    return message


def _read_again(message: ChatMessage) -> AnyPart | None:
    return read_part(parse_chat(write_chat_message(message) + "\n")[0], {})


def _says_the_same(read: AnyPart | None, part: AnyPart) -> bool:
    """Whether nothing of a part is lost that would be worth another form.

    An answer or a custom part without text reads back with an empty one, and lines that end with CRLF with LF.
    """
    text = part.get("text")
    if isinstance(text, str):
        return read == {**part, "text": _CR_OF_LINE_END.sub("", text)}
    return read == part or (read == {**part, "text": ""} and part.get("type") in ("tool_result", "custom"))


def _whole(part: AnyPart | None) -> ChatMessage:
    meta: JsonObject = {"hint": WHOLE_PART_HINT, "format": "json5"}
    return ChatMessage("%custom", write_json5(part), meta=meta)


def _write_part(part: AnyPart) -> ChatMessage | None:
    meta, text = object_of(part.get("meta")), text_of(part.get("text"))
    match part.get("type"):
        case "text":
            return ChatMessage("%text", text)
        case "thinking":
            return ChatMessage("%thinking", text, meta=meta or None)
        case "tool_use":
            body = write_json5(part["data"]) if "data" in part else ""
            return ChatMessage("%tool_use", body, meta=meta)
        case "tool_result":
            return _write_data("%tool_result", part, meta)
        case "file":
            return _write_attachment(text_of(meta.get("name")), meta, "name", text)
        case "image":
            return _write_attachment(text_of(meta.get("alt")), meta, "alt", text)
        case "error":
            return ChatMessage("%error", text, meta=meta or None)
        case "custom":
            return _write_data("%custom", part, meta)
        case _:
            return None


def _write_data(role: str, part: AnyPart, meta: JsonObject) -> ChatMessage:
    if "data" not in part:
        return ChatMessage(role, text_of(part.get("text")), meta=meta)
    written = {**meta, "format": "json5"}
    if isinstance(part.get("text"), str):
        written["text"] = part["text"]
    return ChatMessage(role, write_json5(part["data"]), meta=written)


def _write_attachment(name: str, meta: JsonObject, name_field: str, text: str) -> ChatMessage:
    written: JsonObject = {}
    for wire, field in (("file", "ref"), ("mime", "mime"), ("url", "url"), ("tokens", "tokens")):
        if field in meta:
            written[wire] = meta[field]
    written |= {key: value for key, value in meta.items() if key not in ("ref", "mime", "url", "tokens", name_field)}
    return ChatMessage("%attach", text, name or None, written or None)
