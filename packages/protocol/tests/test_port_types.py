"""Port types and the port record against the recorded contract."""

import json
from pathlib import Path
from typing import Any

from cardloom_protocol.ports import PORT_TYPES, PeerInfo, PortInfo, check_value, is_custom_type, is_port_type

VECTORS = Path(__file__).parents[3] / "tests" / "vectors" / "cards"
RECORDED: dict[str, Any] = json.loads((VECTORS / "port_types.json").read_text("utf-8"))

LOOKUP: dict[str, Any] = {
    "id": "lookup",
    "label": "Look up",
    "description": "Finds things.",
    "type": "ns:text",
    "schema": {"maxLength": 5},
    "mode": "request",
    "response": {"type": "ns:json", "schema": {"type": "array"}},
    "retain": False,
    "default": True,
    "permission": "cards.connected",
}


def test_the_types_and_their_schemas_are_those_of_the_contract() -> None:
    assert list(PORT_TYPES) == RECORDED["order"]
    assert dict(PORT_TYPES) == RECORDED["types"]


def test_own_types_are_two_lower_case_names() -> None:
    assert is_custom_type("test-radar/coverage")
    assert is_port_type("ns:text")
    for name in ("ns:unknown", "a/b/c", "A/b", "/b", "a/", "-a/b", "a/b\n", "a" * 49 + "/b"):
        assert not is_port_type(name), name


def test_a_port_survives_the_wire() -> None:
    assert PortInfo.from_wire(LOOKUP).to_wire() == LOOKUP


def test_what_a_port_does_not_give_is_left_out() -> None:
    plain = {"id": "a", "label": "A", "type": "ns:any", "mode": "stream", "retain": False, "default": False}
    assert PortInfo("a", "A", "ns:any").to_wire() == plain


def test_a_peer_survives_the_wire() -> None:
    wire = {
        "cardId": "c1",
        "kind": "custom",
        "name": "Radar",
        "type": "test-radar",
        "direction": "both",
        "inputs": [LOOKUP],
        "outputs": [],
    }
    peer = PeerInfo.from_wire(wire)
    assert peer.to_wire() == wire
    assert peer.input("lookup") is not None
    assert peer.input("nothing") is None
    assert peer.output("lookup") is None


def test_two_ports_share_a_shape_when_they_take_the_same_values() -> None:
    one = PortInfo("a", "A", "ns:text", schema={"minLength": 1, "maxLength": 5})
    two = PortInfo("b", "B", "ns:text", schema={"maxLength": 5, "minLength": 1}, default=True)
    assert one.shape == two.shape
    assert one.shape != PortInfo("a", "A", "ns:text").shape
    assert one.shape != PortInfo("a", "A", "ns:markdown", schema=one.schema).shape


def test_a_value_must_fit_the_type_and_the_ports_own_schema() -> None:
    port = PortInfo("a", "A", "ns:tasks", schema={"type": "array", "maxItems": 1})
    assert check_value(port, [{"text": "x"}]) == []
    assert [(issue.path, issue.keyword) for issue in check_value(port, [{"text": 5}])] == [("/0/text", "type")]
    assert [(issue.path, issue.keyword) for issue in check_value(port, [{"text": "x"}] * 2)] == [("", "maxItems")]


def test_an_own_type_is_checked_by_its_ports_schema_alone() -> None:
    port = PortInfo("a", "A", "my-card/thing", schema={"type": "integer"})
    assert check_value(port, 5) == []
    assert [issue.keyword for issue in check_value(port, "5")] == ["type"]


def test_an_answer_is_checked_by_the_declared_response() -> None:
    answer = PortInfo.from_wire(LOOKUP).answer_port()
    assert check_value(answer, []) == []
    assert [issue.keyword for issue in check_value(answer, {})] == ["type"]


def test_schemas_that_python_takes_for_equal_stay_two_schemas() -> None:
    one = PortInfo("a", "A", "ns:any", schema={"const": 1})
    true = PortInfo("a", "A", "ns:any", schema={"const": True})
    assert one != true
    assert (check_value(one, 1), check_value(true, True)) == ([], [])
    assert [issue.keyword for issue in check_value(true, 1)] == ["const"]
