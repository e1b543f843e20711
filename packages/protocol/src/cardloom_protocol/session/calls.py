"""What a row of the table of operations says, and how a request is checked by it.

Fields that a row does not name are ignored. Spec: session protocol, routes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from ..jstext import JsonValue
from .errors import BadRequest, InvalidId
from .json_text import JsonObject, is_number, is_object, is_too_deep
from .limits import session_limit
from .names import asset_name, safe_id
from .parts import check_parts

Place: TypeAlias = Literal["path", "query", "body", "whole", "if-match", "raw", "content-type"]
"""Where HTTP carries a field: `whole` is the body itself, `raw` its bytes (base64 over a socket)."""

Check: TypeAlias = Callable[[str, JsonValue], JsonValue]
Reply: TypeAlias = Literal["json", "bytes", "events"]


@dataclass(frozen=True, slots=True)
class CallField:
    """One field: its kind (a key of `KINDS`), its place in HTTP, whether it must be there, whether null is a value."""

    kind: str
    place: Place = "body"
    required: bool = False
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class SessionCall:
    """One operation. `capability` is the dotted path that it needs; `status` what HTTP says when it succeeds."""

    name: str
    verb: str
    path: str
    fields: Mapping[str, CallField]
    capability: str | None = None
    status: int = 200
    reply: Reply = "json"
    doc: str = ""

    @property
    def segments(self) -> tuple[str, ...]:
        """The path cut at its slashes; a segment in braces names a field."""
        return tuple(self.path.strip("/").split("/"))


def checked(call: SessionCall, given: Mapping[str, JsonValue]) -> JsonObject:
    """The fields of a request that the operation knows. BAD_REQUEST or INVALID_ID names the first one that is wrong."""
    known: JsonObject = {}
    for name, field in call.fields.items():
        if name not in given or (given[name] is None and not field.nullable):
            if field.required:
                raise BadRequest(f"{name} is missing.")
            continue
        value = given[name]
        if is_too_deep(value):
            raise BadRequest(f"{name} is nested too deeply.")
        known[name] = value if value is None else KINDS[field.kind](name, value)
    return known


# Kinds of fields


def _must(name: str, holds: bool, what: str) -> None:
    if not holds:
        raise BadRequest(f"{name} must be {what}.")


def _text(name: str, value: JsonValue) -> JsonValue:
    _must(name, isinstance(value, str), "a text")
    return value


def _content(name: str, value: JsonValue) -> JsonValue:
    _must(name, isinstance(value, str | bytes), "base64")
    return value


def _key(name: str, value: JsonValue) -> JsonValue:
    _must(name, isinstance(value, str) and value != "", "a text that is not empty")
    # Clients, and servers on the way, take these out of a path: what is left would name something else.
    if value in (".", ".."):
        raise InvalidId(f"{name} cannot be {value!r}.")
    return value


def _bool(name: str, value: JsonValue) -> JsonValue:
    _must(name, isinstance(value, bool), "true or false")
    return value


def _count(name: str, value: JsonValue) -> JsonValue:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:12])
    if not is_number(value) or (isinstance(value, float) and not value.is_integer()) or value < 0:
        raise BadRequest(f"{name} must be a whole number, 0 or more.")
    return int(value)


def _limit(name: str, value: JsonValue) -> JsonValue:
    count = _count(name, value)
    most = session_limit("pageSessions")
    _must(name, isinstance(count, int) and 1 <= count <= most, f"between 1 and {most}")
    return count


def _object(name: str, value: JsonValue) -> JsonValue:
    _must(name, is_object(value), "an object")
    return value


def _texts(name: str, value: JsonValue) -> JsonValue:
    _must(name, isinstance(value, list) and all(isinstance(item, str) for item in value), "a list of texts")
    return value


def _one_of(*words: str) -> Check:
    def check(name: str, value: JsonValue) -> JsonValue:
        _must(name, value in words, "one of " + ", ".join(words))
        return value

    return check


def _model(name: str, value: JsonValue) -> JsonValue:
    _must(name, is_object(value) and isinstance(value.get("model"), str), "an object with the text `model`")
    if is_object(value):
        _must(f"{name}.thinking", isinstance(value.get("thinking"), str | None), "a text")
    return value


def _profile(name: str, value: JsonValue) -> JsonValue:
    named = is_object(value) and isinstance(value.get("name"), str)
    _must(name, isinstance(value, str) or named, "the id of a profile, or a profile with a name")
    return value


KINDS: Final[Mapping[str, Check]] = MappingProxyType(
    {
        "id": lambda name, value: safe_id(value, name),
        "key": _key,
        "text": _text,
        "content": _content,
        "bool": _bool,
        "count": _count,
        "limit": _limit,
        "object": _object,
        "texts": _texts,
        "any": lambda name, value: value,
        "parts": lambda name, value: list[JsonValue](check_parts(value)),
        "model": _model,
        "profile": _profile,
        "assetName": lambda name, value: asset_name(value),
        "role": _one_of("user", "assistant"),
        "view": _one_of("path", "thread"),
        "dir": _one_of("next", "prev"),
        "catalog": _one_of("tools", "skills", "extensions"),
    }
)
"""What checks a value, by kind."""
