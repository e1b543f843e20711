"""What a run adds up to, told whole, joined or from anywhere in between, is always the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cardloom_protocol.session import RunState, coalesced

KINDS = ("text", "thinking", "tool_use", "error", "hologram")


def started(kind: str) -> dict[str, Any]:
    """The skeleton of a part."""
    return {"type": kind, "text": ""} if kind != "tool_use" else {"type": kind, "data": {}, "meta": {"callId": "c"}}


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The events of a run in a legal order: messages, parts side by side, questions, activities."""
    events: list[dict[str, Any]] = [{"type": "run_start", "runId": "r", "sessionId": "s"}]
    for number in range(draw(st.integers(0, 3))):
        place = {"runId": "r", "messageId": f"m{number}"}
        events.append({"type": "message_start", **place, "role": draw(st.sampled_from(("assistant", "tool")))})
        open_parts: list[int] = []
        for step in range(draw(st.integers(0, 12))):
            if not open_parts or draw(st.booleans()):
                part = sum(event["type"] == "part_start" and event["messageId"] == f"m{number}" for event in events)
                events.append(
                    {"type": "part_start", **place, "part": part, "value": started(draw(st.sampled_from(KINDS)))}
                )
                open_parts.append(part)
            part = draw(st.sampled_from(open_parts))
            if draw(st.integers(0, 4)):
                events.append(
                    {"type": "part_delta", **place, "part": part, "delta": draw(st.sampled_from(("1", "2,", "é", "")))}
                )
            else:
                final = {"value": {"type": "text", "text": f"final {step}"}} if draw(st.booleans()) else {}
                events.append({"type": "part_end", **place, "part": part, **final})
                open_parts.remove(part)
        if draw(st.booleans()):
            events.append({"type": "ask", "runId": "r", "askId": f"a{number}", "kind": "input", "title": "?"})
            if draw(st.booleans()):
                events.append({**events[-1], "resolved": {"text": "x"}})
        if draw(st.booleans()):
            events.append({"type": "activity", "runId": "r", "activityId": "t", "done": draw(st.booleans())})
        if draw(st.booleans()):
            events.append({"type": "message_end", **place})
    if draw(st.booleans()):
        events.append({"type": "run_end", "runId": "r", "status": "done"})
    return events


def sum_of(*parts: list[Any]) -> RunState:
    """The state after some events."""
    state = RunState()
    for events in parts:
        for event in events:
            state.apply(event)
    return state


def seen(state: RunState) -> tuple[Any, ...]:
    """All that a client has of a run."""
    return state.shown, list(state.asks.values()), list(state.activities.values()), state.status


@given(runs(), st.data())
def test_a_state_told_to_anybody_is_that_state(events: list[Any], data: st.DataObject) -> None:
    whole = sum_of(events)
    known = data.draw(st.integers(0, len(events)))
    told = sum_of(events[:known], whole.replay())
    assert (told.shown, told.status) == (whole.shown, whole.status)
    cut = data.draw(st.integers(0, len(whole.replay())))
    assert sum_of(events[:known], whole.replay()[:cut], whole.replay()).shown == whole.shown


@given(runs(), st.data())
def test_a_state_can_be_gone_on_from(events: list[Any], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(events)))
    assert seen(sum_of(sum_of(events[:at]).replay(), events[at:])) == seen(sum_of(events))


@given(runs())
def test_joined_deltas_add_up_to_the_same(events: list[Any]) -> None:
    joined = coalesced(events)
    assert sum(size for _, size in joined) == len(events)
    assert seen(sum_of([event for event, _ in joined])) == seen(sum_of(events))
    places = [
        (event["messageId"], event["part"]) if event["type"] == "part_delta" else number
        for number, (event, _) in enumerate(joined)
    ]
    assert all(one != other for one, other in pairwise(places))


@given(runs())
def test_what_is_left_open_is_closed_with_what_there_is(events: list[Any]) -> None:
    state = sum_of(events)
    before = [message["parts"] for message in state.shown]
    closing = state.closing()
    after = sum_of(events, closing)
    assert [message["parts"] for message in after.shown] == before
    assert after.closing() == []


def test_arguments_are_read_once_they_are_whole() -> None:
    place = {"runId": "r", "messageId": "m", "part": 0}
    start = [{"type": "message_start", "messageId": "m", "role": "assistant"}]
    start.append({"type": "part_start", **place, "value": started("tool_use")})  # type: ignore[dict-item]
    pieces = [{"type": "part_delta", **place, "delta": piece} for piece in ('{"a"', ":1", "}")]
    assert sum_of(start, pieces).shown[0]["parts"][0]["data"] == {"a": 1}  # type: ignore[index, call-overload]
    assert sum_of(start, pieces[:2]).shown[0]["parts"][0]["data"] == '{"a":1'  # type: ignore[index, call-overload]


def test_events_that_fit_nowhere_change_nothing() -> None:
    strange: list[Any] = [
        {"type": "part_delta", "messageId": "ghost", "part": 0, "delta": "x"},
        {"type": "part_delta", "messageId": 1, "part": "0", "delta": None},
        {"type": "part_end"},
        {"type": "message_end", "messageId": "ghost"},
        {"type": "weather"},
        {"type": None},
        {},
    ]
    assert seen(sum_of(strange)) == seen(RunState())
