"""The table of the session protocol's operations: whole, without two meanings, and the same for both sides of HTTP."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from cardloom_protocol.session import SESSION_CALLS, BadRequest, InvalidId, SessionCall, SessionError, checked
from cardloom_protocol.session.calls import KINDS
from cardloom_protocol.session.requesting import request_of

CALLS = list(SESSION_CALLS.values())


def shape_of(call: SessionCall) -> tuple[str, ...]:
    """The path without the names of its fields."""
    return tuple("{}" if segment.startswith("{") else segment for segment in call.segments)


def test_no_two_operations_have_the_same_verb_and_path() -> None:
    assert len({(call.verb, shape_of(call)) for call in CALLS}) == len(CALLS)


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_a_row_says_all_there_is_to_say(call: SessionCall) -> None:
    assert call.doc.endswith(".")
    in_path = {segment[1:-1] for segment in call.segments if segment.startswith("{")}
    assert in_path == {name for name, field in call.fields.items() if field.place == "path"}
    assert all(call.fields[name].required for name in in_path)
    assert all(field.kind in KINDS for field in call.fields.values())
    if call.verb in ("GET", "DELETE"):
        assert all(field.place in ("path", "query") for field in call.fields.values())


def nested(levels: int) -> Any:
    """An object that many levels deep."""
    value: Any = {}
    for _ in range(levels - 1):
        value = {"x": value}
    return value


def sample(kind: str) -> Any:
    """A value of a kind."""
    return {
        "id": "a-1",
        "key": "a/b é?#%",
        "text": "x & y",
        "content": b"\x00x",
        "bool": True,
        "count": 3,
        "limit": 5,
        "object": {"a": [1]},
        "texts": ["a"],
        "any": None,
        "parts": [{"type": "text", "text": "x"}],
        "model": {"model": "m"},
        "profile": "p",
        "assetName": "a b.png",
        "role": "user",
        "view": "thread",
        "dir": "next",
        "catalog": "tools",
    }[kind]


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_what_a_client_sends_is_what_a_server_reads(call: SessionCall) -> None:
    given = {name: sample(field.kind) for name, field in call.fields.items()}
    request = request_of(call, given)
    where = urlsplit(request.path)
    path = [unquote(segment) for segment in where.path.strip("/").split("/")]
    read: dict[str, Any] = {name[1:-1]: part for name, part in zip(call.segments, path, strict=True) if name[0] == "{"}
    query = parse_qs(where.query)
    places = {field.place for field in call.fields.values()}
    body = json.loads(request.body) if request.body is not None and "raw" not in places else {}
    for name, field in call.fields.items():
        match field.place:
            case "query":
                read[name] = query[name][0]
            case "if-match":
                read[name] = request.headers["if-match"].strip('"')
            case "content-type":
                read[name] = request.headers["content-type"]
            case "raw":
                read[name] = request.body
            case "whole":
                read[name] = body
            case "body":
                read[name] = body[name]
    assert checked(call, read) == {name: value for name, value in given.items() if value is not None or name in read}


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("get", {}, BadRequest),
        ("get", {"sessionId": None}, BadRequest),
        ("get", {"sessionId": "../x"}, InvalidId),
        ("get", {"sessionId": "a\n"}, InvalidId),
        ("list", {"limit": 0}, BadRequest),
        ("list", {"limit": 1001}, BadRequest),
        ("list", {"limit": True}, BadRequest),
        ("list", {"limit": 1.5}, BadRequest),
        ("list", {"limit": "٣"}, BadRequest),
        ("append", {"sessionId": "s", "role": "system"}, BadRequest),
        ("append", {"sessionId": "s", "parts": [{"type": ""}]}, BadRequest),
        ("append", {"sessionId": "s", "flags": []}, BadRequest),
        ("append", {"sessionId": "s", "swipeOf": None, "parentId": 1}, BadRequest),
        ("setModel", {"sessionId": "s"}, BadRequest),
        ("run", {"sessionId": "s", "model": {"model": 1}}, BadRequest),
        ("run", {"sessionId": "s", "model": {"model": "m", "thinking": 1}}, BadRequest),
        ("setProfile", {"sessionId": "s", "profile": {"id": "x"}}, BadRequest),
        ("answer", {"runId": "r", "askId": "a", "optionIds": "x"}, BadRequest),
        ("putAsset", {"sessionId": "s", "name": "a/b", "content": b""}, InvalidId),
        ("catalog", {"kind": "spells"}, BadRequest),
        ("deleteMessage", {"sessionId": "s", "messageId": ".."}, InvalidId),
        ("deleteMessage", {"sessionId": "s", "messageId": "."}, InvalidId),
        ("swipe", {"sessionId": "s", "messageId": "m", "index": inf}, BadRequest),
        ("swipe", {"sessionId": "s", "messageId": "m", "index": nan}, BadRequest),
        ("setMeta", {"sessionId": "s", "document": nested(500)}, BadRequest),
        ("append", {"sessionId": "s", "parts": [{"type": "later", "x": nested(500)}]}, BadRequest),
    ],
)
def test_a_wrong_field_is_refused_by_name(name: str, given: dict[str, Any], error: type[SessionError]) -> None:
    with pytest.raises(error):
        checked(SESSION_CALLS[name], given)


def test_unknown_fields_are_left_out_and_null_counts_where_it_means_something() -> None:
    given = {"sessionId": "s", "text": "x", "parentId": None, "swipeOf": None, "later": 1}
    assert checked(SESSION_CALLS["append"], given) == {"sessionId": "s", "text": "x", "parentId": None}


@pytest.mark.parametrize("step", [".", ".."])
def test_no_field_makes_a_path_that_leads_elsewhere(step: str) -> None:
    with pytest.raises(InvalidId):
        request_of(SESSION_CALLS["deleteMessage"], {"sessionId": "s", "messageId": step})


def test_any_text_makes_a_request_that_can_be_sent() -> None:
    given = {"sessionId": "s", "messageId": "\ud800/..", "text": "\ud800", "ifMatch": "a\r\nb: é"}
    request = request_of(SESSION_CALLS["editMessage"], given)
    assert request.path == "/sessions/s/messages/%3F%2F.."
    assert request.headers["if-match"] == '"a??b: ?"'
    assert request.body == b'{"text":"\\ud800"}'
    assert request_of(SESSION_CALLS["files"], {"path": "\ud800é"}).path == "/workspace/files?path=%3F%C3%A9"
