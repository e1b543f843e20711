"""Anthropic Messages."""

from __future__ import annotations

import re
from typing import Final

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import JsonObject, object_of, read_object, text_of
from cardloom_protocol.session.sse import SseFrame

from ..conversation import Content, Conversation, Image, ModelTurn, PersonTurn, ToolTurn, Turn
from ..speech import CallBegun, CallPiece, Counted, Failed, Signature, Speech, Stopped, Thoughts, Words
from .reading import Unreadable, count_of, error_text, nested_count

PATH = "/messages"
VERSION: Final = "2023-06-01"
BUDGETS: Final = {"low": 2048, "medium": 8192, "high": 24576}
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)
_CACHED: Final = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def headers(key: str | None) -> dict[str, str]:
    """The headers of a request."""
    return {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})}


def request(told: Conversation) -> JsonObject:
    """The body of a request. A thinking level is a number of tokens, which the answer's limit must exceed."""
    body: JsonObject = {
        "model": told.model,
        "messages": _messages(told),
        "stream": True,
        "max_tokens": told.max_tokens,
    }
    if told.system:
        body["system"] = told.system
    if told.offers:
        body["tools"] = [
            {"name": offer.name, "description": offer.description, "input_schema": offer.schema}
            for offer in told.offers
        ]
    budget = BUDGETS.get(told.thinking or "")
    if budget is not None:
        body["thinking"] = {"type": "enabled", "budget_tokens": budget}
        body["max_tokens"] = told.max_tokens + budget
    return {**body, **told.extra}


class Reader:
    """Reads one stream."""

    def __init__(self) -> None:
        self.is_over = False

    def read(self, frame: SseFrame) -> list[Speech]:
        """What a frame says. Raises `Unreadable` for one that is no answer of this interface."""
        event = read_object(frame.data)
        if event is None:
            raise Unreadable
        match event.get("type"):
            case "message_start":
                usage = object_of(object_of(event.get("message")).get("usage"))
                return [Counted(nested_count(usage, *_CACHED), count_of(usage, "output_tokens"))]
            case "content_block_start":
                return _begun(event)
            case "content_block_delta":
                return _delta(event)
            case "message_delta":
                usage = object_of(event.get("usage"))
                reason = object_of(event.get("delta")).get("stop_reason")
                counted = Counted(
                    nested_count(usage, *_CACHED) if "input_tokens" in usage else None,
                    count_of(usage, "output_tokens"),
                )
                return [counted, *([Stopped(reason)] if isinstance(reason, str) else [])]
            case "message_stop":
                self.is_over = True
                return []
            case "error":
                return [Failed(error_text(event) or "The endpoint reports an error.")]
            case None:
                raise Unreadable
            case _:
                return []


def _begun(event: JsonObject) -> list[Speech]:
    block = object_of(event.get("content_block"))
    match block.get("type"):
        case "tool_use":
            return [CallBegun(str(event.get("index")), text_of(block.get("id")), text_of(block.get("name")))]
        case "text" if text_of(block.get("text")):
            return [Words(text_of(block["text"]))]
        case "thinking" if text_of(block.get("thinking")):
            return [Thoughts(text_of(block["thinking"]))]
        case _:
            return []


def _delta(event: JsonObject) -> list[Speech]:
    delta = object_of(event.get("delta"))
    match delta.get("type"):
        case "text_delta":
            return [Words(text_of(delta.get("text")))]
        case "thinking_delta":
            return [Thoughts(text_of(delta.get("thinking")))]
        case "signature_delta":
            return [Signature(text_of(delta.get("signature")))]
        case "input_json_delta":
            return [CallPiece(str(event.get("index")), text_of(delta.get("partial_json")))]
        case _:
            return []


def _messages(told: Conversation) -> list[JsonValue]:
    """The turns as messages; what follows each other in one role is one message, as this interface wants it."""
    messages: list[JsonObject] = []
    for turn in told.turns:
        role = "assistant" if isinstance(turn, ModelTurn) else "user"
        blocks = _blocks(turn, with_thoughts=told.thinking is not None)
        last = messages[-1] if messages else {}
        content = last.get("content")
        if last.get("role") == role and isinstance(content, list):
            content.extend(blocks)
        else:
            messages.append({"role": role, "content": blocks})
    return list(messages)


def _blocks(turn: Turn, *, with_thoughts: bool) -> list[JsonValue]:
    match turn:
        case PersonTurn(content):
            return [_piece(one) for one in content]
        case ToolTurn():
            block: JsonObject = {"type": "tool_result", "tool_use_id": turn.call_id, "content": turn.text}
            if turn.is_error:
                block["is_error"] = True
            return [block]
        case ModelTurn():
            blocks: list[JsonValue] = [
                {"type": "thinking", "thinking": thought.text, "signature": thought.signature}
                for thought in turn.thoughts
                if with_thoughts and thought.signature is not None
            ]
            if turn.text:
                blocks.append({"type": "text", "text": turn.text})
            blocks.extend(
                {"type": "tool_use", "id": call.call_id, "name": call.name, "input": call.arguments}
                for call in turn.calls
            )
            return blocks


def _piece(content: Content) -> JsonValue:
    if not isinstance(content, Image):
        return {"type": "text", "text": content}
    inside = _DATA_URL.fullmatch(content.url)
    if inside is None:
        return {"type": "image", "source": {"type": "url", "url": content.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": inside[1], "data": inside[2]}}
