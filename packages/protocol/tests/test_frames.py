"""Envelopes: what is written can be read, and what cannot be read is named."""

import json
from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode
from cardloom_protocol.frames import (
    ABSENT,
    LARGE_REQUEST_METHODS,
    ErrorResponse,
    Event,
    Malformed,
    Request,
    Response,
    default_dumps,
    default_loads,
    encode_connect,
    encode_error,
    encode_event,
    encode_event_text,
    encode_request,
    encode_result,
    is_connect_message,
    parse_incoming,
    parse_request,
)
from cardloom_protocol.methods import METHODS

VALUES: list[Any] = [None, True, 0, -1.5, "", "\u00e9\U0001f600", "\ud800", [], {}, [{"a": [None]}], "\u2028"]


@pytest.mark.parametrize("ns", ["nscard", "cardloom"])
@pytest.mark.parametrize("value", [ABSENT, *VALUES])
def test_a_written_envelope_is_read_back_as_it_was(ns: Any, value: Any) -> None:
    request = Request(7, "ports.emit", value)
    assert parse_request(default_loads(encode_request(request, ns)), ns) == request
    assert parse_incoming(default_loads(encode_result(7, value, ns)), ns) == Response(7, value)
    assert parse_incoming(default_loads(encode_event(Event("ui.menu", value), ns)), ns) == Event("ui.menu", value)


@pytest.mark.parametrize("data", VALUES)
def test_a_refusal_is_read_back_as_it_was(data: Any) -> None:
    refusal = ErrorResponse(3, "BUSY", "The agent works.", data)
    assert parse_incoming(default_loads(encode_error(refusal))) == refusal


def test_an_event_may_carry_data_that_was_encoded_before() -> None:
    assert encode_event_text("ports.message", "[1]") == encode_event(Event("ports.message", [1]))


def test_null_data_of_a_refusal_is_left_out() -> None:
    assert "data" not in json.loads(encode_error(ErrorResponse(3, "BUSY", "x")))["error"]


def test_an_envelope_of_another_namespace_is_none_of_ours() -> None:
    raw = default_loads(encode_request(Request(1, "host.ready"), "cardloom"))
    parsed = parse_request(raw, "nscard")
    assert isinstance(parsed, Malformed)
    assert (parsed.id, parsed.error.code) == (1, ErrorCode.BAD_REQUEST)
    assert parse_incoming(default_loads(encode_event(Event("a.b"), "cardloom")), "nscard") is None


def test_missing_params_read_as_none_given() -> None:
    assert Request(1, "theme.get").given == {}
    assert Request(1, "theme.get", None).given is None


def test_a_refusal_with_a_code_of_a_newer_host_keeps_it() -> None:
    known = ErrorResponse(1, "BUSY", "m", {"a": 1}).to_error()
    assert (known.code, known.data) == (ErrorCode.BUSY, {"a": 1})
    unknown = ErrorResponse(1, "SHINY", "m").to_error()
    assert (unknown.code, unknown.data) == (ErrorCode.INTERNAL, {"code": "SHINY", "data": None})


def test_a_refusal_without_a_reason_is_still_a_refusal() -> None:
    parsed = parse_incoming({"ns": "nscard", "v": 1, "kind": "res", "id": 4, "ok": False})
    assert isinstance(parsed, ErrorResponse)
    assert (parsed.id, parsed.code) == (4, "INTERNAL")


def test_the_large_methods_are_those_of_the_table() -> None:
    rows = [row for table in METHODS.values() for row in table.values()]
    assert {row.name for row in rows if row.large_request} == LARGE_REQUEST_METHODS


def test_a_small_limit_is_the_callers_to_set() -> None:
    raw = default_loads(encode_request(Request(1, "ports.emit", {"data": "x" * 100})))
    parsed = parse_request(raw, max_units=100)
    assert isinstance(parsed, Malformed)
    assert parsed.error.code is ErrorCode.TOO_LARGE


def test_the_offer_of_a_port_is_recognised() -> None:
    assert is_connect_message(encode_connect())


@pytest.mark.parametrize("text", ["NaN", "Infinity", "[-Infinity]", "{", ""])
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        default_loads(text)


def test_a_value_that_is_not_json_is_not_written() -> None:
    with pytest.raises(ValueError):
        default_dumps(float("nan"))
