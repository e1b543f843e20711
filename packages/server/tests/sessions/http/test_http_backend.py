"""A server of the protocol behind another one: what the first can do, the second can."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from cardloom.features.sessions.backends.http.backend import HttpBackend
from cardloom.features.sessions.backends.http.client import ProtocolClient
from cardloom_protocol.session import (
    Conflict,
    InvalidId,
    NodePatch,
    NotFound,
    NotSupported,
    SessionError,
    derived_text,
)
from cardloom_sdk.backend import Backend, BackendHost, Run, StoreSessions
from cardloom_sdk.backend.http import Guard, SessionApp
from cardloom_sdk.testing.backends import EchoBackend, ScriptedBackend

from ..run_trace import Trace, begun, history, new_session, ran, texts
from ..served import Served, served

TOKEN = "token-of-the-other-server"


class Pair:
    """A server, and a host here whose backend is that server."""

    def __init__(self, there: BackendHost, server: Served) -> None:
        self.there = there
        self.server = server
        self.naps: list[float] = []
        self.client = ProtocolClient(server.url, self.key)
        self.here = BackendHost(HttpBackend(self.client, sleep=self.nap))

    async def key(self) -> str | None:
        return TOKEN

    async def nap(self, seconds: float) -> None:
        self.naps.append(seconds)


@asynccontextmanager
async def pair_of(backend: Backend) -> AsyncIterator[Pair]:
    there = BackendHost(backend)
    async with served(Guard(SessionApp(there), token=TOKEN)) as server:
        pair = Pair(there, server)
        yield pair
        await pair.here.close()
        await there.close()


async def test_a_run_there_is_the_same_run_here() -> None:
    async with pair_of(EchoBackend()) as pair:
        session = await new_session(pair.here, title="Far")
        trace = await ran(pair.here, session, "one two three")
        assert trace.events[-1]["status"] == "done"
        far = Trace(pair.there.run(trace.live.id))
        await far.end()
        # Deltas may be joined on the way, nothing else may differ.
        assert [e for e in trace.events if e["type"] != "part_delta"] == [
            e for e in far.events if e["type"] != "part_delta"
        ]
        assert await history(pair.here, session) == await history(pair.there, session)
        assert await texts(pair.here, session) == [("user", "one two three"), ("assistant", "one two three")]
        assert (await pair.here.backend.sessions.list()).sessions[0]["title"] == "Far"


async def test_what_the_server_there_can_do_can_be_done_here() -> None:
    async with pair_of(EchoBackend()) as pair:
        assert await pair.here.capabilities() == await pair.there.capabilities()
        sessions, session = pair.here.backend.sessions, await new_session(pair.here)
        await ran(pair.here, session, "hello")
        user, reply = await history(pair.here, session)
        edited = await sessions.edit_message(session, user["id"], NodePatch(text="bye", if_hash=user["hash"]))
        assert derived_text(edited) == "bye"
        with pytest.raises(Conflict):
            await sessions.edit_message(session, user["id"], NodePatch(text="late", if_hash=user["hash"]))
        assert (await sessions.hide_message(session, user["id"], True))["flags"] == {"disabled": True}
        await sessions.append(session, {"text": "other", "role": "assistant", "swipeOf": reply["id"]})
        assert derived_text((await sessions.swipe(session, reply["id"], index=0))[-1]) == "hello"
        assert len(await sessions.thread(session)) == 3
        assert (await sessions.rename(session, "New"))["title"] == "New"
        fork = await sessions.fork(session, user["id"])
        assert fork["parentSessionId"] == session
        assert await sessions.set_meta(session, {"a": 1}) == {"a": 1}
        assert await sessions.patch_meta(session, {"b": 2}) == {"a": 1, "b": 2} == await sessions.get_meta(session)
        ref = await sessions.put_asset(session, "a b ü%2F.bin", b"\x00\xff")
        assert await sessions.get_asset(session, ref) == b"\x00\xff"
        await sessions.delete_message(session, reply["id"])
        await sessions.delete(fork["id"])
        with pytest.raises(NotFound):
            await sessions.get(fork["id"])
        with pytest.raises(NotSupported):
            await pair.here.require("models")


async def test_a_message_called_like_a_step_up_does_not_remove_the_session_there() -> None:
    async with pair_of(EchoBackend()) as pair:
        session = await new_session(pair.here)
        await ran(pair.here, session, "hello")
        for name in ("..", "."):
            with pytest.raises(InvalidId):
                await pair.here.backend.sessions.delete_message(session, name)
        assert len(await history(pair.there, session)) == 2


async def test_a_question_there_is_answered_here() -> None:
    async def asks(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        answer = await run.ask({"kind": "input", "title": "Name?", "custom": True, "timeoutMs": 60_000})
        async with sessions.writing(run, parent_id=parent) as reply:
            reply.text().add(f"Hello {answer.get('text')}")

    async with pair_of(ScriptedBackend(asks)) as pair:
        session = await new_session(pair.here)
        trace = await begun(pair.here, session, "hi")
        asked = await trace.answer(text="Ann")
        assert asked["title"] == "Name?"
        assert (await trace.end())["status"] == "done"
        assert [event.get("resolved") for event in trace.of("ask")] == [None, {"text": "Ann"}]
        assert (await texts(pair.here, session))[-1] == ("assistant", "Hello Ann")

        other = await begun(pair.here, session, "again")
        asked = await other.until("ask")
        pair.there.run(other.live.id).answer(asked["askId"], {"text": "Bob"})
        await other.end()
        assert other.of("ask")[-1]["resolved"] == {"text": "Bob"}


async def test_cancelling_here_cancels_there_and_keeps_what_was_said() -> None:
    async def hangs(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        async with sessions.writing(run, parent_id=parent) as reply:
            reply.text().add("half")
            await asyncio.Event().wait()

    async with pair_of(ScriptedBackend(hangs)) as pair:
        session = await new_session(pair.here)
        trace = await begun(pair.here, session, "hi")
        await trace.until("part_delta")
        await pair.here.cancel(trace.live.id)
        assert (await trace.end())["status"] == "cancelled"
        assert pair.there.run(trace.live.id).ended
        assert (await texts(pair.here, session))[-1] == ("assistant", "half")
        # And a run that is cancelled there ends here too.
        other = await begun(pair.here, session, "again")
        await other.until("part_delta")
        await pair.there.cancel(other.live.id)
        assert (await other.end())["status"] == "cancelled"


async def test_a_broken_stream_is_taken_up_where_it_ended() -> None:
    steps = [asyncio.Event() for _ in range(3)]

    async def slow(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        async with sessions.writing(run, parent_id=parent) as reply:
            text = reply.text()
            for number, step in enumerate(steps):
                text.add(f"{number} ")
                await step.wait()

    async with pair_of(ScriptedBackend(slow)) as pair:
        session = await new_session(pair.here)
        trace = await begun(pair.here, session, "count")
        for number, step in enumerate(steps):
            await trace.until("part_delta", delta=f"{number} ")
            pair.server.break_connections()
            step.set()
        assert (await trace.end())["status"] == "done"
        assert [event["delta"] for event in trace.of("part_delta")] == ["0 ", "1 ", "2 "]
        assert len(trace.of("message_start")) == 1
        assert pair.naps


async def test_a_failure_there_is_a_failure_here() -> None:
    async def fails(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        async with sessions.writing(run, parent_id=parent) as reply:
            reply.text().add("so far")
            raise SessionError("own_code", "That went wrong.")

    async with pair_of(ScriptedBackend(fails)) as pair:
        trace = await ran(pair.here, await new_session(pair.here), "hi")
        assert trace.events[-1]["error"] == {"code": "own_code", "message": "That went wrong."}


async def test_a_busy_session_and_unknown_ones_are_refused_as_there() -> None:
    async def hangs(run: Run, sessions: StoreSessions) -> None:
        await sessions.begin(run)
        await asyncio.Event().wait()

    async with pair_of(ScriptedBackend(hangs)) as pair:
        session = await new_session(pair.here)
        live = await begun(pair.there, session, "over there")
        with pytest.raises(Conflict) as refusal:
            await begun(pair.here, session, "here")
        assert refusal.value.details == {"runId": live.live.id}
        with pytest.raises(NotFound):
            await begun(pair.here, "ghost", "hello")
        await pair.there.cancel(live.live.id)


# Servers that misbehave


def client_of(answer: Any) -> ProtocolClient:
    def handle(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        found: httpx.Response = answer
        return found

    return ProtocolClient("http://far.test", transport=httpx.MockTransport(handle))


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx.ConnectError("no"), "backend_unreachable"),
        (httpx.ReadTimeout("slow"), "backend_unreachable"),
        (httpx.Response(502, text="<html>bad gateway</html>"), "internal"),
        (httpx.Response(200, text="hello"), "internal"),
        (httpx.Response(200, json=[1]), "internal"),
        (httpx.Response(302, headers={"location": "http://else.test"}), "internal"),
        (httpx.Response(418, json={"ok": False, "error": {"code": "teapot", "message": "short"}}), "teapot"),
    ],
)
async def test_a_server_that_misbehaves_is_an_error_with_a_code(answer: Any, code: str) -> None:
    backend = HttpBackend(client_of(answer))
    with pytest.raises(SessionError) as refusal:
        await backend.capabilities()
    assert refusal.value.code == code


async def test_the_token_is_sent_and_never_shown() -> None:
    there = BackendHost(EchoBackend())
    async with served(Guard(SessionApp(there), token="another")) as server:

        async def key() -> str | None:
            return TOKEN

        backend = HttpBackend(ProtocolClient(server.url, key))
        with pytest.raises(SessionError) as refusal:
            await backend.capabilities()
        assert refusal.value.code == "unauthorized"
        assert TOKEN not in refusal.value.message
        await backend.close()
