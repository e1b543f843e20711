"""Blocks that the messages of several programs are made of: text, images as data addresses, calls of tools.

Spec: session protocol, pi JSONL v3 and Claude transcript.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jstext import JsonValue
from ..json_text import JsonObject, is_object, text_of, written_text
from ..parts import AnyPart


def call_part(block: JsonObject, arguments: JsonValue) -> AnyPart:
    """The part that a block with the `id` and `name` of a tool's call stands for."""
    return {
        "type": "tool_use",
        "data": {} if arguments is None else arguments,
        "meta": {"callId": written_text(block.get("id")), "name": written_text(block.get("name"))},
    }


def joined_text(blocks: Sequence[JsonValue]) -> str | None:
    """The text of all text blocks, None when there is none."""
    texts = [text_of(block.get("text")) for block in blocks if is_object(block) and block.get("type") == "text"]
    return "".join(texts) if texts else None


def data_url(mime: JsonValue, data: JsonValue) -> JsonObject:
    """Where an image is, given its bytes as base64; an empty meta without them."""
    if not isinstance(data, str):
        return {"mime": mime} if isinstance(mime, str) else {}
    if not isinstance(mime, str):
        return {"url": f"data:application/octet-stream;base64,{data}"}
    return {"mime": mime, "url": f"data:{mime};base64,{data}"}


def split_data_url(url: JsonValue) -> tuple[str, str] | None:
    """The kind and the base64 of a data address; None for any other address."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    head, comma, data = url.partition(",")
    mime, _, encoding = head.removeprefix("data:").rpartition(";")
    return (mime, data) if comma and encoding == "base64" else None
