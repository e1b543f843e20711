"""OpenAI's responses, as Codex speaks them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count

from ..scenario import Hold, Text, Thought, ToolCall
from .answer import SIGNATURE, Answer, Frame, Outgoing, Pause, words

JsonDict = dict[str, object]


def whole(answer: Answer) -> JsonDict:
    return _response(answer, done=True)


def stream(answer: Answer) -> Iterator[Outgoing]:
    """Every event carries its number in the stream."""
    numbers = count()
    for outgoing in _events(answer):
        if isinstance(outgoing, Frame) and not isinstance(outgoing.data, str):
            yield Frame({**outgoing.data, "sequence_number": next(numbers)}, outgoing.event)
        else:
            yield outgoing


def _events(answer: Answer) -> Iterator[Outgoing]:
    yield _event("response.created", response=_response(answer, done=False))
    yield _event("response.in_progress", response=_response(answer, done=False))
    index = 0
    for step in _joined(answer):
        if isinstance(step, Hold):
            yield step
            continue
        yield from _item_events(answer, step, index)
        index += 1
    yield _event("response.completed", response=_response(answer, done=True))


Message = list[Text | Hold]


def _joined(answer: Answer) -> Iterator[Message | Thought | ToolCall]:
    """The steps as items: texts and the holds between them are one message."""
    message: Message = []
    for step in answer.reply.steps:
        if isinstance(step, Text | Hold):
            message.append(step)
            continue
        if message:
            yield message
            message = []
        yield step
    if message:
        yield message


def _item_events(answer: Answer, step: Message | Thought | ToolCall, index: int) -> Iterator[Outgoing]:
    item = _item(answer, step, index)
    empty = {**item, "status": "in_progress", **_emptied(step)}
    yield _event("response.output_item.added", output_index=index, item=empty)
    at: JsonDict = {"item_id": item["id"], "output_index": index}
    match step:
        case Thought():
            at |= {"summary_index": 0}
            yield _event("response.reasoning_summary_part.added", **at, part={"type": "summary_text", "text": ""})
            yield _event("response.reasoning_summary_text.delta", **at, delta=step.text)
            yield _event("response.reasoning_summary_text.done", **at, text=step.text)
        case ToolCall():
            if not step.tool.freeform:
                arguments = json.dumps(step.arguments)
                yield _event("response.function_call_arguments.delta", **at, delta=arguments)
                yield _event("response.function_call_arguments.done", **at, arguments=arguments)
        case _:
            yield from _message_events(step, {**at, "content_index": 0})
    yield _event("response.output_item.done", output_index=index, item=item)


def _message_events(message: Message, at: JsonDict) -> Iterator[Outgoing]:
    yield _event("response.content_part.added", **at, part=_part(""))
    for step in message:
        if isinstance(step, Hold):
            yield step
            continue
        for word in words(step):
            yield word if isinstance(word, Pause) else _event("response.output_text.delta", **at, delta=word)
    yield _event("response.output_text.done", **at, text=_joined_text(message))
    yield _event("response.content_part.done", **at, part=_part(_joined_text(message)))


def _event(kind: str, **fields: object) -> Frame:
    return Frame({"type": kind, **fields}, kind)


def _response(answer: Answer, *, done: bool) -> JsonDict:
    items = [_item(answer, step, index) for index, step in enumerate(_joined(answer))]
    return {
        "id": answer.id("resp_"),
        "object": "response",
        "created_at": answer.at_s,
        "status": "completed" if done else "in_progress",
        "model": answer.model,
        "output": items if done else [],
        "usage": _usage(answer) if done else None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
    }


def _item(answer: Answer, step: Message | Thought | ToolCall, index: int) -> JsonDict:
    match step:
        case Thought():
            summary = [{"type": "summary_text", "text": step.text}]
            return {
                "id": answer.id("rs_", index),
                "type": "reasoning",
                "summary": summary,
                "encrypted_content": SIGNATURE,
            }
        case ToolCall():
            return _call_item(answer, step, index)
        case _:
            content = [_part(_joined_text(step))]
            head = {"id": answer.id("msg_", index), "type": "message", "status": "completed"}
            return {**head, "role": "assistant", "content": content}


def _call_item(answer: Answer, call: ToolCall, index: int) -> JsonDict:
    head: JsonDict = {"status": "completed", "call_id": answer.id("call_", index), "name": call.tool.name}
    if call.tool.freeform:
        text = "\n".join(map(str, call.arguments.values()))
        return {"id": answer.id("ctc_", index), "type": "custom_tool_call", **head, "input": text}
    if call.tool.namespace:
        head["namespace"] = call.tool.namespace
    return {"id": answer.id("fc_", index), "type": "function_call", **head, "arguments": json.dumps(call.arguments)}


def _emptied(step: Message | Thought | ToolCall) -> JsonDict:
    match step:
        case Thought():
            return {"summary": []}
        case ToolCall():
            return {"input": ""} if step.tool.freeform else {"arguments": ""}
        case _:
            return {"content": []}


def _part(text: str) -> JsonDict:
    return {"type": "output_text", "text": text, "annotations": []}


def _joined_text(message: Message) -> str:
    return "".join(step.text for step in message if isinstance(step, Text))


def _usage(answer: Answer) -> JsonDict:
    usage = answer.usage
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.written,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.prompt + usage.written,
    }
