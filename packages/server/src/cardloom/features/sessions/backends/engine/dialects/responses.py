"""OpenAI Responses."""

from __future__ import annotations

from typing import cast

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.json_text import JsonObject, object_of, read_object, text_of
from cardloom_protocol.session.sse import SseFrame

from ..conversation import Content, Conversation, Image, ModelTurn, PersonTurn, ToolTurn, Turn
from ..speech import CallBegun, CallPiece, Counted, Failed, Speech, Stopped, Thoughts, Words
from .reading import Unreadable, count_of, headers_with_bearer, response_error

PATH = "/responses"
headers = headers_with_bearer


def request(told: Conversation) -> JsonObject:
    """The body of a request. The endpoint is asked to keep nothing."""
    body: JsonObject = {
        "model": told.model,
        "input": [item for turn in told.turns for item in _items(turn)],
        "stream": True,
        "store": False,
    }
    if told.system:
        body["instructions"] = told.system
    if told.offers:
        body["tools"] = [
            {
                "type": "function",
                "name": offer.name,
                "description": offer.description,
                "parameters": offer.schema,
                "strict": False,
            }
            for offer in told.offers
        ]
    if told.thinking is not None:
        body["reasoning"] = {"effort": told.thinking, "summary": "auto"}
    return {**body, **told.extra}


class Reader:
    """Reads one stream."""

    def __init__(self) -> None:
        self.is_over = False
        self._calls: dict[str, bool] = {}  # item id → whether a piece of its arguments came

    def read(self, frame: SseFrame) -> list[Speech]:
        """What a frame says. Raises `Unreadable` for one that is no answer of this interface."""
        event = read_object(frame.data)
        if event is None:
            if frame.data == "[DONE]":
                return []
            raise Unreadable
        match event.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                return [Words(text_of(event.get("delta")))]
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return [Thoughts(text_of(event.get("delta")))]
            case "response.reasoning_summary_part.added" if event.get("summary_index"):
                return [Thoughts("\n\n")]
            case "response.output_item.added":
                return self._begun(object_of(event.get("item")))
            case "response.function_call_arguments.delta":
                self._calls[text_of(event.get("item_id"))] = True
                return [CallPiece(text_of(event.get("item_id")), text_of(event.get("delta")))]
            case "response.output_item.done":
                return self._done(object_of(event.get("item")))
            case "response.completed" | "response.incomplete":
                return self._over(object_of(event.get("response")))
            case "response.failed" | "error":
                return [Failed(response_error(event) or "The endpoint reports an error.")]
            case None:
                raise Unreadable
            case _:
                return []

    def _begun(self, item: JsonObject) -> list[Speech]:
        if item.get("type") != "function_call":
            return []
        key = text_of(item.get("id"))
        self._calls[key] = False
        return [CallBegun(key, text_of(item.get("call_id")), text_of(item.get("name")))]

    def _done(self, item: JsonObject) -> list[Speech]:
        """Arguments that were never sent in pieces come with the end of their item."""
        key = text_of(item.get("id"))
        if item.get("type") != "function_call" or self._calls.get(key):
            return []
        said: list[Speech] = [] if key in self._calls else self._begun(item)
        self._calls[key] = True
        return [*said, CallPiece(key, text_of(item.get("arguments")))]

    def _over(self, response: JsonObject) -> list[Speech]:
        self.is_over = True
        usage = object_of(response.get("usage"))
        reason = text_of(object_of(response.get("incomplete_details")).get("reason"))
        return [
            Counted(count_of(usage, "input_tokens"), count_of(usage, "output_tokens")),
            Stopped(reason or text_of(response.get("status")) or "completed"),
        ]


def _items(turn: Turn) -> list[JsonValue]:
    match turn:
        case PersonTurn(content):
            return [{"type": "message", "role": "user", "content": [_piece(one) for one in content]}]
        case ModelTurn():
            items: list[JsonValue] = []
            if turn.text:
                said = {"type": "output_text", "text": turn.text}
                items.append({"type": "message", "role": "assistant", "content": [cast(JsonValue, said)]})
            items.extend(
                {
                    "type": "function_call",
                    "call_id": call.call_id,
                    "name": call.name,
                    "arguments": compact_json(call.arguments),
                }
                for call in turn.calls
            )
            return items
        case ToolTurn():
            return [{"type": "function_call_output", "call_id": turn.call_id, "output": turn.text}]


def _piece(content: Content) -> JsonValue:
    if isinstance(content, Image):
        return {"type": "input_image", "image_url": content.url}
    return {"type": "input_text", "text": content}
