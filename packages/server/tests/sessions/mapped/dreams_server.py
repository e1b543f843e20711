"""A small engine in the manner of Dreams: entries of blocks, one stream for everything, gates that ask.

What it answers is asked for by a word: `muse`, `act`, `hang`, `fail`, `vanish`; anything else is said back.
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

KEY = "dreams-key"
MINDS = [{"id": "deep", "label": "Deep", "window": 1000}, {"id": "quick", "label": "Quick", "window": 500}]


class Problem(Exception):
    def __init__(self, status: int, text: str) -> None:
        self.status = status
        self.text = text


class Dreams:
    """The engine's memory."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.logs: dict[str, list[dict[str, Any]]] = {}
        self.listeners: set[asyncio.Queue[dict[str, Any] | None]] = set()
        self.dreams: dict[str, asyncio.Task[None]] = {}
        self.gates: dict[str, asyncio.Future[str]] = {}
        self.ids = itertools.count(1)
        base = "/v1/sessions/{sid}"
        routes = [
            Route("/v1/sessions", self.all),
            Route("/v1/sessions", self.create, methods=["POST"]),
            Route(base, self.one, methods=["GET", "PATCH", "DELETE"]),
            Route(f"{base}/log", self.log, methods=["GET", "POST"]),
            Route(f"{base}/log/{{eid}}", self.entry, methods=["PATCH", "DELETE"]),
            Route(f"{base}/branch", self.branch, methods=["POST"]),
            Route(f"{base}/dream", self.dream, methods=["POST"]),
            Route(f"{base}/wake", self.wake, methods=["POST"]),
            Route(f"{base}/gates/{{gate}}", self.answer, methods=["POST"]),
            Route("/v1/minds", self.minds),
            Route("/v1/events", self.events),
        ]
        self.app = Starlette(routes=routes, exception_handlers={Problem: self.refuse})

    async def refuse(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Problem)
        return JSONResponse({"problem": {"text": error.text}}, error.status)

    def session(self, request: Request) -> dict[str, Any]:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            raise Problem(401, f"not {request.headers.get('authorization')}")
        found = self.sessions.get(request.path_params["sid"])
        if found is None:
            raise Problem(404, "no such dream")
        return found

    def shown(self, session: dict[str, Any]) -> dict[str, Any]:
        return {**session, "entries": len(self.logs[session["sid"]])}

    async def all(self, request: Request) -> Response:
        return JSONResponse({"sessions": [self.shown(one) for one in self.sessions.values()]})

    async def create(self, request: Request) -> Response:
        given = await request.json()
        sid = f"d{next(self.ids)}"
        made = {"sid": sid, "created_ms": 1_000 * next(self.ids), "touched_ms": 1_000 * next(self.ids), **given}
        self.sessions[sid], self.logs[sid] = made, []
        return JSONResponse({"session": self.shown(made)}, 201)

    async def one(self, request: Request) -> Response:
        session = self.session(request)
        if request.method == "DELETE":
            del self.sessions[session["sid"]], self.logs[session["sid"]]
            return Response(status_code=204)
        if request.method == "PATCH":
            session |= await request.json()
        return JSONResponse({"session": self.shown(session)})

    async def log(self, request: Request) -> Response:
        log = self.logs[self.session(request)["sid"]]
        if request.method == "POST":
            given = await request.json()
            log.append(self.made(given["who"], {"kind": "say", "body": given["say"]}))
        return JSONResponse({"entries": log})

    async def entry(self, request: Request) -> Response:
        log = self.logs[self.session(request)["sid"]]
        entry = next((one for one in log if one["eid"] == request.path_params["eid"]), None)
        if entry is None:
            raise Problem(404, "no such entry")
        if request.method == "DELETE":
            log.remove(entry)
            return Response(status_code=204)
        given = await request.json()
        if "say" in given:
            entry["blocks"] = [{"kind": "say", "body": given["say"]}]
        if "veiled" in given:
            entry["veiled"] = given["veiled"]
        return JSONResponse(entry)

    async def branch(self, request: Request) -> Response:
        source, at = self.session(request), (await request.json())["at"]
        log = self.logs[source["sid"]]
        end = next(place for place, one in enumerate(log) if one["eid"] == at)
        sid = f"d{next(self.ids)}"
        self.sessions[sid] = {**source, "sid": sid, "branched_from": source["sid"]}
        self.logs[sid] = [dict(one) for one in log[: end + 1]]
        return JSONResponse({"session": self.shown(self.sessions[sid])}, 201)

    async def minds(self, request: Request) -> Response:
        return JSONResponse({"minds": MINDS})

    async def dream(self, request: Request) -> Response:
        sid = self.session(request)["sid"]
        if sid in self.dreams:
            raise Problem(409, "already dreaming")
        say = (await request.json())["say"]
        self.dreams[sid] = asyncio.create_task(self.sleep(sid, say))
        return JSONResponse({"begun": True}, 202)

    async def wake(self, request: Request) -> Response:
        task = self.dreams.get(self.session(request)["sid"])
        if task is not None:
            task.cancel()
        return Response(status_code=204)

    async def answer(self, request: Request) -> Response:
        gate = self.gates.get(request.path_params["gate"])
        if gate is None or gate.done():
            raise Problem(409, "that gate is closed")
        gate.set_result((await request.json()).get("choice", "no"))
        return Response(status_code=204)

    async def events(self, request: Request) -> Response:
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.listeners.add(queue)

        async def stream() -> AsyncIterator[str]:
            try:
                yield ": hello\n\n"
                while (event := await queue.get()) is not None:
                    yield f"id: {next(self.ids)}\ndata: {json.dumps(event)}\n\n"
            finally:
                self.listeners.discard(queue)

        return StreamingResponse(stream(), media_type="text/event-stream")

    def tell(self, sid: str, kind: str, **more: Any) -> None:
        for queue in self.listeners:
            queue.put_nowait({"t": kind, "sid": sid, **more})

    def made(self, who: str, *blocks: dict[str, Any]) -> dict[str, Any]:
        return {"eid": f"e{next(self.ids)}", "who": who, "at_ms": 5_000, "blocks": list(blocks)}

    async def sleep(self, sid: str, say: str) -> None:
        log = self.logs[sid]
        log.append(self.made("human", {"kind": "say", "body": say}))
        self.tell(sid, "entry", eid=log[-1]["eid"], who="human")
        self.tell(sid, "say", block=0, more=say)
        entry = self.made("dreamer")
        self.tell(sid, "entry", eid=entry["eid"], who="dreamer")
        try:
            await self.dreaming(sid, say, entry)
            self.tell(sid, "cost", **{"in": 11, "out": 7})
            self.tell(sid, "awake", ok=True, why="finished")
        except asyncio.CancelledError:
            self.tell(sid, "awake", ok=True, why="woken")
        except Problem as problem:
            entry["blocks"].append({"kind": "broken", "body": problem.text, "why": "nightmare"})
            self.tell(sid, "awake", ok=False, problem={"text": problem.text, "kind": "nightmare"})
        finally:
            if entry not in log:
                log.append(entry)
            del self.dreams[sid]

    async def dreaming(self, sid: str, say: str, entry: dict[str, Any]) -> None:
        if say == "muse":
            self.speak(sid, entry, "muse", ["Let me ", "think."])
        if say == "act":
            entry = await self.act(sid, entry)
        self.speak(sid, entry, "say", [f"{word} " for word in say.split()])
        if entry not in self.logs[sid]:
            self.logs[sid].append(entry)
        match say:
            case "hang":
                await asyncio.Event().wait()
            case "fail":
                raise Problem(500, "a nightmare")
            case "vanish":
                for queue in self.listeners:
                    queue.put_nowait(None)
            case "name":
                self.sessions[sid]["name"] = "Named"
                self.tell(sid, "named", name="Named")
                self.tell(sid, "mood", words="glad")

    async def act(self, sid: str, entry: dict[str, Any]) -> dict[str, Any]:
        entry["blocks"].append({"kind": "act", "call": "c1", "tool": "paint", "with": {"colour": "red"}})
        self.tell(sid, "act", call="c1", tool="paint", **{"with": {"colour": "red"}})
        gate = f"g{next(self.ids)}"
        self.gates[gate] = asyncio.get_running_loop().create_future()
        choices = [{"key": key, "label": key.title()} for key in ("yes", "always", "no")]
        self.tell(sid, "gate", gate=gate, call="c1", question="May I paint?", choices=choices)
        choice = await self.gates[gate]
        self.tell(sid, "gate.closed", gate=gate, choice=choice)
        self.logs[sid].append(entry)
        result = {"call": "c1", "tool": "paint", "out": f"said {choice}", "bad": choice == "no"}
        hand = self.made("hand", {"kind": "done", **result})
        self.logs[sid].append(hand)
        self.tell(sid, "entry", eid=hand["eid"], who="hand")
        self.tell(sid, "done", **result)
        last = self.made("dreamer")
        self.tell(sid, "entry", eid=last["eid"], who="dreamer")
        return last

    def speak(self, sid: str, entry: dict[str, Any], kind: str, pieces: list[str]) -> None:
        entry["blocks"].append({"kind": kind, "body": "".join(pieces)})
        for piece in pieces:
            self.tell(sid, kind, block=len(entry["blocks"]) - 1, eid=entry["eid"], more=piece)
