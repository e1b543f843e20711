"""A model for the contract of backends: one word of the person decides what it does."""

from __future__ import annotations

import json

import httpx

from .engine.scripted_transport import Held, chat_call, chat_end, chat_words, frame, streamed

WORDS = {word: word for word in ("text", "tool", "permission", "hang", "fail")}


class ContractModel(httpx.AsyncBaseTransport):
    """Speaks chat completions."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        messages = json.loads(request.content)["messages"]
        if messages[-1]["role"] == "tool":
            return streamed(*chat_words("The tool ", "is done."), *chat_end())
        match messages[-1]["content"]:
            case "tool":
                return streamed(*chat_words("Reading."), *chat_call("read_file", '{"path": "a.txt"}'))
            case "permission":
                return streamed(*chat_call("write_file", '{"path": "a.txt", "content": "x"}'))
            case "hang":
                return streamed(*chat_words("so ", "far"), Held())
            case "fail":
                return streamed(*chat_words("so far"), frame({"error": {"message": "no more"}}))
            case _:
                return streamed(*chat_words("one ", "two ", "three"), *chat_end())
