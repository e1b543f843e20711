"""OpenAI's chat completions, as OpenCode, Kilo Code, pi and Qwen Code speak them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..scenario import Hold, Text, Thought, ToolCall
from .answer import Answer, Frame, Outgoing, Pause, slices, words

JsonDict = dict[str, object]


def whole(answer: Answer) -> JsonDict:
    text = "".join(step.text for step in answer.reply.steps if isinstance(step, Text))
    message: JsonDict = {"role": "assistant", "content": text}
    if calls := answer.reply.calls:
        message["tool_calls"] = [
            {
                **_call_head(answer, call, index),
                "function": {"name": call.tool.name, "arguments": json.dumps(call.arguments)},
            }
            for index, call in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": _finish_reason(answer)}
    return {**_head(answer), "object": "chat.completion", "choices": [choice], "usage": _usage(answer)}


def stream(answer: Answer) -> Iterator[Outgoing]:
    yield _chunk(answer, {"role": "assistant", "content": ""})
    for step in answer.reply.steps:
        match step:
            case Thought():
                yield _chunk(answer, {"reasoning_content": step.text})
            case Text():
                for word in words(step):
                    yield word if isinstance(word, Pause) else _chunk(answer, {"content": word})
            case Hold():
                yield step
            case ToolCall():
                pass  # Calls follow the words; each has its number among the calls.
    for index, call in enumerate(answer.reply.calls):
        head = {**_call_head(answer, call, index), "function": {"name": call.tool.name, "arguments": ""}}
        yield _chunk(answer, {"tool_calls": [head]})
        for piece in slices(json.dumps(call.arguments)):
            yield _chunk(answer, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(answer, {}, _finish_reason(answer))
    yield Frame({**_head(answer), "object": "chat.completion.chunk", "choices": [], "usage": _usage(answer)})
    yield Frame("[DONE]")


def _head(answer: Answer) -> JsonDict:
    return {"id": answer.id("chatcmpl-"), "created": answer.at_s, "model": answer.model}


def _chunk(answer: Answer, delta: JsonDict, finish_reason: str | None = None) -> Frame:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return Frame({**_head(answer), "object": "chat.completion.chunk", "choices": [choice]})


def _call_head(answer: Answer, call: ToolCall, index: int) -> JsonDict:
    return {"index": index, "id": answer.id("call_", index), "type": "function"}


def _finish_reason(answer: Answer) -> str:
    return "tool_calls" if answer.reply.calls else "stop"


def _usage(answer: Answer) -> JsonDict:
    usage = answer.usage
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.written,
        "total_tokens": usage.prompt + usage.written,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
