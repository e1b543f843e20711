"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..scenario import Hold, Text, Thought, ToolCall
from .answer import SIGNATURE, Answer, Frame, Outgoing, Pause, slices, words

JsonDict = dict[str, object]


def whole(answer: Answer) -> JsonDict:
    blocks = [
        _block(answer, step, index) for index, step in enumerate(answer.reply.steps) if not isinstance(step, Hold)
    ]
    return {**_message(answer), "content": blocks, "stop_reason": _stop_reason(answer), "usage": _usage(answer)}


def stream(answer: Answer) -> Iterator[Outgoing]:
    """Texts that only a hold parts are one block."""
    opening = {**_usage(answer), "output_tokens": 1}
    yield _event("message_start", message={**_message(answer), "content": [], "stop_reason": None, "usage": opening})
    yield _event("ping")
    number, text_open = 0, False
    for index, step in enumerate(answer.reply.steps):
        if isinstance(step, Hold):
            yield step
            continue
        if text_open and not isinstance(step, Text):
            yield _event("content_block_stop", index=number)
            number, text_open = number + 1, False
        if not text_open:
            yield _event("content_block_start", index=number, content_block=_empty_block(answer, step, index))
        for delta in _deltas(step):
            yield delta if isinstance(delta, Pause) else _event("content_block_delta", index=number, delta=delta)
        text_open = isinstance(step, Text)
        if not text_open:
            yield _event("content_block_stop", index=number)
            number += 1
    if text_open:
        yield _event("content_block_stop", index=number)
    yield _event(
        "message_delta", delta={"stop_reason": _stop_reason(answer), "stop_sequence": None}, usage=_usage(answer)
    )
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> Frame:
    return Frame({"type": kind, **fields}, kind)


def _message(answer: Answer) -> JsonDict:
    return {
        "id": answer.id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "stop_sequence": None,
    }


def _usage(answer: Answer) -> JsonDict:
    usage = answer.usage
    return {
        "input_tokens": usage.uncached,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.written,
        "service_tier": "standard",
    }


def _stop_reason(answer: Answer) -> str:
    return "tool_use" if answer.reply.calls else "end_turn"


def _block(answer: Answer, step: Text | Thought | ToolCall, index: int) -> JsonDict:
    match step:
        case Text():
            return {"type": "text", "text": step.text}
        case Thought():
            return {"type": "thinking", "thinking": step.text, "signature": SIGNATURE}
        case ToolCall():
            call_id = answer.id("toolu_", index)
            return {"type": "tool_use", "id": call_id, "name": step.tool.name, "input": step.arguments}


def _empty_block(answer: Answer, step: Text | Thought | ToolCall, index: int) -> JsonDict:
    match step:
        case Text():
            return {"type": "text", "text": ""}
        case Thought():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolCall():
            return {**_block(answer, step, index), "input": {}}


def _deltas(step: Text | Thought | ToolCall) -> Iterator[JsonDict | Pause]:
    match step:
        case Text():
            for word in words(step):
                yield word if isinstance(word, Pause) else {"type": "text_delta", "text": word}
        case Thought():
            yield {"type": "thinking_delta", "thinking": step.text}
            yield {"type": "signature_delta", "signature": SIGNATURE}
        case ToolCall():
            for piece in slices(json.dumps(step.arguments)):
                yield {"type": "input_json_delta", "partial_json": piece}
