"""The little language of mapping files: where a value stands in the engine's JSON, and what is sent to it.

A *value* is a path (`"info.title"`, a number picks from a list, `""` is the whole) or an object: `from` with a path,
`values` to translate, `else` for what is missing or not translated, `unit` (`ms`, `s`) for times; or `is` with a
constant. A *template* is JSON in which `{name}` stands for a field of the request; a text that is nothing but `{name}`
becomes the field itself, and an entry of an object whose field is not given is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias
from urllib.parse import quote

from cardloom_protocol.jstext import JsonValue, compact_json
from cardloom_protocol.session.errors import BadRequest
from cardloom_protocol.session.json_text import JsonObject, is_number, is_object
from cardloom_sdk.stores.sources import iso_of_ns


class Missing(Enum):
    """Marks what is not there, as opposed to null."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
Found: TypeAlias = JsonValue | Missing

_FIELD: Final = re.compile(r"\{([a-zA-Z]+)\}")
_NANOSECONDS: Final = {"ms": 1_000_000, "s": 1_000_000_000}


class MappingError(ValueError):
    """A mapping file that cannot be used; the message begins with the exact place."""


def fail(place: str, reason: str) -> MappingError:
    """The error of a place in a mapping file."""
    return MappingError(f"{place}: {reason}")


@dataclass(frozen=True, slots=True)
class Value:
    """Where a value stands, and what becomes of it."""

    path: tuple[str, ...] | None
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    otherwise: Found = MISSING
    unit: str | None = None

    def of(self, document: JsonValue) -> Found:
        """The value in a document."""
        found = MISSING if self.path is None else _look(document, self.path)
        if self.values and found is not MISSING:
            found = self.values.get(found if isinstance(found, str) else compact_json(found), MISSING)
            return self.otherwise if found is MISSING and self.otherwise is not MISSING else found
        if found is MISSING or found is None:
            return self.otherwise if self.otherwise is not MISSING else found
        if self.unit is not None and is_number(found):
            return _time_of(found * _NANOSECONDS[self.unit])
        return found

    def text(self, document: JsonValue) -> str | None:
        """The value as a text, None where there is none; what is no text is written as JSON."""
        found = self.of(document)
        if found is MISSING or found is None:
            return None
        return found if isinstance(found, str) else compact_json(found)

    def list(self, document: JsonValue) -> list[JsonValue]:
        """The value where it is a list, else an empty one."""
        found = self.of(document)
        return found if isinstance(found, list) else []


def _time_of(at_ns: float) -> Found:
    """A moment, missing for a number that is none."""
    try:
        return iso_of_ns(int(at_ns))
    except (ValueError, OverflowError, OSError):
        return MISSING


def parse_value(given: JsonValue, place: str) -> Value:
    """A value of a mapping file. MappingError."""
    if isinstance(given, str):
        return Value(parse_path(given))
    if not is_object(given):
        raise fail(place, "a path or an object is expected")
    check_keys(given, place, optional={"from", "values", "else", "unit", "is"})
    if "is" in given:
        check_keys(given, place, required={"is"})
        return Value(None, otherwise=given["is"])
    path = given.get("from", "")
    if not isinstance(path, str):
        raise fail(f"{place}.from", "a path is expected")
    values, unit = given.get("values", {}), given.get("unit")
    if not is_object(values):
        raise fail(f"{place}.values", "an object is expected")
    if unit is not None and unit not in _NANOSECONDS:
        raise fail(f"{place}.unit", "ms or s is expected")
    return Value(parse_path(path), values, given.get("else", MISSING), unit if isinstance(unit, str) else None)


def parse_path(path: str) -> tuple[str, ...]:
    """The steps of a path; none is the whole."""
    return tuple(path.split(".")) if path else ()


def _look(document: JsonValue, path: tuple[str, ...]) -> Found:
    here: Found = document
    for step in path:
        if is_object(here):
            here = here.get(step, MISSING)
        elif isinstance(here, list) and step.isascii() and step.isdigit() and int(step) < len(here):
            here = here[int(step)]
        else:
            return MISSING
    return here


def filled(template: JsonValue, fields: Mapping[str, JsonValue]) -> Found:
    """A template with the fields of a request in it."""
    if isinstance(template, str):
        whole = _FIELD.fullmatch(template)
        if whole is not None:
            return fields.get(whole[1], MISSING)
        return _FIELD.sub(lambda found: _written(fields.get(found[1])), template)
    if isinstance(template, list):
        return [made for one in template if (made := filled(one, fields)) is not MISSING]
    if is_object(template):
        return {name: made for name, one in template.items() if (made := filled(one, fields)) is not MISSING}
    return template


def filled_path(template: str, fields: Mapping[str, JsonValue]) -> str:
    """The path of a request; what is put into it stays inside its segment."""
    return _FIELD.sub(lambda found: _in_segment(_written(fields.get(found[1]))), template)


def _in_segment(text: str) -> str:
    """A text as it stands in a path. BAD_REQUEST for what would lead out of its segment all the same."""
    if text in (".", ".."):
        raise BadRequest(f"{text!r} cannot stand in a path.")
    return quote(text, safe="", errors="replace")


def fields_in(template: JsonValue) -> Iterator[str]:
    """The names of the fields that a template asks for."""
    if isinstance(template, str):
        yield from _FIELD.findall(template)
    elif isinstance(template, list):
        for one in template:
            yield from fields_in(one)
    elif is_object(template):
        for one in template.values():
            yield from fields_in(one)


def check_keys(
    given: JsonObject, place: str, *, required: set[str] | None = None, optional: set[str] | None = None
) -> None:
    """MappingError unless an object has what it needs and nothing unknown."""
    for name in sorted((required or set()) - set(given)):
        raise fail(place, f"{name} is missing")
    for name in given:
        if name not in (required or set()) | (optional or set()):
            raise fail(f"{place}.{name}", "there is no such entry")


def _written(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)
