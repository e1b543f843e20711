"""`wire/run-states.json`: what runs add up to, for the helpers of other languages to be held to."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from cardloom_protocol.session import RunState

_CASES: Final = 40
_KINDS: Final = ("text", "thinking", "tool_use", "error", "hologram")
_PIECES: Final = ("1", "2,", "é", "😀", '{"a":', "}", "")


def run_states() -> str:
    """The cases as JSON: the events, and what a client shows after all of them and after half."""
    cases = [_case(Random(number)) for number in range(_CASES)]
    return json.dumps({"cases": cases}, ensure_ascii=False, indent=1) + "\n"


def _case(chance: Random) -> dict[str, Any]:
    events = _events(chance)
    half = len(events) // 2
    return {"events": events, "half": _seen(events[:half]), "whole": _seen(events), "replay": _replay(events)}


def _seen(events: list[dict[str, Any]]) -> dict[str, Any]:
    state = _after(events)
    asks, activities = list(state.asks.values()), list(state.activities.values())
    return {"shown": state.shown, "asks": asks, "activities": activities, "status": state.status}


def _replay(events: list[dict[str, Any]]) -> list[Any]:
    return list(_after(events).replay())


def _after(events: list[dict[str, Any]]) -> RunState:
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def _events(chance: Random) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "run_start", "runId": "r", "sessionId": "s"}]
    for number in range(chance.randrange(4)):
        place = {"runId": "r", "messageId": f"m{chance.randrange(number + 1)}"}
        events.append({"type": "message_start", **place, "role": chance.choice(("assistant", "tool"))})
        for _ in range(chance.randrange(16)):
            part = {**place, "part": chance.randrange(3)}
            events.append(chance.choice((_started, _grown, _grown, _completed))(chance, part))
        events += _between(chance, number)
        if chance.randrange(2):
            stored = {"id": place["messageId"], "role": "assistant", "parts": [], "hash": "h"}
            events.append({"type": "message_end", **place} | ({"message": stored} if chance.randrange(2) else {}))
    if chance.randrange(2):
        status = chance.choice(("done", "cancelled", "error", "completed", "aborted", "odd"))
        events.append({"type": "run_end", "runId": "r", "status": status})
    return events


def _started(chance: Random, part: dict[str, Any]) -> dict[str, Any]:
    kind = chance.choice(_KINDS)
    text: dict[str, Any] = {"data": {}, "meta": {"callId": "c", "name": "n"}} if kind == "tool_use" else {"text": "so "}
    return {"type": "part_start", **part, "value": {"type": kind, **text}}


def _grown(chance: Random, part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "part_delta", **part, "delta": chance.choice(_PIECES)}


def _completed(chance: Random, part: dict[str, Any]) -> dict[str, Any]:
    value = {"value": {"type": "text", "text": "final"}} if chance.randrange(2) else {}
    return {"type": "part_end", **part, **value}


def _between(chance: Random, number: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    ask = {"type": "ask", "runId": "r", "askId": f"a{number}", "kind": "input", "title": "?"}
    if chance.randrange(2):
        events.append(ask)
        if chance.randrange(2):
            events.append({**ask, "resolved": {"text": "x"}})
    for name in ("t", "u"):
        if chance.randrange(2):
            events.append({"type": "activity", "runId": "r", "activityId": name, "done": chance.randrange(2) == 1})
    return [*events, {"type": "weather", "runId": "r"}]
