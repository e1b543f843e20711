"""Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Iterator

from ..scenario import Hold, Text, Thought, ToolCall
from .answer import Answer, Frame, Outgoing, Pause, words

JsonDict = dict[str, object]


def whole(answer: Answer) -> JsonDict:
    parts = [_part(answer, step, index) for index, step in enumerate(answer.reply.steps) if not isinstance(step, Hold)]
    return _chunk(answer, parts, done=True)


def stream(answer: Answer) -> Iterator[Outgoing]:
    for index, step in enumerate(answer.reply.steps):
        match step:
            case Hold():
                yield step
            case Text():
                for word in words(step):
                    yield word if isinstance(word, Pause) else Frame(_chunk(answer, [{"text": word}]))
            case _:
                yield Frame(_chunk(answer, [_part(answer, step, index)]))
    yield Frame(_chunk(answer, [{"text": ""}], done=True))


def _part(answer: Answer, step: Text | Thought | ToolCall, index: int) -> JsonDict:
    match step:
        case Text():
            return {"text": step.text}
        case Thought():
            return {"text": step.text, "thought": True}
        case ToolCall():
            call = {"id": answer.id("call_", index), "name": step.tool.name, "args": step.arguments}
            return {"functionCall": call}


def _chunk(answer: Answer, parts: list[JsonDict], *, done: bool = False) -> JsonDict:
    candidate: JsonDict = {"content": {"role": "model", "parts": parts}, "index": 0}
    chunk: JsonDict = {"candidates": [candidate], "modelVersion": answer.model, "responseId": answer.id("")}
    if done:
        candidate["finishReason"] = "STOP"
        chunk["usageMetadata"] = _usage(answer)
    return chunk


def _usage(answer: Answer) -> JsonDict:
    usage = answer.usage
    return {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.output,
        "thoughtsTokenCount": usage.reasoning,
        "cachedContentTokenCount": usage.cache_read,
        "totalTokenCount": usage.prompt + usage.written,
    }
