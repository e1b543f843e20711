"""Two engines with APIs of their own, attached by the mapping files of the examples alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cardloom.features.sessions.backends.mapped.backend import MappedBackend
from cardloom.features.sessions.backends.mapped.engine import Engine
from cardloom.features.sessions.backends.mapped.mapping import load_mapping, parse_mapping
from cardloom_protocol.session import (
    Conflict,
    NodePatch,
    NotFound,
    NotSupported,
    SessionError,
    derived_text,
    has,
    has_sessions,
)
from cardloom_sdk.backend import BackendHost

from ..run_trace import begun, history, new_session, ran, texts
from ..served import served
from .dreams_server import KEY, Dreams
from .marinara_server import Marinara

EXAMPLES = Path(__file__).parents[5] / "examples" / "backends"


async def dreams_key() -> str | None:
    return KEY


@pytest.fixture
async def dreams() -> AsyncIterator[BackendHost]:
    async with served(Dreams().app) as server:
        host = BackendHost(MappedBackend(Engine(load_mapping(EXAMPLES / "dreams.json"), server.url, dreams_key)))
        await host.start()  # what was not started is not ended
        yield host
        await host.close()


@pytest.fixture
def kitchen() -> Marinara:
    return Marinara()


@pytest.fixture
async def marinara(kitchen: Marinara) -> AsyncIterator[BackendHost]:
    async with served(kitchen.app) as server:
        host = BackendHost(MappedBackend(Engine(load_mapping(EXAMPLES / "marinara.json"), server.url)))
        await host.start()  # what was not started is not ended
        yield host
        await host.close()


# Dreams: blocks, one stream for everything, questions


async def test_a_run_told_on_the_stream_of_everything_is_ours(dreams: BackendHost) -> None:
    session, other = await new_session(dreams, title="One"), await new_session(dreams)
    trace, beside = await begun(dreams, session, "muse a while"), await begun(dreams, other, "else")
    assert (await trace.end())["status"] == "done"
    await beside.end()
    assert trace.events[-1]["usage"] == {"input": 11, "output": 7}
    assert trace.events[-1]["stopReason"] == "finished"
    user, reply = await history(dreams, session)
    assert [message["role"] for message in (user, reply)] == ["user", "assistant"]
    assert trace.of("message_start")[0]["messageId"] == reply["id"]
    assert trace.of("message_end")[0]["message"] == reply
    assert trace.deltas(reply["id"], 0) == derived_text(reply) == "muse a while "
    assert await texts(dreams, other) == [("user", "else"), ("assistant", "else ")]


async def test_thinking_and_words_are_parts_of_their_own(dreams: BackendHost) -> None:
    session = await new_session(dreams)
    await ran(dreams, session, "muse")
    parts = (await history(dreams, session))[-1]["parts"]
    assert parts == [{"type": "thinking", "text": "Let me think."}, {"type": "text", "text": "muse "}]


async def test_a_gate_is_a_question_whose_answer_reaches_the_engine(dreams: BackendHost) -> None:
    session = await new_session(dreams)
    trace = await begun(dreams, session, "act")
    asked = await trace.answer(optionIds=["yes"])
    assert asked["title"] == "May I paint?"
    assert asked["options"][0] == {"id": "yes", "label": "Yes", "kind": "allow_once"}
    assert (await trace.end())["status"] == "done"
    _, call, result, _ = await history(dreams, session)
    assert call["parts"][0]["meta"] == {"callId": "c1", "name": "paint"}
    assert call["parts"][0]["data"] == {"colour": "red"}
    assert result["role"] == "tool"
    assert result["parts"][0] == {
        "type": "tool_result",
        "text": "said yes",
        "meta": {"callId": "c1", "name": "paint", "error": False},
    }
    assert [event["role"] for event in trace.of("message_start")] == ["assistant", "tool", "assistant"]


async def test_cancelling_wakes_the_engine(dreams: BackendHost) -> None:
    session = await new_session(dreams)
    trace = await begun(dreams, session, "hang")
    await trace.until("part_delta")
    await dreams.cancel(trace.live.id)
    assert (await trace.end())["status"] == "cancelled"
    assert (await texts(dreams, session))[-1] == ("assistant", "hang ")
    assert (await ran(dreams, session, "again")).events[-1]["status"] == "done"


async def test_a_failure_of_the_engine_is_told_with_its_own_code(dreams: BackendHost) -> None:
    trace = await ran(dreams, await new_session(dreams), "fail")
    assert trace.events[-1]["error"] == {"code": "nightmare", "message": "a nightmare"}
    assert trace.of("part_end")[-1]["value"]["type"] == "error"


async def test_a_stream_that_ends_before_the_run_is_a_cut(dreams: BackendHost) -> None:
    trace = await ran(dreams, await new_session(dreams), "vanish")
    assert trace.events[-1]["error"]["code"] == "engine_cut_off"
    assert trace.of("part_delta")


async def test_titles_and_moods_are_told(dreams: BackendHost) -> None:
    session = await new_session(dreams, title="Old")
    trace = await ran(dreams, session, "name")
    assert trace.of("session_update")[0]["session"] == {"title": "Named"}
    assert trace.of("activity")[0]["text"] == "glad"
    assert (await dreams.backend.sessions.get(session))["title"] == "Named"


async def test_sessions_of_the_engine_are_worked_with(dreams: BackendHost) -> None:
    sessions, session = dreams.backend.sessions, await new_session(dreams, title="Mine")
    await sessions.append(session, {"role": "assistant", "text": "Welcome."})
    user = await sessions.append(session, {"text": "hello"})
    with pytest.raises(Conflict):
        await sessions.edit_message(session, user["id"], NodePatch(text="x", if_hash="00000000"))
    edited = await sessions.edit_message(session, user["id"], NodePatch(text="bye", if_hash=user.get("hash")))
    assert derived_text(edited) == "bye"
    assert (await sessions.hide_message(session, user["id"], True)).get("flags") == {"disabled": True}
    fork = await sessions.fork(session, user["id"])
    assert fork["parentSessionId"] == session
    await sessions.delete_message(session, user["id"])
    assert await texts(dreams, session) == [("assistant", "Welcome.")]
    assert (await sessions.rename(session, "Other"))["title"] == "Other"
    info = await sessions.get(session)
    assert (info["messageCount"], info["createdAt"][:10]) == (1, "1970-01-01")
    page = await sessions.list(limit=1)
    assert (len(page.sessions), page.cursor is None) == (1, False)
    await sessions.delete(session)
    with pytest.raises(NotFound, match="no such dream"):
        await sessions.get(session)


async def test_models_of_the_engine_are_chosen(dreams: BackendHost) -> None:
    models, session = dreams.backend.models, await new_session(dreams)
    assert models is not None
    assert [model["id"] for model in await models.list()] == ["deep", "quick"]
    assert (await models.set(session, {"model": "quick"}))["model"] == {"model": "quick"}
    with pytest.raises(NotFound):
        await models.set(session, {"model": "ghost"})


async def test_a_refused_key_is_told_without_the_key() -> None:
    async def wrong() -> str | None:
        return "wrong-secret"

    async with served(Dreams().app) as server:
        backend = MappedBackend(Engine(load_mapping(EXAMPLES / "dreams.json"), server.url, wrong))
        with pytest.raises(SessionError) as refusal:
            await backend.sessions.get("x")
        assert refusal.value.code == "engine_refused"
        assert "wrong-secret" not in refusal.value.message
        await backend.close()


# Marinara: one text with alternatives, the answer is the stream


async def test_a_run_in_the_answer_is_ours(marinara: BackendHost) -> None:
    session = await new_session(marinara, title="Dinner", botId="basil")
    trace = await ran(marinara, session, "hello there")
    assert trace.events[-1]["status"] == "done"
    user, reply = await history(marinara, session)
    assert (user["role"], reply["role"], reply["name"]) == ("user", "assistant", "Basil")
    assert trace.of("message_start")[0]["messageId"] == reply["id"]
    assert trace.deltas(reply["id"], 0) == derived_text(reply) == "HELLO THERE "
    assert trace.of("activity")[0]["progress"] == 0.5
    assert (await marinara.backend.sessions.get(session))["botId"] == "basil"


async def test_regenerating_and_switching_alternatives(marinara: BackendHost) -> None:
    session = await new_session(marinara)
    await ran(marinara, session, "hi")
    reply = (await history(marinara, session))[-1]
    trace = await ran(marinara, session, swipeOf=reply["id"])
    assert trace.events[-1]["status"] == "done"
    again = (await history(marinara, session))[-1]
    assert (derived_text(again), again["swipes"]) == ("HI! ", {"active": 1, "count": 2})
    sessions = marinara.backend.sessions
    assert derived_text((await sessions.swipe(session, reply["id"], step=-1))[-1]) == "HI "
    assert derived_text((await sessions.swipe(session, reply["id"], step=5))[-1]) == "HI! "
    await sessions.append(session, {"role": "assistant", "text": "mine", "swipeOf": reply["id"]})
    assert (await history(marinara, session))[-1]["swipes"] == {"active": 2, "count": 3}
    with pytest.raises(NotFound):
        await begun(marinara, session, swipeOf="ghost")


async def test_leaving_the_answer_cancels_the_engine(marinara: BackendHost, kitchen: Marinara) -> None:
    session = await new_session(marinara)
    trace = await begun(marinara, session, "hang")
    await trace.until("part_delta")
    await marinara.cancel(trace.live.id)
    assert (await trace.end())["status"] == "cancelled"
    async with asyncio.timeout(60):
        await kitchen.left.wait()
    assert (await texts(marinara, session))[-1] == ("assistant", "HANG ")


async def test_failures_cuts_and_junk(marinara: BackendHost) -> None:
    session = await new_session(marinara)
    failed = await ran(marinara, session, "fail")
    assert failed.events[-1]["error"] == {"code": "engine_failed", "message": "the pot boils over"}
    assert (await ran(marinara, session, "cut")).events[-1]["error"]["code"] == "engine_cut_off"
    assert (await ran(marinara, session, "junk")).events[-1]["status"] == "done"
    with pytest.raises(SessionError, match="the kitchen is full"):
        await begun(marinara, session, "busy")
    with pytest.raises(NotFound):
        await begun(marinara, "ghost", "hello")


async def test_capabilities_are_the_routes(dreams: BackendHost, marinara: BackendHost) -> None:
    theirs, others = await dreams.capabilities(), await marinara.capabilities()
    for name in ("run.ask", "run.cancel", "run.activity", "fork", "models", "edits.hide"):
        assert has(theirs, name), name
    assert not has(theirs, "swipes")
    assert has(others, "swipes")
    assert has_sessions(others, "delete")
    for name in ("run.ask", "fork", "models", "edits.hide", "profiles", "workspace"):
        assert not has(others, name), name
    with pytest.raises(NotSupported):
        await marinara.backend.sessions.fork("chat-1")
    with pytest.raises(NotSupported):
        await marinara.backend.sessions.create({"profile": "x"})


async def test_an_engine_without_a_route_to_delete_offers_none() -> None:
    document = json.loads((EXAMPLES / "marinara.json").read_text())
    del document["routes"]["delete"]
    backend = MappedBackend(Engine(parse_mapping(document), "http://127.0.0.1:9"))
    capabilities = await backend.capabilities()
    assert has_sessions(capabilities, "create")
    assert not has_sessions(capabilities, "delete")
