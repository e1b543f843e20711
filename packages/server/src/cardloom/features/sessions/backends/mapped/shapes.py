"""How the engine's sessions, messages and parts become ours. Pure: JSON in, JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from cardloom_protocol.jstext import MAX_SAFE_INTEGER, JsonValue
from cardloom_protocol.session.hashing import content_hash
from cardloom_protocol.session.info import ModelInfo, SessionInfo
from cardloom_protocol.session.json_text import JsonObject, is_number, is_object
from cardloom_protocol.session.messages import Message
from cardloom_protocol.session.parts import PART_TYPES, AnyPart

from .language import MISSING, Value, check_keys, fail, parse_value

SESSION_FIELDS: Final = {
    *("id", "title", "createdAt", "updatedAt", "messageCount", "model", "thinking"),
    *("botId", "botName", "botAvatar", "accentColor", "parentSessionId", "forkMessageId"),
}
MODEL_FIELDS: Final = {"id", "name", "provider", "contextWindow"}
MESSAGE_FIELDS: Final = {"id", "role", "name", "text", "createdAt", "model", "input", "output", "disabled"}
PART_FIELDS: Final = {"text", "data", *("callId", "name", "error", "mime", "url", "ref", "alt", "code", "hint")}
_IN_PART: Final = {"text", "data"}
_NEEDED: Final = {"tool_use": ("callId", "name"), "tool_result": ("callId",), "file": ("name",)}


@dataclass(frozen=True, slots=True)
class PartShape:
    """One kind of part: its type with us, and where its fields stand."""

    type: str
    fields: Mapping[str, Value]

    def of(self, document: JsonValue) -> AnyPart:
        """The part in a document, with everything that its type needs."""
        part: AnyPart = {"type": self.type}
        meta: JsonObject = {}
        for name, value in self.fields.items():
            found = value.of(document)
            if found is MISSING or found is None:
                continue
            if name == "text":
                part["text"] = value.text(document)
            elif name in _IN_PART:
                part[name] = found
            elif name == "error":
                meta["error"] = bool(found)
            else:
                meta[name] = value.text(document)
        for name in _NEEDED.get(self.type, ()):
            meta.setdefault(name, "")
        if self.type in ("text", "thinking", "error"):
            part.setdefault("text", "")
        if self.type == "tool_use":
            part.setdefault("data", {})
        if meta or self.type == "image":
            part["meta"] = meta
        return part


@dataclass(frozen=True, slots=True)
class PartsShape:
    """A list of parts: where it is, what tells their kind, and what becomes of each kind."""

    each: Value
    type: Value
    kinds: Mapping[str, PartShape]
    hint: str

    def of(self, document: JsonValue) -> list[AnyPart]:
        """The parts in a message; a kind that the mapping does not know is kept whole as a custom part."""
        parts: list[AnyPart] = []
        for one in self.each.list(document):
            kind = self.type.text(one) or ""
            shape = self.kinds.get(kind)
            parts.append(shape.of(one) if shape is not None else self._kept(kind, one))
        return parts

    def _kept(self, kind: str, one: JsonValue) -> AnyPart:
        return {"type": "custom", "data": one, "meta": {"hint": f"{self.hint}.{kind}"}}


@dataclass(frozen=True, slots=True)
class MessageShape:
    """A message. Without an `id` messages are known by their place, `pos:N`."""

    fields: Mapping[str, Value]
    parts: PartsShape | None
    active_swipe: Value | None = None
    swipe_count: Value | None = None

    @property
    def has_ids(self) -> bool:
        """Whether the engine's messages have ids."""
        return "id" in self.fields

    def of(self, document: JsonValue, place: int) -> Message:
        """The message in a document, the place-th of its session."""
        role = self.fields["role"].text(document) or "assistant"
        parts = self._parts(document)
        given = self.fields["id"].text(document) if self.has_ids else None
        message: Message = {"id": given or f"pos:{place}", "role": role, "parts": parts}
        name = self.fields["name"].text(document) if "name" in self.fields else None
        if name:
            message["name"] = name
        if "disabled" in self.fields and self.fields["disabled"].of(document) is True:
            message["flags"] = {"disabled": True}
        meta = self._meta(document)
        if meta:
            message["meta"] = meta
        self._add_swipes(message, document)
        message["hash"] = content_hash(role, parts)
        return message

    def foreign_role(self, role: str) -> str:
        """A role of ours in the engine's own word."""
        for foreign, ours in self.fields["role"].values.items():
            if ours == role:
                return foreign
        return role

    def _parts(self, document: JsonValue) -> list[AnyPart]:
        parts = [] if self.parts is None else self.parts.of(document)
        text = self.fields["text"].text(document) if "text" in self.fields else None
        if text is not None and not any(part.get("type") == "text" for part in parts):
            parts.append({"type": "text", "text": text})
        return parts

    def _meta(self, document: JsonValue) -> JsonObject:
        meta: JsonObject = {}
        for name in ("createdAt", "model"):
            text = self.fields[name].text(document) if name in self.fields else None
            if text:
                meta[name] = text
        counts = {name: self.fields[name].of(document) for name in ("input", "output") if name in self.fields}
        if counts and all(is_number(count) for count in counts.values()):
            meta["usage"] = cast(JsonObject, counts)
        return meta

    def _add_swipes(self, message: Message, document: JsonValue) -> None:
        if self.active_swipe is None or self.swipe_count is None:
            return
        active, count = self.active_swipe.of(document), self.swipe_count.of(document)
        if isinstance(count, list):
            count = len(count)
        if is_number(active) and is_number(count) and 0 <= active < count <= MAX_SAFE_INTEGER and count > 1:
            message["swipes"] = {"active": int(active), "count": int(count)}


def session_of(fields: Mapping[str, Value], document: JsonValue) -> SessionInfo:
    """The session in a document."""
    info: JsonObject = {}
    for name, value in fields.items():
        found = value.of(document)
        if found is MISSING or found is None:
            continue
        info[name] = found if name == "messageCount" and is_number(found) else value.text(document)
    model, thinking = info.pop("model", None), info.pop("thinking", None)
    if model:
        info["model"] = {"model": model, "thinking": thinking} if thinking else {"model": model}
    return cast(SessionInfo, info)


def model_of(fields: Mapping[str, Value], document: JsonValue) -> ModelInfo:
    """The model in a document."""
    info: JsonObject = {}
    for name, value in fields.items():
        found = value.of(document)
        if found is not MISSING and found is not None:
            info[name] = found if name == "contextWindow" and is_number(found) else value.text(document)
    return cast(ModelInfo, info)


def parse_fields(given: JsonValue, place: str, known: set[str], required: set[str]) -> dict[str, Value]:
    """The values of an object of a mapping file. MappingError."""
    if not is_object(given):
        raise fail(place, "an object is expected")
    check_keys(given, place, required=required, optional=known)
    return {name: parse_value(value, f"{place}.{name}") for name, value in given.items()}


def parse_part(given: JsonValue, place: str) -> PartShape:
    """One kind of part. MappingError."""
    if not is_object(given):
        raise fail(place, "an object is expected")
    kind = given.get("type")
    if not isinstance(kind, str) or kind not in PART_TYPES:
        raise fail(f"{place}.type", f"one of {', '.join(PART_TYPES)} is expected")
    if kind == "custom" and "hint" not in given:
        raise fail(place, "hint is missing")
    rest = {name: value for name, value in given.items() if name != "type"}
    return PartShape(kind, parse_fields(rest, place, PART_FIELDS, set()))


def parse_message(given: JsonValue, place: str, hint: str) -> MessageShape:
    """The shape of messages. MappingError."""
    if not is_object(given):
        raise fail(place, "an object is expected")
    plain = {name: value for name, value in given.items() if name not in ("parts", "swipes")}
    fields = parse_fields(plain, place, MESSAGE_FIELDS, {"role"})
    parts = None
    if "parts" in given:
        parts = _parse_parts(given["parts"], f"{place}.parts", hint)
    elif "text" not in fields:
        raise fail(place, "text or parts is missing")
    if "swipes" not in given:
        return MessageShape(fields, parts)
    swipes = parse_fields(given["swipes"], f"{place}.swipes", set(), {"active", "count"})
    return MessageShape(fields, parts, swipes["active"], swipes["count"])


def _parse_parts(given: JsonValue, place: str, hint: str) -> PartsShape:
    if not is_object(given):
        raise fail(place, "an object is expected")
    check_keys(given, place, required={"each", "type", "kinds"})
    kinds = given["kinds"]
    if not is_object(kinds):
        raise fail(f"{place}.kinds", "an object is expected")
    return PartsShape(
        parse_value(given["each"], f"{place}.each"),
        parse_value(given["type"], f"{place}.type"),
        {name: parse_part(one, f"{place}.kinds.{name}") for name, one in kinds.items()},
        hint,
    )
