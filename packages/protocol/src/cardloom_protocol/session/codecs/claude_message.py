"""A message as Claude transcripts hold it ⇄ the parts of a node. Spec: session protocol, Claude transcript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ...jstext import JsonValue, compact_json
from ..json_text import JsonObject, is_object, list_of, object_of, text_of, written_text
from ..parts import AnyPart, text_part
from .blocks import call_part, data_url, joined_text, split_data_url


def read_content(content: JsonValue) -> list[AnyPart]:
    """The parts of a message's content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return [text_part(content)]
    return [_read_block(block) for block in list_of(content)]


def _read_block(block: JsonValue) -> AnyPart:
    if not is_object(block):
        return {"type": "custom", "data": block, "meta": {"hint": "claude.block.unknown"}}
    match block.get("type"):
        case "text":
            return text_part(text_of(block.get("text")))
        case "thinking":
            part: AnyPart = {"type": "thinking", "text": text_of(block.get("thinking"))}
            if isinstance(block.get("signature"), str):
                part["meta"] = {"signature": block["signature"]}
            return part
        case "tool_use":
            return call_part(block, block.get("input"))
        case "tool_result":
            return _read_result(block)
        case "image":
            return {"type": "image", "meta": _read_image(object_of(block.get("source")))}
        case kind:
            return {"type": "custom", "data": block, "meta": {"hint": f"claude.block.{text_of(kind) or 'unknown'}"}}


def _read_result(block: JsonObject) -> AnyPart:
    content = block.get("content")
    text = content if isinstance(content, str) else joined_text(list_of(content))
    call_id = written_text(block.get("tool_use_id"))
    part: AnyPart = {"type": "tool_result", "meta": {"callId": call_id, "error": block.get("is_error") is True}}
    if text is not None:
        part["text"] = text
    return part


def _read_image(source: JsonObject) -> JsonObject:
    if source.get("type") != "base64":
        return {}
    return data_url(source.get("media_type"), source.get("data"))


def write_content(parts: Sequence[AnyPart]) -> list[JsonValue]:
    """The native blocks of the parts that Claude has a form for; the side channel keeps the rest."""
    blocks = (_write_part(part) for part in parts)
    return [cast(JsonValue, block) for block in blocks if block is not None]


def _write_part(part: AnyPart) -> JsonObject | None:
    meta = object_of(part.get("meta"))
    match part.get("type"):
        case "text":
            return text_part(text_of(part.get("text")))
        case "thinking":
            block: JsonObject = {"type": "thinking", "thinking": text_of(part.get("text"))}
            if isinstance(meta.get("signature"), str):
                block["signature"] = meta["signature"]
            return block
        case "tool_use":
            call_id, name = text_of(meta.get("callId")), text_of(meta.get("name"))
            return {"type": "tool_use", "id": call_id, "name": name, "input": part.get("data", {})}
        case "tool_result":
            return _write_result(part, meta)
        case "image":
            found = split_data_url(meta.get("url"))
            if found is None:
                return None
            return {"type": "image", "source": {"type": "base64", "media_type": found[0], "data": found[1]}}
        case "custom":
            data = part.get("data")
            return data if is_object(data) and isinstance(data.get("type"), str) else None
        case _:
            return None


def _write_result(part: AnyPart, meta: JsonObject) -> JsonObject:
    text = part.get("text")
    if not isinstance(text, str):
        text = compact_json(part["data"]) if "data" in part else ""
    block: JsonObject = {"type": "tool_result", "tool_use_id": text_of(meta.get("callId")), "content": text}
    if meta.get("error") is True:
        block["is_error"] = True
    return block
