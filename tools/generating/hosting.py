"""`wire/hosting.json`: what the rules of hosting decide in chosen cases, for the hosts of other languages.

Each case holds what goes in and what came out of `cardloom_protocol.hosting`; a host that mirrors it gives the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from cardloom_protocol.errors import CallError
from cardloom_protocol.hosting import (
    CardView,
    Delivery,
    Facts,
    PeerView,
    RateWindow,
    TokenBucket,
    ask,
    check,
    check_answer,
    deliver,
    may_read,
    plan_emit,
    send,
)
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.methods_card import CARD_METHODS
from cardloom_protocol.permissions import PERMISSIONS, closure
from cardloom_protocol.ports.builtin import builtin_ports
from cardloom_protocol.ports.peers import Direction, PeerInfo, PeerKind
from cardloom_protocol.ports.types import PortInfo, PortResponse

from .wire_table import NOTICE

Case = dict[str, Any]

_SHORT: Final = {"type": "string", "maxLength": 5}
_OUTPUTS: Final = (
    PortInfo("words", "Words", "ns:text"),
    PortInfo("short", "Short", "ns:text", schema=_SHORT),
    PortInfo("tasks", "Tasks", "ns:tasks"),
    PortInfo("own", "Own", "tide-clock/tide", schema={"type": "integer"}),
)
_SHORT_INPUT: Final = PortInfo("short", "Short", "ns:text", schema=_SHORT)
_LOOKUP: Final = PortInfo(
    "lookup", "Look up", "ns:text", mode="request", response=PortResponse("ns:json", {"required": ["hits"]})
)
_TIDE: Final = PortInfo("tide", "Tide", "tide-clock/tide")


def hosting_cases() -> str:
    """The file as text."""
    card = {"outputs": [port.to_wire() for port in _OUTPUTS], "peers": [peer.to_wire() for peer in _PEERS]}
    head = {"$comment": NOTICE, "card": card, "lookup": _LOOKUP.to_wire()}
    lines = [json.dumps(case, ensure_ascii=False) for case in (*_gate_cases(), *_rate_cases(), *_routing_cases())]
    members = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    return "{\n" + ",\n".join(members) + ',\n"cases": [\n' + ",\n".join(lines) + "\n]\n}\n"


def _outcome(act: Callable[[], Any]) -> Case:
    try:
        return {"value": act()}
    except CallError as error:
        return {"error": _told(error)}


def _told(error: CallError) -> Case:
    """Code and data; of issues the places, since the words are each language's own."""
    data = error.data
    if isinstance(data, list):
        data = [{"path": issue["path"], "keyword": issue["keyword"]} for issue in data if isinstance(issue, dict)]
    return {"code": error.code.value, "data": data}


# The gate


def _gate_cases() -> Iterable[Case]:
    """Every method in every state that may refuse it."""
    good: Case = {"built": True, "ready": True, "visible": True, "joined": True, "holds": True}
    changes: tuple[Case, ...] = (
        {},
        {"built": False},
        {"ready": False},
        {"holds": False},
        {"joined": False},
        {"visible": False},
        {"holds": False, "joined": False, "visible": False},
    )
    for method in CARD_METHODS:
        yield _gate(method, None, good)
        yield _gate(method, {"stray": 1}, good)
        for change in changes:
            yield _gate(method, _PARAMS.get(method, {}), {**good, **change})
    yield _gate("tide.turn", {}, good)
    yield _gate("tide.turn", {}, {**good, "ready": False})


def _gate(method: str, params: Any, state: Mapping[str, Any]) -> Case:
    facts = Facts(
        params,
        frozenset(PERMISSIONS if state["holds"] else ()),
        0,
        state["ready"],
        state["visible"],
        lambda _card_id: bool(state["joined"]),
    )
    row = CARD_METHODS.get(method)
    refusal = check(None if row is None else replace(row, built=state["built"]), facts)
    expect = None if refusal is None else _told(refusal)
    return {"rule": "gate", "method": method, "params": params, "state": dict(state), "expect": expect}


_PARAMS: Final[Mapping[str, Any]] = {
    "host.ready": {"sdkVersion": "1.3.0", "protocol": 1},
    "host.log": {"level": "info", "message": "x"},
    "host.pong": {"seq": 1},
    "events.subscribe": {"topics": ["agents.status"]},
    "events.unsubscribe": {"topics": ["agents.status"]},
    "card.setTitle": {"title": "x"},
    "card.attention": {"level": "info"},
    "card.requestResize": {"w": 300, "h": 200},
    "card.openLink": {"url": "https://example.org"},
    "card.focus": {"cardId": "c_1"},
    "card.spawn": {"kind": "note"},
    "ui.toast": {"message": "x"},
    "ui.confirm": {"title": "x", "message": "y"},
    "ui.setMenu": {"items": []},
    "settings.set": {"values": {}},
    "storage.get": {"scope": "instance", "key": "k"},
    "storage.set": {"scope": "instance", "key": "k", "value": 1},
    "storage.delete": {"scope": "instance", "key": "k"},
    "storage.keys": {"scope": "package"},
    "storage.clear": {"scope": "package"},
    "storage.usage": {"scope": "package"},
    "permissions.request": {"ids": ["fs.read"]},
    "agents.get": {"agentId": "c_1"},
    "agents.readScreen": {"agentId": "c_1"},
    "agents.lastReply": {"agentId": "c_1"},
    "agents.prompt": {"agentId": "c_1", "text": "x"},
    "terminals.run": {"agentId": "c_1", "command": "ls"},
    "terminals.write": {"agentId": "c_1", "text": "ls"},
    "ports.emit": {"port": "words", "data": "x"},
    "ports.send": {"to": "c_1", "port": "words", "data": "x"},
    "ports.request": {"to": "c_1", "input": "lookup", "data": "x"},
    "ports.respond": {"requestId": "q_1", "data": 1},
    "ports.read": {"from": "c_1", "port": "words"},
    "tools.respond": {"callId": "t_1", "result": {"content": [{"type": "text", "text": "x"}]}},
    "tools.progress": {"callId": "t_1", "message": "x"},
    "tools.setEnabled": {"tool": "add", "enabled": False},
    "net.fetch": {"url": "https://example.org"},
    "net.abort": {"requestId": "n_1"},
    "fs.stat": {"path": "a"},
    "fs.list": {"path": ""},
    "fs.read": {"path": "a"},
    "fs.write": {"path": "a", "data": "x"},
    "fs.mkdir": {"path": "a"},
    "fs.trash": {"path": "a"},
    "fs.watch": {"path": ""},
    "fs.unwatch": {"watchId": "w_1"},
    "clipboard.writeText": {"text": "x"},
    "usage.summary": {"period": "today"},
    "agents.usage": {"agentId": "c_1", "since": 0},
    "agents.timeline": {"agentId": "c_1", "since": 0},
}


# Rates


def _rate_cases() -> Iterable[Case]:
    at_ms = [0, 0, 10, 250, 499, 500, 501, 999, 1000, 30_000, 59_999, 60_000, 60_001, 60_500, 61_000, 120_000]
    for max_calls, min_interval_ms in ((2, None), (None, 500), (3, 400), (1, 0), (30, 10_000)):
        window = RateWindow(max_calls, min_interval_ms=min_interval_ms)
        waits = [window.take(now_ms) for now_ms in at_ms]
        given = {"maxCalls": max_calls, "minIntervalMs": min_interval_ms}
        yield {"rule": "window", **given, "atMs": at_ms, "expect": waits}
    for per_second, burst in ((2, 3), (200, 400), (1000, 1)):
        bucket = TokenBucket(per_second, burst)
        waits = [bucket.take(now_ms) for now_ms in at_ms]
        yield {"rule": "bucket", "perSecond": per_second, "burst": burst, "atMs": at_ms, "expect": waits}


# Routing


def _peer(card_id: str, kind: PeerKind, direction: Direction, *inputs: PortInfo) -> PeerInfo:
    ports = builtin_ports(kind)
    return PeerInfo(card_id, kind, card_id, direction, inputs or ports.inputs, ports.outputs)


_PEERS: Final = (
    _peer("c_note", "note", "downstream"),
    _peer("c_todo", "todo", "both"),
    _peer("c_above", "note", "upstream"),
    _peer("c_agent", "agent", "downstream"),
    _peer("c_tide", "custom", "downstream", _LOOKUP, _SHORT_INPUT, _TIDE),
    _peer("c_deaf", "other", "downstream"),
)
_GRANTS: Final = ((), ("cards.connected",), ("cards.connected", "agents.prompt"))
_VALUES: Final = (
    ("words", "hello"),
    ("words", "long enough to be refused"),
    ("words", 7),
    ("short", "abc"),
    ("short", "abcdef"),
    ("tasks", [{"text": "one"}, {"text": "two", "status": "done"}]),
    ("own", 3),
    ("own", "3"),
    ("gone", 1),
)


_SENDS: Final = (
    ("c_note", None),
    ("c_note", "replace"),
    ("c_note", "gone"),
    ("c_todo", None),
    ("c_todo", "update"),
    ("c_above", None),
    ("c_agent", None),
    ("c_tide", None),
    ("c_tide", "lookup"),
    ("c_tide", "tide"),
    ("c_deaf", None),
    ("c_far", None),
)
_QUESTIONS: Final = (
    ("c_tide", "lookup", "tides"),
    ("c_tide", "lookup", 7),
    ("c_tide", "short", "x"),
    ("c_tide", "gone", "x"),
    ("c_note", "append", "x"),
    ("c_far", "lookup", "x"),
)
_READS: Final = (("c_note", "text"), ("c_above", "text"), ("c_agent", "reply"), ("c_note", "gone"), ("c_far", "text"))


def _routing_cases() -> Iterable[Case]:
    for held in _GRANTS:
        view = CardView("c_card", _OUTPUTS, tuple(PeerView(peer) for peer in _PEERS), closure(held))
        for rule, given, act in _routes(view):
            yield {"rule": rule, "held": list(held), **given, "expect": _outcome(act)}
    answers: tuple[JsonValue, ...] = ({"hits": 1}, {}, "text", [1])
    for value in answers:
        yield {"rule": "answer", "value": value, "expect": _outcome(partial(check_answer, _LOOKUP, value))}


def _routes(view: CardView) -> Iterable[tuple[str, Case, Callable[[], Any]]]:
    for output, value in _VALUES:
        yield "emit", {"output": output, "value": value}, partial(_emitted, view, output, value)
    for to, input_id in _SENDS:
        for output, value in (("words", "hello"), ("tasks", [{"text": "one"}])):
            given = {"output": output, "value": value, "to": to, "input": input_id}
            yield "send", given, partial(_sent, view, output, value, to, input_id)
    for to, input_id, value in _QUESTIONS:
        yield "ask", {"to": to, "input": input_id, "value": value}, partial(_asked, view, to, input_id, value)
    for source, output in _READS:
        yield "read", {"from": source, "output": output}, partial(_readable, view, source, output)


def _emitted(view: CardView, output: str, value: Any) -> Case:
    routed = deliver(plan_emit(view, view.output(output)), value)
    return {
        "accepted": [_landed(one) for one in routed.accepted],
        "refused": [_landed(one) for one in routed.refused],
        "skipped": [{"peer": one.peer.card_id, "permission": one.permission} for one in routed.skipped],
    }


def _sent(view: CardView, output: str, value: Any, to: str, input_id: str | None) -> Case | None:
    delivery = send(view, view.output(output), value, to, input_id)
    return None if delivery is None else _landed(delivery)


def _asked(view: CardView, to: str, input_id: str, value: Any) -> Case:
    return _landed(ask(view, to, input_id, value))


def _readable(view: CardView, source: str, output: str) -> str:
    return may_read(view, source, output).id


def _landed(delivery: Delivery) -> Case:
    return {"peer": delivery.peer.card_id, "input": delivery.input.id, "data": delivery.landed.data}
