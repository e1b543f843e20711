"""Routing and conversion through the service, against the rules written out plainly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardloom.core.bus import Bus, Event, card_topic
from cardloom.core.clock import VirtualClock
from cardloom.core.grants import Grants
from cardloom.core.graph import Graph
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard, PutWorkspace, Workspace
from cardloom.features.ports.activity import Activity
from cardloom.features.ports.picking import pick, type_of
from cardloom.features.ports.service import PortLimits, PortsService
from cardloom.features.ports.stage import MemoryLedger
from cardloom.host.accelerator import check_value as fast_check
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, ConnectionId, PackageId, WorkspaceId
from cardloom_protocol.ports import PortInfo, check_value, coerce, coercion

HOME = WorkspaceId("w_1")
SENDER = CardId("c_0")
PACKAGE = PackageId("p")

_types = st.sampled_from(
    ["ns:text", "ns:markdown", "ns:number", "ns:tasks", "ns:json", "ns:any", "ns:trigger", "own/type"]
)
_inputs = st.lists(
    st.builds(
        PortInfo,
        id=st.sampled_from(["a", "b", "c"]),
        label=st.just("L"),
        type=_types,
        mode=st.sampled_from(["stream", "stream", "request"]),
        default=st.booleans(),
        permission=st.sampled_from([None, None, "cards.connected"]),
        schema=st.sampled_from([None, None, {"maxLength": 3}, {"maximum": 5}, {"maxItems": 1}]),
    ),
    max_size=3,
    unique_by=lambda port: port.id,
)
_peers = st.lists(
    st.tuples(
        _inputs,
        st.sampled_from(["forward", "backward", "both"]),
        st.booleans(),  # pending
        st.booleans(),  # paused
        st.booleans(),  # connected
    ),
    max_size=5,
)
_sent = st.sampled_from(
    [
        ("ns:text", "one\ntwo"),
        ("ns:text", ""),
        ("ns:markdown", "- [x] a"),
        ("ns:number", 7),
        ("ns:number", 1.0),
        ("ns:tasks", [{"text": "a"}, {"text": "b", "status": "done"}]),
        ("ns:json", {"a": [1]}),
        ("own/type", None),
        ("ns:trigger", {}),
    ]
)


class Scene:
    """A sender and its peers without a server; every peer's program is a list of what came."""

    def __init__(self, output: PortInfo, peers: list[Any], granted: frozenset[str]) -> None:
        self.graph, self.bus, self.grants, self.clock = Graph(), Bus(), Grants(), VirtualClock()
        self.got: dict[str, list[Event]] = {}
        sender = Card(SENDER, HOME, "custom", 0, 0, 1, 1, 0, 0, outputs=(output,))
        self.graph.apply(HOME, [PutWorkspace(Workspace(HOME, "W", "/", 0)), PutCard(sender)])
        self.grants.bind(SENDER, HOME, PACKAGE)
        self.grants.set(HOME, PACKAGE, granted)
        for number, (inputs, direction, pending, paused, connected) in enumerate(peers, start=1):
            card = Card(CardId(f"c_{number}"), HOME, "custom", 0, 0, 1, 1, 0, 0, inputs=tuple(inputs))
            arrow = Arrow(
                ArrowId(f"a_{number}"), HOME, SENDER, card.id, direction, DrawnBy(), 0, number, pending, paused
            )
            self.graph.apply(HOME, [PutCard(card), PutArrow(arrow)])
            if connected:
                self._connect(card.id)
        self.ledger = MemoryLedger()
        activity = Activity(self.graph, self.bus, self._store)
        self.ports = PortsService(
            self.graph, self.grants, self.bus, self.clock, self.ledger, activity, {}, check=fast_check
        )

    def _connect(self, card_id: CardId) -> None:
        connection = ConnectionId(f"n_{card_id}")
        got = self.got[card_id] = []
        self.bus.attach(connection, got.append)
        self.bus.follow(connection, card_topic(card_id))

    async def _store(self, _arrows: Any) -> None:
        return None


def chosen(output: PortInfo, inputs: list[PortInfo]) -> PortInfo | None:
    """The input that the specification names: default, else exact type, else first compatible."""
    fitting = [port for port in inputs if port.mode == "stream" and coercion(output.type, port.type)]
    defaults = [port for port in fitting if port.default]
    exact = [port for port in fitting if port.type == output.type]
    return next(iter([*defaults, *exact, *fitting]), None)


@settings(max_examples=300, deadline=None)
@given(_sent, _peers, st.sampled_from([frozenset(), frozenset(["cards.connected"])]))
def test_exactly_those_get_a_value_whom_the_rules_name(sent: Any, peers: list[Any], granted: frozenset[str]) -> None:
    type_, value = sent
    output = PortInfo("out", "Out", type_)
    scene = Scene(output, peers, granted)
    expected: dict[str, tuple[str, Any]] = {}
    for number, (inputs, direction, pending, paused, connected) in enumerate(peers, start=1):
        port = chosen(output, inputs)
        if direction == "backward" or pending or paused or not connected or port is None:
            continue
        if port.permission is not None and port.permission not in granted:
            continue
        data = coerce(type_, port.type, value)
        if not check_value(port, data):
            expected[f"c_{number}"] = (port.id, data)
    delivered = asyncio.run(scene.ports.emit(SENDER, "out", value))
    got = {
        card_id: [(event.data["input"], event.data["data"]) for event in events]
        for card_id, events in scene.got.items()
        if events
    }
    assert got == {card_id: [what] for card_id, what in expected.items()}
    assert delivered == len(expected)
    accepted = [entry.to_card for entry, _ in scene.ledger.written if entry.outcome == "accepted"]
    assert accepted == list(expected)
    # Everyone downstream has a line in the journal, but those behind a paused arrow whom it would not reach anyway.
    written = {entry.to_card for entry, _ in scene.ledger.written}
    for number, (_, direction, pending, paused, _) in enumerate(peers, start=1):
        if direction != "backward" and not pending and not paused:
            assert f"c_{number}" in written
    assert len(written) == len(scene.ledger.written)


@settings(max_examples=200, deadline=None)
@given(_inputs, st.one_of(st.text(max_size=5), st.integers(), st.none(), st.booleans(), st.just([{"text": "a"}])))
def test_what_the_owner_sends_lands_where_it_fits_or_is_refused_by_name(inputs: list[PortInfo], value: Any) -> None:
    card = Card(CardId("c"), HOME, "custom", 0, 0, 1, 1, 0, 0, inputs=tuple(inputs))
    streams = [port for port in inputs if port.mode == "stream"]
    if not any(not check_value(port, value) for port in streams):
        if not any(coercion(type_of(value), port.type) for port in streams):
            with pytest.raises(CallError) as refusal:
                pick(card, value, None, None, check_value)
            assert refusal.value.code is ErrorCode.INVALID_PARAMS
        return
    picked = pick(card, value, None, None, check_value)
    assert picked.port in inputs
    assert picked.port.mode == "stream"
    assert check_value(picked.port, picked.data) == []
    assert picked.data == coerce(picked.source_type, picked.port.type, value)


def test_limits_are_arguments() -> None:
    scene = Scene(PortInfo("out", "Out", "ns:text"), [], frozenset())
    small = PortLimits(message_units=10, per_second=1)
    ports = PortsService(
        scene.graph, scene.grants, scene.bus, scene.clock, scene.ledger, scene.ports.activity, {}, limits=small
    )

    async def talk() -> list[ErrorCode | None]:
        codes: list[ErrorCode | None] = []
        for value in ("x" * 8, "x" * 9, "y"):
            try:
                await ports.emit(SENDER, "out", value, rated=True)
                codes.append(None)
            except CallError as error:
                codes.append(error.code)
        scene.clock.advance(1000)
        await ports.emit(SENDER, "out", "z", rated=True)
        return codes

    assert asyncio.run(talk()) == [None, ErrorCode.TOO_LARGE, ErrorCode.RATE_LIMITED]
