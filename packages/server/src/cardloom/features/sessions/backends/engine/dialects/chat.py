"""OpenAI-compatible chat completions: what most local and hosted servers speak."""

from __future__ import annotations

from typing import cast

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.json_text import JsonObject, is_object, list_of, object_of, read_json, text_of
from cardloom_protocol.session.sse import SseFrame

from ..conversation import Content, Conversation, Image, ModelTurn, PersonTurn, ToolTurn, Turn
from ..speech import CallBegun, CallPiece, Counted, Failed, Speech, Stopped, Thoughts, Words
from .reading import Unreadable, count_of, error_text, headers_with_bearer

PATH = "/chat/completions"
headers = headers_with_bearer


def request(told: Conversation) -> JsonObject:
    """The body of a request."""
    messages: list[JsonValue] = []
    if told.system:
        messages.append({"role": "system", "content": told.system})
    messages.extend(_message(turn) for turn in told.turns)
    body: JsonObject = {
        "model": told.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if told.offers:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": offer.name, "description": offer.description, "parameters": offer.schema},
            }
            for offer in told.offers
        ]
    if told.thinking is not None:
        body["reasoning_effort"] = told.thinking
    return {**body, **told.extra}


class Reader:
    """Reads one stream."""

    def __init__(self) -> None:
        self.is_over = False
        self._calls: dict[str, str] = {}  # place → the id of the call that stands there now

    def read(self, frame: SseFrame) -> list[Speech]:
        """What a frame says. Raises `Unreadable` for one that is no answer of this interface."""
        if frame.data == "[DONE]":
            self.is_over = True
            return []
        chunk = _object(frame.data)
        if chunk.get("error") is not None:
            return [Failed(error_text(chunk) or "The endpoint reports an error.")]
        said: list[Speech] = []
        for choice in list_of(chunk.get("choices"))[:1]:
            said += self._choice(object_of(choice))
        usage = object_of(chunk.get("usage"))
        if usage:
            said.append(Counted(count_of(usage, "prompt_tokens"), count_of(usage, "completion_tokens")))
        return said

    def _choice(self, choice: JsonObject) -> list[Speech]:
        said: list[Speech] = []
        delta = object_of(choice.get("delta"))
        thought = text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning"))
        if thought:
            said.append(Thoughts(thought))
        if text_of(delta.get("content")):
            said.append(Words(text_of(delta["content"])))
        for place, call in enumerate(list_of(delta.get("tool_calls"))):
            said += self._call(object_of(call), place)
        reason = choice.get("finish_reason")
        if isinstance(reason, str):
            self.is_over = True
            said.append(Stopped(reason))
        return said

    def _call(self, call: JsonObject, place: int) -> list[Speech]:
        at, function = str(call.get("index", place)), object_of(call.get("function"))
        call_id, name = text_of(call.get("id")), text_of(function.get("name"))
        said: list[Speech] = []
        # Some servers give every call the same place: another id with a name is another call.
        if at not in self._calls or (call_id and name and call_id != self._calls[at]):
            self._calls[at] = call_id
            said.append(CallBegun(f"{at} {call_id}", call_id, name))
        key = f"{at} {self._calls[at]}"
        arguments = function.get("arguments")
        if is_object(arguments):  # some servers do not write them as a text
            said.append(CallPiece(key, compact_json(arguments)))
        elif text_of(arguments):
            said.append(CallPiece(key, text_of(arguments)))
        return said


def _object(data: str) -> JsonObject:
    try:
        found = read_json(data)
    except ValueError as error:
        raise Unreadable from error
    if not is_object(found):
        raise Unreadable
    return found


def _message(turn: Turn) -> JsonValue:
    match turn:
        case PersonTurn(content):
            if all(isinstance(one, str) for one in content):
                return {"role": "user", "content": "\n".join(cast(list[str], list(content)))}
            return {"role": "user", "content": [_piece(one) for one in content]}
        case ModelTurn():
            message: JsonObject = {"role": "assistant", "content": turn.text or None}
            if turn.calls:
                message["tool_calls"] = [
                    {
                        "id": call.call_id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": compact_json(call.arguments)},
                    }
                    for call in turn.calls
                ]
            return message
        case ToolTurn():
            return {"role": "tool", "tool_call_id": turn.call_id, "content": turn.text}


def _piece(content: Content) -> JsonValue:
    if isinstance(content, Image):
        return {"type": "image_url", "image_url": {"url": content.url}}
    return {"type": "text", "text": content}
