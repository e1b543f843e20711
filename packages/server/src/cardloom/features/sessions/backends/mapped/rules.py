"""What each of an engine's events means: the first rule that fits says it, an event without a rule means nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.events import AskOption
from cardloom_protocol.session.json_text import JsonObject, is_object

from .language import MISSING, Value, check_keys, fail, parse_path, parse_value
from .shapes import PART_FIELDS, PartShape

_TEXT: Final = {"text", "part"}
FIELDS: Final[Mapping[str, set[str]]] = {
    "message": {"id", "role", "name"},
    "text": _TEXT,
    "thinking": _TEXT,
    "tool_use": PART_FIELDS,
    "tool_result": PART_FIELDS,
    "image": PART_FIELDS,
    "file": PART_FIELDS,
    "ask": {"askId", "title", "text", "kind", "callId", "optionId", "optionLabel", "optionKind"},
    "settle": {"askId", "optionId"},
    "activity": {"text", "kind", "progress"},
    "session": {"title"},
    "usage": {"input", "output"},
    "end": {"reason"},
    "error": {"message", "code"},
    "ignore": set(),
}
"""What a rule can do, with the values that it can name."""

_REQUIRED: Final[Mapping[str, set[str]]] = {
    "text": {"text"},
    "thinking": {"text"},
    "tool_use": {"callId", "name"},
    "tool_result": {"callId"},
    "ask": {"askId", "title"},
    "settle": {"askId"},
}


@dataclass(frozen=True, slots=True)
class Rule:
    """On which event, under which conditions, what is done. `is_whole`: texts are all so far, not the next piece."""

    on: str
    do: str
    fields: Mapping[str, Value]
    when: tuple[tuple[Value, JsonValue], ...] = ()
    is_whole: bool = False
    options: Value | None = None
    fixed_options: tuple[AskOption, ...] = ()

    def fits(self, kind: str, event: JsonValue) -> bool:
        """Whether this rule is for an event."""
        return kind == self.on and all(value.of(event) == wanted for value, wanted in self.when)

    def text(self, name: str, event: JsonValue) -> str | None:
        """One of the rule's values as a text."""
        return self.fields[name].text(event) if name in self.fields else None

    def value(self, name: str, event: JsonValue) -> JsonValue:
        """One of the rule's values, None where there is none."""
        found = self.fields[name].of(event) if name in self.fields else MISSING
        return None if found is MISSING else found

    def part(self, event: JsonValue) -> JsonObject:
        """The part that the event is."""
        return PartShape(self.do, self.fields).of(event)

    def asked_options(self, event: JsonValue) -> list[AskOption]:
        """The options of a question."""
        if self.options is None:
            return list(self.fixed_options)
        found: list[AskOption] = []
        for one in self.options.list(event):
            option_id = self.text("optionId", one) or ""
            option: AskOption = {"id": option_id, "label": self.text("optionLabel", one) or option_id}
            kind = self.text("optionKind", one)
            if kind:
                option["kind"] = kind
            found.append(option)
        return found


def parse_rule(given: JsonValue, place: str) -> Rule:
    """A rule of a mapping file. MappingError."""
    if not is_object(given):
        raise fail(place, "an object is expected")
    on, do = given.get("on"), given.get("do")
    if not isinstance(on, str):
        raise fail(f"{place}.on", "the name of an event is expected")
    if not isinstance(do, str) or do not in FIELDS:
        raise fail(f"{place}.do", f"one of {', '.join(FIELDS)} is expected")
    extra = {"whole"} if do in ("text", "thinking") else {"options"} if do == "ask" else set()
    needed = {"on", "do"} | _REQUIRED.get(do, set())
    check_keys(given, place, required=needed, optional=FIELDS[do] | {"when"} | extra)
    values = {name: parse_value(given[name], f"{place}.{name}") for name in FIELDS[do] if name in given}
    options, fixed = _options(given.get("options"), f"{place}.options") if do == "ask" else (None, ())
    return Rule(on, do, values, _conditions(given, place), given.get("whole") is True, options, fixed)


def _conditions(given: JsonObject, place: str) -> tuple[tuple[Value, JsonValue], ...]:
    when = given.get("when", {})
    if not is_object(when):
        raise fail(f"{place}.when", "an object is expected")
    return tuple((Value(parse_path(path)), wanted) for path, wanted in when.items())


def _options(given: JsonValue, place: str) -> tuple[Value | None, tuple[AskOption, ...]]:
    if given is None:
        return None, ()
    if not isinstance(given, list):
        return parse_value(given, place), ()
    fixed: list[AskOption] = []
    for number, one in enumerate(given):
        if not is_object(one) or not all(isinstance(one.get(name), str) for name in ("id", "label")):
            raise fail(f"{place}.{number}", "an option with the texts id and label is expected")
        check_keys(one, f"{place}.{number}", required={"id", "label"}, optional={"kind", "description"})
        fixed.append(cast(AskOption, one))
    return None, tuple(fixed)
