"""The host of a backend: order of events, ends, questions, one run a session, readers at their own pace."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_protocol.session import Conflict, NotFound, RunState, SessionError
from cardloom_sdk.backend import BackendHost, HostLimits, LiveRun, Run, StoreSessions
from cardloom_sdk.testing.backends import EchoBackend, ScriptedBackend


async def ended(live: LiveRun) -> list[dict[str, Any]]:
    """All events of a run, once it is over."""
    reader, events = live.log.reader(), []
    while not reader.is_done:
        events += [one.event for one in reader.take()]
        await reader.wait()
    return events


async def started(host: BackendHost, text: str = "one two") -> LiveRun:
    """A run in a new session."""
    info = await host.backend.sessions.create({})
    return await host.start_run({"sessionId": info["id"], "text": text})


async def test_a_run_begins_and_ends_once_and_its_ids_are_the_stored_ones() -> None:
    host = BackendHost(EchoBackend())
    live = await started(host)
    events = await ended(live)
    assert [event["type"] for event in events] == [
        "run_start",
        "message_start",
        "part_start",
        "part_delta",
        "part_delta",
        "part_end",
        "message_end",
        "run_end",
    ]
    messages = await host.backend.sessions.history(live.session_id)
    assert [message["id"] for message in messages] == [events[0]["userMessageId"], events[1]["messageId"]]
    assert messages[1]["parts"] == [events[5]["value"]] == [{"type": "text", "text": "one two"}]
    assert events[6]["message"] == messages[1]
    await host.close()


async def test_a_backend_that_leaves_all_open_is_tidied_up() -> None:
    async def careless(run: Run, sessions: StoreSessions) -> None:
        message = run.message()
        message.text().add("half")

    events = await ended(await started(BackendHost(ScriptedBackend(careless))))
    assert [event["type"] for event in events][-3:] == ["part_end", "message_end", "run_end"]
    assert events[0]["type"] == "run_start"
    assert events[-1]["status"] == "done"


async def test_a_refusal_before_the_start_is_the_answer_to_the_request() -> None:
    host = BackendHost(EchoBackend())
    with pytest.raises(NotFound):
        await host.start_run({"sessionId": "ghost", "text": "x"})
    live = await started(host)
    await ended(live)
    with pytest.raises(NotFound):
        await host.start_run({"sessionId": live.session_id, "swipeOf": "ghost"})
    assert len(await host.backend.sessions.history(live.session_id)) == 2


async def test_a_failure_ends_the_run_with_its_code_and_is_stored() -> None:
    async def failing(run: Run, sessions: StoreSessions) -> None:
        parent = await sessions.begin(run)
        async with sessions.writing(run, parent_id=parent) as reply:
            reply.text().add("so far")
            raise SessionError("model_error", "The model went away.")

    host = BackendHost(ScriptedBackend(failing))
    live = await started(host)
    events = await ended(live)
    assert events[-1] == {
        "type": "run_end",
        "runId": live.id,
        "sessionId": live.session_id,
        "status": "error",
        "error": {"code": "model_error", "message": "The model went away."},
    }
    parts = (await host.backend.sessions.history(live.session_id))[-1]["parts"]
    assert parts == [
        {"type": "text", "text": "so far"},
        {"type": "error", "text": "The model went away.", "meta": {"code": "model_error"}},
    ]


async def test_a_fault_of_the_backend_tells_clients_nothing_of_its_inside() -> None:
    async def faulty(run: Run, sessions: StoreSessions) -> None:
        await sessions.begin(run)
        raise RuntimeError("secret path")

    events = await ended(await started(BackendHost(ScriptedBackend(faulty))))
    assert events[-1]["error"] == {"code": "internal", "message": "The backend failed."}


async def hanging(run: Run, sessions: StoreSessions) -> None:
    """Says something and waits for ever."""
    parent = await sessions.begin(run)
    async with sessions.writing(run, parent_id=parent) as reply:
        reply.text().add("partial")
        await asyncio.Event().wait()


async def test_cancelling_keeps_what_there_is_and_a_second_time_does_nothing() -> None:
    host = BackendHost(ScriptedBackend(hanging))
    live = await started(host)
    assert await host.cancel(live.id)
    events = await ended(live)
    assert events[-1]["status"] == "cancelled"
    last = (await host.backend.sessions.history(live.session_id))[-1]
    assert last["parts"] == [{"type": "text", "text": "partial"}]
    assert not await host.cancel(live.id)


async def test_a_busy_session_names_its_run_and_is_free_afterwards() -> None:
    host = BackendHost(ScriptedBackend(hanging))
    live = await started(host)
    with pytest.raises(Conflict) as refused:
        await host.start_run({"sessionId": live.session_id, "text": "x"})
    assert refused.value.details == {"runId": live.id}
    await host.cancel(live.id)
    await ended(live)
    again = await host.start_run({"sessionId": live.session_id, "text": "x"})
    assert again.id != live.id
    await host.close()
    assert again.log.state.status == "cancelled"


async def asking(run: Run, sessions: StoreSessions) -> None:
    """Asks, and says what was answered."""
    parent = await sessions.begin(run)
    options: list[Any] = [
        {"id": "yes", "label": "Yes", "kind": "allow_once"},
        {"id": "no", "label": "No", "kind": "reject_once"},
    ]
    answer = await run.ask({"kind": "permission", "title": "May I?", "options": options}, ask_id="a1")
    async with sessions.writing(run, parent_id=parent) as reply:
        reply.text().add(str(answer))


async def asked(live: LiveRun) -> None:
    """Waits until the run asks."""
    while not live.open_asks():
        await live.log.more()


async def test_a_question_is_answered_once_and_everybody_is_told() -> None:
    host = BackendHost(ScriptedBackend(asking))
    live = await started(host)
    await asked(live)
    wrong: list[Any] = [
        {},
        {"optionIds": ["maybe"]},
        {"optionIds": ["yes", "no"]},
        {"text": "sure"},
        {"cancelled": False},
    ]
    for bad in wrong:
        with pytest.raises(SessionError) as refused:
            live.answer("a1", bad)
        assert refused.value.code == "bad_request"
    with pytest.raises(NotFound):
        live.answer("a2", {"optionIds": ["yes"]})
    live.answer("a1", {"optionIds": ["yes"]})
    with pytest.raises(Conflict):
        live.answer("a1", {"optionIds": ["no"]})
    events = await ended(live)
    asks = [event for event in events if event["type"] == "ask"]
    assert "resolved" not in asks[0]
    assert asks[1]["resolved"] == {"optionIds": ["yes"]}


async def test_a_backend_that_does_not_answer_when_a_run_is_to_end_holds_nobody_up() -> None:
    class Silent(ScriptedBackend):
        async def cancel(self, run: Run) -> None:
            await asyncio.Event().wait()

    host = BackendHost(Silent(hanging), limits=HostLimits(cancel_grace_ms=10))
    async with asyncio.timeout(60):
        live = await started(host)
        assert await host.cancel(live.id)
        assert (await ended(live))[-1]["status"] == "cancelled"
        others = [await started(host), await started(host)]
        await host.close()
        assert [one.log.state.status for one in others] == ["cancelled", "cancelled"]


async def test_whoever_waits_for_a_run_that_is_refused_late_is_let_go() -> None:
    asked, refuse = asyncio.Event(), asyncio.Event()

    async def late(run: Run, sessions: StoreSessions) -> None:
        asked.set()
        await refuse.wait()
        raise SessionError("full", "there is no room")

    host = BackendHost(ScriptedBackend(late))
    session_id = (await host.backend.sessions.create({}))["id"]
    async with asyncio.timeout(60):
        starting = asyncio.create_task(host.start_run({"sessionId": session_id, "text": "x"}))
        await asked.wait()
        with pytest.raises(Conflict) as busy:
            await host.start_run({"sessionId": session_id, "text": "y"})
        live = host.run(busy.value.details["runId"])  # type: ignore[index, call-overload, arg-type]
        reading, more = asyncio.create_task(ended(live)), asyncio.create_task(live.log.more())
        while live.log.waiting < 2:  # noqa: ASYNC110 - who waits is told of nothing yet
            await asyncio.sleep(0)
        refuse.set()
        with pytest.raises(SessionError, match="no room"):
            await starting
        assert await reading == []
        await more
    assert live.ended
    with pytest.raises(NotFound):
        host.run(live.id)
    await host.close()


async def test_a_cancelled_run_gives_its_questions_up() -> None:
    host = BackendHost(ScriptedBackend(asking))
    live = await started(host)
    await asked(live)
    await host.cancel(live.id)
    events = await ended(live)
    assert [event["resolved"] for event in events if event["type"] == "ask" and "resolved" in event] == [
        {"cancelled": True}
    ]
    assert events[-1]["status"] == "cancelled"


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        (None, {"cancelled": True, "timeout": True}),
        ("no", {"optionIds": ["no"], "timeout": True}),
        (["yes"], {"optionIds": ["yes"], "timeout": True}),
        ("other", {"text": "other", "timeout": True}),
    ],
)
async def test_a_question_nobody_answers_in_time_takes_its_default(default: Any, expected: dict[str, Any]) -> None:
    answers: list[Any] = []

    async def impatient(run: Run, sessions: StoreSessions) -> None:
        await sessions.begin(run)
        ask: Any = {"kind": "question", "title": "?", "timeoutMs": 1, "options": [{"id": "yes", "label": "Y"}]}
        ask["options"].append({"id": "no", "label": "N"})
        if default is not None:
            ask["default"] = default
        answers.append(await run.ask(ask))

    events = await ended(await started(BackendHost(ScriptedBackend(impatient))))
    assert answers == [expected]
    assert [event["resolved"] for event in events if "resolved" in event] == [expected]


async def test_a_reader_that_comes_back_misses_nothing_and_hears_nothing_twice() -> None:
    live = await started(BackendHost(EchoBackend()), "a b c d e f")
    whole = await ended(live)
    for seen in range(len(whole) + 1):
        after = f"{live.id}:{seen}" if seen else None
        assert [one.event for one in live.log.reader(after).take()] == whole[seen:]


@pytest.mark.parametrize("after", ["foreign:1", "nonsense", "", "{id}:999", "{id}:-1", "{id}:1", None])
async def test_a_reader_without_a_proven_place_is_told_the_state(after: str | None) -> None:
    host = BackendHost(EchoBackend(), limits=HostLimits(run_events=3))
    live = await started(host, "a b c d e f")
    await live.log.more() if not live.log.ended else None
    while not live.log.ended:
        await live.log.more()
    told = live.log.reader(None if after is None else after.replace("{id}", live.id)).take()
    state = RunState()
    for one in told:
        state.apply(one.event)
    assert state.shown == (await host.backend.sessions.history(live.session_id))[1:]
    assert [one.number for one in told if one.number is not None] == [live.log.last]
    assert told[0].event["type"] == "run_start"


async def test_a_reader_far_behind_gets_fewer_events_with_the_same_sum() -> None:
    host = BackendHost(EchoBackend(), limits=HostLimits(lag_events=4))
    live = await started(host, " ".join("abcdefghijklmnop"))
    while not live.log.ended:
        await live.log.more()
    told = live.log.reader().take()
    assert len(told) < live.log.last
    state = RunState()
    for one in told:
        state.apply(one.event)
    assert state.shown == live.log.state.shown
    assert told[-1].number == live.log.last
    resumed = live.log.reader(f"{live.id}:{told[2].number}").take()
    assert resumed[0].event["type"] in ("part_delta", "part_end")


@pytest.mark.parametrize("limits", [HostLimits(runs_kept=1), HostLimits(runs_kept_bytes=1)])
async def test_ended_runs_are_forgotten_beyond_their_number_and_size(limits: HostLimits) -> None:
    host = BackendHost(EchoBackend(), limits=limits)
    first = await started(host)
    await ended(first)
    second = await started(host)
    await ended(second)
    await host.close()
    with pytest.raises(NotFound):
        host.run(first.id)
    assert host.run(second.id) is second


async def test_a_backend_that_failed_to_start_is_tried_anew() -> None:
    class Late(EchoBackend):
        tries = 0

        async def start(self) -> None:
            self.tries += 1
            if self.tries == 1:
                raise SessionError("unavailable", "not yet")

    host = BackendHost(Late())
    with pytest.raises(SessionError, match="not yet"):
        await host.capabilities()
    assert (await host.capabilities())["fork"]


async def test_a_reader_that_waits_in_vain_leaves_nothing_behind() -> None:
    host = BackendHost(ScriptedBackend(hanging))
    live = await started(host)
    reader = live.log.reader()
    reader.take()
    while live.log.last < 4:
        await live.log.more()
    reader.take()
    for _ in range(3):
        assert not await reader.wait(0)
    assert live.log.waiting == 0
    reader.leave()
    assert not await reader.wait()
    await host.close()
