"""The contract of backends: runs, reconnecting, cancelling, questions. See `backend_contract`."""

from __future__ import annotations

from typing import Any

from cardloom_protocol.session.parts import derived_text

from .contract_subject import Subject, json_of, refused, scenario, shown, types_of, without_swipes


@scenario(63, words="text")
async def events_come_in_order(subject: Subject) -> None:
    types = types_of(await subject.whole_run(await subject.session(), "text"))
    assert types[0] == "run_start"
    assert types[-1] == "run_end"
    assert types.count("run_start") == types.count("run_end") == 1
    open_messages: list[str] = []
    for kind in types:
        if kind == "message_start":
            open_messages.append(kind)
        elif kind in ("part_start", "part_delta", "part_end"):
            assert open_messages
        elif kind == "message_end":
            open_messages.pop()
    assert not open_messages


@scenario(64, 65, words="text")
async def what_was_told_is_what_is_stored(subject: Subject) -> None:
    session_id = await subject.session()
    events = await subject.whole_run(session_id, "text")
    stored = await subject.history(session_id)
    assert stored[0]["role"] == "user"
    assert derived_text(stored[0]) == subject.words["text"]
    told = shown(events)
    assert told
    assert [message["id"] for message in stored[-len(told) :]] == [message["id"] for message in told]
    assert [message["parts"] for message in stored[-len(told) :]] == [message["parts"] for message in told]
    for event in events:
        if event["type"] == "part_end":
            deltas = [
                str(one["delta"])
                for one in events
                if one["type"] == "part_delta"
                and (one["messageId"], one["part"]) == (event["messageId"], event["part"])
            ]
            value: Any = event["value"]
            if deltas and value["type"] in ("text", "thinking"):
                assert "".join(deltas) == value["text"]


@scenario(66, words="tool")
async def arguments_of_a_tool_arrive_as_the_json_that_is_stored(subject: Subject) -> None:
    session_id = await subject.session()
    events = await subject.whole_run(session_id, "tool")
    ends: list[Any] = [event for event in events if event["type"] == "part_end"]
    uses = [event for event in ends if event["value"]["type"] == "tool_use"]
    assert uses
    for use in uses:
        pieces = [
            str(event["delta"])
            for event in events
            if event["type"] == "part_delta" and (event["messageId"], event["part"]) == (use["messageId"], use["part"])
        ]
        if pieces:
            assert json_of("".join(pieces)) == use["value"]["data"]
    stored = [part for message in await subject.history(session_id) for part in message["parts"]]
    assert [part for part in stored if part["type"] == "tool_use"] == [use["value"] for use in uses]
    results = [part["meta"]["callId"] for part in stored if part["type"] == "tool_result"]
    assert results == [use["value"]["meta"]["callId"] for use in uses]


@scenario(67, needs="run.cancel", words="hang")
async def a_busy_session_takes_no_second_run(subject: Subject) -> None:
    session_id = await subject.session()
    run_id = await subject.run(session_id, "hang")
    error = await refused("conflict", subject.run(session_id, "hang"))
    assert error.details == {"runId": run_id}
    await subject.client.call("cancel", runId=run_id)
    await subject.events(run_id)


@scenario(68, needs="run.cancel", words="hang")
async def a_cancelled_run_keeps_what_it_had_said(subject: Subject) -> None:
    session_id = await subject.session()
    run_id = await subject.run(session_id, "hang")
    events, cancelled = [], False
    async for _, event in subject.client.follow(run_id):
        events.append(event)
        if not cancelled and event["type"] == "part_delta":
            cancelled = True
            await subject.client.call("cancel", runId=run_id)
    assert events[-1]["status"] == "cancelled"
    assert (await subject.client.call("cancel", runId=run_id))["status"] == "cancelled"
    told = shown(events)
    stored = await subject.history(session_id)
    assert [message["parts"] for message in stored[-len(told) :]] == [message["parts"] for message in told]


@scenario(69, words="fail")
async def a_failing_model_ends_the_run_with_an_error(subject: Subject) -> None:
    session_id = await subject.session()
    events = await subject.whole_run(session_id, "fail")
    end: Any = events[-1]
    assert end["status"] == "error"
    assert end["error"]["code"]
    assert end["error"]["message"]
    assert any(part["type"] == "error" for message in shown(events) for part in message["parts"])
    assert await subject.history(session_id)


@scenario(70, words="text")
async def a_client_that_comes_back_misses_nothing(subject: Subject) -> None:
    run_id = await subject.run(await subject.session(), "text")
    whole = [(last_id, event) async for last_id, event in subject.client.follow(run_id)]
    for seen in range(1, len(whole)):
        rest = await subject.events(run_id, whole[seen - 1][0])
        assert rest == [event for _, event in whole[seen:]]


@scenario(71, words="text")
async def a_client_with_a_foreign_id_is_told_everything(subject: Subject) -> None:
    session_id = await subject.session()
    run_id = await subject.run(session_id, "text")
    whole = await subject.events(run_id)
    for foreign in ("elsewhere:3", "nonsense", f"{run_id}:99999"):
        assert shown(await subject.events(run_id, foreign)) == shown(whole)
    await refused("not_found", subject.events("nowhere"))


@scenario(73, words="text")
async def readers_of_one_run_end_with_the_same(subject: Subject) -> None:
    run_id = await subject.run(await subject.session(), "text")
    slow = subject.client.follow(run_id)
    events = [(await anext(slow))[1]]
    quick = await subject.events(run_id)
    events += [event async for _, event in slow]
    assert shown(events) == shown(quick)


@scenario(63, words="text")
async def a_run_says_how_it_ended(subject: Subject) -> None:
    session_id = await subject.session()
    run_id = await subject.run(session_id, "text")
    await subject.events(run_id)
    status = await subject.client.call("runStatus", runId=run_id)
    assert (status["runId"], status["sessionId"], status["status"]) == (run_id, session_id, "done")
    assert [run["runId"] for run in await subject.client.call("runs", sessionId=session_id)] == [run_id]
    await refused("not_found", subject.client.call("runStatus", runId="nowhere"))


@scenario(63, needs="swipes", words="text")
async def regenerating_makes_an_alternative(subject: Subject) -> None:
    session_id = await subject.session()
    await subject.whole_run(session_id, "text")
    before = await subject.history(session_id)
    target = next(message for message in before if message["role"] == "assistant")
    run = await subject.client.call("run", sessionId=session_id, swipeOf=target["id"])
    await subject.events(run["runId"])
    after = await subject.history(session_id)
    again = next(message for message in after if message["role"] == "assistant")
    assert again["id"] != target["id"]
    assert again["swipes"] == {"active": 1, "count": 2}
    assert without_swipes(after[:1]) == without_swipes(before[:1])


@scenario(63, words="text")
async def requests_that_make_no_sense_start_nothing(subject: Subject) -> None:
    session_id = await subject.session()
    call = subject.client.call
    await refused("bad_request", call("run", sessionId=session_id, text="x", parts=[]))
    await refused("bad_request", call("run", sessionId=session_id, text="x", swipeOf="m", parentId="p"))
    await refused("bad_request", call("run", sessionId=session_id, parts=[{"type": "text"}]))
    await refused("not_found", call("run", sessionId="ghost", text="x"))
    await refused("not_found", call("run", sessionId=session_id, text="x", parentId="ghost"))
    await refused("invalid_id", call("run", sessionId="../x", text="x"))
    assert await subject.history(session_id) == []


@scenario(74, needs="run.ask", words="permission")
async def a_permission_lets_the_run_go_on(subject: Subject) -> None:
    run_id = await subject.run(await subject.session(), "permission")
    asks: list[Any] = []
    async for _, event in subject.client.follow(run_id):
        if event["type"] == "ask":
            asks.append(event)
            if "resolved" not in event:
                option = next(one for one in asks[0]["options"] if one.get("kind") == "allow_once")
                pending = await subject.client.call("asks", runId=run_id)
                assert [one["askId"] for one in pending] == [event["askId"]]
                answer = {"runId": run_id, "askId": event["askId"], "optionIds": [option["id"]]}
                await subject.client.call("answer", **answer)
    assert asks[1]["resolved"] == {"optionIds": [asks[0]["options"][0]["id"]]}
    assert event["status"] == "done"


@scenario(75, needs="run.ask", words="permission")
async def a_question_takes_one_answer_that_fits(subject: Subject) -> None:
    run_id = await subject.run(await subject.session(), "permission")
    ask = await _asked(subject, run_id)
    call, place = subject.client.call, {"runId": run_id, "askId": ask["askId"]}
    await refused("not_found", call("answer", runId=run_id, askId="ghost", cancelled=True))
    await refused("bad_request", call("answer", **place, optionIds=["no such option"]))
    await refused("bad_request", call("answer", **place))
    await call("answer", **place, optionIds=[ask["options"][0]["id"]])
    await refused("conflict", call("answer", **place, optionIds=[ask["options"][0]["id"]]))
    await subject.events(run_id)


@scenario(76, needs="run.ask run.cancel", words="permission")
async def cancelling_gives_the_question_up(subject: Subject) -> None:
    run_id = await subject.run(await subject.session(), "permission")
    await _asked(subject, run_id)
    await subject.client.call("cancel", runId=run_id)
    events: list[Any] = await subject.events(run_id)
    assert [event["resolved"] for event in events if event["type"] == "ask" and "resolved" in event] == [
        {"cancelled": True}
    ]
    assert events[-1]["status"] == "cancelled"


async def _asked(subject: Subject, run_id: str) -> Any:
    async for _, event in subject.client.follow(run_id):
        if event["type"] == "ask":
            return event
    raise AssertionError("the run did not ask")
