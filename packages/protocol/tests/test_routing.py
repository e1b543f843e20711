"""Where a value goes: what every emit, send, question and read promises."""

import random
from typing import Any

import pytest

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.hosting import (
    CardView,
    PeerView,
    Reason,
    ask,
    check_answer,
    deliver,
    may_read,
    plan_emit,
    send,
)
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.ports import Direction, PeerInfo, PortInfo, check_value, pick_input
from cardloom_protocol.schema import Issue

OUT = PortInfo("out", "Out", "ns:tasks", retain=True)
TEXT = PortInfo("text", "Text", "ns:text")
MARKDOWN = PortInfo("append", "Append", "ns:markdown", permission="cards.connected")
TASKS = PortInfo("add", "Add", "ns:tasks")
SHORT = PortInfo("few", "Few", "ns:tasks", schema={"type": "array", "maxItems": 1})
QUESTION = PortInfo.from_wire(
    {"id": "ask", "type": "ns:text", "mode": "request", "response": {"type": "ns:json"}, "permission": "agents.read"}
)
VALUE: list[JsonValue] = [{"text": "a"}, {"text": "b"}]


def peer(
    card_id: str,
    *inputs: PortInfo,
    outputs: tuple[PortInfo, ...] = (),
    direction: Direction = "downstream",
    effective: frozenset[str] | None = frozenset(),
) -> PeerView:
    return PeerView(PeerInfo(card_id, "custom", card_id, direction, inputs, outputs), effective)


def card(*peers: PeerView, effective: frozenset[str] | None = frozenset(), strict: bool = False) -> CardView:
    return CardView("me", (OUT, TEXT), peers, effective, strict)


def code_of(call: Any, *args: Any, **options: Any) -> tuple[ErrorCode, Any]:
    with pytest.raises(CallError) as caught:
        call(*args, **options)
    return caught.value.code, caught.value.data


def test_a_value_reaches_downstream_peers_in_the_order_of_their_arrows() -> None:
    me = card(
        peer("c", TASKS),
        peer("a", TASKS, direction="both"),
        peer("up", TASKS, direction="upstream"),
        peer("b", TASKS),
    )
    routed = deliver(plan_emit(me, OUT), VALUE)
    assert [delivery.peer.card_id for delivery in routed.accepted] == ["c", "a", "b"]


def test_a_missing_permission_is_skipped_on_emit_and_an_error_on_send() -> None:
    me = card(peer("note", MARKDOWN), peer("todo", TASKS))
    plan = plan_emit(me, OUT)
    assert [target.peer.card_id for target in plan.targets] == ["todo"]
    assert [(skip.peer.card_id, skip.reason, skip.permission) for skip in plan.skipped] == [
        ("note", Reason.SENDER_PERMISSION, "cards.connected")
    ]
    assert code_of(send, me, OUT, VALUE, "note") == (ErrorCode.PERMISSION_DENIED, {"permission": "cards.connected"})
    granted = card(peer("note", MARKDOWN), effective=frozenset({"cards.connected"}))
    assert send(granted, OUT, VALUE, "note") is not None


def test_one_refusing_receiver_does_not_keep_the_value_from_the_others() -> None:
    me = card(peer("few", SHORT), peer("todo", TASKS))
    routed = deliver(plan_emit(me, OUT), VALUE)
    assert [delivery.peer.card_id for delivery in routed.accepted] == ["todo"]
    assert [(refusal.peer.card_id, refusal.landed.issues[0].keyword) for refusal in routed.refused] == [
        ("few", "maxItems")
    ]
    code, data = code_of(send, me, OUT, VALUE, "few")
    assert (code, data[0]["keyword"]) == (ErrorCode.INVALID_PARAMS, "maxItems")


def test_a_value_that_does_not_fit_the_output_goes_nowhere_and_names_the_exact_path() -> None:
    me = card(peer("todo", TASKS))
    code, data = code_of(deliver, plan_emit(me, OUT), [{"text": "a"}, {"text": 5}])
    assert (code, data[0]["path"]) == (ErrorCode.INVALID_PARAMS, "/1/text")
    assert code_of(send, me, OUT, "x", "todo")[0] is ErrorCode.INVALID_PARAMS


def test_sending_names_why_a_peer_cannot_be_reached() -> None:
    me = card(
        peer("up", TASKS, direction="upstream"), peer("todo", TASKS), peer("image", PortInfo("i", "I", "ns:image"))
    )
    assert code_of(send, me, OUT, VALUE, "nobody")[0] is ErrorCode.NOT_CONNECTED
    assert code_of(send, me, OUT, VALUE, "up")[0] is ErrorCode.NOT_CONNECTED
    assert code_of(send, me, OUT, VALUE, "todo", "nothing")[0] is ErrorCode.NOT_FOUND
    assert code_of(send, me, OUT, VALUE, "image", "i")[0] is ErrorCode.INVALID_PARAMS
    assert send(me, OUT, VALUE, "image") is None
    assert code_of(me.output, "nothing")[0] is ErrorCode.NOT_FOUND


def test_built_in_values_need_a_grant_only_for_agents_or_in_a_strict_workspace() -> None:
    text = PortInfo("text", "Text", "ns:markdown", permission="cards.connected")
    screen = PortInfo("exit", "Exit", "ns:event", permission="agents.output")
    inputs = (PortInfo("in", "In", "ns:any"),)

    def reached(output: PortInfo, effective: frozenset[str] | None, strict: bool = False) -> bool:
        built_in = CardView("n", (output,), (peer("me", *inputs, effective=effective),), None, strict)
        return bool(plan_emit(built_in, output).targets)

    assert reached(text, frozenset())
    assert not reached(text, frozenset(), strict=True)
    assert reached(text, frozenset({"cards.connected"}), strict=True)
    assert not reached(screen, frozenset())
    assert reached(screen, frozenset({"agents.output"}))
    assert reached(screen, None)


def test_a_question_goes_along_an_arrow_of_any_direction() -> None:
    me = card(peer("a", QUESTION, TASKS, direction="upstream"), effective=frozenset({"agents.read"}))
    assert ask(me, "a", "ask", "why?").landed.data == "why?"
    assert code_of(ask, me, "b", "ask", "why?")[0] is ErrorCode.NOT_CONNECTED
    assert code_of(ask, me, "a", "nothing", "why?")[0] is ErrorCode.NOT_FOUND
    assert code_of(ask, me, "a", "add", [])[0] is ErrorCode.INVALID_PARAMS
    assert code_of(ask, me, "a", "ask", 5)[0] is ErrorCode.INVALID_PARAMS
    poor = card(peer("a", QUESTION))
    assert code_of(ask, poor, "a", "ask", "why?") == (ErrorCode.PERMISSION_DENIED, {"permission": "agents.read"})
    check_answer(QUESTION, {"because": 1})
    assert code_of(check_answer, QUESTION, "because")[0] is ErrorCode.INVALID_PARAMS


def test_a_question_is_never_asked_by_emit() -> None:
    assert plan_emit(card(peer("a", QUESTION)), TEXT).targets == ()


def test_reading_works_against_the_arrow_with_the_outputs_permission() -> None:
    kept = PortInfo("items", "Items", "ns:tasks", retain=True, permission="cards.connected")
    me = card(peer("todo", outputs=(kept,)), effective=frozenset({"cards.connected"}))
    assert may_read(me, "todo", "items") == kept
    assert code_of(may_read, me, "todo", "nothing")[0] is ErrorCode.NOT_FOUND
    assert code_of(may_read, me, "nobody", "items")[0] is ErrorCode.NOT_CONNECTED
    assert code_of(may_read, card(*me.peers), "todo", "items")[0] is ErrorCode.PERMISSION_DENIED


def some_peers(rng: random.Random) -> list[PeerView]:
    ports = [TEXT, MARKDOWN, TASKS, SHORT, QUESTION, PortInfo("any", "Any", "ns:any"), PortInfo("n", "N", "ns:number")]
    directions: list[Direction] = ["downstream", "upstream", "both"]
    return [
        peer(f"c{number}", *rng.sample(ports, rng.randrange(5)), direction=rng.choice(directions))
        for number in range(rng.randrange(12))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_every_downstream_peer_is_delivered_to_refuses_or_is_skipped_once(seed: int) -> None:
    rng = random.Random(seed)
    peers = some_peers(rng)
    effective = frozenset({"cards.connected"}) if rng.random() < 0.5 else frozenset[str]()
    me = card(*peers, effective=effective)
    checked: list[PortInfo] = []

    def counting(port: PortInfo, value: JsonValue) -> list[Issue]:
        checked.append(port)
        return check_value(port, value)

    routed = deliver(plan_emit(me, OUT), VALUE, counting)
    downstream = [view.info.card_id for view in peers if view.info.receives]
    seen = [delivery.peer.card_id for delivery in routed.accepted + routed.refused]
    seen += [skip.peer.card_id for skip in routed.skipped]
    assert sorted(seen) == sorted(downstream)
    assert len({port.shape for port in checked}) == len(checked)
    for delivery in routed.accepted:
        assert delivery.input == pick_input(OUT.type, delivery.peer.inputs)
        assert check_value(delivery.input, delivery.landed.data) == []
        assert delivery.input.permission is None or delivery.input.permission in effective
        sent = send(me, OUT, VALUE, delivery.peer.card_id)
        assert sent is not None
        assert sent.landed.data == delivery.landed.data


@pytest.mark.parametrize("seed", range(20))
def test_receivers_of_one_kind_share_one_value(seed: int) -> None:
    peers = some_peers(random.Random(seed))
    routed = deliver(plan_emit(card(*peers, effective=None), OUT), VALUE)
    by_shape: dict[tuple[str, str], Any] = {}
    for delivery in routed.accepted:
        landed = by_shape.setdefault(delivery.input.shape, delivery.landed)
        assert delivery.landed is landed
