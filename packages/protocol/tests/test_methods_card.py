"""The cards' method and event tables against the recorded contract."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.methods_card import CARD_EVENTS, CARD_METHODS, CARD_TOPICS
from cardloom_protocol.permissions import PERMISSIONS

VECTORS = Path(__file__).parents[3] / "tests" / "vectors" / "cards"
RECORDED_METHODS: dict[str, dict[str, Any]] = json.loads((VECTORS / "methods.json").read_text("utf-8"))["methods"]
RECORDED_EVENTS: dict[str, Any] = json.loads((VECTORS / "events.json").read_text("utf-8"))


def test_the_methods_stand_in_the_published_order() -> None:
    assert list(CARD_METHODS) == list(RECORDED_METHODS)


@pytest.mark.parametrize("name", list(RECORDED_METHODS))
def test_a_method_row_is_what_the_contract_says(name: str) -> None:
    row, recorded = CARD_METHODS[name], RECORDED_METHODS[name]
    assert row.params_schema == recorded["params"]
    assert {
        "permissionsAnyOf": list(row.permissions_any_of) or None,
        "perMinute": row.per_minute,
        "minIntervalMs": row.min_interval_ms,
        "visible": row.visible,
        "largeRequest": row.large_request,
        "largeResponse": row.large_response,
        "beforeReady": row.before_ready,
    } == {key: value for key, value in recorded.items() if key != "params"}


def test_every_arrow_parameter_is_a_required_parameter_of_its_method() -> None:
    for row in CARD_METHODS.values():
        if row.needs_arrow is not None:
            assert row.needs_arrow in row.params_schema["required"], row.name


def test_every_named_permission_exists() -> None:
    named = {id_ for row in CARD_METHODS.values() for id_ in row.permissions_any_of}
    named |= {row.permission for row in CARD_EVENTS.values() if row.permission is not None}
    assert named <= set(PERMISSIONS)


def test_a_row_passes_any_one_of_its_permissions() -> None:
    fetch = CARD_METHODS["net.fetch"]
    assert fetch.allowed(frozenset({"network.local"}))
    assert not fetch.allowed(frozenset({"fs.read"}))
    assert CARD_METHODS["ports.emit"].allowed(frozenset())


def test_the_events_and_topics_are_those_of_the_contract() -> None:
    assert list(CARD_EVENTS) == RECORDED_EVENTS["events"]
    topics = {row.name: row.permission for row in CARD_EVENTS.values() if row.topic}
    assert topics == {topic["topic"]: topic["permission"] for topic in RECORDED_EVENTS["topics"]}
    assert set(CARD_TOPICS) == set(topics)
    buffered = {row.name for row in CARD_EVENTS.values() if row.buffered}
    assert buffered == set(RECORDED_EVENTS["bufferedWithoutListener"])
