"""What the gate asks of a card and not of the owner."""

from __future__ import annotations

import pytest

from cardloom.core.clock import VirtualClock
from cardloom.core.grants import Grants
from cardloom.core.graph import Graph
from cardloom.core.presence import Presence
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard
from cardloom.dispatch.gate import Gate
from cardloom_protocol.callers import Caller, CallerKind
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ArrowId, CardId, ConnectionId, PackageId, WorkspaceId
from cardloom_protocol.jstext import JsonValue

HOME = WorkspaceId("w")
RADAR, SHELL = CardId("radar"), CardId("shell")
PACKAGE = PackageId("file:radar")
RUN: JsonValue = {"agentId": "shell", "command": "true"}
CARD = Caller(CallerKind.CARD, ConnectionId("n1"), card_id=RADAR, workspace_id=HOME)
OWNER = Caller(CallerKind.OWNER, ConnectionId("n2"))


class World:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.graph, self.grants = Graph(), Grants()
        self.gate = Gate(self.graph, self.grants, Presence(), self.clock)
        for card_id, kind in ((RADAR, "custom"), (SHELL, "terminal")):
            self.graph.apply(HOME, [PutCard(Card(card_id, HOME, kind, 0, 0, 100, 100, 1, 0))])
        self.grants.bind(RADAR, HOME, PACKAGE)

    def grant(self, *permissions: str) -> None:
        self.grants.set(HOME, PACKAGE, permissions)

    def draw(self, *, pending: bool = False) -> None:
        arrow = Arrow(ArrowId("a"), HOME, RADAR, SHELL, "forward", DrawnBy(), 0, 1, pending=pending)
        self.graph.apply(HOME, [PutArrow(arrow)])

    def refusal(self, method: str, params: JsonValue, caller: Caller = CARD, *, ready: bool = True) -> CallError:
        with pytest.raises(CallError) as refused:
            self.gate.admit(method, params, caller, ready=ready)
        return refused.value


def test_the_questions_are_asked_in_order_and_each_refusal_says_its_own() -> None:
    world = World()
    assert world.refusal("terminals.run", {}, ready=False).code is ErrorCode.NOT_READY
    assert world.refusal("no.such", {}).code is ErrorCode.METHOD_NOT_FOUND
    assert world.refusal("terminals.run", {}).code is ErrorCode.INVALID_PARAMS
    denied = world.refusal("terminals.run", RUN)
    assert (denied.code, denied.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "terminals.write"})
    world.grant("terminals.write")
    assert world.refusal("terminals.run", RUN).code is ErrorCode.NOT_CONNECTED
    world.draw(pending=True)
    assert world.refusal("terminals.run", RUN).code is ErrorCode.NOT_CONNECTED
    world.draw()
    world.gate.admit("terminals.run", RUN, CARD, ready=True)
    world.grant()
    assert world.refusal("terminals.run", RUN).code is ErrorCode.PERMISSION_DENIED


def test_only_accepted_calls_count_and_a_new_connection_starts_no_new_count() -> None:
    world = World()
    world.draw()
    for _ in range(40):
        assert world.refusal("terminals.run", RUN).code is ErrorCode.PERMISSION_DENIED
    world.grant("terminals.write")
    again = Caller(CallerKind.CARD, ConnectionId("n9"), card_id=RADAR, workspace_id=HOME)
    for number in range(30):
        world.gate.admit("terminals.run", RUN, again if number % 2 else CARD, ready=True)
    limited = world.refusal("terminals.run", RUN, again)
    assert (limited.code, limited.data) == (ErrorCode.RATE_LIMITED, {"retryAfterMs": 60_000})
    world.clock.advance(60_000)
    world.gate.admit("terminals.run", RUN, again, ready=True)


def test_the_owner_needs_no_permission_no_arrow_and_no_patience() -> None:
    world = World()
    for _ in range(100):
        world.gate.admit("terminals.run", RUN, OWNER, ready=True)
    assert world.refusal("terminals.run", {}, OWNER).code is ErrorCode.INVALID_PARAMS
    assert world.refusal("ports.emit", {}, OWNER).code is ErrorCode.METHOD_NOT_FOUND


@pytest.mark.parametrize("kind", [CallerKind.AGENT, CallerKind.SESSION])
def test_agents_and_chat_front_ends_call_nothing_here(kind: CallerKind) -> None:
    caller = Caller(kind, ConnectionId("n"))
    for method in ("workspace.list", "grant.set", "ports.emit", "host.ready"):
        assert World().refusal(method, {}, caller).code is ErrorCode.METHOD_NOT_FOUND


def test_a_card_never_reaches_the_canvas_methods() -> None:
    for method in ("workspace.list", "grant.set", "client.hello", "dialog.answer"):
        assert World().refusal(method, {}).code is ErrorCode.METHOD_NOT_FOUND
