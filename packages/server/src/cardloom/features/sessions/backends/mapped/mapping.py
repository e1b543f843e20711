"""A mapping file, read and checked: every fault is told with its exact place before anything is asked of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.json_text import JsonObject, is_object, read_json

from .language import Value, check_keys, fail, fields_in, parse_value
from .rules import Rule, parse_rule
from .shapes import MODEL_FIELDS, SESSION_FIELDS, MessageShape, parse_fields, parse_message

VERSION: Final = 1
_CONTENT: Final = {"text", "parts", "role", "name"}
_SESSION: Final = {"sessionId"}
_MESSAGE: Final = {"sessionId", "messageId"}
_RUN: Final = {"sessionId", "runId", "model", "thinking"}

ROUTES: Final[Mapping[str, set[str]]] = {
    "list": {"limit"},
    "create": {"id", "title", "model", "botId", "botName"},
    "get": _SESSION,
    "messages": _SESSION,
    "append": _SESSION | _CONTENT | {"id"},
    "appendSwipe": _MESSAGE | _CONTENT,
    "rename": _SESSION | {"title"},
    "delete": _SESSION,
    "editMessage": _MESSAGE | {"text", "parts"},
    "deleteMessage": _MESSAGE,
    "hideMessage": _MESSAGE | {"hidden"},
    "swipe": _MESSAGE | {"index"},
    "fork": _MESSAGE,
    "models": set(),
    "setModel": _SESSION | {"model", "thinking"},
    "run": _RUN | _CONTENT,
    "regenerate": _RUN | {"messageId"},
    "cancel": {"sessionId", "runId"},
    "answer": {"sessionId", "runId", "askId", "optionId", "text"},
    "events": {"sessionId", "runId"},
}
"""Every route that a mapping may have, with the fields that its templates may ask for."""

_NEEDED: Final = ("list", "create", "get", "messages", "append", "run")
_VERBS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Route:
    """One request to the engine. `result` is where the answer's data stands; None: the answer says nothing."""

    verb: str
    path: str
    body: JsonValue
    result: Value | None


@dataclass(frozen=True, slots=True)
class Events:
    """How runs are heard: what an event's type is, which events are the session's, and what each of them means."""

    rules: tuple[Rule, ...]
    type: Value | None = None
    session: Value | None = None


@dataclass(frozen=True, slots=True)
class EngineMapping:
    """An engine's whole mapping."""

    name: str
    headers: Mapping[str, str]
    error: Value
    session: Mapping[str, Value]
    message: MessageShape
    model: Mapping[str, Value]
    routes: Mapping[str, Route]
    events: Events

    def has(self, *routes: str) -> bool:
        """Whether the engine has all of these routes."""
        return all(name in self.routes for name in routes)


def load_mapping(path: Path) -> EngineMapping:
    """The mapping in a file. MappingError, OSError."""
    try:
        document = read_json(path.read_text("utf-8"))
    except ValueError as error:
        raise fail(path.name, f"this is not JSON ({error})") from None
    return parse_mapping(document)


def parse_mapping(document: JsonValue) -> EngineMapping:
    """The mapping in a document. MappingError."""
    if not is_object(document):
        raise fail("$", "an object is expected")
    check_keys(
        document,
        "$",
        required={"mapping", "name", "session", "message", "routes", "events"},
        optional={"headers", "error", "model", "about"},
    )
    if document["mapping"] != VERSION:
        raise fail("$.mapping", f"{VERSION} is expected")
    name = document["name"]
    if not isinstance(name, str) or not name:
        raise fail("$.name", "a name is expected")
    routes = _routes(document["routes"])
    events = _events(document["events"])
    model = parse_fields(document["model"], "$.model", MODEL_FIELDS, {"id"}) if "model" in document else {}
    if "models" in routes and not model:
        raise fail("$", "model is missing, which the route models needs")
    if "answer" in routes and not any(rule.do == "ask" for rule in events.rules):
        raise fail("$.events.rules", "there is no rule that asks, which the route answer is for")
    return EngineMapping(
        name,
        _headers(document.get("headers", {})),
        parse_value(document.get("error", "error.message"), "$.error"),
        parse_fields(document["session"], "$.session", SESSION_FIELDS, {"id"}),
        parse_message(document["message"], "$.message", name.lower()),
        model,
        routes,
        events,
    )


def _headers(given: JsonValue) -> dict[str, str]:
    if not is_object(given):
        raise fail("$.headers", "an object is expected")
    headers: dict[str, str] = {}
    for name, text in given.items():
        if not isinstance(text, str) or "\n" in text or "\r" in text:
            raise fail(f"$.headers.{name}", "a text of one line is expected")
        if set(fields_in(text)) - {"key"}:
            raise fail(f"$.headers.{name}", "only {key} can stand here")
        headers[name] = text
    return headers


def _routes(given: JsonValue) -> dict[str, Route]:
    if not is_object(given):
        raise fail("$.routes", "an object is expected")
    check_keys(given, "$.routes", required=set(_NEEDED), optional=set(ROUTES))
    return {name: _route(one, f"$.routes.{name}", ROUTES[name]) for name, one in given.items()}


def _route(given: JsonValue, place: str, known: set[str]) -> Route:
    if not is_object(given):
        raise fail(place, "an object is expected")
    check_keys(given, place, required={"verb", "path"}, optional={"body", "result"})
    verb, path = given["verb"], given["path"]
    if verb not in _VERBS or not isinstance(verb, str):
        raise fail(f"{place}.verb", f"one of {', '.join(_VERBS)} is expected")
    if not isinstance(path, str) or not path.startswith("/"):
        raise fail(f"{place}.path", "a path that begins with / is expected")
    body = given.get("body")
    for where, template in (("path", path), ("body", body)):
        for name in fields_in(template):
            if name not in known:
                raise fail(f"{place}.{where}", f"{{{name}}} cannot stand here; {_listed(known)} can")
    result = parse_value(given["result"], f"{place}.result") if "result" in given else None
    return Route(verb, path, body, result)


def _events(given: JsonValue) -> Events:
    if not is_object(given):
        raise fail("$.events", "an object is expected")
    check_keys(given, "$.events", required={"rules"}, optional={"type", "session"})
    rules = given["rules"]
    if not isinstance(rules, list):
        raise fail("$.events.rules", "a list is expected")
    read = tuple(parse_rule(rule, f"$.events.rules.{place}") for place, rule in enumerate(rules))
    if not any(rule.do == "end" for rule in read):
        raise fail("$.events.rules", "no rule ends a run")
    return Events(read, _optional(given, "type"), _optional(given, "session"))


def _optional(given: JsonObject, name: str) -> Value | None:
    return parse_value(given[name], f"$.events.{name}") if name in given else None


def _listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "nothing"
