"""A program that serves as OpenCode does, badly or rarely, by the last word of a prompt. Standard library alone."""

from __future__ import annotations

import itertools
import json
import os
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

numbers = itertools.count(1)
sessions: dict[str, dict[str, Any]] = {}
messages: dict[str, list[dict[str, Any]]] = {}
streams: list[queue.Queue[dict[str, Any] | None]] = []
answered: dict[str, queue.Queue[Any]] = {}
sent_away: dict[str, int] = {}
MODEL = {"providerID": "fake", "modelID": "m"}


def tell(kind: str, **properties: Any) -> None:
    for stream in list(streams):
        stream.put({"type": kind, "properties": properties})


def part_of(message: dict[str, Any], kind: str, **fields: Any) -> dict[str, Any]:
    info = message["info"]
    place = {"sessionID": info["sessionID"], "messageID": info["id"]}
    part = {"id": f"prt_{next(numbers):06d}", "type": kind, **place, **fields}
    message["parts"].append(part)
    tell("message.part.updated", sessionID=info["sessionID"], part=dict(part))
    return part


def message_in(session: str, role: str) -> dict[str, Any]:
    info: dict[str, Any] = {
        "id": f"msg_{next(numbers):06d}",
        "sessionID": session,
        "role": role,
        "time": {"created": 1},
    }
    if role == "assistant":
        info |= {**MODEL, "tokens": {"input": 3, "output": 2, "reasoning": 1, "cache": {"read": 4, "write": 0}}}
    message: dict[str, Any] = {"info": info, "parts": []}
    messages[session].append(message)
    tell("message.updated", sessionID=session, info=dict(info))
    return message


def say(message: dict[str, Any], text: str) -> None:
    part = part_of(message, "text", text="")
    for word in text.split(" "):
        place = {"sessionID": part["sessionID"], "messageID": part["messageID"], "partID": part["id"]}
        part["text"] += f"{word} "
        tell("message.part.delta", **place, field="text", delta=f"{word} ")


def end(message: dict[str, Any], **more: Any) -> None:
    message["info"]["time"]["completed"] = 2
    message["info"] |= more
    tell("message.updated", sessionID=message["info"]["sessionID"], info=dict(message["info"]))


def permitted(session: str) -> str:
    request = f"per_{next(numbers):06d}"
    answered[request] = queue.Queue()
    tell("permission.asked", id=request, sessionID=session, permission="bash", patterns=["rm *"], metadata={})
    return str(answered[request].get()["reply"])


def question(session: str) -> Any:
    request = f"que_{next(numbers):06d}"
    answered[request] = queue.Queue()
    colours = [{"label": "red", "description": ""}, {"label": "blue", "description": ""}]
    asked = [{"question": "Which colour?", "header": "Colour", "options": colours, "multiple": True}]
    asked.append({"question": "Name?", "header": "Name", "options": []})
    tell("question.asked", id=request, sessionID=session, questions=asked)
    return answered[request].get()


def cut() -> None:
    """End every stream of events; what is told until they are asked for again is lost."""
    for stream in list(streams):
        stream.put(None)
    streams.clear()


def run(session: str, word: str) -> None:
    if word == "hole":
        cut()
    user = message_in(session, "user")
    part_of(user, "text", text=word)
    tell("session.status", sessionID=session, status={"type": "busy"})
    if word == "early":
        tell("session.idle", sessionID=session)
    answer = message_in(session, "assistant")
    match word:
        case "die":
            say(answer, "so far")
            for stream in list(streams):
                stream.join()
            print("out of luck", flush=True)
            os._exit(3)
        case "gossip":
            print("x" * 200_000, "out of breath", flush=True)
            say(answer, "fine")
        case "gap":
            say(answer, "before")
            cut()
            answer["parts"][0]["text"] += "and after"
        case "retry":
            tell("session.status", sessionID=session, status={"type": "retry", "attempt": 1, "message": "529"})
            say(answer, "at last")
        case "question":
            say(answer, json.dumps(question(session)))
        case "sub":
            child = {"id": f"ses_{next(numbers):06d}", "parentID": session}
            tell("session.created", sessionID=child["id"], info=child)
            say(answer, permitted(child["id"]))
        case "odd":
            part_of(answer, "step-start")
            part_of(answer, "patch", hash="h", files=["a"])
            tell("never.heard.of", sessionID=session)
            tell("todo.updated", sessionID=session, todos=[{"content": "first"}])
            say(answer, "fine")
        case _:
            say(answer, "fine")
    end(answer)
    tell("session.idle", sessionID=session)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def reply(self, value: Any, status: int = 200) -> None:
        data = b"" if status == 204 else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")

    def is_sent_away(self) -> bool:
        """Whether this request is one of the first two to its place, which a busy server refuses."""
        if "--busy" not in sys.argv:
            return False
        sent_away[self.path] = sent_away.get(self.path, 0) + 1
        if sent_away[self.path] > 2:
            return False
        self.reply("", 503)
        return True

    def do_GET(self) -> None:
        if self.is_sent_away():
            return
        path = self.path.split("?")[0].strip("/").split("/")
        match path:
            case ["event"]:
                self.stream()
            case ["session"]:
                self.reply(list(sessions.values()))
            case ["session", "status"]:
                self.reply({})
            case ["session", session] if session in sessions:
                self.reply(sessions[session])
            case ["session", session, "message"] if session in sessions:
                self.reply(messages[session])
            case _:
                self.reply({"name": "NotFoundError", "data": {"message": "not here"}}, 404)

    def do_POST(self) -> None:
        body, path = self.body(), self.path.strip("/").split("/")
        if not self.path.endswith("/prompt_async") and self.is_sent_away():
            return
        match path:
            case ["session"]:
                session = f"ses_{next(numbers):06d}"
                sessions[session], messages[session] = {"id": session, "time": {"created": 1, "updated": 1}, **body}, []
                self.reply(sessions[session])
            case ["session", session, "prompt_async"]:
                word = body["parts"][-1]["text"]
                if word == "refuse":
                    self.reply({"name": "BadRequest", "data": {"message": "not today"}}, 400)
                    return
                if word == "busy" and not sent_away.setdefault(word, 0):
                    sent_away[word] = 1
                    self.reply(None, 503)
                    return
                if word == "drop dead":
                    print("out of the blue", flush=True)
                    os._exit(4)
                self.reply(None, 204)
                threading.Thread(target=run, args=(session, word), daemon=True).start()
            case [_, request, kind]:
                answered[request].put({**body, "kind": kind})
                self.reply(True)
            case _:
                self.reply(True)

    def stream(self) -> None:
        own: queue.Queue[dict[str, Any] | None] = queue.Queue()
        streams.append(own)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        while (event := own.get()) is not None:
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            own.task_done()


if __name__ == "__main__":
    if "--broken" in sys.argv:
        print("no such provider", flush=True)
        sys.exit(1)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"opencode server listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
