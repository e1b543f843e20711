"""A small engine in the manner of Marinara: chats of texts with alternatives, answers as streams.

What it answers is asked for by a word: `think`, `hang`, `fail`, `cut`, `junk`; anything else is said back in capitals.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


class Marinara:
    """The engine's memory."""

    def __init__(self) -> None:
        self.chats: dict[str, dict[str, Any]] = {}
        self.messages: dict[str, list[dict[str, Any]]] = {}
        self.left = asyncio.Event()
        self.ids = itertools.count(1)
        base = "/api/chats/{chat}"
        routes = [
            Route("/api/chats", self.all),
            Route("/api/chats", self.create, methods=["POST"]),
            Route(base, self.one, methods=["GET", "PATCH", "DELETE"]),
            Route(f"{base}/messages", self.log, methods=["GET", "POST"]),
            Route(f"{base}/messages/{{message}}", self.message, methods=["PATCH", "DELETE"]),
            Route(f"{base}/messages/{{message}}/swipes", self.add_swipe, methods=["POST"]),
            Route(f"{base}/messages/{{message}}/active-swipe", self.choose_swipe, methods=["PUT"]),
            Route("/api/generate", self.generate, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)

    async def all(self, request: Request) -> Response:
        return JSONResponse(list(self.chats.values()))

    async def create(self, request: Request) -> Response:
        chat = f"chat-{next(self.ids)}"
        stamp = f"2026-01-01T00:00:{next(self.ids):02d}.000Z"
        self.chats[chat] = {"id": chat, "name": "Chat", "createdAt": stamp, "updatedAt": stamp, **await request.json()}
        self.messages[chat] = []
        return JSONResponse(self.chats[chat], 201)

    async def one(self, request: Request) -> Response:
        chat = request.path_params["chat"]
        if chat not in self.chats:
            return JSONResponse({"error": "chat not found"}, 404)
        if request.method == "DELETE":
            del self.chats[chat], self.messages[chat]
            return Response(status_code=204)
        if request.method == "PATCH":
            self.chats[chat] |= await request.json()
        return JSONResponse(self.chats[chat])

    async def log(self, request: Request) -> Response:
        chat = request.path_params["chat"]
        if chat not in self.chats:
            return JSONResponse({"error": "chat not found"}, 404)
        if request.method == "POST":
            given = await request.json()
            self.messages[chat].append(self.made(given["role"], given["content"]))
        return JSONResponse(self.messages[chat])

    async def message(self, request: Request) -> Response:
        message = self.find(request)
        if request.method == "DELETE":
            self.messages[request.path_params["chat"]].remove(message)
            return Response(status_code=204)
        self.set(message, (await request.json())["content"])
        return JSONResponse(message)

    async def add_swipe(self, request: Request) -> Response:
        message = self.find(request)
        self.alternative(message, (await request.json())["content"])
        return JSONResponse(message, 201)

    async def choose_swipe(self, request: Request) -> Response:
        message = self.find(request)
        message["activeSwipeIndex"] = (await request.json())["index"]
        message["content"] = message["swipes"][message["activeSwipeIndex"]]
        return JSONResponse(message)

    def find(self, request: Request) -> dict[str, Any]:
        wanted = request.path_params["message"]
        return next(one for one in self.messages[request.path_params["chat"]] if one["id"] == wanted)

    def made(self, role: str, content: str) -> dict[str, Any]:
        message_id = f"m{next(self.ids)}"
        name = {"characterName": "Basil"} if role == "character" else {}
        texts = {"content": content, "swipes": [content], "activeSwipeIndex": 0}
        return {"id": message_id, "role": role, "createdAt": "2026-01-01T00:00:00.000Z", **texts, **name}

    def set(self, message: dict[str, Any], content: str) -> None:
        message["content"] = message["swipes"][message["activeSwipeIndex"]] = content

    def alternative(self, message: dict[str, Any], content: str) -> None:
        message["swipes"].append(content)
        message["activeSwipeIndex"] = len(message["swipes"]) - 1
        message["content"] = content

    async def generate(self, request: Request) -> Response:
        given = await request.json()
        log = self.messages.get(given["chatId"])
        if log is None:
            return JSONResponse({"error": "chat not found"}, 404)
        if given.get("userMessage") == "busy":
            return JSONResponse({"error": "the kitchen is full"}, 503)
        return StreamingResponse(self.cook(log, given), media_type="text/event-stream")

    async def cook(self, log: list[dict[str, Any]], given: dict[str, Any]) -> AsyncIterator[str]:
        again = given.get("regenerateMessageId")
        if again is None:
            log.append(self.made("user", given["userMessage"]))
            yield frame("user", {"id": log[-1]["id"]})
            message = self.made("character", "")
            log.append(message)
        else:
            message = next(one for one in log if one["id"] == again)
            self.alternative(message, "")
        asked = next(one["content"] for one in reversed(log) if one["role"] == "user")
        yield frame("start", {"messageId": message["id"], "characterName": "Basil"})
        if asked == "think":
            thought = "Which sauce?"
            yield frame("thinking", thought)
            message["extra"] = {"attachments": [{"kind": "thoughts", "text": thought}]}
        yield frame("progress", {"label": "stirring", "fraction": 0.5})
        for word in f"{asked.upper()}{'!' * (len(message['swipes']) - 1)}".split(" "):
            self.set(message, f"{message['content']}{word} ")
            yield frame("token", f"{word} ")
        match asked:
            case "hang":
                try:
                    await asyncio.Event().wait()
                finally:
                    self.left.set()
            case "fail":
                yield frame("error", "the pot boils over")
                return
            case "cut":
                return
            case "junk":
                yield "data: {oops\n\nevent: ???\ndata\n\n" + frame("unheard of", [1, 2])
        yield frame("done", None)


def frame(kind: str, data: Any) -> str:
    return f"data: {json.dumps({'type': kind, 'data': data})}\n\n"
