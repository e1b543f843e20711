"""Mapping files: what is wrong is told with its exact place, before the engine is asked anything."""

from __future__ import annotations

import copy
import json
from math import inf
from pathlib import Path
from typing import Any

import httpx
import pytest

from cardloom.features.sessions.backends.mapped.backend import MappedBackend
from cardloom.features.sessions.backends.mapped.engine import Engine
from cardloom.features.sessions.backends.mapped.language import MISSING, MappingError, filled, filled_path, parse_value
from cardloom.features.sessions.backends.mapped.mapping import load_mapping, parse_mapping
from cardloom_protocol.session import BadRequest, SessionError

EXAMPLES = Path(__file__).parents[5] / "examples" / "backends"


def changed(*path: str | int, to: Any) -> Any:
    """The mapping of Marinara with one place changed; None removes it."""
    document = json.loads((EXAMPLES / "marinara.json").read_text())
    here = document
    for step in path[:-1]:
        here = here[step]
    if to is None:
        del here[path[-1]]
    else:
        here[path[-1]] = to
    return document


@pytest.mark.parametrize("name", ["dreams", "marinara"])
def test_the_examples_are_mappings(name: str) -> None:
    assert load_mapping(EXAMPLES / f"{name}.json").name.lower() == name


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([], "$: an object"),
        (changed("mapping", to=2), "$.mapping: 1 is expected"),
        (changed("name", to=""), "$.name: a name"),
        (changed("routes", "run", to=None), "$.routes: run is missing"),
        (changed("routes", "dance", to={}), "$.routes.dance: there is no such entry"),
        (changed("routes", "run", "verb", to="SEND"), "$.routes.run.verb: one of GET"),
        (changed("routes", "run", "path", to="api"), "$.routes.run.path: a path that begins with /"),
        (changed("routes", "run", "body", to={"x": "{askId}"}), "$.routes.run.body: {askId} cannot stand here"),
        (changed("session", "id", to=None), "$.session: id is missing"),
        (changed("session", "title", to=7), "$.session.title: a path or an object"),
        (changed("session", "title", to={"unit": "h"}), "$.session.title.unit: ms or s"),
        (changed("message", "role", to=None), "$.message: role is missing"),
        (changed("message", "parts", "kinds", "picture", "type", to="film"), "$.message.parts.kinds.picture.type"),
        (changed("events", "rules", to={}), "$.events.rules: a list"),
        (changed("events", "rules", 6, to=None), "$.events.rules: no rule ends a run"),
        (changed("events", "rules", 3, "do", to="sing"), "$.events.rules.3.do: one of message"),
        (changed("events", "rules", 3, "text", to=None), "$.events.rules.3: text is missing"),
        (changed("events", "rules", 3, "txet", to="data"), "$.events.rules.3.txet: there is no such entry"),
        (changed("headers", to={"x": "{sessionId}"}), "$.headers.x: only {key}"),
        (changed("headers", to={"x": "a\nb"}), "$.headers.x: a text of one line"),
    ],
)
def test_a_fault_is_told_with_its_place(document: Any, place: str) -> None:
    with pytest.raises(MappingError) as fault:
        parse_mapping(copy.deepcopy(document))
    assert str(fault.value).startswith(place)


def test_a_file_that_is_no_json_is_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(MappingError, match=r"bad\.json"):
        load_mapping(tmp_path / "bad.json")


def test_values_are_found_translated_and_timed() -> None:
    document: Any = {"a": {"b": [{"c": 5}]}, "n": None, "role": "char", "at": 1500, "flag": True}
    assert parse_value("a.b.0.c", "$").of(document) == 5
    assert parse_value("", "$").of(document) == document
    for path in ("a.b.1.c", "a.c", "a.b.x", "role.x"):
        assert parse_value(path, "$").of(document) is MISSING
    assert parse_value({"from": "role", "values": {"char": "assistant"}}, "$").of(document) == "assistant"
    assert parse_value({"from": "role", "values": {"x": "y"}, "else": "z"}, "$").of(document) == "z"
    assert parse_value({"from": "flag", "values": {"true": "yes"}}, "$").of(document) == "yes"
    assert parse_value({"from": "n", "else": 1}, "$").of(document) == 1
    assert parse_value({"is": "fixed"}, "$").of(document) == "fixed"
    assert parse_value({"from": "at", "unit": "ms"}, "$").of(document) == "1970-01-01T00:00:01.500Z"
    assert parse_value("a.b", "$").text(document) == '[{"c":5}]'


def test_templates_keep_kinds_and_leave_out_what_is_not_given() -> None:
    fields: Any = {"text": "hi", "index": 3, "parts": [1], "sessionId": "a/b ü"}
    template: Any = {"a": "{text}", "b": "<{text}>", "c": "{index}", "d": ["{parts}", "{gone}"], "e": "{gone}", "f": 1}
    assert filled(template, fields) == {"a": "hi", "b": "<hi>", "c": 3, "d": [[1]], "f": 1}
    assert filled_path("/s/{sessionId}/x", fields) == "/s/a%2Fb%20%C3%BC/x"


def test_a_field_stays_in_its_segment_whatever_it_is() -> None:
    for step in (".", ".."):
        with pytest.raises(BadRequest):
            filled_path("/s/{sessionId}/x", {"sessionId": step})
    assert filled_path("/s/{sessionId}/x", {"sessionId": "\ud800"}) == "/s/%3F/x"


@pytest.mark.parametrize("number", [inf, -inf, 1e300, 10**300])
def test_a_number_that_is_no_time_is_missing(number: float) -> None:
    assert parse_value({"from": "t", "unit": "s"}, "$").of({"t": number}) is MISSING


async def test_an_engine_is_sent_half_a_character_escaped_and_its_nameless_models_are_left_out() -> None:
    sent: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, content=b'{"minds": [{"label": "nameless"}, {"id": "deep"}]}')

    mapping = load_mapping(EXAMPLES / "dreams.json")
    backend = MappedBackend(Engine(mapping, "http://engine.test", transport=httpx.MockTransport(handle)))
    assert backend.models is not None
    assert [model["id"] for model in await backend.models.list()] == ["deep"]
    with pytest.raises(SessionError):  # the engine gives no session back
        await backend.sessions.rename("s", "half \ud800")
    assert any(rb"half \ud800" in request.content for request in sent)
    await backend.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx.ConnectError("no"), "engine_unreachable"),
        (httpx.ReadTimeout("slow"), "engine_unreachable"),
        (httpx.Response(200, text="<html>"), "engine_garbled"),
        (httpx.Response(200, json={"chats": []}), "engine_garbled"),
        (httpx.Response(500, text="oops"), "engine_refused"),
        (httpx.Response(404, json={"error": "gone"}), "not_found"),
        (httpx.Response(422, json={"error": "bad"}), "bad_request"),
    ],
)
async def test_an_engine_that_misbehaves_is_an_error_with_a_code(answer: Any, code: str) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        found: httpx.Response = answer
        return found

    mapping = load_mapping(EXAMPLES / "marinara.json")
    backend = MappedBackend(Engine(mapping, "http://engine.test", transport=httpx.MockTransport(handle)))
    with pytest.raises(SessionError) as refusal:
        await backend.sessions.list()
    assert refusal.value.code == code
    await backend.close()
