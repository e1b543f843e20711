"""A message as pi writes it ⇄ the parts of a node. Spec: session protocol, pi JSONL v3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ...jstext import JsonValue
from ..json_text import JsonObject, is_number, is_object, list_of, object_of, text_of, written_text
from ..parts import AnyPart, text_part
from .blocks import call_part, data_url, joined_text, split_data_url
from .side_channel import NodeContent

TOOL_ROLES = frozenset({"tool", "toolResult"})

_NO_USAGE: JsonObject = {
    "input": 0,
    "output": 0,
    "cacheRead": 0,
    "cacheWrite": 0,
    "totalTokens": 0,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}
_OF_NOBODY: JsonObject = {"api": "none", "provider": "none", "model": "none", "stopReason": "stop", "timestamp": 0}


def read_message(message: JsonObject) -> NodeContent:
    """The node that a native message stands for."""
    role, name, content = text_of(message.get("role")), message.get("name"), message.get("content")
    blocks: list[JsonValue] = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    parts = _read_tool_result(message, blocks) if role == "toolResult" else _read_blocks(blocks)
    meta: JsonObject = {}
    if role == "assistant":
        parts.extend(_read_error(message))
        meta = _read_meta(message)
    return NodeContent(
        role="tool" if role == "toolResult" else role,
        parts=parts,
        name=name if isinstance(name, str) else None,
        meta=meta,
    )


def _read_meta(message: JsonObject) -> JsonObject:
    meta: JsonObject = {}
    if isinstance(message.get("model"), str):
        meta["model"] = message["model"]
    usage = object_of(message.get("usage"))
    if is_number(usage.get("input")) and is_number(usage.get("output")):
        meta["usage"] = {"input": usage["input"], "output": usage["output"]}
    return meta


def _read_error(message: JsonObject) -> list[AnyPart]:
    text = text_of(message.get("errorMessage"))
    if not text:
        return []
    return [{"type": "error", "text": text, "meta": {"code": text_of(message.get("stopReason")) or "error"}}]


def _read_tool_result(message: JsonObject, blocks: Sequence[JsonValue]) -> list[AnyPart]:
    meta: JsonObject = {"callId": written_text(message.get("toolCallId"))}
    if isinstance(message.get("toolName"), str):
        meta["name"] = message["toolName"]
    meta["error"] = message.get("isError") is True
    result: AnyPart = {"type": "tool_result", "meta": meta}
    text = joined_text(blocks)
    if text is not None:
        result["text"] = text
    if "details" in message:
        result["data"] = message["details"]
    others = [block for block in blocks if not (is_object(block) and block.get("type") == "text")]
    return [result, *_read_blocks(others)]


def _read_blocks(blocks: Sequence[JsonValue]) -> list[AnyPart]:
    parts = (_read_block(block) for block in blocks)
    return [part for part in parts if part is not None]


def _read_block(block: JsonValue) -> AnyPart | None:
    """The part of a block; empty text and thinking say nothing."""
    if not is_object(block):
        return {"type": "custom", "data": block, "meta": {"hint": "pi.block.unknown"}}
    match block.get("type"):
        case "text":
            text = text_of(block.get("text"))
            return text_part(text) if text else None
        case "thinking":
            return _read_thinking(block)
        case "toolCall":
            return call_part(block, block.get("arguments"))
        case "image":
            return {"type": "image", "meta": data_url(block.get("mimeType"), block.get("data"))}
        case kind:
            return {"type": "custom", "data": block, "meta": {"hint": f"pi.block.{text_of(kind) or 'unknown'}"}}


def _read_thinking(block: JsonObject) -> AnyPart | None:
    text, signature = text_of(block.get("thinking")), block.get("thinkingSignature")
    if not text:
        return None
    part: AnyPart = {"type": "thinking", "text": text}
    if isinstance(signature, str):
        part["meta"] = {"signature": signature}
    return part


def write_message(role: str, parts: Sequence[AnyPart], name: str | None = None) -> JsonObject:
    """The native message of a node; what pi has no form for is left out, the side channel keeps it."""
    if role in TOOL_ROLES:
        return _write_tool_result(parts)
    message: JsonObject = {"role": role, "content": write_content(parts)}
    if name is not None:
        message["name"] = name
    return message


def whole_answer(message: JsonObject, meta: JsonObject | None = None) -> JsonObject:
    """The message with the fields without which pi cannot read an answer; other messages and pi's own as they are.

    pi (1.6) adds up `usage` and looks at `model` of every answer. `meta` is the node's, from which both are taken.
    """
    if message.get("role") != "assistant" or is_object(message.get("usage")):
        return message
    known = meta or {}
    counts = {name: count for name, count in object_of(known.get("usage")).items() if is_number(count)}
    total = sum(count for name, count in counts.items() if name in ("input", "output") and is_number(count))
    model: JsonObject = {"model": known["model"]} if isinstance(known.get("model"), str) else {}
    return {**_OF_NOBODY, **model, **message, "usage": {**_NO_USAGE, "totalTokens": total, **counts}}


def write_content(parts: Sequence[AnyPart]) -> list[JsonValue]:
    """The native blocks of the parts that pi has a form for."""
    blocks = (_write_part(part) for part in parts)
    return [cast(JsonValue, block) for block in blocks if block is not None]


def write_result_content(parts: Sequence[AnyPart]) -> list[JsonValue]:
    """The one text block of a tool's answer."""
    results = [part for part in parts if part.get("type") == "tool_result"]
    return [{"type": "text", "text": "".join(text_of(result.get("text")) for result in results)}]


def _write_tool_result(parts: Sequence[AnyPart]) -> JsonObject:
    first = next((part for part in parts if part.get("type") == "tool_result"), {})
    meta = object_of(first.get("meta"))
    return {
        "role": "toolResult",
        "toolCallId": text_of(meta.get("callId")),
        "toolName": text_of(meta.get("name")),
        "content": write_result_content(parts),
        "isError": meta.get("error") is True,
    }


def _write_part(part: AnyPart) -> JsonObject | None:
    meta = object_of(part.get("meta"))
    match part.get("type"):
        case "text":
            return text_part(text_of(part.get("text")))
        case "thinking":
            return {"type": "thinking", "thinking": text_of(part.get("text"))}
        case "tool_use":
            return {
                "type": "toolCall",
                "id": text_of(meta.get("callId")),
                "name": text_of(meta.get("name")),
                "arguments": part.get("data", {}),
            }
        case "image":
            found = split_data_url(meta.get("url"))
            return None if found is None else {"type": "image", "data": found[1], "mimeType": found[0]}
        case "custom":
            data = part.get("data")
            return data if is_object(data) and isinstance(data.get("type"), str) else None
        case _:
            return None
